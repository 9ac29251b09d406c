"""Citations that a model gave and that do not count: how many and why, never which passage they name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from django.utils.translation import ngettext

from dofpilot.agent.outcome import RejectionReason


class Misspelt(Enum):
    """An id of a passage that was read, given as something else than a number."""

    MISSPELT = "misspelt"


Reason = RejectionReason | Misspelt
HARMLESS = frozenset({RejectionReason.REPEATED, Misspelt.MISSPELT})
_NUMBER = re.compile(r"\s*\[?(?P<number>[0-9]{1,19})(?:\.0)?\]?\s*")


@dataclass(frozen=True, slots=True)
class Rejected:
    """``dropped``: something that is no passage read was cited, so that the answer leans on it."""

    text: str
    dropped: bool


def rejected(citations: Iterable[Mapping[str, str]], read: Container[int]) -> Rejected | None:
    """``rejected_citations`` of the public run in one sentence; ``None`` where every citation counts.

    ``read`` are the ids of the passages that the run read.
    """
    counted = Counter(_reason(citation, read) for citation in citations)
    if not counted:
        return None
    order: list[Reason] = [*RejectionReason, *Misspelt]
    reasons = ", ".join(_said(reason, counted[reason]) for reason in order if counted[reason])
    total = counted.total()
    sentence = ngettext(
        "Una cita del modelo no se tomó en cuenta: {reasons}.",
        "{n} citas del modelo no se tomaron en cuenta: {reasons}.",
        total,
    )
    return Rejected(sentence.format(n=total, reasons=reasons), not set(counted) <= HARMLESS)


def _reason(citation: Mapping[str, str], read: Container[int]) -> Reason:
    reason = RejectionReason(citation["reason"])
    if reason is RejectionReason.INVALID and (named := _NUMBER.fullmatch(citation["id"])) is not None:
        return Misspelt.MISSPELT if int(named["number"]) in read else reason
    return reason


def _said(reason: Reason, count: int) -> str:
    match reason:
        case RejectionReason.INVALID:
            words = ngettext(
                "{n} que no es el número de un pasaje", "{n} que no son el número de un pasaje", count
            )
        case RejectionReason.UNKNOWN:
            words = ngettext(
                "{n} a un pasaje que ninguna consulta devolvió",
                "{n} a pasajes que ninguna consulta devolvió",
                count,
            )
        case RejectionReason.NOT_READ:
            words = ngettext("{n} a un pasaje que no se leyó", "{n} a pasajes que no se leyeron", count)
        case RejectionReason.REPEATED:
            words = ngettext("{n} repetida", "{n} repetidas", count)
        case Misspelt.MISSPELT:
            words = ngettext(
                "{n} que no se escribió como número", "{n} que no se escribieron como número", count
            )
    return words.format(n=count)
