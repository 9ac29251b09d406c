"""Lines for people: a terminal gets them wrapped between words, a pipe gets each whole."""

from __future__ import annotations

import re
from typing import IO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

LEAST_WIDTH = 20
"""Columns that text has whatever its indent; a terminal as narrow as that cannot show more."""
_WORD = re.compile(r"\S+")


class Lines:
    """Writes to one stream."""

    def __init__(self, stream: IO[str]) -> None:
        self._console = Console(file=stream, highlight=False, markup=False, soft_wrap=True)

    def put(self, text: Text, first: Text | str = "", indent: int = 0) -> None:
        """``text`` after ``first``, which stands in the ``indent`` columns that further lines leave empty."""
        head = Text.assemble(first)
        head.append(" " * (indent - head.cell_len))
        for line in self._wrapped(text, indent):
            self._console.print(head + line)
            head = Text(" " * indent)

    def _wrapped(self, text: Text, indent: int) -> list[Text]:
        if not self._console.is_terminal:
            return [text]
        lines = list(text.divide(_breaks(text.plain, max(LEAST_WIDTH, self._console.width - indent))))
        for line in lines:
            line.rstrip()
        return lines


def _breaks(text: str, width: int) -> list[int]:
    """Where each further line begins.

    A word longer than a line stays whole, which rich's own wrapping does not allow: most are addresses, to
    be opened or copied.
    """
    breaks, begun = [], 0
    for word in _WORD.finditer(text):
        if word.start() > begun and cell_len(text[begun : word.end()]) > width:
            begun = word.start()
            breaks.append(begun)
    return breaks
