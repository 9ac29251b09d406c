"""Identifiers of Mexican standards (``NOM-035-STPS-2018``), however they are typed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dofpilot.agent.figures.base import Mention
from dofpilot.agent.outcome import FigureKind

_BREAK = r"(?:\s?[-.]\s?|\s)"
_NO_AGENCY = r"(?!(?:de|del|en|y|e|o|a|al|el|la|los|las|que|con|por|para|desde|hasta|sobre|entre|ano|fue)\b)"
# With its agency and year an identifier is one whatever stands between its parts; without them only hyphens,
# or a number right after «NOM», leave no doubt.
_NORM = re.compile(
    rf"\b(?:proy{_BREAK}?)?(?:nom|nmx)(?:"
    rf"{_BREAK}?(?:em{_BREAK})?(?:[a-z]{{1,2}}{_BREAK})?\d{{1,4}}{_BREAK}{_NO_AGENCY}[a-z]{{2,9}}\d?"
    rf"(?:/[a-z]{{2,9}}\d?)*{_BREAK}(?:19|20)\d\d(?!\w)"
    r"|-[a-z0-9]+(?:[-/][a-z0-9]+)*"
    r"|[. ]?(?:(?:em|[a-z])[-. ])?\d{2,4}(?!\w|[.,]\d))"
)
_HEADS = ("PROY", "NOM", "NMX", "EM")


def find(text: str) -> Iterator[Mention]:
    for match in _NORM.finditer(text):
        yield Mention(FigureKind.NORM, _normal(match.group()), match.start(), match.end())


def same(asked: str, said: str) -> bool:
    """Whether ``said`` names the norm ``asked`` or says more of it (``NOM-035-STPS-2018`` of ``NOM-035``).

    A draft (``PROY``), an emergency norm (``EM``) and the norm itself are different ones.
    """
    head, body = _split(asked)
    said_head, said_body = _split(said)
    return head == said_head and body[:1] == said_body[:1] and _in_order(body, said_body)


def _normal(written: str) -> str:
    compact = re.sub(r"\s?[-.\s]\s?", "-", written)
    return re.sub(r"(?<=^proy)-?(?=n)|(?<=nom)(?=\d)|(?<=nmx)(?=\d)", "-", compact).upper()


def _split(norm: str) -> tuple[list[str], list[str]]:
    """What kind of norm it is, and the parts of its name; zeros in front of a number say nothing."""
    parts = [part.lstrip("0") if part.isdigit() else part for part in re.split(r"[-/]", norm)]
    return [part for part in parts if part in _HEADS], [part for part in parts if part not in _HEADS]


def _in_order(parts: list[str], others: list[str]) -> bool:
    rest = iter(others)
    return all(part in rest for part in parts)
