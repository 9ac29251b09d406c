"""Somebody who follows a run's events and comes back after every break, as a browser's EventSource does."""

from __future__ import annotations

import http.client
import threading
import urllib.request
from collections.abc import Callable

from tests.waiting import wait_for

AGAIN_SECONDS = 0.2


class Reader:
    """``seen``: the sequence of each step, in the order of arrival; ``ended``: it saw the run's end."""

    def __init__(self, address: Callable[[], str], token: str) -> None:
        self.seen: list[int] = []
        self.ended = False
        self.breaks = 0
        self.address = address()
        self._address, self._token = address, token
        self._leaving = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def wait(self, seconds: float = 60) -> None:
        """Until it saw the end."""
        wait_for(lambda: self.ended, seconds)
        self._thread.join(10)

    def leave(self) -> None:
        self._leaving.set()

    def _follow(self) -> None:
        while not self.ended and not self._leaving.is_set():
            try:
                self._read()
            except (OSError, http.client.HTTPException):
                self.breaks += 1
            self._leaving.wait(AGAIN_SECONDS)

    def _read(self) -> None:
        last = {"Last-Event-ID": str(self.seen[-1])} if self.seen else {}
        headers = {"Authorization": f"Bearer {self._token}", **last}
        with urllib.request.urlopen(
            urllib.request.Request(self._address(), headers=headers), timeout=30
        ) as stream:
            for line in stream:
                if line.startswith(b"id: "):
                    self.seen.append(int(line[4:]))
                elif line.startswith(b"event: terminal"):
                    self.ended = True
                    return
                elif self._leaving.is_set():
                    return
