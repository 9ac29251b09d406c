"""Whether the quotations say what was asked, or are only the closest text; and what they lack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dofpilot.agent.figures.reading import said_around, said_in
from dofpilot.agent.outcome import FigureKind, RequirementKind
from dofpilot.agent.providers.extractive.asking import STRICT, Asked, Form, without_form, without_source
from dofpilot.agent.providers.extractive.choosing import still_missing
from dofpilot.agent.providers.extractive.concepts import concepts
from dofpilot.agent.providers.extractive.forms import has_form
from dofpilot.agent.providers.extractive.history import History
from dofpilot.agent.providers.extractive.language import is_foreign
from dofpilot.agent.providers.extractive.listing import asked_for
from dofpilot.agent.providers.extractive.naming import about, content, proper_names, tells_change
from dofpilot.agent.providers.extractive.scoring import Scorer
from dofpilot.agent.providers.extractive.units import Unit, years_in
from dofpilot.agent.wording import requirement
from dofpilot.corpus.text.analysis import terms
from dofpilot.corpus.types import Passage

_UNSAID = 3
# A length of time is told by laws, which name no year for it.
_MEASURED = frozenset({Form.AMOUNT, Form.QUANTITY, Form.SHARE, Form.COUNT})
_FIGURE_OF = "una cifra de {year}"
_TRANSITORY = "transitorio "
_NAMES_A_DOCUMENT = frozenset({RequirementKind.PUBLICATION_DATE, RequirementKind.NORM})


@dataclass(frozen=True, slots=True)
class Verdict:
    """``answers``: the quotations may be offered as an answer. ``lacking``: what the question names or
    demands and the quoted documents do not say, in words that follow «No encontré». ``formless``: they speak
    of it without the figure, the length of time or the date asked for. ``foreign``: the question is not in
    Spanish, so that nothing tells what it names."""

    answers: bool
    lacking: tuple[str, ...] = ()
    formless: bool = False
    foreign: bool = False


def judge(scorer: Scorer, chosen: Sequence[Unit], known: History) -> Verdict:
    if not chosen:
        return Verdict(answers=False, foreign=is_foreign(known.question.text))
    found = _Judge(scorer, chosen, known)
    verdict = found.verdict()
    if not verdict.answers and is_foreign(found.question, found.known):
        return Verdict(answers=False, foreign=True)
    return verdict


class _Judge:
    """``quoted``: units that must answer: those of the best document, or all where several are asked for or
    compared. ``said``: terms of the passages that they are quoted from; ``sentences``: of the quotations and
    what stands above them; ``known``: of all read of these documents. ``strict``: forms that the answer must
    have; a beginning may be told as any other time."""

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
        self.sentences = _terms_of(scorer, self.quoted)
        self.known = _terms(scorer, passages)
        forms = [facet.asked for facet in scorer.plan.facets if facet.asked.form in STRICT]
        self.strict = [Asked(Form.WHEN) if one.form is Form.START else one for one in forms]

    def verdict(self) -> Verdict:
        names = [name for name in proper_names(self.question) if not _is_said(name, self.known)]
        amounts = [name for name in self.plan.amounts if not frozenset(terms(name)) <= self.known]
        # Of several documents each speaks of its own thing.
        decisive = [*self._articles(), *(names if self.single else []), *self._years()]
        things, figures = self._things(), self._figures()
        speaks = self.listed or (self._one_part_stands(things) and self._speaks_to_it())
        formed = self.listed or self._has_form()
        norm = any(item.kind is RequirementKind.NORM for item in self.demanded)
        lacking = [*self._named([*decisive, *names, *amounts, *things.values()]), *figures]
        if not speaks and not decisive:
            lacking += [f"«{word}»" for word in self._unsaid()]
        answers = speaks and formed and not decisive and not figures and not norm
        return Verdict(answers, tuple(dict.fromkeys(lacking)), formless=speaks and not formed)

    def _named(self, names: Sequence[str]) -> list[str]:
        """What the question demands in vain, and ``names``; the year of a norm that was not found says
        nothing more, nor does the name of a transitory article."""
        demanded = [item.text for item in self.demanded]
        articles = {
            _TRANSITORY + item.value for item in self.demanded if item.kind is RequirementKind.TRANSITORY
        }
        told = {name for value, name in self.plan.articles.items() if value in articles}
        more = (name for name in names if name not in told and name not in " ".join(demanded))
        return [*demanded, *(f"«{name}»" for name in more)]

    def _unsaid(self) -> list[str]:
        words = (word for word in about(without_source(_asking(self.question))) if not tells_change(word))
        return [word for word in words if not _is_said(word, self.said)][:_UNSAID]

    def _things(self) -> dict[str, str]:
        """By the words of a part of the question, what it asks the number or the amount of, where the
        quotations and their headings do not name it."""
        parts = ((facet, self._to_be_found(facet.asked.thing)) for facet in self.plan.facets)
        nouns = about(_asking(self.question))
        return {
            facet.words: next((word for word in nouns if word in thing), thing[0])
            for facet, thing in parts
            if thing and not self._names(thing)
        }

    def _one_part_stands(self, things: dict[str, str]) -> bool:
        """A part that asks no number of anything, or one whose thing is named; what only goes on asking of a
        thing that is not («¿… y desde cuándo?») stands by itself no more than that."""
        return any(
            facet.words not in things
            or (facet.asked.thing and self._names(self._to_be_found(facet.asked.thing)))
            for facet in self.plan.facets
        )

    def _names(self, thing: Sequence[str]) -> bool:
        """Its first word is said; but of several words half are enough, anywhere in the passages."""
        half = len(thing) > 1 and 2 * _count(thing, self.said) >= len(thing)
        return half or any(_is_said(word, self.sentences) for word in thing[:1])

    def _to_be_found(self, words: Sequence[str]) -> list[str]:
        return [word for word in words if not (self.plan.compares and tells_change(word))]

    def _articles(self) -> list[str]:
        """An article is said where a quoted passage or its headings name it; of a transitory one coverage
        knows more ways to be said."""
        named = {unit.article for unit in self.quoted}
        for passage in _passages(self.quoted):
            said = (*said_in(passage), *said_around(passage))
            named.update(figure.value for figure in said if figure.kind is FigureKind.ARTICLE)
        return [
            name
            for value, name in self.plan.articles.items()
            if value not in named and not self._is_quoted_transitory(value)
        ]

    def _is_quoted_transitory(self, article: str) -> bool:
        number = article.removeprefix(_TRANSITORY)
        wanted = requirement(RequirementKind.TRANSITORY, number)
        return number != article and not still_missing([wanted], self.quoted)

    def _years(self) -> list[str]:
        """Years that the question asks about and no quoted passage is of or speaks of, the less good ones
        among them."""
        said = " ".join(
            f"{passage.publication.title} {passage.publication.publication_date} {passage.text}"
            for passage in _passages(self.chosen)
        )
        return [year for year in self._asked_years() if year not in said]

    def _asked_years(self) -> list[str]:
        """Where the question names a day of publication, its years tell of something else."""
        if any(item.kind is RequirementKind.PUBLICATION_DATE for item in self.plan.required):
            return []
        return list(dict.fromkeys(year for facet in self.plan.facets for year in years_in(facet.words)))

    def _figures(self) -> list[str]:
        """What is not found of compared years that are spoken of: «se usarán todavía los de 2024» does not
        tell the value of 2024."""
        spoken = set(self._asked_years()).difference(self._years())
        return [_FIGURE_OF.format(year=year) for year in sorted(spoken) if not self._measures(year)]

    def _measures(self, year: str) -> bool:
        """Whether a quotation of a compared year has a figure of the form asked for; one that names no year
        is of the year of its publication."""
        forms = [one for one in self.strict if one.form in _MEASURED]
        if not forms or not self.plan.compares:
            return True
        return any(
            year in self._years_of(unit) and any(has_form(unit, one) for one in forms) for unit in self.chosen
        )

    def _years_of(self, unit: Unit) -> frozenset[str]:
        own = unit.years | self.scorer.sources.years_around(unit)
        return own or frozenset({str(unit.passage.publication.publication_date.year)})

    def _speaks_to_it(self) -> bool:
        """Most of what the part that asks is about, or the whole question, is said. A word that only tells a
        circumstance («el fisco») withdraws nothing where something else tells more."""
        asking = _asking(self.question)
        texts = map(without_source, (asking, self.question))
        mostly = any(_says_most(self._to_be_found(about(text)), self.said) for text in texts)
        return mostly or self._figure_speaks(asking) or self._named_document_speaks()

    def _figure_speaks(self, asking: str) -> bool:
        """A passage with the figure or the time asked for says more than half of all other words."""
        words = self._to_be_found(content(without_form(without_source(asking))))
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
    found = _terms_of(scorer, [unit for unit in scorer.units if unit.passage.chunk_id in chunks])
    plain = (f"{passage.text} {passage.publication.institution}" for passage in passages)
    return found.union(*map(terms, plain))


def _terms_of(scorer: Scorer, units: Sequence[Unit]) -> frozenset[str]:
    said, around = scorer.sources.said, scorer.sources.around
    return frozenset().union(*(said[unit] | around[unit] for unit in units))


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
