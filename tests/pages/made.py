"""Public results and steps as the agent would have left them, small enough to be read."""

from __future__ import annotations

import copy
from typing import Any

from dofpilot.agent.events import Event, EventKind

TOKENS = ("input_tokens", "output_tokens", "cached_input_tokens", "reasoning_tokens")
FIRST, SECOND, UNCITED = 5775533003, 5745677002, 5775533001
TEXT = (
    f"En 2026 rige un mínimo de 315.04 pesos [{SECOND}], antes de 278.80 pesos [{FIRST}].\n"
    f"\n"
    f"- El alza fue de 36.24 pesos [{SECOND}].\n"
    f"- Nada más."
)


def passage(chunk_id: int, text: str, **more: Any) -> dict[str, Any]:
    return {
        "chunk_id": chunk_id,
        "chunk_index": chunk_id % 100,
        **publication(chunk_id // 1000),
        "heading_path": ["COMISIÓN", f"Resolución {chunk_id // 1000}", "RESOLUTIVOS"],
        "text": text,
        "context": "",
        "cited": chunk_id != UNCITED,
        **more,
    }


def publication(document_id: int) -> dict[str, Any]:
    return {
        "document_id": document_id,
        "path": f"{document_id}.md",
        "title": f"Resolución {document_id}",
        "institution": "COMISIÓN",
        "publication_date": "2025-12-09",
        "section": "MAT",
        "official_url": f"https://dof.gob.mx/nota_detalle.php?codigo={document_id}&fecha=09/12/2025",
    }


def figure(text: str, chunk_id: int | None, **more: Any) -> dict[str, Any]:
    start = TEXT.index(text)
    status = "found" if chunk_id else "not_found"
    place = {"start": start, "end": start + len(text), "status": status, "chunk_id": chunk_id}
    return {
        "text": text,
        "kind": "amount",
        "value": text,
        **place,
        "chunk_start": None,
        "chunk_end": None,
        **more,
    }


def result(**changes: Any) -> dict[str, Any]:
    """A complete answer. ``changes`` go into parts by name (``answer={"text": ...}``); the rest replace."""
    made = copy.deepcopy(_RESULT)
    for name, value in changes.items():
        made[name] = {**made[name], **value} if isinstance(value, dict) else value
    return made


def rejection(name: str, reason: str) -> dict[str, str]:
    return {"id": name, "reason": reason}


def turn(number: int, **tokens: int) -> dict[str, Any]:
    """What a turn used: 120 ms of the provider, 300 ms of its tool, and ``tokens`` by name."""
    return {"turn": number, **dict.fromkeys(TOKENS), **tokens, "provider_ms": 120, "tools_ms": 300}


def usage(*turns: dict[str, Any], **more: Any) -> dict[str, Any]:
    """``more`` replaces parts: totals of tokens, ``cost``."""
    counts = {"turns": len(turns), "tool_calls": len(turns) - 1}
    return {**dict.fromkeys(TOKENS), **counts, "per_turn": list(turns), "cost": None, **more}


def demand(kind: str, value: str, text: str, *chunk_ids: int) -> dict[str, Any]:
    """One of ``coverage.required``, with the passages that meet it."""
    return {"kind": kind, "value": value, "text": text, "chunk_ids": list(chunk_ids)}


def step(kind: EventKind, message: str, **payload: Any) -> Event:
    return Event(kind, {"message": message, "why": "Porque sí.", **payload})


_RESULT: dict[str, Any] = {
    "answer": {
        "text": TEXT,
        "citations": [SECOND, FIRST],
        "premise_status": "supported",
        "rejected_citations": [],
    },
    "evidence": [
        passage(SECOND, "Será de **315.04 pesos** diarios."),
        passage(FIRST, "Era de 278.80 pesos."),
        passage(UNCITED, "Antecedentes del caso."),
    ],
    "documents": [
        {**publication(SECOND // 1000), "found": True, "read": True, "cited": True},
        {**publication(FIRST // 1000), "found": True, "read": True, "cited": True},
        {**publication(7001), "found": True, "read": False, "cited": False},
    ],
    "coverage": {"required": [], "missing": [], "complete": True},
    "verification": {
        "citations_read": True,
        "hops_met": True,
        "coverage_met": True,
        "premise_correction": False,
        "figures": [
            figure("315.04 pesos", SECOND, chunk_start=10, chunk_end=22),
            figure("278.80 pesos", FIRST, chunk_start=7, chunk_end=19),
            figure("36.24 pesos", None),
        ],
        "cutoff": {"as_of": "2026-04-24", "latest_seen": "2025-12-09", "respected": True},
    },
    "stop_reason": "answered",
    "warnings": [],
    "generative": False,
    "usage": usage(turn(1), turn(2)),
    "timing": {"worked_ms": 900, "provider_ms": 100, "tools_ms": 300},
}
