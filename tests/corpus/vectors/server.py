"""An embeddings server on loopback, which answers with hashed words or as the test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.corpus.vectors.embedders import hashed

Json = dict[str, Any]
Reply = tuple[int, Any]
"""Status and body: JSON, or text that is none."""


def embeddings(vectors: list[Any]) -> Reply:
    data = [{"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)]
    return 200, {
        "object": "list",
        "model": "m",
        "data": data,
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }


class EmbeddingServer:
    """``reply`` makes an answer of a request's body; ``hold(n)`` lets n requests through and no more."""

    def __init__(self) -> None:
        self.reply: Callable[[Json], Reply] = lambda body: embeddings(
            [hashed(text) for text in body["input"]]
        )
        self.received: list[Json] = []
        self.keys: list[str | None] = []
        self.held = threading.Event()
        self._passes: int | None = None
        self._opened = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def texts(self) -> list[str]:
        return [text for body in self.received for text in body["input"]]

    def hold(self, passes: int) -> None:
        self._passes = passes

    def open(self) -> None:
        self._passes = None
        self._opened.set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.open()
        self._server.shutdown()
        self._server.server_close()

    def _admit(self, body: Json, key: str | None) -> None:
        with self._lock:
            self.received.append(body)
            self.keys.append(key)
            if self._passes is None:
                return
            self._passes -= 1
            if self._passes >= 0:
                return
        self.held.set()
        self._opened.wait(60)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server._admit(body, self.headers["Authorization"])
                status, answer = server.reply(body)
                data = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Tests print nothing."""

        return Handler
