"""The answer in words: each document introduced in a line, each sentence quoted with its citation."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import groupby

from dofpilot.agent.outcome import PremiseStatus
from dofpilot.agent.providers.extractive.history import History
from dofpilot.agent.providers.extractive.judging import Verdict
from dofpilot.agent.providers.extractive.units import Unit, is_like_a_citation
from dofpilot.agent.wording import day
from dofpilot.corpus.text.shortening import shorten

TITLE_LENGTH = 110
QUOTE_LENGTH = 900
NOTHING_READ = "No encontré una respuesta en los pasajes leídos."
CLOSEST = "Lo más cercano que leí:"
LACKING = "No encontré {names} en los pasajes leídos."
NEITHER = "Tampoco encontré {names}."
FORMLESS = "Los pasajes hablan del tema, pero no dicen la cifra, el plazo o la fecha que se pregunta."
FOREIGN = "Este método solo entiende preguntas en español."
_BRACKETS = re.compile(r"[\[\]［］【】〔〕⟦⟧〚〛(){}]")
# Text that is not an answer is worth less room.
_CLOSEST_QUOTED = 3


def write(verdict: Verdict, chosen: list[Unit], known: History) -> str:
    """The final answer as the JSON that every provider gives. Nothing is said that no passage says."""
    if not verdict.answers and known.question.required_hops == 1:
        chosen = chosen[:_CLOSEST_QUOTED]
    documents = _by_document(chosen)
    final = {
        "answer": "\n\n".join(_paragraphs(verdict, documents)),
        "citations": list(dict.fromkeys(unit.passage.chunk_id for units in documents for unit in units)),
        # To quote is not to judge what a question takes for granted.
        "premise_status": PremiseStatus.UNCLEAR,
    }
    return json.dumps(final, ensure_ascii=False)


def _paragraphs(verdict: Verdict, documents: list[list[Unit]]) -> list[str]:
    """What was not found comes first when nothing answers, and last when something does."""
    quoted = [_document(units) for units in documents]
    names = _listed(verdict.lacking)
    if verdict.answers:
        return [*quoted, *([LACKING.format(names=names)] if names else [])]
    reasons = [NEITHER.format(names=names)] * bool(names) + [FORMLESS] * verdict.formless
    reasons += [FOREIGN] * verdict.foreign
    return [" ".join([NOTHING_READ, *reasons]), *([CLOSEST] if quoted else []), *quoted]


def _listed(names: Sequence[str]) -> str:
    return " ni ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _by_document(chosen: list[Unit]) -> list[list[Unit]]:
    """Units grouped by document, both in order of choice: the best quotation comes first."""
    order = list(dict.fromkeys(_publication(unit) for unit in chosen))
    placed = sorted(chosen, key=lambda unit: order.index(_publication(unit)))
    return [list(units) for _, units in groupby(placed, _publication)]


def _publication(unit: Unit) -> int:
    return unit.passage.publication.document_id


def _uncited(title: str) -> str:
    return _BRACKETS.sub("", title) if is_like_a_citation(title) else title


def _document(units: list[Unit]) -> str:
    publication = units[0].passage.publication
    title = shorten(_uncited(publication.title), TITLE_LENGTH)
    lines = [f"En «{title}» (DOF {day(publication.publication_date)}):"]
    lines += [
        f"- «{shorten(quote, QUOTE_LENGTH)}» [{unit.passage.chunk_id}]"
        for unit in units
        for quote in unit.quotes
    ]
    return "\n".join(lines)
