"""The answer in words: each document introduced in a line, each sentence quoted with its citation."""

from __future__ import annotations

import json
from itertools import groupby

from dofpilot.agent.outcome import PremiseStatus
from dofpilot.agent.providers.extractive.choosing import still_missing
from dofpilot.agent.providers.extractive.history import History
from dofpilot.agent.providers.extractive.scoring import Scorer
from dofpilot.agent.providers.extractive.units import Unit
from dofpilot.agent.wording import day
from dofpilot.corpus.text.shortening import shorten

TITLE_LENGTH = 110
QUOTE_LENGTH = 900
NOTHING_READ = "No encontré una respuesta en los pasajes leídos."
CLOSEST = "Lo más cercano a la pregunta en los pasajes leídos:"
# How much of the question's words the quotations must say before they pass for more than the closest text.
_ANSWERING_SHARE = 0.5


def write(scorer: Scorer, chosen: list[Unit], known: History) -> str:
    """The final answer as the JSON that every provider gives. Nothing is said that no passage says."""
    documents = _by_document(chosen)
    absent = _absent(scorer, chosen) if chosen else []
    share = 0.0 if absent else scorer.share(scorer.plan.subject, chosen)
    paragraphs = [_document(units) for units in documents]
    if share < _ANSWERING_SHARE:
        paragraphs.insert(0, CLOSEST if chosen else NOTHING_READ)
    paragraphs += [f"No encontré {name} en los pasajes leídos." for name in absent]
    final = {
        "answer": "\n\n".join(paragraphs),
        "citations": list(dict.fromkeys(unit.passage.chunk_id for units in documents for unit in units)),
        # To quote is not to judge what a question takes for granted.
        "premise_status": PremiseStatus.UNCLEAR,
    }
    return json.dumps(final, ensure_ascii=False)


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
    lines += [
        f"- «{shorten(quote, QUOTE_LENGTH)}» [{unit.passage.chunk_id}]"
        for unit in units
        for quote in unit.quotes
    ]
    return "\n".join(lines)
