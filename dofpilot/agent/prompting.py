"""What a model is told, put together from the files in ``prompts/``."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from dofpilot.agent.conversation import Question, Revision, Turn
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import PremiseStatus

PROMPTS = Path(__file__).parent / "prompts"

ANSWER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "answer": {
            "type": "string",
            "description": "En español, sin Markdown, con una marca [chunk_id] después de cada afirmación.",
        },
        "citations": {
            "type": "array",
            "items": {"type": "integer"},
            "description": "Los chunk_id leídos que sostienen la respuesta, en orden de uso; al menos uno.",
        },
        "premise_status": {
            "type": "string",
            "enum": [status.value for status in PremiseStatus],
            "description": "Si aquello de lo que parte la pregunta es cierto, es falso o no se sabe.",
        },
    },
    "required": ["answer", "citations", "premise_status"],
    "additionalProperties": False,
}


def instructions(question: Question, limits: Limits) -> str:
    """The system prompt of a whole run: rules, limits and the shape of the answer."""
    return _template("system").substitute(
        as_of=question.as_of.isoformat(),
        required_hops=question.required_hops,
        turns=limits.turns,
        tool_calls=limits.tool_calls,
        document_searches=limits.document_searches,
        seconds=round(limits.run_seconds),
    )


def revision(message: Revision) -> str:
    """Why a draft was sent back, as a model reads it."""
    return _template("revision").substitute(reasons=_bullets(message.reasons))


def reminder(turn: Turn) -> str:
    """What the current turn alone adds: what is missing, and that no tool is left; may be empty."""
    parts = []
    if turn.missing:
        parts.append(_template("missing").substitute(missing=_bullets(turn.missing)))
    if not turn.tools:
        parts.append(_template("answer_now").substitute())
    return "\n\n".join(part.strip() for part in parts)


def prompt_hash() -> str:
    """SHA-256 (hexadecimal) over names and bytes of all prompt files; part of provenance (DESIGN §8)."""
    digest = hashlib.sha256()
    for path in sorted(PROMPTS.glob("*.md")):
        content = path.read_bytes()
        digest.update(f"{path.name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


@cache
def _template(name: str) -> Template:
    return Template((PROMPTS / f"{name}.es.md").read_text(encoding="utf-8"))


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
