"""A scripted HTTP server on loopback that speaks both OpenAI formats and remembers what it was sent."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """One HTTP reply. ``body`` may be text or bytes that are no JSON.

    ``hang`` says nothing until the server closes; ``drip`` sends a byte every so many seconds; ``reset``
    ends the connection in the middle of the body.
    """

    body: Json | str | bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hang: bool = False
    drip: float = 0
    reset: bool = False

    @property
    def content(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


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
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"playing": self}))
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

    def answer_to(self, received: Received) -> Answer:
        self.received.append(received)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    def wait(self, seconds: float) -> bool:
        """True as soon as the server closes."""
        return self._closing.wait(seconds)


class _Handler(BaseHTTPRequestHandler):
    playing: OpenAIServer

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def do_GET(self) -> None:
        self._answer({})

    def _answer(self, body: Json) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.playing.answer_to(Received(self.path, headers, body))
        if answer.hang:
            self.playing.wait(30)
        else:
            self._send(answer)

    def _send(self, answer: Answer) -> None:
        content = answer.content
        self.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if answer.reset:
            self._break_off(content[: len(content) // 2])
        elif answer.drip:
            self._drip(content, answer.drip)
        else:
            self.wfile.write(content)

    def _drip(self, content: bytes, seconds: float) -> None:
        with contextlib.suppress(OSError):
            for place in range(len(content)):
                self.wfile.write(content[place : place + 1])
                if self.playing.wait(seconds):
                    return

    def _break_off(self, content: bytes) -> None:
        self.wfile.write(content)
        # Lingering for no time makes the end a reset.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Tests print nothing."""


def completion(message: Json, finish_reason: str = "stop", **more: Any) -> Answer:
    """A chat completion with one choice and counted tokens."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish_reason}
    usage = {"prompt_tokens": 120, "completion_tokens": 15, "total_tokens": 135}
    body = {"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage}
    return Answer({**body, **more})


def chat_call(name: Any, arguments: Any, call_id: str | None = "call_1", **more: Any) -> Json:
    function = {"name": name, "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function, **more}


def response(*output: Json, **more: Any) -> Answer:
    """A reply of the responses format with counted tokens."""
    usage = {"input_tokens": 120, "output_tokens": 15, "total_tokens": 135}
    body = {"id": "r", "object": "response", "status": "completed", "output": list(output), "usage": usage}
    return Answer({**body, **more})


def message(text: str, **more: Any) -> Json:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    said = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}
    return {**said, **more}


def function_call(name: Any, arguments: Any, call_id: str | None = "call_1", **more: Any) -> Json:
    return {
        "type": "function_call",
        "id": "f",
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
        **more,
    }
