"""A model's server that plays whole runs, holds its replies back when told to, and counts what it is asked.

It speaks the chat format, so that the real client is used. A run is known by the number in its question,
a call by its run and its turn: what is asked twice was asked for twice.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.agent.openai_server import chat_call, completion

Json = dict[str, Any]
Call = tuple[int, int]

MODEL = "modelo-de-prueba"
TURNS = 4
CHUNKS_PER_DOCUMENT = 100_000
LONGEST_HOLD = 120.0


def question(number: int) -> str:
    return f"Pregunta {number}: ¿cuál es el salario mínimo general que rige en 2026?"


class Provider:
    """``calls``: (question, turn) -> how often it was asked, both from 1. ``seconds``: what each takes."""

    def __init__(self) -> None:
        self.calls: Counter[Call] = Counter()
        self.seconds = 0.0
        self._held: int | None = None
        self._open = threading.Event()
        self._open.set()
        handler = type("Handler", (_Handler,), {"provider": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def environment(self) -> dict[str, str]:
        """What makes a site ask here. Attempts are not repeated: each call counts."""
        return {
            "DOFPILOT_PROVIDER": "openai-chat",
            "DOFPILOT_MODEL": MODEL,
            "DOFPILOT_BASE_URL": f"http://127.0.0.1:{self._server.server_port}/v1",
            "DOFPILOT_PROVIDER_RETRIES": "0",
        }

    def hold(self, turn: int) -> None:
        """Say nothing to a request of this ``turn`` until ``release``."""
        self._held = turn
        self._open.clear()

    def release(self) -> None:
        self._open.set()

    def asked(self, number: int, turn: int) -> bool:
        return self.calls[number, turn] > 0

    def twice(self) -> list[Call]:
        """Calls that were made more than once."""
        return [call for call, count in self.calls.items() if count > 1]

    def reply_to(self, body: Json) -> Json:
        said = "\n".join(str(message.get("content")) for message in body["messages"])
        returns = [message["content"] for message in body["messages"] if message["role"] == "tool"]
        number, turn = int(re.search(r"Pregunta (\d+):", said)[1]), len(returns) + 1
        self.calls[number, turn] += 1
        if self.seconds:
            time.sleep(self.seconds)
        if turn == self._held:
            self._open.wait(LONGEST_HOLD)
        return _reply(returns)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
        self._server.shutdown()
        self._server.server_close()


def _reply(returns: list[str]) -> Json:
    if not returns:
        return _call("search_documents", query="salario mínimo general 2026", limit=3)
    chunk = int(re.search(r"\b\d{8,}\b", returns[-1])[0])
    if len(returns) == 1:
        document = int(re.search(r"\b\d{6,}\b", returns[0])[0])
        return _call("search_evidence", query="salario mínimo general", document_ids=[_document(document)])
    if len(returns) == 2:
        return _call("read_chunks", chunk_ids=[chunk])
    answer = {"answer": f"Lo fija esa resolución [{chunk}].", "citations": [chunk]}
    return {"content": json.dumps({**answer, "premise_status": "supported"})}


def _document(identifier: int) -> int:
    """A chunk's id begins with its document's."""
    return identifier if identifier < 10**9 else identifier // CHUNKS_PER_DOCUMENT


def _call(name: str, **arguments: Any) -> Json:
    return {"content": None, "tool_calls": [chat_call(name, json.dumps(arguments))]}


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        # The probe's question, which is no run's.
        self._send(json.dumps({"object": "list", "data": [{"id": MODEL, "object": "model"}]}).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = self.provider.reply_to(body)
        self._send(completion(message, "tool_calls" if message.get("tool_calls") else "stop").content)

    def _send(self, content: bytes) -> None:
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            # Who asked is gone: the late reply reaches nobody.
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Tests print nothing."""
