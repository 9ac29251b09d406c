"""A finished run as its page shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from dofpilot.agent.outcome import FigureStatus, PremiseStatus, RemarkCode
from runs.presentation import formats
from runs.presentation.answer import Block, blocks, numbering
from runs.presentation.coverage import Demand, demands
from runs.presentation.rejected import Rejected, rejected
from runs.presentation.say import remark
from runs.presentation.sources import Card, DocumentRow, cards, document_rows

PREMISES = {
    PremiseStatus.SUPPORTED: gettext_lazy(
        "Según el modelo, lo que la pregunta da por hecho se sostiene en lo citado."
    ),
    PremiseStatus.FALSE: gettext_lazy(
        "Según el modelo, la pregunta parte de algo que lo citado no sostiene."
    ),
    PremiseStatus.UNCLEAR: gettext_lazy(
        "Según el modelo, lo citado no basta para saber si es cierto lo que la pregunta da por hecho."
    ),
}
CHECKED = gettext_lazy(
    "Esto comprueba de dónde sale lo que dice la respuesta, no que conteste lo que preguntaste."
)
NOT_JUDGED = gettext_lazy("Este método no juzga lo que la pregunta da por hecho.")
# What is said below a whole answer; any other warning says above it that it is not whole.
ASIDES = frozenset(
    {
        RemarkCode.DROPPED_CITATIONS,
        RemarkCode.FALSE_PREMISE,
        RemarkCode.PAST_CUTOFF,
        RemarkCode.WORDS_ALONE,
        RemarkCode.PARTIAL_VECTORS,
        RemarkCode.VECTORS_GONE,
    }
)
# ``rejected`` says how many and why.
SAID_BETTER = frozenset({RemarkCode.DROPPED_CITATIONS})


class Standing(StrEnum):
    """``TOLD``: it says how things are, and nothing was proved by it."""

    PASSED = "passed"
    SHORT = "short"
    TOLD = "told"


@dataclass(frozen=True, slots=True)
class Check:
    """One part of the line above the answer."""

    text: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class Premise:
    """``doubtful``: the reader should know before relying on the answer."""

    text: str
    doubtful: bool


@dataclass(frozen=True, slots=True)
class ResultView:
    """``answered`` is false for a run that ended at a limit before there was any text."""

    answered: bool
    blocks: list[Block]
    checks: list[Check]
    checked: str
    demands: list[Demand]
    premise: Premise | None
    rejected: Rejected | None
    incomplete: str
    warnings: list[str]
    generative: bool
    sources: list[Card]
    read_only: list[Card]
    read_only_title: str
    documents: list[DocumentRow]


def result_view(run: Mapping[str, Any]) -> ResultView:
    """``run`` is a public run that succeeded."""
    result = run["result"]
    answer = result.get("answer")
    figures = result["verification"]["figures"]
    numbers = numbering(answer["text"], answer["citations"]) if answer else {}
    cited, read_only = cards(result["evidence"], numbers, figures)
    warnings = result["warnings"]
    read = {passage["chunk_id"] for passage in result["evidence"]}
    return ResultView(
        answered=answer is not None,
        blocks=blocks(answer, figures, numbers) if answer else [],
        checks=_checks(run) if answer else [],
        checked=str(CHECKED),
        demands=demands(result["coverage"], numbers),
        premise=premise(result),
        rejected=rejected(answer["rejected_citations"], read) if answer else None,
        incomplete=" ".join(remark(warning) for warning in warnings if warning["code"] not in ASIDES),
        warnings=[remark(warning) for warning in warnings if warning["code"] in ASIDES - SAID_BETTER],
        generative=result["generative"],
        sources=cited,
        read_only=read_only,
        read_only_title=_read_only_title(len(read_only), bool(answer), bool(cited)),
        documents=document_rows(result["documents"]),
    )


def premise(result: Mapping[str, Any]) -> Premise | None:
    """What the model holds of it, which nobody checked: ``None`` for an answer that cites nothing for it."""
    answer = result["answer"]
    if not answer or not answer["citations"]:
        return None
    if not result["generative"]:
        return Premise(str(NOT_JUDGED), doubtful=False)
    status = PremiseStatus(answer["premise_status"])
    return Premise(str(PREMISES[status]), doubtful=status is not PremiseStatus.SUPPORTED)


def _read_only_title(count: int, answered: bool, cites: bool) -> str:
    if not answered:
        words = ngettext("Se leyó {n} pasaje", "Se leyeron {n} pasajes", count)
    elif not cites:
        words = ngettext(
            "Se leyó {n} pasaje, que la respuesta no cita",
            "Se leyeron {n} pasajes, que la respuesta no cita",
            count,
        )
    else:
        words = ngettext(
            "Se leyó {n} pasaje más, que la respuesta no cita",
            "Se leyeron {n} pasajes más, que la respuesta no cita",
            count,
        )
    return words.format(n=count)


def _checks(run: Mapping[str, Any]) -> list[Check]:
    result = run["result"]
    return [
        _figures_check(result["verification"]["figures"], result["generative"]),
        _citations_check(result),
        _cutoff_check(result["verification"]["cutoff"]),
        _documents_check(result, run["required_hops"]),
    ]


def _figures_check(figures: list[Mapping[str, Any]], generative: bool) -> Check:
    total = len(figures)
    found = sum(figure["status"] == FigureStatus.FOUND for figure in figures)
    if not total:
        return Check(_("sin cifras por buscar"), Standing.TOLD)
    words = ngettext(
        "{found} de {total} cifra aparece en lo citado",
        "{found} de {total} cifras aparecen en lo citado",
        total,
    )
    text = words.format(found=found, total=total)
    if found < total:
        return Check(text, Standing.SHORT)
    # Quotations cannot but hold their own figures: nothing was put to the test.
    return Check(text, Standing.PASSED if generative else Standing.TOLD)


def _citations_check(result: Mapping[str, Any]) -> Check:
    total = len(result["answer"]["citations"])
    if not total:
        return Check(_("sin citas"), Standing.SHORT)
    if not result["verification"]["citations_read"]:
        return Check(_("hay citas que no se leyeron"), Standing.SHORT)
    return Check(ngettext("{n} cita leída", "{n} citas leídas", total).format(n=total), Standing.PASSED)


def _cutoff_check(cutoff: Mapping[str, Any]) -> Check:
    day = formats.short_date(cutoff["as_of"])
    if cutoff["respected"]:
        return Check(_("corte respetado (hasta {date})").format(date=day), Standing.PASSED)
    return Check(_("corte no respetado (pedido: {date})").format(date=day), Standing.SHORT)


def _documents_check(result: Mapping[str, Any], required: int) -> Check:
    cited = sum(document["cited"] for document in result["documents"])
    text = ngettext("{cited} de {required} documento", "{cited} de {required} documentos", required)
    if cited > required:
        text = ngettext(
            "{cited} documentos (se pedía {required})", "{cited} documentos (se pedían {required})", required
        )
    return Check(
        text.format(cited=cited, required=required), Standing.PASSED if cited >= required else Standing.SHORT
    )
