"""Whether the quotations say what was asked, or are only the closest text; and what they lack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dofpilot.agent.figures.reading import said_around, said_in
from dofpilot.agent.outcome import FigureKind, RequirementKind
from dofpilot.agent.providers.extractive.asking import Asked, Form
from dofpilot.agent.providers.extractive.choosing import still_missing
from dofpilot.agent.providers.extractive.concepts import concepts
from dofpilot.agent.providers.extractive.forms import has_form
from dofpilot.agent.providers.extractive.history import History
from dofpilot.agent.providers.extractive.listing import asked_for
from dofpilot.agent.providers.extractive.naming import about, proper_names
from dofpilot.agent.providers.extractive.scoring import Scorer
from dofpilot.agent.providers.extractive.units import Unit, years_in
from dofpilot.corpus.text.analysis import terms
from dofpilot.corpus.types import Passage

_UNSAID = 3
# Forms without which a question of theirs is not answered.
_STRICT = frozenset(Form) - {Form.ANY, Form.DEFINITION}


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
    """``quoted``: units that must answer: those of the best document, or all where several are asked for.
    ``said``: terms of the passages that they are quoted from; ``known``: of all read of these documents."""

    def __init__(self, scorer: Scorer, chosen: Sequence[Unit], known: History) -> None:
        self.plan, self.question = scorer.plan, known.question.text
        self.single, self.listed = known.question.required_hops == 1, bool(asked_for(known))
        self.demanded = still_missing(scorer.plan.required, list(chosen))
        best = chosen[0].passage.publication
        self.quoted = [unit for unit in chosen if not self.single or unit.passage.publication == best]
        documents = {unit.passage.publication for unit in self.quoted}
        self.passages = [passage for passage in known.passages.values() if passage.publication in documents]
        quoted = {unit.passage.chunk_id for unit in self.quoted}
        self.said = _terms(scorer, [passage for passage in self.passages if passage.chunk_id in quoted])
        self.known = _terms(scorer, self.passages)

    def verdict(self) -> Verdict:
        names = [name for name in proper_names(self.question) if not _is_said(name, self.known)]
        # Of several documents each speaks of its own thing.
        decisive = [*self._articles(), *(names if self.single else []), *self._years()]
        amounts = [name for name in self.plan.amounts if not frozenset(terms(name)) <= self.known]
        lacking = [item.text for item in self.demanded]
        lacking += [f"«{name}»" for name in (*decisive, *names, *amounts)]
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
        for passage in {unit.passage for unit in self.quoted}:
            said = (*said_in(passage), *said_around(passage))
            named.update(figure.value for figure in said if figure.kind is FigureKind.ARTICLE)
        return [name for value, name in self.plan.articles.items() if value not in named]

    def _years(self) -> list[str]:
        """Years that the question asks about and no quoted document is of or speaks of; where it names a day
        of publication, its years tell of something else."""
        if any(item.kind is RequirementKind.PUBLICATION_DATE for item in self.plan.required):
            return []
        said = " ".join(
            f"{passage.publication.title} {passage.publication.publication_date} {passage.text}"
            for passage in self.passages
        )
        asked = (year for facet in self.plan.facets for year in years_in(facet.words))
        return [year for year in dict.fromkeys(asked) if year not in said]

    def _speaks_to_it(self) -> bool:
        """Most of what the part that asks is about, or the whole question, is said."""
        return any(self._says_most(about(text)) for text in (_asking(self.question), self.question))

    def _says_most(self, names: Sequence[str]) -> bool:
        """More than half of them, or half of four and more."""
        said = sum(_is_said(name, self.said) for name in names)
        return not names or 2 * said > len(names) or (2 * said == len(names) > 2)

    def _has_form(self) -> bool:
        """A beginning may be told as any other time."""
        asked = [facet.asked for facet in self.plan.facets if facet.asked.form in _STRICT]
        strict = [Asked(Form.WHEN) if one.form is Form.START else one for one in asked]
        return not strict or any(has_form(unit, asked) for asked in strict for unit in self.quoted)


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


def _is_said(name: str, said: frozenset[str]) -> bool:
    return all(concept.said_by(said) for concept in concepts(name) if concept.own)
