"""From a run's end to its outcome: the kept draft, what it rests on, and what a person should know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from dofpilot.agent import wording
from dofpilot.agent.conversation import Question, Usage
from dofpilot.agent.outcome import Cutoff, Outcome, Requirement, StopReason, Timing
from dofpilot.agent.review import Review, judge
from dofpilot.agent.state import RunState
from dofpilot.agent.wording import Sentence
from dofpilot.corpus.types import Passage

_LIMIT_REACHED = {
    StopReason.TURN_LIMIT: wording.AT_TURN_LIMIT,
    StopReason.TOOL_LIMIT: wording.AT_TOOL_LIMIT,
    StopReason.TIME_LIMIT: wording.AT_TIME_LIMIT,
}


@dataclass(slots=True)
class Spent:
    """What a run has used. ``began`` and ``ended`` are readings of the run's clock, in seconds."""

    began: float
    ended: float = 0.0
    provider_seconds: float = 0.0
    tools_seconds: float = 0.0
    turns: int = 0
    usage: Usage = field(default_factory=Usage)

    def add(self, usage: Usage) -> None:
        self.usage = Usage(
            _sum(self.usage.input_tokens, usage.input_tokens),
            _sum(self.usage.output_tokens, usage.output_tokens),
        )

    def timing(self) -> Timing:
        return Timing(
            worked_ms=round((self.ended - self.began) * 1000),
            provider_ms=round(self.provider_seconds * 1000),
            tools_ms=round(self.tools_seconds * 1000),
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
        warnings=tuple(str(warning) for warning in _warnings(reason, final, verification.cutoff)),
        generative=generative,
        usage=spent.usage,
        turns=spent.turns,
        tool_calls=state.tool_calls,
        timing=spent.timing(),
    )


def _cited_first(citations: tuple[int, ...], state: RunState) -> tuple[Passage, ...]:
    order = dict.fromkeys([*citations, *state.passages])
    return tuple(state.passages[chunk_id] for chunk_id in order)


def _warnings(reason: StopReason, final: Review, cutoff: Cutoff) -> Iterator[Sentence]:
    if reason in _LIMIT_REACHED:
        yield Sentence(_LIMIT_REACHED[reason])
    if final.answer is None:
        yield Sentence(wording.WITHOUT_ANSWER)
    for objection in final.objections:
        yield _kept_despite(objection)
    rejected = len(final.answer.rejected_citations) if final.answer else 0
    if rejected:
        template = wording.DROPPED_CITATION if rejected == 1 else wording.DROPPED_CITATIONS
        yield Sentence(template, {"count": rejected})
    if not cutoff.respected:
        yield Sentence(wording.PAST_CUTOFF)


def _kept_despite(objection: Sentence) -> Sentence:
    if objection.template == wording.NOT_COVERED:
        return Sentence(wording.INCOMPLETE, objection.values)
    return Sentence(wording.UNACCEPTED, {"reason": str(objection)})


def _sum(total: int | None, more: int | None) -> int | None:
    return total if more is None else (total or 0) + more
