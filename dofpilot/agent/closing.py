"""From a run's end to its outcome: the kept draft, what it rests on, and what a person should know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dofpilot.agent.conversation import Question
from dofpilot.agent.outcome import Cutoff, Outcome, Remark, RemarkCode, Requirement, StopReason
from dofpilot.agent.retrieval import Searches
from dofpilot.agent.review import Review, dropped_citations, judge
from dofpilot.agent.spending import Spent
from dofpilot.agent.state import RunState
from dofpilot.agent.wording import remark
from dofpilot.corpus.text.shares import percent
from dofpilot.corpus.types import Passage

# Said of a kept answer in other words: as part of what it lacks, or without ids that say nothing to people.
_SAID_OTHERWISE = frozenset(
    {
        RemarkCode.FEW_DOCUMENTS,
        RemarkCode.NOT_COVERED,
        RemarkCode.UNREAD_CITATIONS,
        RemarkCode.INVALID_CITATIONS,
    }
)


def close(
    reason: StopReason,
    kept: Review | None,
    question: Question,
    required: Sequence[Requirement],
    state: RunState,
    spent: Spent,
    generative: bool,
) -> Outcome:
    """The outcome of a run that ended for ``reason``; ``kept`` is its last draft with any text."""
    final = kept or judge(None, question, required, state)
    citations = final.answer.citations if final.answer else ()
    # Tools may have returned more since the draft was judged.
    verification = replace(final.verification, cutoff=Cutoff(question.as_of, state.latest_seen))
    return Outcome(
        answer=final.answer,
        passages=_cited_first(citations, state),
        documents=state.document_uses(citations),
        coverage=final.coverage,
        verification=verification,
        stop_reason=reason,
        warnings=(*_warnings(reason, final, verification.cutoff), *_search_warnings(state.searches)),
        generative=generative,
        usage=spent.usage,
        turns=spent.told(),
        tool_calls=state.tool_calls,
        timing=spent.timing(),
        vector_used=state.searches.by_vectors > 0,
    )


def _cited_first(citations: tuple[int, ...], state: RunState) -> tuple[Passage, ...]:
    order = dict.fromkeys([*citations, *state.passages])
    return tuple(state.passages[chunk_id] for chunk_id in order)


def _warnings(reason: StopReason, final: Review, cutoff: Cutoff) -> Iterator[Remark]:
    if reason is not StopReason.ANSWERED:
        yield remark(RemarkCode(reason))
    if final.answer is None:
        yield remark(RemarkCode.NO_ANSWER)
    elif final.coverage.missing:
        code = RemarkCode.INCOMPLETE if reason is not StopReason.ANSWERED else RemarkCode.FALSE_PREMISE
        yield remark(code, requirement=final.coverage.missing)
    for objection in final.objections:
        if objection.code not in _SAID_OTHERWISE:
            yield objection
    if final.answer and (dropped := dropped_citations(final.answer)):
        yield remark(RemarkCode.DROPPED_CITATIONS, count=len(dropped))
    if not cutoff.respected:
        yield remark(RemarkCode.PAST_CUTOFF)


def _search_warnings(searches: Searches) -> Iterator[Remark]:
    if searches.given_up:
        yield remark(RemarkCode.VECTORS_GONE)
    if searches.fallen_back:
        yield remark(RemarkCode.WORDS_ALONE, count=searches.fallen_back, total=len(searches))
    share = searches.smallest_share
    if share is not None and share < 1:
        yield remark(RemarkCode.PARTIAL_VECTORS, percent=percent(share))
