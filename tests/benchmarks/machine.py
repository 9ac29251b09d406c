"""What a measurement was made on, and how its figures are put into words."""

from __future__ import annotations

import datetime
import math
import os
import platform
from pathlib import Path


def machine() -> str:
    """One line: date, cores, memory, Python."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{datetime.date.today():%Y-%m-%d}, {os.cpu_count()} cores ({_processor()}), {memory:.0f} GiB, "
        f"Python {platform.python_version()}, {platform.system()} {platform.release().split('-')[0]}"
    )


def percentile(values: list[float], share: float) -> float:
    """The smallest value that at least ``share`` of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith(("model name", "CPU implementer")):
            return line.split(":", 1)[1].strip()
    return platform.machine()
