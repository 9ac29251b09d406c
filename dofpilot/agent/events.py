"""Observable steps of a run: the closed set of kinds, and the event that carries one.

A payload is plain JSON of at most ``PAYLOAD_LIMIT`` bytes, with these keys (absent where they say nothing):

``message``, ``why``      Spanish sentences, ready to show
``say``                   {"message": template, "why": template, "values": {...}}: the same sentences before
                          their values were put in, so that a page can translate them; a value may be a
                          reason or a requirement (see below), a list of them, or a day as
                          {"date": "2026-01-09"}. How a search was done where that is news (words corrected,
                          vectors not compared) is said in ``message`` too, and here as
                          ``"notes": [{"message": template, "values": {...}}]``
``step``                  number of the tool call; a ``tool_started`` and its ``tool_completed`` share it
``turn``                  number of the model turn
``tool``, ``arguments``   the tool and its validated arguments
``documents``             at most 20 of {document_id, title, institution, publication_date, section,
                          official_url}
``passages``              at most 30 of {chunk_id, document_id, title, publication_date, section,
                          heading_path, excerpt (at most 1,600 characters), standing: "found" | "read"}
``headings``              heading paths of an outline (never passages)
``totals``                {"documents": n, "passages": n}: how many there were before cutting to the limits
``error``                 {"code", "message", "field"} of a refused tool call
``reasons``               why an answer was sent back: list of {"code", "text", "values"}, with a code of
                          ``RemarkCode`` and the finished Spanish sentence; the run's warnings look the same
``verification``          {figures_found, figures_total, citations_read, hops_met, coverage_met,
                          missing: [{"kind", "value", "text"}]}: requirements that the answer leaves unmet
``provider``              {"provider", "model", "generative"} on ``agent_started``
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

PAYLOAD_LIMIT = 16 * 1024
DOCUMENTS_SHOWN = 20
PASSAGES_SHOWN = 30
EXCERPT_LIMIT = 1_600


class EventKind(StrEnum):
    AGENT_STARTED = "agent_started"
    MODEL_TURN_STARTED = "model_turn_started"
    TOOL_STARTED = "tool_started"
    TOOL_COMPLETED = "tool_completed"
    ANSWER_REVISION_REQUESTED = "answer_revision_requested"
    VERIFICATION_COMPLETED = "verification_completed"


@dataclass(frozen=True, slots=True)
class Event:
    kind: EventKind
    payload: dict[str, Any]


OnEvent = Callable[[Event], None]
