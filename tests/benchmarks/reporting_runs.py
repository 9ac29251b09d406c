"""Figures of ``make bench-runs``: what was measured, the figure, and its goal if it has one."""

from __future__ import annotations

from tests.benchmarks.machine import percentile

Row = tuple[str, str, str]


def milliseconds(values: list[float], digits: int = 0) -> str:
    """p50 / p95."""
    p50, p95 = percentile(values, 0.5), percentile(values, 0.95)
    return f"{p50:.{digits}f} / {p95:.{digits}f} ms"
