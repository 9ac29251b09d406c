"""How well a sentence answers: overlap of words, rarer ones counting more, and where its passage stands."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import log
from typing import NamedTuple

from dofpilot.agent.outcome import RequirementKind
from dofpilot.agent.providers.extractive import asking
from dofpilot.agent.providers.extractive.history import History
from dofpilot.agent.providers.extractive.planning import Plan
from dofpilot.agent.providers.extractive.reading import document_standing, standing
from dofpilot.agent.providers.extractive.units import Unit, units, years_in
from dofpilot.corpus.text import dates
from dofpilot.corpus.text.analysis import terms
from dofpilot.corpus.text.folding import fold
from dofpilot.corpus.types import Passage, Publication

_FIGURE_BONUS = 1.2
_QUANTITY_BONUS = 1.5
_RECITAL_SHARE = 0.3
_OTHER_YEAR_SHARE = 0.5
_LIST_BONUS = 1.5
_DEFINITION_BONUS = 4.0
_WHEN_BONUS = 1.5
_START_BONUS = 5.0
_HEADING_SHARE = 0.4
_SUBJECT_SHARE = 0.3
_COMFORTABLE_LENGTH = 300
# A document that the searches put first is worth more than a chance overlap of words elsewhere.
_DOCUMENT_SHARE = 2.0
_NAMED_BONUS = 1.5
_IN_TITLES = frozenset({RequirementKind.NORM, RequirementKind.PLAN})


class Scored(NamedTuple):
    score: float
    unit: Unit


@dataclass(frozen=True, slots=True)
class Scorer:
    """``weights``: how much each term says, by its rarity among the units that were read.

    ``around``: terms of a passage's headings and title; ``priors``: its standing; both by chunk id.
    """

    plan: Plan
    units: tuple[Unit, ...]
    weights: dict[str, float]
    around: dict[int, frozenset[str]]
    priors: dict[int, float]

    @classmethod
    def of(cls, plan: Plan, known: History) -> Scorer:
        read = known.passages.values()
        asked = frozenset(terms(" ".join((plan.subject, *plan.facets))))
        found = tuple(unit for passage in read for unit in units(passage, asked))
        counts = Counter(term for unit in found for term in unit.terms)
        weights = {term: log(1 + len(found) / count) for term, count in counts.items()}
        around = {passage.chunk_id: _around(passage) for passage in read}
        return cls(plan, found, weights, around, _priors(plan, known))

    def ranked(self, query: str) -> list[Scored]:
        """Best first; the whole question keeps a share in what a part of it asks."""
        asked, subject = frozenset(terms(query)), frozenset(terms(self.plan.subject))
        years = frozenset(years_in(query))
        scored = [
            Scored(
                self._bonus(unit, years)
                * (self._overlap(unit, asked) + _SUBJECT_SHARE * self._overlap(unit, subject)),
                unit,
            )
            for unit in self.units
        ]
        return sorted(self._by_form(scored), key=lambda entry: -entry.score)

    def share(self, query: str, chosen: list[Unit]) -> float:
        """How much of the query's weight the chosen units and their headings say, from 0 to 1."""
        unknown = log(1 + len(self.units))
        asked = {term: self.weights.get(term, unknown) for term in terms(query)}
        said = {term for unit in chosen for term in unit.terms | self._around(unit)}
        return sum(asked[term] for term in asked.keys() & said) / (sum(asked.values()) or 1.0)

    def says(self, passage: Passage, name: str) -> bool:
        """Whether a passage, its headings or its title have all the words of ``name``."""
        return set(terms(name)) <= self.around[passage.chunk_id].union(terms(passage.text))

    def _overlap(self, unit: Unit, query: frozenset[str]) -> float:
        """Weight of the query's terms in the unit, and a share of those that only its headings have."""
        said = sum(self.weights.get(term, 0.0) for term in query & unit.terms)
        implied = sum(self.weights.get(term, 1.0) for term in (query - unit.terms) & self._around(unit))
        excess = max(0, unit.end - unit.start - _COMFORTABLE_LENGTH)
        return (said + _HEADING_SHARE * implied) / (1 + excess / (4 * _COMFORTABLE_LENGTH))

    def _bonus(self, unit: Unit, years: frozenset[str]) -> float:
        bonus = self.priors.get(unit.passage.chunk_id, 1.0)
        if unit.has_quantity and self.plan.measures:
            bonus *= _QUANTITY_BONUS
        elif unit.has_figure:
            bonus *= _FIGURE_BONUS
        if unit.is_recital:
            bonus *= _RECITAL_SHARE
        if unit.years and years and not unit.years & years:
            bonus *= _OTHER_YEAR_SHARE
        if unit.is_list and self.plan.enumerates:
            bonus *= _LIST_BONUS
        return bonus

    def _by_form(self, scored: list[Scored]) -> list[Scored]:
        """Sentences of the form that the question asks for count more.

        All publications enter into force in the same words: only those of the closest one are meant.
        """
        best = max(scored, key=lambda entry: entry.score, default=None)
        meant = best.unit.passage.publication if best else None
        return [
            Scored(score * self._form_bonus(unit.text, unit.passage.publication == meant), unit)
            for score, unit in scored
        ]

    def _form_bonus(self, text: str, of_meant: bool) -> float:
        if self.plan.defined and asking.defines(text, self.plan.defined):
            return _DEFINITION_BONUS
        if of_meant and self.plan.start and asking.tells_start(text):
            return _START_BONUS
        return _WHEN_BONUS if of_meant and self.plan.when and asking.tells_when(text) else 1.0

    def _around(self, unit: Unit) -> frozenset[str]:
        return self.around[unit.passage.chunk_id]


def _around(passage: Passage) -> frozenset[str]:
    return frozenset(terms(" ".join((passage.publication.title, *passage.heading_path))))


def _priors(plan: Plan, known: History) -> dict[int, float]:
    chunks, documents = standing(known), document_standing(known)
    return {
        passage.chunk_id: (
            1
            + chunks.get(passage.chunk_id, 0.0)
            + _DOCUMENT_SHARE * documents.get(passage.publication.document_id, 0.0)
        )
        * (_NAMED_BONUS if _is_named(passage.publication, plan) else 1.0)
        for passage in known.passages.values()
    }


def _is_named(publication: Publication, plan: Plan) -> bool:
    """Whether the question names this very document: its norm, its plan or its day."""
    day = publication.publication_date.isoformat()
    title = fold(publication.title)
    return any(
        dates.same(item.value, day)
        if item.kind is RequirementKind.PUBLICATION_DATE
        else item.kind in _IN_TITLES and fold(item.value) in title
        for item in plan.required
    )
