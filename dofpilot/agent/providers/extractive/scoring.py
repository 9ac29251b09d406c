"""How well a sentence answers: what it says of the question, its form, and where its passage stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from dofpilot.agent.providers.extractive.asking import Form
from dofpilot.agent.providers.extractive.concepts import Concept, concepts
from dofpilot.agent.providers.extractive.forms import has_form
from dofpilot.agent.providers.extractive.history import History
from dofpilot.agent.providers.extractive.planning import Facet, Plan
from dofpilot.agent.providers.extractive.sources import Sources
from dofpilot.agent.providers.extractive.standing import priors
from dofpilot.agent.providers.extractive.units import Unit, years_in
from dofpilot.corpus.types import Publication

_FIGURE_BONUS = 1.2
_RECITAL_SHARE = 0.3
_OTHER_YEAR_SHARE = 0.5
_LIST_BONUS = 2.0
_ARTICLE_BONUS = 4.0
_FORM_BONUS = {
    Form.ANY: 1.0,
    Form.DEFINITION: 4.0,
    Form.START: 4.0,
    Form.SHARE: 1.6,
    Form.LENGTH: 1.6,
    Form.COUNT: 1.6,
    Form.AMOUNT: 1.6,
    Form.QUANTITY: 1.4,
    Form.WHEN: 1.5,
}
_HEADING_SHARE = 0.4
_SUBJECT_SHARE = 0.5
_COMFORTABLE_LENGTH = 300
# All publications enter into force in the same words: only those of the closest one are meant.
_OF_CLOSEST = frozenset({Form.START, Form.WHEN})
_AHEAD = 1.1


class Scored(NamedTuple):
    score: float
    unit: Unit


@dataclass(frozen=True, slots=True)
class Scorer:
    """``bases``: what each unit is worth by its standing and its kind; ``subjects``: how much of the whole
    question it says."""

    plan: Plan
    sources: Sources
    bases: dict[Unit, float]
    subjects: dict[Unit, float]

    @classmethod
    def of(cls, plan: Plan, known: History) -> Scorer:
        sources = Sources.of(plan, known)
        standing = priors(plan, known)
        bases = {unit: standing[unit.passage.chunk_id] * _worth(unit, plan) for unit in sources.units}
        subject = concepts(plan.subject)
        return cls(plan, sources, bases, {unit: _overlap(sources, unit, subject) for unit in sources.units})

    @property
    def units(self) -> tuple[Unit, ...]:
        return self.sources.units

    def ranked(self, facet: Facet) -> list[Scored]:
        """Best first; the whole question keeps a share in what a part of it asks."""
        asked, years = concepts(facet.words), frozenset(years_in(facet.words))
        scored = [
            Scored(
                self.bases[unit]
                * self._year_share(unit, years)
                * (_overlap(self.sources, unit, asked) + _SUBJECT_SHARE * self.subjects[unit]),
                unit,
            )
            for unit in self.units
        ]
        return sorted(_by_form(scored, facet), key=lambda entry: -entry.score)

    def _year_share(self, unit: Unit, years: frozenset[str]) -> float:
        other = unit.years and years and not (unit.years | self.sources.years_around(unit)) & years
        return _OTHER_YEAR_SHARE if other else 1.0


def _worth(unit: Unit, plan: Plan) -> float:
    worth = _FIGURE_BONUS if unit.figures else 1.0
    if unit.is_recital:
        worth *= _RECITAL_SHARE
    if unit.is_list and plan.enumerates:
        worth *= _LIST_BONUS
    return worth * (_ARTICLE_BONUS if unit.article and unit.article in plan.articles else 1.0)


def _overlap(sources: Sources, unit: Unit, asked: tuple[Concept, ...]) -> float:
    """Weight of what is asked in the unit, and a share of what only its headings say."""
    said, around = sources.said[unit], sources.around[unit]
    total = sum(
        sources.weight(concept) * (concept.said_by(said) or _HEADING_SHARE * concept.said_by(around))
        for concept in asked
    )
    excess = max(0, unit.length - _COMFORTABLE_LENGTH)
    return total / (1 + excess / (4 * _COMFORTABLE_LENGTH))


def _by_form(scored: list[Scored], facet: Facet) -> list[Scored]:
    """Sentences of the form that the facet asks for count more; an entry into force before all others."""
    best = max(scored, key=lambda entry: entry.score, default=None)
    meant = best.unit.passage.publication if best else None
    ahead = _AHEAD * best.score if best and facet.asked.form is Form.START else 0.0
    return [_reformed(entry, facet, meant, ahead) for entry in scored]


def _reformed(entry: Scored, facet: Facet, meant: Publication | None, ahead: float) -> Scored:
    form, (score, unit) = facet.asked.form, entry
    if (form in _OF_CLOSEST and unit.passage.publication != meant) or not has_form(unit, facet.asked):
        return entry
    return Scored(ahead + score * _FORM_BONUS[form], unit)
