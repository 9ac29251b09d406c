"""An answer's text without the signs of Markdown, which models write unasked and a page shows as typed.

Only what can mean nothing else goes: the signs of headings, lines that rule something off, and pairs around
bold or italic words. Words, numbers, bullets, markers and rows of tables stay as they are.
"""

from __future__ import annotations

import re

_NESTED = 3
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}(?:[ \t]+|\Z)")
_HEADING_END = re.compile(r"(?<![ \t])[ \t]+#+[ \t]*\Z")
_RULE = re.compile(r"[ \t]{0,3}(?P<sign>[-=_*])(?:[ \t]?(?P=sign)){2,}[ \t]*")
# A footnote's star has a blank or a bracket on its inner side: «(*) y (*)», «278.80* y 315.04*», «5 * 3 * 2».
_INSIDE = r"(?![\s)\]»”’.,;:!?…])(?P<{0}>[^{1}\n]++)(?<![\s(\[«“‘¿¡])"
_STARRED = re.compile(
    r"(?<![^\W_])(?<!\*)(?P<stars>\*{1,3})" + _INSIDE.format("words", "*") + r"(?P=stars)(?!\*)(?![^\W_])"
)
# Underscores are part of names and addresses too.
_LINED = re.compile(
    r"(?<![^\s«“\"'‘(\[¿¡*—-])(?P<lines>_{1,3})" + _INSIDE.format("words", "_") + r"(?P=lines)(?!\w)"
)


def unformatted(text: str) -> str:
    """``text`` without those signs; lines that were nothing else are empty."""
    return "\n".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    if line.lstrip().startswith("|"):
        return line
    if _RULE.fullmatch(line):
        return ""
    if heading := _HEADING.match(line):
        line = _HEADING_END.sub("", line[heading.end() :])
    for _ in range(_NESTED if "*" in line or "_" in line else 0):
        line = _LINED.sub(r"\g<words>", _STARRED.sub(r"\g<words>", line))
    return line
