"""A short piece of a chunk around the place that matches best."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from dofpilot.corpus.text.analysis import piece_terms
from dofpilot.corpus.text.shortening import ELLIPSIS, shorten

SNIPPET_LIMIT = 400
_HEAD = re.compile(r"\A(?:[ \t]*(?:#|>|\*\*[^*\n]*\*\*[ \t]*$)[^\n]*\n\s*)+", re.MULTILINE)
"""Title and organ at the head of a document: a hit shows them already."""


class Snippets:
    """Makes the snippets of one query; what it learns of a word in one it need not ask in the next."""

    def __init__(self, wanted: frozenset[str], limit: int = SNIPPET_LIMIT) -> None:
        """``wanted`` are index terms; a snippet has at most ``limit`` characters."""
        self._wanted = wanted
        self._room = limit - 2 * len(ELLIPSIS)
        self._seen: set[str] = set()
        self._known: dict[str, frozenset[str]] = {}

    def of(self, text: str) -> str:
        """One line, centred on the span with most distinct wanted terms, cut between words."""
        pieces = (_HEAD.sub("", text) or text).split()
        line = _Line(pieces, self._room)
        first, last = line.widened(*self._best_span(pieces, line))
        # A piece may be longer than all the room there is.
        shown = shorten(" ".join(pieces[first : max(last, first + 1)]), self._room)
        return (ELLIPSIS if first else "") + shown + (ELLIPSIS if 0 < last < len(pieces) else "")

    def _best_span(self, pieces: Sequence[str], line: _Line) -> tuple[int, int]:
        """The first piece of the earliest such span and the one after its last."""
        hits = self._hits(pieces)
        places = [place for place, piece in enumerate(pieces) if piece in hits]
        best, most, left = (0, 0), 0, 0
        inside: Counter[str] = Counter()
        for place in places:
            inside.update(hits[pieces[place]])
            while places[left] < place and not line.holds(places[left], place + 1):
                inside.subtract(hits[pieces[places[left]]])
                left += 1
            distinct = sum(1 for count in inside.values() if count)
            if distinct > most:
                best, most = (places[left], place + 1), distinct
        return best

    def _hits(self, pieces: Sequence[str]) -> dict[str, frozenset[str]]:
        """The pieces that hold wanted terms, among all that were seen so far, with those terms."""
        new = set(pieces).difference(self._seen)
        self._seen |= new
        for piece in new:
            if not self._wanted.isdisjoint(found := piece_terms(piece)):
                self._known[piece] = self._wanted.intersection(found)
        return self._known


class _Line:
    """Pieces set in one line with a space between them."""

    def __init__(self, pieces: Sequence[str], room: int) -> None:
        self._starts = [0, *accumulate(len(piece) + 1 for piece in pieces)]
        self._room = room

    def holds(self, first: int, last: int) -> bool:
        """Whether the pieces from ``first`` to before ``last`` fit."""
        return self._starts[last] - self._starts[first] - 1 <= self._room

    def widened(self, first: int, last: int) -> tuple[int, int]:
        """As many more pieces as fit, as much before as after where there is enough of both."""
        starts, spare = self._starts, self._room - (self._starts[last] - self._starts[first])
        first = bisect_left(starts, starts[first] - spare // 2, hi=first)
        last = max(last, bisect_right(starts, starts[first] + self._room + 1) - 1)
        return bisect_left(starts, starts[last] - self._room - 1, hi=first), last
