"""Which sentences make the answer: one for each part asked, then what the question still demands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dofpilot.agent.coverage import assess
from dofpilot.agent.outcome import Requirement
from dofpilot.agent.providers.extractive.history import History
from dofpilot.agent.providers.extractive.listing import asked_for
from dofpilot.agent.providers.extractive.planning import Plan
from dofpilot.agent.providers.extractive.scoring import Scored, Scorer
from dofpilot.agent.providers.extractive.units import Unit
from dofpilot.corpus.text.analysis import terms

PARTS = 6
_FILL = 4
# One more sentence joins when it scores so well beside the best; of another document, nearly as well.
_NEARLY = 0.7
_RELATED = 0.3
_WITH_QUANTITY = 0.5
_SAME_TITLE = 0.6


def choose(scorer: Scorer, known: History) -> list[Unit]:
    """In order of importance, without repeats; empty when nothing that was read can be quoted."""
    if not scorer.units:
        return []
    rankings = _listed(scorer, known) or [scorer.ranked(facet) for facet in scorer.plan.facets]
    subject = scorer.ranked(scorer.plan.subject)
    chosen = _leaders(rankings[:PARTS], scorer.plan)
    _add_documents(chosen, subject, known.question.required_hops)
    _add_required(chosen, subject, scorer)
    _fill(chosen, [*rankings, subject])
    return chosen


def _leaders(rankings: list[list[Scored]], planned: Plan) -> list[Unit]:
    """The best unit of each ranking; what is compared is looked for in publications of one series."""
    leaders: list[Unit] = []
    for ranking in rankings:
        series = [scored for scored in ranking if any(_sisters(scored.unit, leader) for leader in leaders)]
        leaders.append(_leader(series if planned.compares and series else ranking, planned.measures))
    return list(dict.fromkeys(leaders))


def _leader(ranking: list[Scored], measures: bool) -> Unit:
    """A question for an amount is answered by a sentence that has one, if one comes near the best."""
    best = ranking[0]
    near = (
        scored.unit
        for scored in ranking
        if scored.unit.has_quantity and scored.score >= _WITH_QUANTITY * best.score
    )
    return next(near, best.unit) if measures else best.unit


def _sisters(unit: Unit, other: Unit) -> bool:
    """Publications that repeat each other's title, as the gazette does year after year."""
    if _document(unit) == _document(other):
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
            for scored in scorer.ranked(publication.title)
            if scored.unit.passage.publication == publication
        ]
        for publication in asked_for(known)
    )
    return [ranking for ranking in rankings if ranking]


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
    """The next best of each ranking in turn, from passages not yet quoted, while the answer is short."""
    for level in zip(*rankings, strict=False):
        for (score, unit), ranking in zip(level, rankings, strict=True):
            if len(chosen) >= _FILL:
                return
            enough = _RELATED if _document(unit) in _documents(chosen) else _NEARLY
            if score >= enough * ranking[0].score and unit.passage not in [other.passage for other in chosen]:
                chosen.append(unit)


def _documents(chosen: list[Unit]) -> set[int]:
    return {_document(unit) for unit in chosen}


def _document(unit: Unit) -> int:
    return unit.passage.publication.document_id
