"""How fast work goes now, and so how long the rest will take."""

from __future__ import annotations

from collections import deque

SPAN = 120.0
"""Seconds that the average looks back: long enough to be calm, short enough to notice a slower machine."""
_LEAST = 5.0
"""Seconds before anything is said: the first batches tell more about the start than about the pace."""


class Pace:
    """A moving average over what was reported, in any unit of work."""

    def __init__(self) -> None:
        self._samples = deque[tuple[float, float]]()

    def report(self, now: float, done: float) -> None:
        """``done`` so far at the time ``now`` in seconds; both only grow."""
        self._samples.append((now, done))
        while len(self._samples) > 2 and self._samples[1][0] <= now - SPAN:
            self._samples.popleft()

    def rate(self, now: float) -> float | None:
        """Work for each second, falling while none is reported; ``None`` while it is too early to tell."""
        if not self._samples:
            return None
        start, before = self._samples[0]
        return (self._samples[-1][1] - before) / (now - start) if now - start >= _LEAST else None

    def seconds_left(self, now: float, left: float) -> float | None:
        rate = self.rate(now)
        return left / rate if rate else None
