"""What a document calls itself and who issued it, read from its first lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from dofpilot.corpus.text.folding import fold
from dofpilot.corpus.text.shortening import shorten
from dofpilot.corpus.text.wordlists import opening

_HEAD = 20_000
"""Characters from the start in which a title is looked for."""
_NEAR = 2_000
"""Characters in which most documents name themselves: the rest need not be looked at then."""
_TITLE_LIMIT = 600
_PARAGRAPH_LIMIT = 300
_KEY_LENGTH = 200

DISCLAIMER = re.compile(r"\ufeff?>[^\n]*\bdofpilot\b[^\n]*\bno es una publicaci[óo]n oficial\b")
"""The line that opens each document written for the sample corpus."""

_LINE = re.compile(r"[^\n]+")
_HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(.+)")
_BOLD = re.compile(r"[ \t]{0,8}(?:\*\*|__)(.+?)(?:\*\*|__)[ \t\r]*")
_MARKS = re.compile(r"[*_`#>\[\]\x00-\x1f\x7f\ufeff]+")
_WRITTEN = re.compile(r"[^\s*_`#>\[\]\x00-\x1f\x7f\ufeff]")

_ORGAN = opening("organ_words")
_POWER = re.compile(r"poder (?:legislativo|ejecutivo|judicial)\b")
_NORM = opening("norm_words")
_FRAGMENT = opening("fragment_words")
_NUMBERED = re.compile(r"[\W_]*(?:[ivxlcdm]{1,7}|[0-9]{1,3}|[a-z])\s?[.)\-]")
_SEAL = re.compile(r"al margen[^\n]{0,600}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Head:
    """``organs`` lists every issuing body named at the head, the most general first."""

    title: str
    organs: tuple[str, ...]

    @property
    def institution(self) -> str:
        """The most specific organ; a branch of government only when nothing else is named."""
        named = [organ for organ in self.organs if not _POWER.match(fold(organ))]
        return (named or list(self.organs) or [""])[-1]


@dataclass(frozen=True)
class _Line:
    """``raw`` is what it says, marks and all: most lines are paragraphs, which nobody asks for more."""

    raw: str
    marked: bool

    @cached_property
    def text(self) -> str:
        return " ".join(_MARKS.sub(" ", self.raw).split())

    @cached_property
    def key(self) -> str:
        """The line's beginning, which is all that the lists of words are compared with."""
        return fold(self.text[:_KEY_LENGTH])

    @property
    def is_styled(self) -> bool:
        """``TIPO de cambio ...``: the gazette sets the first word of a publication's name in capitals."""
        first, _, rest = self.text.partition(" ")
        return len(first) > 2 and first.isupper() and rest != rest.upper()

    @property
    def is_organ(self) -> bool:
        return self.marked and bool(_ORGAN.match(self.key))

    @property
    def is_norm(self) -> bool:
        """Names a kind of publication and says of which one: ``DECRETO`` by itself is a fragment."""
        return (self.is_styled or bool(_NORM.match(self.key))) and len(self.text.split()) > 1

    @property
    def is_fragment(self) -> bool:
        return bool(_FRAGMENT.match(self.key) or _NUMBERED.match(self.key) or len(self.text.split()) == 1)


def read_head(text: str, fallback: str = "") -> Head:
    """Title and organs of a document; ``fallback`` is the title of one that has no words."""
    lines = _lines(text[: text.rfind("\n", 0, _NEAR) + 1])
    place = _norm_place(lines)
    if place is None:
        lines = _lines(text[:_HEAD])
        place = _title_place(lines)
    title = _title(lines[place]) if place is not None else fallback
    organs = _organs(lines[:place]) or _sealed(text[:_HEAD])
    return Head(title, organs)


def is_sample(text: str) -> bool:
    return DISCLAIMER.match(text) is not None


def _lines(head: str) -> list[_Line]:
    found = (
        _line(match[0]) for match in _LINE.finditer(head) if not match[0].lstrip("\ufeff ").startswith(">")
    )
    return [line for line in found if _WRITTEN.search(line.raw)]


def _line(raw: str) -> _Line:
    marked = _HEADING.match(raw.lstrip("\ufeff")) or _BOLD.fullmatch(raw)
    return _Line(marked[1] if marked else raw, marked is not None)


def _norm_place(lines: list[_Line]) -> int | None:
    """The first heading that names a publication."""
    # The test for a fragment comes last, and only where the others hold: it is the dear one.
    named = (at for at, line in enumerate(lines) if line.marked and line.is_norm and not line.is_fragment)
    return next(named, None)


def _title_place(lines: list[_Line]) -> int | None:
    """The first heading that names a publication; failing that ever weaker lines, in order."""
    if (named := _norm_place(lines)) is not None:
        return named
    choices = (
        (at for at, line in enumerate(lines) if line.marked and not (line.is_organ or line.is_fragment)),
        (at for at, line in enumerate(lines) if line.is_norm and not line.is_fragment),
        (at for at, line in enumerate(lines) if not (line.marked or line.is_fragment)),
        range(len(lines)),
    )
    return next(chain.from_iterable(choices), None)


def _title(line: _Line) -> str:
    return shorten(line.text, _TITLE_LIMIT if line.marked else _PARAGRAPH_LIMIT)


def _organs(lines: list[_Line]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.text for line in lines[:12] if line.is_organ and len(line.text) <= 200))


def _sealed(head: str) -> tuple[str, ...]:
    """``Al margen un sello ...: Estados Unidos Mexicanos.- Secretaría de Salud.`` names the organ too."""
    seal = _SEAL.search(head)
    parts = re.split(r"\.\s?[-–—]\s?|:\s|\.\s*$", seal[0]) if seal else []
    organs = [part.strip(" .") for part in parts if _ORGAN.match(fold(part.strip()))]
    return tuple(organ for organ in organs if len(organ) <= 200)[:1]
