"""What the public may see of a result: bounded lists for the live log, and the finished run (DESIGN §10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import singledispatch
from typing import Any

from dofpilot.agent.conversation import Usage
from dofpilot.agent.events import DOCUMENTS_SHOWN, EXCERPT_LIMIT, PASSAGES_SHOWN
from dofpilot.agent.outcome import Answer, Coverage, DocumentUse, Figure, Outcome, TurnSpent, Verification
from dofpilot.agent.render import said
from dofpilot.agent.render.bounds import cleaned
from dofpilot.agent.tools.results import (
    DocumentsFound,
    EvidenceFound,
    OutlineShown,
    PublicationsListed,
    ReadPassages,
    ToolError,
    ToolResult,
)
from dofpilot.corpus.text.shortening import shorten
from dofpilot.corpus.types import EvidenceHit, Passage, Publication

TITLE_LENGTH = 200
NAME_LENGTH = 120
HEADINGS_SHOWN = 40
HEADING_DEPTH = 6


@singledispatch
def came_back(result: ToolResult) -> dict[str, Any]:
    """The part of a ``tool_completed`` payload that tells what the tool returned (see ``events.py``)."""
    raise NotImplementedError(type(result).__name__)


@came_back.register
def _(result: PublicationsListed) -> dict[str, Any]:
    return _documents(result.publications, result.total)


@came_back.register
def _(result: DocumentsFound) -> dict[str, Any]:
    return _documents((hit.publication for hit in result.hits), len(result.hits))


@came_back.register
def _(result: EvidenceFound) -> dict[str, Any]:
    return _passages(
        [_passage(hit, hit.snippet, "found") for hit in result.hits[:PASSAGES_SHOWN]], result.hits
    )


@came_back.register
def _(result: OutlineShown) -> dict[str, Any]:
    paths = [_heading_path(entry.heading_path) for entry in result.outline.entries[:HEADINGS_SHOWN]]
    return _documents([result.outline.publication], 1) | {"headings": paths}


@came_back.register
def _(result: ReadPassages) -> dict[str, Any]:
    shown = [_passage(passage, passage.text, "read") for passage in result.passages[:PASSAGES_SHOWN]]
    return _passages(shown, result.passages)


@came_back.register
def _(result: ToolError) -> dict[str, Any]:
    return {"error": {"code": str(result.code), "message": result.message, "field": result.field}}


def public_result(outcome: Outcome) -> dict[str, Any]:
    """``result`` of the public run, JSON-ready; ``timing`` lacks ``waited_ms``, which the queue knows."""
    cited = set(outcome.answer.citations) if outcome.answer else set()
    result = {
        "answer": _answer(outcome.answer) if outcome.answer else None,
        "evidence": [_evidence(passage, passage.chunk_id in cited) for passage in outcome.passages],
        "documents": [_document_use(use) for use in outcome.documents],
        "coverage": _coverage(outcome.coverage),
        "verification": _verification(outcome.verification),
        "stop_reason": outcome.stop_reason.value,
        "warnings": [said.remark(item) for item in outcome.warnings],
        "generative": outcome.generative,
        "usage": public_usage(outcome.usage, outcome.turns, outcome.tool_calls),
        "timing": {
            "worked_ms": outcome.timing.worked_ms,
            "provider_ms": outcome.timing.provider_ms,
            "tools_ms": outcome.timing.tools_ms,
        },
    }
    public: dict[str, Any] = cleaned(result)
    return public


def public_usage(usage: Usage, turns: Sequence[TurnSpent], tool_calls: int) -> dict[str, Any]:
    """``usage`` of the public run but for its cost; ``usage`` is the sum over ``turns``."""
    return {
        **_tokens(usage),
        "turns": len(turns),
        "tool_calls": tool_calls,
        "per_turn": [_turn(number, spent) for number, spent in enumerate(turns, start=1)],
    }


def _documents(publications: Iterable[Publication], total: int) -> dict[str, Any]:
    shown = [
        {
            "document_id": publication.document_id,
            "title": shorten(publication.title, TITLE_LENGTH),
            "institution": shorten(publication.institution, NAME_LENGTH),
            "publication_date": publication.publication_date.isoformat(),
            "section": publication.section.value,
            "official_url": publication.official_url,
        }
        for publication in publications
    ]
    return {"documents": shown[:DOCUMENTS_SHOWN], "totals": {"documents": total}}


def _passages(shown: list[dict[str, Any]], everything: tuple[object, ...]) -> dict[str, Any]:
    return {"passages": shown, "totals": {"passages": len(everything)}}


def _passage(source: Passage | EvidenceHit, text: str, standing: str) -> dict[str, Any]:
    return {
        "chunk_id": source.chunk_id,
        "document_id": source.publication.document_id,
        "title": shorten(source.publication.title, TITLE_LENGTH),
        "publication_date": source.publication.publication_date.isoformat(),
        "section": source.publication.section.value,
        "heading_path": _heading_path(source.heading_path),
        "excerpt": shorten(text, EXCERPT_LIMIT),
        "standing": standing,
    }


def _heading_path(path: tuple[str, ...]) -> list[str]:
    return [shorten(part, NAME_LENGTH) for part in path[-HEADING_DEPTH:]]


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "text": answer.text,
        "citations": list(answer.citations),
        "premise_status": answer.premise_status.value,
        "rejected_citations": [asdict(rejected) for rejected in answer.rejected_citations],
    }


def _turn(number: int, spent: TurnSpent) -> dict[str, Any]:
    times = {"provider_ms": spent.provider_ms, "tools_ms": spent.tools_ms}
    return {"turn": number, **_tokens(spent.usage), **times}


def _tokens(usage: Usage) -> dict[str, int | None]:
    """Whether a count is partial shows in what it cost."""
    return {name: count for name, count in asdict(usage).items() if name != "partial"}


def _publication(publication: Publication) -> dict[str, Any]:
    return {
        "document_id": publication.document_id,
        "path": publication.path,
        "title": publication.title,
        "institution": publication.institution,
        "publication_date": publication.publication_date.isoformat(),
        "section": publication.section.value,
        "official_url": publication.official_url,
    }


def _evidence(passage: Passage, cited: bool) -> dict[str, Any]:
    return {
        "chunk_id": passage.chunk_id,
        "chunk_index": passage.chunk_index,
        **_publication(passage.publication),
        "heading_path": list(passage.heading_path),
        "text": passage.text,
        "context": passage.context,
        "cited": cited,
    }


def _document_use(use: DocumentUse) -> dict[str, Any]:
    return {**_publication(use.publication), "found": use.found, "read": use.read, "cited": use.cited}


def _coverage(coverage: Coverage) -> dict[str, Any]:
    return {
        "required": [
            said.requirement(item) | {"chunk_ids": list(chunks)}
            for item, chunks in zip(coverage.required, coverage.met_by, strict=True)
        ],
        "missing": [said.requirement(item) for item in coverage.missing],
        "complete": coverage.complete,
    }


def _verification(verification: Verification) -> dict[str, Any]:
    cutoff = verification.cutoff
    return {
        "citations_read": verification.citations_read,
        "hops_met": verification.hops_met,
        "coverage_met": verification.coverage_met,
        "premise_correction": verification.premise_correction,
        "figures": [_figure(figure) for figure in verification.figures],
        "cutoff": {
            "as_of": cutoff.as_of.isoformat(),
            "latest_seen": cutoff.latest_seen.isoformat() if cutoff.latest_seen else None,
            "respected": cutoff.respected,
        },
    }


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "text": figure.text,
        "kind": figure.kind.value,
        "value": figure.value,
        "start": figure.start,
        "end": figure.end,
        "status": figure.status.value,
        "chunk_id": figure.chunk_id,
        "chunk_start": figure.chunk_start,
        "chunk_end": figure.chunk_end,
    }
