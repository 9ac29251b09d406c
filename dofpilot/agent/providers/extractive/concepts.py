"""What a question speaks of: its words, each with what the gazette may say in its place."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from dofpilot.corpus.search.expansions import Terms, expansions
from dofpilot.corpus.text import dates
from dofpilot.corpus.text.analysis import WORD, term
from dofpilot.corpus.text.folding import fold_in_place

# Another word says nearly as much as the one that was asked for.
_OTHER_SHARE = 0.7
_KEPT = 256


@dataclass(frozen=True, slots=True)
class Concept:
    """``own`` is a term of the question, empty for what only several of its words say together; each of
    ``others`` is the terms of a name that may stand for it."""

    own: str
    others: tuple[Terms, ...]

    def said_by(self, terms: Collection[str]) -> float:
        """How far a text with these terms says it: 1 by its own word, less by another, 0 not at all."""
        if self.own and self.own in terms:
            return 1.0
        return _OTHER_SHARE if any(all(one in terms for one in other) for other in self.others) else 0.0


# Every turn plans again, and every facet ranks again.
@lru_cache(_KEPT)
def concepts(query: str) -> tuple[Concept, ...]:
    """One concept per term, then those that take several words; stop words have none.

    A full date is one term, in the form of figures, for it is written in many ways.
    """
    single: dict[str, tuple[Terms, ...]] = {}
    for mention in reversed([mention for mention in dates.find(fold_in_place(query)) if mention.day]):
        single[mention.value] = ()
        query = f"{query[: mention.start]} {query[mention.end :]}"
    for word in WORD.findall(query):
        if own := term(word):
            single[own] = tuple(dict.fromkeys((*single.get(own, ()), *expansions(word))))
    known = {other for others in single.values() for other in others}
    together = tuple(Concept("", (other,)) for other in expansions(query) if other not in known)
    return (*(Concept(own, others) for own, others in single.items()), *together)
