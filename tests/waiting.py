"""Waiting for real processes."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(condition: Callable[[], Any], seconds: float = 30, pause: float = 0.05) -> Any:
    """The first true value of ``condition``, asked every ``pause`` seconds. Fails after ``seconds``."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if value := condition():
            return value
        time.sleep(pause)
    raise AssertionError(f"{condition} did not come true in {seconds} s")
