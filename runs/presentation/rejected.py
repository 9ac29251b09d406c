"""Citations that a model gave and that do not count: how many and why, never which passage they name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import ngettext

from dofpilot.agent.outcome import RejectionReason


@dataclass(frozen=True, slots=True)
class Rejected:
    """``dropped``: the answer lost something by it, not just a repetition."""

    text: str
    dropped: bool


def rejected(citations: Iterable[Mapping[str, str]]) -> Rejected | None:
    """``rejected_citations`` of the public run in one sentence; ``None`` where every citation counts."""
    counted = Counter(RejectionReason(citation["reason"]) for citation in citations)
    if not counted:
        return None
    reasons = ", ".join(_said(reason, counted[reason]) for reason in RejectionReason if counted[reason])
    total = counted.total()
    sentence = ngettext(
        "Una cita del modelo no se tomó en cuenta: {reasons}.",
        "{n} citas del modelo no se tomaron en cuenta: {reasons}.",
        total,
    )
    return Rejected(sentence.format(n=total, reasons=reasons), set(counted) != {RejectionReason.REPEATED})


def _said(reason: RejectionReason, count: int) -> str:
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
    return words.format(n=count)
