"""Which sentences make the answer: one for each part asked, then what the question still demands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dofpilot.agent.coverage import assess
from dofpilot.agent.outcome import Requirement
from dofpilot.agent.providers.extractive.asking import STRICT, Asked, Form
from dofpilot.agent.providers.extractive.forms import has_form
from dofpilot.agent.providers.extractive.history import History
from dofpilot.agent.providers.extractive.listing import asked_for
from dofpilot.agent.providers.extractive.planning import Facet, Plan
from dofpilot.agent.providers.extractive.scoring import Scored, Scorer
from dofpilot.agent.providers.extractive.units import Unit
from dofpilot.corpus.text.analysis import terms

PARTS = 6
_FILL = 4
# A sentence with the form asked for leads when it scores so well beside a better one without.
_FORMED = 0.5
# One more sentence joins when it scores so well beside the best; of another document, nearly as well.
_NEARLY = 0.8
_RELATED = 0.4
_SAME_PASSAGE = 0.7
_SAME_TITLE = 0.6


def choose(scorer: Scorer, known: History) -> list[Unit]:
    """In order of importance, without repeats; empty when nothing that was read can be quoted."""
    if not scorer.units:
        return []
    listed = _listed(scorer, known)
    rankings = listed or [scorer.ranked(facet) for facet in scorer.plan.facets]
    subject = scorer.ranked(whole(scorer.plan))
    chosen = _leaders(rankings[:PARTS], scorer.plan)
    if not listed:
        _add_formed(chosen, rankings[:PARTS], scorer.plan.facets)
    _add_documents(chosen, _merged([*rankings, subject]), known.question.required_hops)
    _add_required(chosen, subject, scorer)
    _fill(chosen, [*rankings, subject])
    return chosen


def whole(plan: Plan) -> Facet:
    """The whole question as one facet, of no form."""
    return Facet(plan.subject, plan.subject, Asked(Form.ANY))


def _leaders(rankings: list[list[Scored]], planned: Plan) -> list[Unit]:
    """The best unit of each ranking; what is compared is looked for in publications of one series."""
    leaders: list[Unit] = []
    for ranking in rankings:
        series = [scored for scored in ranking if any(_sisters(scored.unit, leader) for leader in leaders)]
        leaders.append((series if planned.compares and series else ranking)[0].unit)
    return list(dict.fromkeys(leaders))


def _add_formed(chosen: list[Unit], rankings: list[list[Scored]], facets: Sequence[Facet]) -> None:
    """Ahead of what lacks the figure or the time asked for, the best sentence with it of that document."""
    for facet, (best, *others) in zip(facets, rankings, strict=False):
        if facet.asked.form not in STRICT or any(has_form(unit, facet.asked) for unit in chosen):
            continue
        near = (unit for score, unit in others if score >= _FORMED * best.score and _same(unit, best.unit))
        if (unit := next((unit for unit in near if has_form(unit, facet.asked)), None)) is not None:
            place = next((place for place, one in enumerate(chosen) if _same(one, unit)), len(chosen))
            chosen.insert(place, unit)


def _same(unit: Unit, other: Unit) -> bool:
    return _document(unit) == _document(other)


def _sisters(unit: Unit, other: Unit) -> bool:
    """Publications that repeat each other's title, as the gazette does year after year."""
    if _same(unit, other):
        return False
    titles = [set(terms(one.passage.publication.title)) for one in (unit, other)]
    return len(titles[0] & titles[1]) >= _SAME_TITLE * len(titles[0] | titles[1])


def still_missing(required: Sequence[Requirement], chosen: list[Unit]) -> list[Requirement]:
    """Requirements that an answer quoting ``chosen`` would leave unmet."""
    passages = [unit.passage for unit in chosen]
    said = "\n".join(" ".join((unit.passage.publication.title, *unit.quotes)) for unit in chosen)
    return list(assess(required, passages, [passage.chunk_id for passage in passages], said).missing)


def _listed(scorer: Scorer, known: History) -> list[list[Scored]]:
    """For a question about a day's publications: the units of each one, closest to its title first."""
    rankings = (
        [
            scored
            for scored in scorer.ranked(Facet(publication.title, publication.title, Asked(Form.ANY)))
            if scored.unit.passage.publication == publication
        ]
        for publication in asked_for(known)
    )
    return [ranking for ranking in rankings if ranking]


def _merged(rankings: list[list[Scored]]) -> list[Scored]:
    """All of them as one, each measured by its own best."""
    shares = [
        Scored(score / (ranking[0].score or 1.0), unit) for ranking in rankings for score, unit in ranking
    ]
    return sorted(shares, key=lambda entry: -entry.score)


def _add_documents(chosen: list[Unit], ranking: list[Scored], required_hops: int) -> None:
    for _, unit in ranking:
        documents = _documents(chosen)
        if len(documents) >= required_hops:
            return
        if _document(unit) not in documents:
            chosen.append(unit)


def _add_required(chosen: list[Unit], ranking: list[Scored], scorer: Scorer) -> None:
    """For each requirement left unmet, the best sentence of a passage that meets it."""
    for requirement in still_missing(scorer.plan.required, chosen):
        helpful = (unit for unit in _of_meeting_passages(requirement, ranking) if _meets(requirement, unit))
        if (unit := next(helpful, None)) is not None:
            chosen.append(unit)


def _of_meeting_passages(requirement: Requirement, ranking: list[Scored]) -> Iterator[Unit]:
    """Reading a passage for figures is slow, so each is asked once, not once for each of its sentences."""
    meets: dict[int, bool] = {}
    for _, unit in ranking:
        chunk = unit.passage.chunk_id
        if chunk not in meets:
            meets[chunk] = assess([requirement], [unit.passage], [chunk], requirement.value).complete
        if meets[chunk]:
            yield unit


def _meets(requirement: Requirement, unit: Unit) -> bool:
    return not still_missing([requirement], [unit])


def _fill(chosen: list[Unit], rankings: list[list[Scored]]) -> None:
    """The next best of each ranking in turn, while the answer is short."""
    for level in zip(*rankings, strict=False):
        for (score, unit), ranking in zip(level, rankings, strict=True):
            if len(chosen) >= _FILL:
                return
            if unit not in chosen and score >= _enough(chosen, unit) * ranking[0].score:
                chosen.append(unit)


def _enough(chosen: list[Unit], unit: Unit) -> float:
    """What one more sentence must reach beside the best; of a passage already quoted it adds least."""
    if unit.passage in [other.passage for other in chosen]:
        return _SAME_PASSAGE
    return _RELATED if _document(unit) in _documents(chosen) else _NEARLY


def _documents(chosen: list[Unit]) -> set[int]:
    return {_document(unit) for unit in chosen}


def _document(unit: Unit) -> int:
    return unit.passage.publication.document_id
