"""Text of a document as a model may read it: without what costs tokens and tells it nothing, without what it
alone would see, and without the mark of a passage, which no document may end or begin.

Words and numbers stay as they are.
"""

from __future__ import annotations

import re
from functools import lru_cache

# Controls, marks of direction and width, variants, tags: what hides in them no person would see and check.
UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
# Stars between two letters may be all that parts two words.
_BOLD = re.compile(r"(?<![\w*])\*{2,}(?=\S)|(?<=[^\s*])\*{2,}(?![\w*])")
_RULE = re.compile(r"(?<!\S)\|?(?:\s?:?-{3,}:?\s?\|)+(?:\s?:?-{3,}:?)?(?!\S)")
_CELL_EDGE = re.compile(r"[ \t]*\|[ \t]*")
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")
# Also where the text ends, for what comes after it may go on with the word.
_MARK = re.compile(r"<(?=\s*/?\s*(?:pasaje|\Z))", re.IGNORECASE)


# Every turn of a run renders what was read once more; a worker may have several runs at hand.
TEXTS_KEPT = 512


@lru_cache(TEXTS_KEPT)
def squeezed(text: str) -> str:
    """Bold marks, padding of table cells, lines that only rule a table, and blank lines left out."""
    lines = (_cells(line) for line in _plain(text).splitlines() if not _RULE.fullmatch(line.strip()))
    return _unmarked(_LINES.sub("\n", _BLANKS.sub(" ", "\n".join(lines))).strip())


def in_line(text: str) -> str:
    """The same on one line; a table's rule may stand among other words."""
    return _unmarked(" ".join(_RULE.sub("", _plain(text)).split()))


def _plain(text: str) -> str:
    return _BOLD.sub("", UNSEEN.sub("", text))


def _unmarked(text: str) -> str:
    """The last step: what was left out before may have stood between the parts of a mark."""
    return _MARK.sub("‹", text)


def _cells(line: str) -> str:
    return _CELL_EDGE.sub("|", line) if "|" in line else line
