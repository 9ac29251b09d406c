"""Scripts for the scripted provider: what a model would say, with no model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SEARCH = {"tool": "search_documents", "arguments": {"query": "salario mínimo general 2026"}}
SEARCH_INSIDE = {
    "tool": "search_evidence",
    "arguments": {"query": "salario mínimo general", "document_ids": ["$documents[0]"]},
}
READ = {"tool": "read_chunks", "arguments": {"chunk_ids": ["$chunks[0]"]}}
ANSWER = {
    "answer": {
        "answer": "El salario mínimo general se fija en esa resolución [$read[0]].",
        "citations": ["$read[0]"],
        "premise_status": "supported",
    }
}
WHOLE = [SEARCH, SEARCH_INSIDE, READ, ANSWER]


def write(path: Path, steps: list[dict[str, Any]]) -> dict[str, str]:
    """Write a script; returns the environment variables that choose it. Calls are counted beside it."""
    path.write_text(json.dumps({"steps": steps, "count_calls": True}), encoding="utf-8")
    return {"DOFPILOT_PROVIDER": "scripted", "DOFPILOT_SCRIPT": str(path)}


def calls(path: Path) -> int:
    """How often the provider was asked."""
    counted = path.with_name(f"{path.name}.calls")
    return len(counted.read_text(encoding="utf-8").splitlines()) if counted.exists() else 0
