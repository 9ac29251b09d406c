"""Whether the quotations say what was asked, or are only the closest text; and what they lack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dofpilot.agent.figures.reading import said_around, said_in
from dofpilot.agent.outcome import FigureKind, RequirementKind
from dofpilot.agent.providers.extractive.asking import STRICT, Asked, Form, without_form
from dofpilot.agent.providers.extractive.choosing import still_missing
from dofpilot.agent.providers.extractive.concepts import concepts
from dofpilot.agent.providers.extractive.forms import has_form
from dofpilot.agent.providers.extractive.history import History
from dofpilot.agent.providers.extractive.listing import asked_for
from dofpilot.agent.providers.extractive.naming import about, content, proper_names
from dofpilot.agent.providers.extractive.scoring import Scorer
from dofpilot.agent.providers.extractive.units import Unit, years_in
from dofpilot.corpus.text.analysis import terms
from dofpilot.corpus.types import Passage

_UNSAID = 3
_NAMES_A_DOCUMENT = frozenset({RequirementKind.PUBLICATION_DATE, RequirementKind.NORM})


@dataclass(frozen=True, slots=True)
class Verdict:
    """``answers``: the quotations may be offered as an answer. ``lacking``: what the question names or
    demands and the quoted documents do not say, in words that follow «No encontré». ``formless``: they speak
    of it without the figure, the length of time or the date asked for."""

    answers: bool
    lacking: tuple[str, ...] = ()
    formless: bool = False


def judge(scorer: Scorer, chosen: Sequence[Unit], known: History) -> Verdict:
    return _Judge(scorer, chosen, known).verdict() if chosen else Verdict(answers=False)


class _Judge:
    """``quoted``: units that must answer: those of the best document, or all where several are asked for or
    compared. ``said``: terms of the passages that they are quoted from; ``known``: of all read of these
    documents. ``strict``: forms that the answer must have; a beginning may be told as any other time."""

    def __init__(self, scorer: Scorer, chosen: Sequence[Unit], known: History) -> None:
        self.scorer, self.chosen = scorer, chosen
        self.plan, self.question = scorer.plan, known.question.text
        self.single, self.listed = known.question.required_hops == 1, bool(asked_for(known))
        self.demanded = still_missing(scorer.plan.required, list(chosen))
        several = not self.single or scorer.plan.compares
        best = chosen[0].passage.publication
        self.quoted = [unit for unit in chosen if several or unit.passage.publication == best]
        documents = {unit.passage.publication for unit in self.quoted}
        passages = [passage for passage in known.passages.values() if passage.publication in documents]
        self.said = _terms(scorer, _passages(self.quoted))
        self.known = _terms(scorer, passages)
        forms = [facet.asked for facet in scorer.plan.facets if facet.asked.form in STRICT]
        self.strict = [Asked(Form.WHEN) if one.form is Form.START else one for one in forms]

    def verdict(self) -> Verdict:
        names = [name for name in proper_names(self.question) if not _is_said(name, self.known)]
        # Of several documents each speaks of its own thing.
        decisive = [*self._articles(), *(names if self.single else []), *self._years()]
        amounts = [name for name in self.plan.amounts if not frozenset(terms(name)) <= self.known]
        lacking = [item.text for item in self.demanded]
        # The year of a norm that was not found says nothing more.
        unnamed = [name for name in (*decisive, *names, *amounts) if name not in " ".join(lacking)]
        lacking += [f"«{name}»" for name in unnamed]
        norm = any(item.kind is RequirementKind.NORM for item in self.demanded)
        speaks, formed = self.listed or self._speaks_to_it(), self.listed or self._has_form()
        if not speaks and not decisive:
            lacking += [f"«{word}»" for word in self._unsaid()]
        answers = speaks and formed and not decisive and not norm
        return Verdict(answers, tuple(dict.fromkeys(lacking)), formless=speaks and not formed)

    def _unsaid(self) -> list[str]:
        return [word for word in about(_asking(self.question)) if not _is_said(word, self.said)][:_UNSAID]

    def _articles(self) -> list[str]:
        """An article is said where a quoted passage or its headings name it."""
        named = {unit.article for unit in self.quoted}
        for passage in _passages(self.quoted):
            said = (*said_in(passage), *said_around(passage))
            named.update(figure.value for figure in said if figure.kind is FigureKind.ARTICLE)
        return [name for value, name in self.plan.articles.items() if value not in named]

    def _years(self) -> list[str]:
        """Years that the question asks about and no quoted passage is of or speaks of, the less good ones
        among them; where it names a day of publication, its years tell of something else."""
        if any(item.kind is RequirementKind.PUBLICATION_DATE for item in self.plan.required):
            return []
        said = " ".join(
            f"{passage.publication.title} {passage.publication.publication_date} {passage.text}"
            for passage in _passages(self.chosen)
        )
        asked = (year for facet in self.plan.facets for year in years_in(facet.words))
        return [year for year in dict.fromkeys(asked) if year not in said]

    def _speaks_to_it(self) -> bool:
        """Most of what the part that asks is about, or the whole question, is said. A word that only tells a
        circumstance («el fisco») withdraws nothing where something else tells more."""
        asking = _asking(self.question)
        mostly = any(_says_most(about(text), self.said) for text in (asking, self.question))
        return mostly or self._figure_speaks(asking) or self._named_document_speaks()

    def _figure_speaks(self, asking: str) -> bool:
        """A passage with the figure or the time asked for says more than half of all other words."""
        words = content(without_form(asking))
        formed = [unit for unit in self.quoted if any(has_form(unit, one) for one in self.strict)]
        return any(
            _count(words, _terms(self.scorer, [passage])) > len(words) / 2 for passage in _passages(formed)
        )

    def _named_document_speaks(self) -> bool:
        """The document is the one that the question names by its day or its norm, and more than half of one
        part of the question is said."""
        named = [item for item in self.plan.required if item.kind in _NAMES_A_DOCUMENT]
        if not named or not set(named).isdisjoint(self.demanded):
            return False
        said = self.said.union(str(unit.passage.publication.publication_date) for unit in self.quoted)
        parts = [[one for one in concepts(facet.words) if one.own] for facet in self.plan.facets]
        return any(sum(one.said_by(said) > 0 for one in part) > len(part) / 2 for part in parts)

    def _has_form(self) -> bool:
        return not self.strict or any(has_form(unit, one) for one in self.strict for unit in self.quoted)


def _asking(question: str) -> str:
    """From the first question mark: what stands before tells circumstances."""
    return question[max(0, question.find("¿")) :]


def _terms(scorer: Scorer, passages: list[Passage]) -> frozenset[str]:
    """All that the passages say, with what their abbreviations and what stands above them add."""
    chunks = {passage.chunk_id for passage in passages}
    said, around = scorer.sources.said, scorer.sources.around
    found = [said[unit] | around[unit] for unit in scorer.units if unit.passage.chunk_id in chunks]
    plain = (f"{passage.text} {passage.publication.institution}" for passage in passages)
    return frozenset().union(*found, *map(terms, plain))


def _passages(units: Sequence[Unit]) -> list[Passage]:
    return list({unit.passage.chunk_id: unit.passage for unit in units}.values())


def _says_most(names: Sequence[str], said: frozenset[str]) -> bool:
    """More than half of them, or half of four and more."""
    count = _count(names, said)
    return not names or 2 * count > len(names) or (2 * count == len(names) > 2)


def _count(names: Sequence[str], said: frozenset[str]) -> int:
    return sum(_is_said(name, said) for name in names)


def _is_said(name: str, said: frozenset[str]) -> bool:
    return all(concept.said_by(said) for concept in concepts(name) if concept.own)
