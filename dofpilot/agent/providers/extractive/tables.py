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


def header_above(text: str, start: int) -> str:
    """The header of the table whose later row begins at ``start``; empty when ``text`` has none."""
    above: list[str] = []
    for line in reversed(text[:start].splitlines()):
        if not is_row(line):
            break
        above.append(line)
    return above[-1] if len(above) > 1 and _is_rule(above[-2]) else ""


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
