"""The answer in words: each document introduced in a line, each sentence quoted with its citation."""

from __future__ import annotations

import json
import re
from itertools import groupby

from dofpilot.agent.outcome import PremiseStatus
from dofpilot.agent.providers.extractive.choosing import still_missing
from dofpilot.agent.providers.extractive.history import History
from dofpilot.agent.providers.extractive.scoring import Scorer
from dofpilot.agent.providers.extractive.units import Unit
from dofpilot.agent.render.shorten import shorten
from dofpilot.agent.wording import day

TITLE_LENGTH = 110
QUOTE_LENGTH = 900
NOTHING_READ = "No encontré una respuesta en los pasajes leídos."
CLOSEST = "Lo más cercano a la pregunta en los pasajes leídos:"
# Quotations that say less than this of the question's words do not show that its premise holds.
_SUPPORTED_SHARE = 0.6
# «¿Por qué ...?» takes for granted what it asks about; repeating its words does not confirm it.
_TAKES_FOR_GRANTED = re.compile(r"\bpor qué\b", re.IGNORECASE)


def write(scorer: Scorer, chosen: list[Unit], known: History) -> str:
    """The final answer as the JSON that every provider gives. Nothing is said that no passage says."""
    documents = _by_document(chosen)
    absent = _absent(scorer, chosen) if chosen else []
    supported = not absent and _supported(scorer, chosen, known)
    paragraphs = [_document(units) for units in documents]
    if not supported:
        paragraphs.insert(0, CLOSEST if chosen else NOTHING_READ)
    paragraphs += [f"No encontré {name} en los pasajes leídos." for name in absent]
    final = {
        "answer": "\n\n".join(paragraphs),
        "citations": list(dict.fromkeys(unit.passage.chunk_id for units in documents for unit in units)),
        "premise_status": PremiseStatus.SUPPORTED if supported else PremiseStatus.UNCLEAR,
    }
    return json.dumps(final, ensure_ascii=False)


def _supported(scorer: Scorer, chosen: list[Unit], known: History) -> bool:
    """A quotation machine can tell that the question's words are there, never that its premise is false."""
    return (
        not _TAKES_FOR_GRANTED.search(known.question.text)
        and scorer.share(scorer.plan.subject, chosen) >= _SUPPORTED_SHARE
    )


def _absent(scorer: Scorer, chosen: list[Unit]) -> list[str]:
    """What the question names or demands and no cited passage has."""
    demanded = [item.text for item in still_missing(scorer.plan.required, chosen)]
    named = [
        f"«{name}»"
        for name in scorer.plan.names
        if not any(scorer.says(unit.passage, name) for unit in chosen)
    ]
    return [*dict.fromkeys([*demanded, *named])]


def _by_document(chosen: list[Unit]) -> list[list[Unit]]:
    """Units grouped by document in order of choice; inside, in the order of the text."""
    order = list(dict.fromkeys(_publication(unit) for unit in chosen))
    placed = sorted(
        chosen, key=lambda unit: (order.index(_publication(unit)), unit.passage.chunk_index, unit.start)
    )
    return [list(units) for _, units in groupby(placed, _publication)]


def _publication(unit: Unit) -> int:
    return unit.passage.publication.document_id


def _document(units: list[Unit]) -> str:
    publication = units[0].passage.publication
    title = shorten(publication.title, TITLE_LENGTH)
    lines = [f"En «{title}» (DOF {day(publication.publication_date)}):"]
    lines += [f"- «{shorten(unit.quote, QUOTE_LENGTH)}» [{unit.passage.chunk_id}]" for unit in units]
    return "\n".join(lines)
