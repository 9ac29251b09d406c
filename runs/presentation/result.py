"""A finished run as its page shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from dofpilot.agent import wording
from dofpilot.agent.outcome import FigureStatus, PremiseStatus, StopReason
from runs.presentation import formats
from runs.presentation.answer import Block, blocks, numbering
from runs.presentation.say import is_told_by, requirement, retold
from runs.presentation.sources import Card, DocumentRow, cards, document_rows

PREMISES = {
    PremiseStatus.SUPPORTED: gettext_lazy("Lo que la pregunta da por hecho se sostiene en lo citado."),
    PremiseStatus.FALSE: gettext_lazy(
        "La pregunta parte de algo que lo citado no sostiene; la respuesta dice qué encontró en su lugar."
    ),
    PremiseStatus.UNCLEAR: gettext_lazy(
        "Lo citado no basta para saber si es cierto lo que la pregunta da por hecho."
    ),
}
LIMITS = {
    StopReason.TURN_LIMIT: gettext_lazy("se alcanzó el límite de turnos"),
    StopReason.TOOL_LIMIT: gettext_lazy("se alcanzó el límite de consultas al acervo"),
    StopReason.TIME_LIMIT: gettext_lazy("se agotó el tiempo"),
}
# Warnings that the label of an incomplete answer says already.
SAID_ABOVE = (
    wording.INCOMPLETE,
    wording.WITHOUT_ANSWER,
    wording.AT_TURN_LIMIT,
    wording.AT_TOOL_LIMIT,
    wording.AT_TIME_LIMIT,
)


@dataclass(frozen=True, slots=True)
class Check:
    """One part of the line above the answer."""

    text: str
    passed: bool


@dataclass(frozen=True, slots=True)
class ResultView:
    blocks: list[Block]
    checks: list[Check]
    premise: str
    premise_status: str
    incomplete: str
    warnings: list[str]
    generative: bool
    sources: list[Card]
    read_only: list[Card]
    documents: list[DocumentRow]


def result_view(run: Mapping[str, Any]) -> ResultView:
    """``run`` is a public run that succeeded."""
    result = run["result"]
    answer = result.get("answer")
    figures = result["verification"]["figures"]
    numbers = numbering(answer["text"], answer["citations"]) if answer else {}
    cited, read_only = cards(result["evidence"], numbers, figures)
    premise = answer["premise_status"] if answer else ""
    return ResultView(
        blocks=blocks(answer, figures, numbers) if answer else [],
        checks=_checks(run) if answer else [],
        premise=str(PREMISES[PremiseStatus(premise)]) if premise else "",
        premise_status=premise,
        incomplete=_incomplete(result),
        warnings=[retold(warning) for warning in result["warnings"] if not is_told_by(warning, *SAID_ABOVE)],
        generative=result["generative"],
        sources=cited,
        read_only=read_only,
        documents=document_rows(result["documents"]),
    )


def _checks(run: Mapping[str, Any]) -> list[Check]:
    result = run["result"]
    return [
        _figures_check(result["verification"]["figures"]),
        _citations_check(result),
        _cutoff_check(result["verification"]["cutoff"]),
        _documents_check(result, run["required_hops"]),
    ]


def _figures_check(figures: list[Mapping[str, Any]]) -> Check:
    total = len(figures)
    found = sum(figure["status"] == FigureStatus.FOUND for figure in figures)
    if not total:
        return Check(_("sin cifras que verificar"), passed=True)
    text = ngettext("{found} de {total} cifra verificada", "{found} de {total} cifras verificadas", total)
    return Check(text.format(found=found, total=total), passed=found == total)


def _citations_check(result: Mapping[str, Any]) -> Check:
    total = len(result["answer"]["citations"])
    if not total:
        return Check(_("sin citas"), passed=False)
    if not result["verification"]["citations_read"]:
        return Check(_("hay citas que no se leyeron"), passed=False)
    return Check(ngettext("{n} cita leída", "{n} citas leídas", total).format(n=total), passed=True)


def _cutoff_check(cutoff: Mapping[str, Any]) -> Check:
    day = formats.short_date(cutoff["as_of"])
    if cutoff["respected"]:
        return Check(_("corte respetado (hasta {date})").format(date=day), passed=True)
    return Check(_("corte no respetado (pedido: {date})").format(date=day), passed=False)


def _documents_check(result: Mapping[str, Any], required: int) -> Check:
    cited = sum(document["cited"] for document in result["documents"])
    text = ngettext("{cited} de {required} documento", "{cited} de {required} documentos", required)
    if cited > required:
        text = ngettext(
            "{cited} documentos (se pedía {required})", "{cited} documentos (se pedían {required})", required
        )
    return Check(text.format(cited=cited, required=required), passed=cited >= required)


def _incomplete(result: Mapping[str, Any]) -> str:
    """Why the answer is not whole; empty when it is."""
    kept = _("La conservamos para revisarla.")
    missing = [requirement(item) for item in result["coverage"]["missing"]]
    limit = LIMITS.get(result["stop_reason"])
    if missing:
        return (
            _("Respuesta incompleta: falta {requirement}.").format(requirement="; ".join(missing))
            + f" {kept}"
        )
    if limit is None:
        return ""
    if result.get("answer") is None:
        return _("No se llegó a redactar una respuesta: {reason}.").format(reason=limit)
    return _("Respuesta incompleta: {reason}.").format(reason=limit) + f" {kept}"
