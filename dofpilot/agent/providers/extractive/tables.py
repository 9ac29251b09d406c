"""Rows of a Markdown table as lines that can be read by themselves."""

from __future__ import annotations

import re
from collections import Counter

from dofpilot.corpus.text.analysis import terms
from dofpilot.corpus.text.folding import fold

_ROW = re.compile(r"[ \t]*\|")
_RULE = re.compile(r"[ \t|:-]*")
# Names of columns that say nothing of what stands below them.
_EMPTY_NAMES = frozenset(
    {"dato", "datos", "valor", "concepto", "descripcion", "detalle", "contenido", "informacion"}
)
_MOST = 3


def is_row(text: str, start: int = 0) -> bool:
    return bool(_ROW.match(text, start))


def is_header(text: str, end: int) -> bool:
    """Whether the line that ends there has the rule of a table below it."""
    below = text[end + 1 : text.find("\n", end + 1) % (len(text) + 1)]
    return "-" in below and _is_rule(below)


def rows(lines: list[str], header: str) -> list[str]:
    """``ZSMG: Salario 2025 278.80; Salario 2026 315.04``: one a row, each value after its column's name.

    ``lines`` are of one table; ``header`` is its first, when ``lines`` begin further down, or empty.
    """
    if not header and len(lines) > 1 and _is_rule(lines[1]):
        header, *lines = lines
    body = [line for line in lines if not _is_rule(line)]
    return [_named(line, header) for line in body or [header]]


def matching(said: list[str], asked: frozenset[str]) -> list[str]:
    """At most three of the rows, in their order: those with terms of ``asked`` that most rows do not have."""
    shared = [asked.intersection(terms(row)) for row in said]
    counts = Counter(term for found in shared for term in found)
    telling = [sum(2 * counts[term] <= len(said) for term in found) for found in shared]
    places = [place for place, count in enumerate(telling) if count or not any(telling)]
    best = sorted(places, key=lambda place: -telling[place])[:_MOST]
    return [said[place] for place in sorted(best)]


def headers(text: str) -> dict[int, str]:
    """The header of its table by the offset at which each row below one begins."""
    found: dict[int, str] = {}
    table: list[str] = []
    header, place = "", 0
    for line in text.split("\n"):
        table = [*table[:2], line] if is_row(line) else []
        if len(table) == 2:
            header = table[0] if _is_rule(line) else ""
        if len(table) == 3 and header:
            found[place] = header
        place += len(line) + 1
    return found


def _named(row: str, header: str) -> str:
    """The first cell tells what the row is about. A row that does not fit its header is its cells alone."""
    about, *values = _cells(row)
    names = ["" if fold(name) in _EMPTY_NAMES else name for name in _cells(header)[1:]]
    if len(names) != len(values):
        names = [""] * len(values)
    said = [f"{name} {value}".strip() for name, value in zip(names, values, strict=True) if value]
    return ": ".join(filter(None, (about, "; ".join(said))))


def _cells(row: str) -> list[str]:
    return [" ".join(cell.split()) for cell in row.strip().strip("|").split("|")]


def _is_rule(line: str) -> bool:
    return bool(_RULE.fullmatch(line))
