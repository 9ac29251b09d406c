"""A scripted HTTP server on loopback that speaks both OpenAI formats and remembers what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """One HTTP reply. ``body`` may be text that is no JSON; ``hang`` waits until the server closes."""

    body: Json | str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hang: bool = False


@dataclass(frozen=True)
class Received:
    """Header names in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Json


class OpenAIServer:
    """Replies in the order given; the last one is repeated."""

    def __init__(self) -> None:
        self._answers: list[Answer] = []
        self.received: list[Received] = []
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def play(self, *answers: Answer) -> list[Received]:
        """Forget what was, answer with these, and return the list that requests will be added to."""
        self._answers = list(answers)
        self.received = []
        return self.received

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def _next(self) -> Answer:
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                sent = self.rfile.read(int(self.headers["Content-Length"]))
                server.received.append(Received(self.path, headers, json.loads(sent)))
                answer = server._next()
                if answer.hang:
                    server._closing.wait(30)
                    return
                self._send(answer)

            def _send(self, answer: Answer) -> None:
                body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
                self.send_response(answer.status)
                for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_: object) -> None:
                """Tests print nothing."""

        return Handler


def completion(message: Json, finish_reason: str = "stop", **more: Any) -> Answer:
    """A chat completion with one choice and counted tokens."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish_reason}
    usage = {"prompt_tokens": 120, "completion_tokens": 15, "total_tokens": 135}
    body = {"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage}
    return Answer({**body, **more})


def chat_call(name: str, arguments: Any, call_id: str | None = "call_1") -> Json:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def response(*output: Json, **more: Any) -> Answer:
    """A reply of the responses format with counted tokens."""
    usage = {"input_tokens": 120, "output_tokens": 15, "total_tokens": 135}
    body = {"id": "r", "object": "response", "status": "completed", "output": list(output), "usage": usage}
    return Answer({**body, **more})


def message(text: str) -> Json:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}


def function_call(name: str, arguments: Any, call_id: str = "call_1") -> Json:
    return {"type": "function_call", "id": "f", "call_id": call_id, "name": name, "arguments": arguments}
