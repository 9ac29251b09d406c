"""Which sentences of what was read answer the question best: word overlap, rarer words counting more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
import os
from math import log

from dofpilot.agent.coverage import assess
from dofpilot.agent.outcome import Requirement
from dofpilot.agent.providers.extractive.history import History
from dofpilot.agent.providers.extractive.listing import asked_for
from dofpilot.agent.providers.extractive.planning import Plan
from dofpilot.agent.providers.extractive.reading import standing
from dofpilot.agent.providers.extractive.units import Unit, units
from dofpilot.corpus.analysis import terms
from dofpilot.corpus.types import Passage

QUOTES = 6
_FILL = int(os.environ.get('N','4'))
_FIGURE_BONUS = 1.2
_LIST_BONUS = 1.5
_HEADING_SHARE = 0.4
_WHOLE_SHARE = 0.3
_COMFORTABLE_LENGTH = 300


@dataclass(frozen=True, slots=True)
class Chooser:
    """``weights``: how much each term says, by its rarity among the units that were read."""

    plan: Plan
    units: tuple[Unit, ...]
    weights: dict[str, float]
    around: dict[int, frozenset[str]]
    priors: dict[int, float]

    @classmethod
    def of(cls, plan: Plan, known: History) -> Chooser:
        read = list(known.passages.values())
        found = tuple(unit for passage in read for unit in units(passage))
        counts = Counter(term for unit in found for term in unit.terms)
        weights = {term: log(1 + len(found) / count) for term, count in counts.items()}
        return cls(
            plan, found, weights, {passage.chunk_id: _around(passage) for passage in read}, _priors(known)
        )

    def score(self, unit: Unit, query: frozenset[str]) -> float:
        """Weight of the query's terms in the unit, and a share of those that only its headings have."""
        said = sum(self.weights.get(term, 0.0) for term in query & unit.terms)
        implied = sum(self.weights.get(term, 1.0) for term in (query - unit.terms) & self._around(unit))
        excess = max(0, unit.end - unit.start - _COMFORTABLE_LENGTH)
        bonus = _FIGURE_BONUS if unit.has_figure else 1.0
        if unit.is_list and self.plan.enumerates:
            bonus *= _LIST_BONUS
        bonus *= self.priors.get(unit.passage.chunk_id, 1.0)
        return bonus * (said + _HEADING_SHARE * implied) / (1 + excess / (4 * _COMFORTABLE_LENGTH))

    def _around(self, unit: Unit) -> frozenset[str]:
        return self.around[unit.passage.chunk_id]

    def terms_of(self, passage: Passage) -> frozenset[str]:
        """All that a passage says, headings and title included."""
        return self.around[passage.chunk_id].union(terms(passage.text))

    def ranked(self, facet: str) -> list[Unit]:
        """Best first; the whole question keeps a share in what a facet asks."""
        query, whole = (frozenset(terms(text)) for text in (facet, self.plan.subject))
        return sorted(
            self.units,
            key=lambda unit: -(self.score(unit, query) + _WHOLE_SHARE * self.score(unit, whole)),
        )

    def closeness(self, unit: Unit, ranking: list[Unit]) -> float:
        whole = frozenset(terms(self.plan.subject))
        return self.score(unit, whole) / (self.score(ranking[0], whole) or 1.0)


def choose(chooser: Chooser, known: History) -> list[Unit]:
    """The best unit for each part asked, then one for each document and requirement still missing."""
    if not chooser.units:
        return []
    rankings = _listed(chooser, known) or [chooser.ranked(facet) for facet in chooser.plan.facets]
    whole = chooser.ranked(chooser.plan.subject)
    chosen = list(dict.fromkeys(ranking[0] for ranking in rankings))[:QUOTES]
    _add_documents(chosen, rankings[0] if os.environ.get("H") else whole, known.question.required_hops)
    _add_required(chosen, whole, chooser.plan.required)
    _fill(chooser, chosen, [*rankings, whole])
    return chosen


def _listed(chooser: Chooser, known: History) -> list[list[Unit]]:
    """For a question about a day's publications: the units of each one, closest to its title first."""
    rankings = (
        [unit for unit in chooser.ranked(publication.title) if unit.passage.publication == publication]
        for publication in asked_for(known)
    )
    return [ranking for ranking in rankings if ranking]


def _add_documents(chosen: list[Unit], ranked: list[Unit], required_hops: int) -> None:
    for unit in ranked:
        documents = {_document(other) for other in chosen}
        if len(documents) >= required_hops:
            return
        if _document(unit) not in documents:
            chosen.append(unit)


def _add_required(chosen: list[Unit], ranked: list[Unit], required: Sequence[Requirement]) -> None:
    """For each requirement left unmet, the best sentence of a passage that meets it."""
    for requirement in required:
        if not _meets(requirement, chosen):
            helpful = next((unit for unit in ranked if _meets(requirement, [*chosen, unit])), None)
            if helpful is not None:
                chosen.append(helpful)


def _meets(requirement: Requirement, chosen: list[Unit]) -> bool:
    passages = [unit.passage for unit in chosen]
    said = " ".join(unit.quote for unit in chosen)
    return assess([requirement], passages, [passage.chunk_id for passage in passages], said).complete


FT=float(os.environ.get('FT','0.7'))
def _fill(chooser: Chooser, chosen: list[Unit], rankings: list[list[Unit]]) -> None:
    """Up to ``_FILL`` quotations, the next best of each ranking in turn, from passages not yet quoted."""
    turns = (pair for rank in zip(*rankings, strict=False) for pair in zip(rank, rankings, strict=True))
    for unit, ranking in turns:
        if len(chosen) >= _FILL:
            return
        if unit.passage in [other.passage for other in chosen]:
            continue
        elsewhere = _document(unit) not in {_document(other) for other in chosen}
        if not elsewhere or chooser.closeness(unit, ranking) >= FT:
            chosen.append(unit)


def _document(unit: Unit) -> int:
    return unit.passage.publication.document_id


def _around(passage: Passage) -> frozenset[str]:
    return frozenset(terms(" ".join((passage.publication.title, *passage.heading_path))))


import os

A = float(os.environ.get("A", "1"))
B = float(os.environ.get("B", "2"))


def _priors(known: History) -> dict[int, float]:
    chunks = standing(known)
    documents = known.documents()
    doc = {}
    for hits in known.searches:
        for r, h in enumerate(hits):
            d = h.publication.document_id
            doc[d] = max(doc.get(d, 0), 1 / (1 + r * 0.5))
    for p in known.listed or ():
        doc[p.document_id] = max(doc.get(p.document_id, 0), 1 / (1 + documents.index(p.document_id) * 0.1))
    return {
        p.chunk_id: 1 + A * chunks.get(p.chunk_id, 0) + B * doc.get(p.publication.document_id, 0)
        for p in known.passages.values()
    }
