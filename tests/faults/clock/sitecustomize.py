"""For processes under libfaketime with a true monotonic clock: it refuses the absolute sleep of Python's own.

A wait for an event that never comes goes by another call of the system, which it lets through.
"""

from __future__ import annotations

import threading
import time


def _sleep(seconds: float) -> None:
    threading.Event().wait(seconds)


time.sleep = _sleep
