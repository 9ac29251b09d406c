"""Where passages stand before their sentences are read, by what the searches and the question tell."""

from __future__ import annotations

import re

from dofpilot.agent.outcome import RequirementKind
from dofpilot.agent.providers.extractive.articles import is_titled
from dofpilot.agent.providers.extractive.history import History
from dofpilot.agent.providers.extractive.planning import Plan
from dofpilot.agent.providers.extractive.reading import document_standing, standing
from dofpilot.corpus.text import dates
from dofpilot.corpus.text.analysis import terms
from dofpilot.corpus.text.folding import fold
from dofpilot.corpus.types import Passage, Publication

# A document that the searches put first is worth more than a chance overlap of words elsewhere.
_DOCUMENT_SHARE = 2.0
_NAMED_BONUS = 1.5
_TOPIC_BONUS = 0.3
# What tells of rules, or proposes them, comes after what sets them.
_INFORMING_SHARE = 0.9
_INFORMS = re.compile(r"(?:aviso|proyecto|extracto|respuesta|convocatoria|nota)\b", re.IGNORECASE)
_IN_TITLES = frozenset({RequirementKind.NORM, RequirementKind.PLAN})


def priors(plan: Plan, known: History) -> dict[int, float]:
    """By chunk id, for every passage that was read."""
    chunks, documents = standing(known), document_standing(known)
    asked = frozenset(terms(plan.subject))
    return {
        passage.chunk_id: (
            1
            + chunks.get(passage.chunk_id, 0.0)
            + _DOCUMENT_SHARE * documents.get(passage.publication.document_id, 0.0)
        )
        * (_NAMED_BONUS if _is_named(passage.publication, plan) else 1.0)
        * (_INFORMING_SHARE if _INFORMS.match(passage.publication.title) else 1.0)
        * (1 + _TOPIC_BONUS * _topic(passage, asked))
        for passage in known.passages.values()
    }


def _topic(passage: Passage, asked: frozenset[str]) -> float:
    """How much of the name of a chapter above the passage the question says: «CAPITULO IV. Vacaciones»."""
    names = [heading.rpartition(". ")[2] for heading in passage.heading_path if ". " in heading]
    shares = (len(asked.intersection(said)) / len(said) for said in map(terms, names) if said)
    return max(shares, default=0.0)


def _is_named(publication: Publication, plan: Plan) -> bool:
    """Whether the question names this very document: by its whole title, its norm, its plan or its day."""
    day = publication.publication_date.isoformat()
    title = fold(publication.title)
    return is_titled(publication, plan) or any(
        dates.same(item.value, day)
        if item.kind is RequirementKind.PUBLICATION_DATE
        else item.kind in _IN_TITLES and fold(item.value) in title
        for item in plan.required
    )
