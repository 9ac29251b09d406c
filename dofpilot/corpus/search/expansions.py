"""What a query says in other words than the gazette: acronyms, and the synonyms of ``data/synonyms.txt``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache

from dofpilot.corpus.text.acronyms import spelled_out
from dofpilot.corpus.text.analysis import WORD, term, terms
from dofpilot.corpus.text.folding import fold
from dofpilot.corpus.text.wordlists import DATA

Terms = tuple[str, ...]

_LONGEST = 4
"""Words in an entry of the list."""


def expansions(query: str) -> tuple[Terms, ...]:
    """Runs of index terms that may stand for something in the query, without repeats, in its order."""
    spelled = (tuple(terms(name)) for name in spelled_out(query))
    return tuple(dict.fromkeys([*spelled, *_synonyms(_keys(query))]))


def _synonyms(keys: Terms) -> Iterator[Terms]:
    """The longest entry at each place; none begins inside another."""
    table, place = _table(), 0
    while place < len(keys):
        for length in range(_LONGEST, 0, -1):
            found = table.get(keys[place : place + length])
            if found and place + length <= len(keys):
                yield from found
                break
        else:
            length = 1
        place += length


def _keys(text: str) -> Terms:
    """Stems, and function words as they are: «me corrieron» is more than «correr»."""
    return tuple(term(word) or fold(word) for word in WORD.findall(text))


@cache
def _table() -> dict[Terms, tuple[Terms, ...]]:
    table: dict[Terms, dict[Terms, None]] = defaultdict(dict)
    for line in (DATA / "synonyms.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            for left, right in _pairs(line):
                table[_keys(left)][tuple(terms(right))] = None
    return {left: tuple(right) for left, right in table.items()}


def _pairs(line: str) -> Iterator[tuple[str, str]]:
    """``a, b`` are each other's; ``a > b, c`` says that who writes ``a`` may mean ``b`` or ``c``."""
    said, one_way, meant = line.partition(" > ")
    if one_way:
        yield from ((said, entry.strip()) for entry in meant.split(","))
        return
    group = [entry.strip() for entry in line.split(",")]
    yield from ((one, other) for one in group for other in group if one != other)
