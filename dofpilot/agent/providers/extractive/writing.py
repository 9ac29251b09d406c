"""The answer in words: each document introduced in a line, each sentence quoted with its citation."""

from __future__ import annotations

import json
from itertools import groupby

from dofpilot.agent.outcome import PremiseStatus
from dofpilot.agent.providers.extractive.choosing import Chooser
from dofpilot.agent.providers.extractive.units import Unit
from dofpilot.agent.render.shorten import shorten
from dofpilot.agent.wording import day
from dofpilot.corpus.analysis import terms

TITLE_LENGTH = 110
QUOTE_LENGTH = 900
NOTHING_READ = "No encontré una respuesta en los pasajes leídos."


def write(chooser: Chooser, chosen: list[Unit], required_hops: int) -> str:
    """The final answer as the JSON that every provider gives. Nothing is said that a passage does not say."""
    documents = _by_document(chosen)
    paragraphs = [_document(units) for units in documents] or [NOTHING_READ]
    absent = _absent(chooser, chosen) if chosen else []
    if absent:
        names = ", ".join(f"«{name}»" for name in absent)
        paragraphs.append(f"No encontré {names} en los pasajes leídos.")
    cited = dict.fromkeys(unit.passage.chunk_id for units in documents for unit in units)
    supported = chosen and not absent and len(documents) >= required_hops
    status = PremiseStatus.SUPPORTED if supported else PremiseStatus.UNCLEAR
    final = {"answer": "\n\n".join(paragraphs), "citations": list(cited), "premise_status": status}
    return json.dumps(final, ensure_ascii=False)


def _by_document(chosen: list[Unit]) -> list[list[Unit]]:
    """Units grouped by document in order of choice; inside, in the order of the text."""
    order = list(dict.fromkeys(unit.passage.publication.document_id for unit in chosen))
    ranked = sorted(
        chosen,
        key=lambda unit: (
            order.index(unit.passage.publication.document_id),
            unit.passage.chunk_index,
            unit.start,
        ),
    )
    return [list(units) for _, units in groupby(ranked, lambda unit: unit.passage.publication.document_id)]


def _document(units: list[Unit]) -> str:
    publication = units[0].passage.publication
    title = shorten(publication.title, TITLE_LENGTH)
    lines = [f"En «{title}» (DOF {day(publication.publication_date)}):"]
    lines += [f"- «{shorten(unit.quote, QUOTE_LENGTH)}» [{unit.passage.chunk_id}]" for unit in units]
    return "\n".join(lines)


def _absent(chooser: Chooser, chosen: list[Unit]) -> list[str]:
    """Figures and names of the question that no cited passage has, as the question writes them."""
    said = {found for unit in chosen for found in chooser.terms_of(unit.passage)}
    return [word for word in chooser.plan.names if not set(terms(word)) <= said]
