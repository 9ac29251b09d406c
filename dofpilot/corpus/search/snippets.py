"""A short piece of a chunk around the place that matches best."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from dofpilot.corpus.text.analysis import piece_terms
from dofpilot.corpus.text.shortening import ELLIPSIS, shorten

SNIPPET_LIMIT = 400
_HEAD = re.compile(r"\A(?:[ \t]*(?:#|>|\*\*[^*\n]*\*\*[ \t]*$)[^\n]*\n\s*)+", re.MULTILINE)
"""Title and organ at the head of a document: a hit shows them already."""
_NOTHING: frozenset[str] = frozenset()


class Snippets:
    """Makes the snippets of one query; what it learns of a word in one it need not ask in the next."""

    def __init__(self, wanted: frozenset[str], limit: int = SNIPPET_LIMIT) -> None:
        """``wanted`` are index terms; a snippet has at most ``limit`` characters."""
        self._hits = _Hits(wanted)
        self._room = limit - 2 * len(ELLIPSIS)

    def of(self, text: str) -> str:
        """One line, centred on the span with most distinct wanted terms, cut between words."""
        head = _HEAD.match(text)
        pieces = (text[head.end() :] if head else text).split() or text.split()
        first, last = _widened(pieces, *self._best_span(pieces), self._room)
        # A piece may be longer than all the room there is.
        shown = shorten(" ".join(pieces[first : max(last, first + 1)]), self._room)
        return (ELLIPSIS if first else "") + shown + (ELLIPSIS if 0 < last < len(pieces) else "")

    def _best_span(self, pieces: Sequence[str]) -> tuple[int, int]:
        """The first piece of the earliest such span and the one after its last."""
        hits = self._hits
        places = [place for place, piece in enumerate(pieces) if hits[piece]]
        starts = _starts(pieces, places)
        best, most, left = (0, 0), 0, 0
        inside: Counter[str] = Counter()
        for right, place in enumerate(places):
            inside.update(hits[pieces[place]])
            while left < right and starts[right] + len(pieces[place]) - starts[left] > self._room:
                inside.subtract(hits[pieces[places[left]]])
                left += 1
            distinct = sum(1 for count in inside.values() if count)
            if distinct > most:
                best, most = (places[left], place + 1), distinct
        return best


class _Hits(dict[str, frozenset[str]]):
    """The wanted terms in each piece of text that was asked for."""

    def __init__(self, wanted: frozenset[str]) -> None:
        super().__init__()
        self._wanted = wanted

    def __missing__(self, piece: str) -> frozenset[str]:
        found = piece_terms(piece)
        hits = _NOTHING if self._wanted.isdisjoint(found) else self._wanted.intersection(found)
        self[piece] = hits
        return hits


def _starts(pieces: Sequence[str], places: Sequence[int]) -> list[int]:
    """Where the pieces at ``places`` begin in the line of all pieces, counted from the first of them."""
    starts = [0] if places else []
    for before, place in pairwise(places):
        starts.append(starts[-1] + len(" ".join(pieces[before:place])) + 1)
    return starts


def _widened(pieces: Sequence[str], first: int, last: int, room: int) -> tuple[int, int]:
    """As many more pieces as fit, as much before as after where there is enough of both."""
    spare = room - len(" ".join(pieces[first:last]))
    kept = spare - spare // 2
    while first and spare - len(pieces[first - 1]) > kept:
        first -= 1
        spare -= len(pieces[first]) + 1
    while last < len(pieces) and spare > len(pieces[last]):
        spare -= len(pieces[last]) + 1
        last += 1
    while first and spare > len(pieces[first - 1]):
        first -= 1
        spare -= len(pieces[first]) + 1
    return first, last
