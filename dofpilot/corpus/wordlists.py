"""Word lists kept as data: one folded entry a line, ``#`` opens a comment."""

from __future__ import annotations

import re
from pathlib import Path

DATA = Path(__file__).with_name("data")


def words(name: str) -> frozenset[str]:
    lines = (DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


def opening(name: str) -> re.Pattern[str]:
    """A pattern that matches where a folded text begins with one of the entries, as whole words."""
    return re.compile(rf"(?:{'|'.join(map(re.escape, sorted(words(name))))})\b")
