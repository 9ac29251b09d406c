"""What was read, as the words of its sentences, with what their surroundings add."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import log

from dofpilot.agent.providers.extractive.abbreviations import explained
from dofpilot.agent.providers.extractive.concepts import Concept, concepts
from dofpilot.agent.providers.extractive.history import History
from dofpilot.agent.providers.extractive.naming import acronyms, initials_of
from dofpilot.agent.providers.extractive.planning import Plan
from dofpilot.agent.providers.extractive.units import Unit, units, years_in
from dofpilot.corpus.text.analysis import term, terms
from dofpilot.corpus.types import Passage

# An abbreviation is meant when the question says most of its name.
_MOSTLY = 0.6


@dataclass(frozen=True, slots=True)
class Sources:
    """``weights``: how much each term says, by its rarity among the units that were read; ``unknown``:
    how much one says that none of them has.

    ``said``: terms of each unit, with those of the names that its abbreviations stand for. ``around``: terms
    of the headings and the title above it, and of what opens its list.
    """

    units: tuple[Unit, ...]
    weights: dict[str, float]
    unknown: float
    said: dict[Unit, frozenset[str]]
    around: dict[Unit, frozenset[str]]

    @classmethod
    def of(cls, plan: Plan, known: History) -> Sources:
        read = known.passages.values()
        short = explained(passage.text for passage in read)
        asked = _asked(plan, short)
        found = tuple(unit for passage in read for unit in units(passage, asked))
        counts = Counter(one for unit in found for one in unit.terms)
        short_names = acronyms(known.question.text)
        above = {passage.chunk_id: _above(passage, short_names) for passage in read}
        return cls(
            found,
            weights={one: log(1 + len(found) / count) for one, count in counts.items()},
            unknown=log(1 + len(found)),
            said={
                unit: unit.terms.union(*(short[one] for one in unit.terms & short.keys())) for unit in found
            },
            around={unit: above[unit.passage.chunk_id].union(terms(unit.lead)) for unit in found},
        )

    def weight(self, concept: Concept) -> float:
        if concept.own:
            return self.weights.get(concept.own, self.unknown)
        return max((self.weights.get(one, 0.0) for other in concept.others for one in other), default=0.0)

    def years_around(self, unit: Unit) -> frozenset[str]:
        return frozenset(years_in(" ".join((unit.passage.publication.title, *unit.passage.heading_path))))


def _asked(plan: Plan, short: dict[str, frozenset[str]]) -> frozenset[str]:
    """Terms of the question, of what may stand for them, and abbreviations of what it mostly says."""
    query = " ".join((plan.subject, *(facet.query for facet in plan.facets)))
    own = frozenset(terms(query))
    others = (one for concept in concepts(query) for other in concept.others for one in other)
    meant = (brief for brief, name in short.items() if len(own & name) >= _MOSTLY * len(name))
    return own.union(others, meant)


def _above(passage: Passage, short_names: frozenset[str]) -> frozenset[str]:
    """Terms of its title and headings, and the acronyms asked for that their initials spell."""
    title = passage.publication.title
    initials = [initials_of(name) for name in (title, passage.publication.institution)]
    meant = frozenset(term(name) for said in initials for name in short_names if name in said)
    return meant.union(terms(" ".join((title, *passage.heading_path))))
