"""A document's structure, as the starts of its lines show it: headings, articles, numerals, transitorios."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dofpilot.corpus.text.numbering import LATIN

LABEL_LIMIT = 200
"""Characters of a heading that a heading path keeps."""

_ORDINAL = (
    r"(?:[ÚU]NIC|PRIMER|SEGUND|TERCER|CUART|QUINT|SEXT|S[ÉE]PTIM|OCTAV|NOVEN|D[ÉE]CIM|UND[ÉE]CIM|DUOD[ÉE]CIM"
    r"|VIG[ÉE]SIM|TRIG[ÉE]SIM|CUADRAG[ÉE]SIM)[OA]"
)
_ORDINALS = rf"(?-i:(?=[A-ZÉÚ])){_ORDINAL}(?:[ \t]+{_ORDINAL})?"
_LETTER = r"(?-i:[ \t]?[-–][ \t]?(?:\*\*)?[ \t]?[A-Z]{1,2}|[ \t]+[A-Z])(?=[ \t]?[.\-–—:*])"
_NUMBER = rf"[0-9]{{1,4}}[oº°]?(?:{_LETTER})?(?:\.?(?:\*\*)?[ \t]+{LATIN}(?:[ \t]+[0-9]{{1,2}})?)?"
_CAPITAL = r"(?-i:(?=[A-ZÁÉÍÓÚÑ«“\"*_(¿]))"
_TRANSITORY = r"(?-i:T)[ ]?R[ ]?A[ ]?N[ ]?S[ ]?I[ ]?T[ ]?O[ ]?R[ ]?I[ ]?[OA][ ]?S?"
_OPENING = r"[ \t]{0,8}[\"“«]?(?:\*\*|__)?[ \t]?[\"“«]?"

# A literal newline at the front lets the engine skip from line to line; the text is given one.
_MARK = re.compile(
    rf"""
    \n\ufeff?(?:
      [ ]{{0,3}}(?P<hashes>\#{{1,6}})[ \t]+(?P<heading>[^\n]+)
    | {_OPENING}(?-i:A)(?:rt[íi]culo)[ \t]+(?:\*\*)?(?P<article>{_NUMBER}|{_ORDINALS})
      (?=[ \t]*(?:\*\*|[.\-–—:]|\r?\n|\Z))
    | {_OPENING}(?P<ordinal>{_ORDINALS})(?=[ \t]*(?:\*\*)?[.:\-–—])
    | {_OPENING}(?P<numeral>[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{1,5}})\.?(?:\*\*)?[ \t]+{_CAPITAL}
    | {_OPENING}(?P<division>(?-i:[LTCSA])(?:ibro|[íi]tulo|ap[íi]tulo|ecci[óo]n|nexo)
      [ \t]+(?-i:[IVXLC]+|[0-9]{{1,3}}|[A-Z])?(?:{_ORDINALS})?\b[^\n]{{0,120}})(?=\n|\Z)
    | {_OPENING}(?P<transitory>(?:Art[íi]culos?[ \t]+)?{_TRANSITORY})
      (?:\*\*|__|:|\.)*[ \t]*(?=\r?\n|\Z)
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_DIVISION = re.compile(r"(libro|t[íi]tulo|cap[íi]tulo|secci[óo]n|anexo|ap[ée]ndice)\b", re.IGNORECASE)
_BARE_DIVISION = re.compile(
    rf"\w+[ \t]+(?:[IVXLC]+|[0-9]+|[A-Z]|{_ORDINALS})(?:[ \t]+{LATIN})?", re.IGNORECASE
)
_NEXT_LINE = re.compile(r"[ \t\r]{0,80}\n[ \t\r\n]{0,8}([^\W\d_][^\n|]{2,119})(?=\n|\Z)")
_DECORATION = re.compile(r"[*_`#\x00-\x1f]+")

_DIVISION_LEVELS = {"libro": 7, "titulo": 8, "capitulo": 9, "seccion": 10, "anexo": 7}
_ARTICLE_LEVEL = 20


@dataclass(frozen=True, slots=True)
class Unit:
    """A span of text that belongs together.

    ``opens`` says that it begins with a heading, ``bare`` that it is nothing more than that heading.
    """

    start: int
    end: int
    path: tuple[str, ...]
    opens: bool
    bare: bool

    @property
    def label(self) -> str:
        return self.path[-1] if self.path else ""


@dataclass(frozen=True, slots=True)
class _Mark:
    start: int
    end: int
    level: int
    label: str

    @property
    def is_heading(self) -> bool:
        return self.level < _ARTICLE_LEVEL


def clean(line: str) -> str:
    """A line without Markdown marks, on one line, cut at ``LABEL_LIMIT`` characters."""
    text = " ".join(_DECORATION.sub(" ", line[: 4 * LABEL_LIMIT]).split())
    return text if len(text) <= LABEL_LIMIT else text[: LABEL_LIMIT - 1] + "…"


def units(text: str) -> Iterator[Unit]:
    """Partition a text at its marks, each unit with the headings above it."""
    marks = list(_marks(text))
    if not marks or marks[0].start > 0:
        yield Unit(0, marks[0].start if marks else len(text), (), opens=False, bare=False)
    stack: list[_Mark] = []
    ends = [*(mark.start for mark in marks), len(text)][1:]
    for mark, end in zip(marks, ends, strict=True):
        _push(stack, mark)
        path = tuple(open_mark.label for open_mark in stack)
        yield Unit(
            mark.start, end, path, mark.is_heading, mark.is_heading and not text[mark.end : end].strip()
        )


def _push(stack: list[_Mark], mark: _Mark) -> None:
    if _is_transitory(mark):
        # Transitorios close the last chapter even where their line is not marked as a heading.
        while any(_DIVISION.match(open_mark.label) for open_mark in stack):
            stack.pop()
    while stack and stack[-1].level >= mark.level:
        stack.pop()
    stack.append(mark)


def _is_transitory(mark: _Mark) -> bool:
    return mark.is_heading and "TRANSITORI" in mark.label.replace(" ", "").upper()[:24]


def _marks(text: str) -> Iterator[_Mark]:
    padded = "\n" + text
    for match in _MARK.finditer(padded):
        mark = _read(match)
        if mark is not None:
            yield _with_subtitle(padded, mark)


def _read(match: re.Match[str]) -> _Mark | None:
    kind = match.lastgroup or ""
    value = match[kind]
    label = clean(value)
    # Offsets in the padded text are one too many, and the newline belongs to the line before.
    start, end = match.start(), match.end() - 1
    if kind == "heading":
        return _Mark(start, end, len(match["hashes"]), label.rstrip("# ")) if label else None
    if kind == "article":
        return _Mark(start, end, _ARTICLE_LEVEL, "Artículo " + _article_number(label))
    if kind == "division":
        return _division(start, end, label)
    if kind == "transitory":
        return _Mark(start, end, _DIVISION_LEVELS["libro"], label)
    return _Mark(start, end, _ARTICLE_LEVEL, label)


def _division(start: int, end: int, label: str) -> _Mark | None:
    """A line such as ``Capítulo II. De las quejas``; a sentence that begins like one is none."""
    if label.endswith((".", ";", ",", ":")) and not _BARE_DIVISION.fullmatch(label[:-1]):
        return None
    word = label.split()[0].lower().replace("í", "i").replace("ó", "o")
    return _Mark(start, end, _DIVISION_LEVELS[word], label)


def _article_number(label: str) -> str:
    return re.sub(r"\s*[-–]\s*", "-", label).replace(".", "")


def _with_subtitle(padded: str, mark: _Mark) -> _Mark:
    """``CAPÍTULO II`` and its name on the next line are one heading."""
    if not (mark.is_heading and _BARE_DIVISION.fullmatch(mark.label)):
        return mark
    line_end = padded.find("\n", mark.end + 1)
    following = _NEXT_LINE.match(padded, line_end) if line_end >= 0 else None
    if following is None or following[1].rstrip().endswith((".", ";", ":", ",")):
        return mark
    if _MARK.match("\n" + following[1]):
        return mark
    return _Mark(mark.start, following.end() - 1, mark.level, f"{mark.label}. {clean(following[1])}")
