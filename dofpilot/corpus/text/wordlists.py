"""Words kept as data: lists of one folded entry a line (``#`` opens a comment), and tables of names."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"


def words(name: str) -> frozenset[str]:
    lines = (DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


def opening(name: str) -> re.Pattern[str]:
    """A pattern that matches where a folded text begins with one of the entries, as whole words."""
    return re.compile(rf"(?:{'|'.join(map(re.escape, sorted(words(name))))})\b")


@cache
def names(table: str) -> dict[str, list[str]]:
    """The full names that each acronym, in lower case, stands for."""
    loaded: dict[str, list[str]] = json.loads((DATA / f"{table}.json").read_text(encoding="utf-8"))
    return loaded
