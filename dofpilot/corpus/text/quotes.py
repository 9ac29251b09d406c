"""Find a quotation in a text: the same words in the same order, however they are set (DESIGN §12)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dofpilot.corpus.text.folding import fold

# Link targets and tags are marks; the bounds keep a page of "](" from costing its square.
_WORD = re.compile(r"\]\([^)\n]{0,200}\)|</?[A-Za-z][^<>\n]{0,100}>|([^\W_]+)")


@dataclass(frozen=True, slots=True)
class Span:
    """Character offsets in the text that was searched, ``end`` excluded."""

    start: int
    end: int


def locate(quote: str, text: str) -> Span | None:
    """The first place where the words of ``quote`` run contiguously and whole in ``text``.

    Accents, case, Markdown marks, punctuation and white space between words make no difference.
    """
    sought = " ".join(word for word, _ in _words(quote))
    if not sought:
        return None
    words = list(_words(text))
    joined = " ".join(["", *(word for word, _ in words), ""])
    place = joined.find(f" {sought} ")
    if place < 0:
        return None
    first = joined.count(" ", 0, place)
    last = first + sought.count(" ")
    return Span(words[first][1].start, words[last][1].end)


def _words(text: str) -> Iterator[tuple[str, Span]]:
    for match in _WORD.finditer(text):
        if match[1]:
            folded = "".join(char for char in fold(match[1]) if char.isalnum())
            if folded:
                yield folded, Span(*match.span(1))
