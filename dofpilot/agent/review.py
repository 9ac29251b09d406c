"""Judging one draft: what it cites, what it covers, and why it may not be accepted yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dofpilot.agent import coverage as covering
from dofpilot.agent.answer import Final, parse, resolve
from dofpilot.agent.conversation import Draft, Question
from dofpilot.agent.outcome import (
    Answer,
    Coverage,
    Cutoff,
    Remark,
    RemarkCode,
    Requirement,
    RequirementKind,
    Verification,
)
from dofpilot.agent.state import RunState
from dofpilot.agent.verification import distinct_documents, verify
from dofpilot.agent.wording import remark
from dofpilot.corpus.text.shortening import shorten

IDS_LENGTH = 250


@dataclass(frozen=True, slots=True)
class Review:
    """A draft as it would be shown. No ``objections``: it is accepted."""

    answer: Answer | None
    coverage: Coverage
    verification: Verification
    objections: tuple[Remark, ...]


def review(draft: Draft, question: Question, required: Sequence[Requirement], state: RunState) -> Review:
    final = parse(draft.text)
    judged = judge(resolve(final, state.passages), question, required, state)
    objections = tuple(_objections(draft, final, judged, question, state))
    if objections and judged.answer and judged.answer.rejected_citations:
        ids = shorten(", ".join(judged.answer.rejected_citations), IDS_LENGTH)
        objections += (remark(RemarkCode.UNREAD_CITATIONS, ids=ids),)
    return Review(judged.answer, judged.coverage, judged.verification, objections)


def judge(
    answer: Answer | None, question: Question, required: Sequence[Requirement], state: RunState
) -> Review:
    """Coverage and verification of an answer, or of having none."""
    cited = [state.passages[chunk] for chunk in answer.citations] if answer else []
    coverage = covering.assess(
        required,
        tuple(state.passages.values()),
        answer.citations if answer else (),
        answer.text if answer else "",
    )
    cutoff = Cutoff(question.as_of, state.latest_seen)
    return Review(answer, coverage, verify(answer, cited, question.required_hops, coverage, cutoff), ())


def missing_from_reading(
    question: Question, required: Sequence[Requirement], state: RunState
) -> tuple[Requirement, ...]:
    """What no passage read so far meets. The question stands for the answer: it names what it demands."""
    passages = tuple(state.passages.values())
    return covering.assess(required, passages, tuple(state.passages), question.text).missing


def _objections(
    draft: Draft, final: Final, judged: Review, question: Question, state: RunState
) -> Iterator[Remark]:
    answer = judged.answer
    if draft.truncated:
        yield remark(RemarkCode.CUT)
    if answer is None:
        yield remark(RemarkCode.NO_TEXT)
        return
    if not final.structured and not draft.truncated:
        yield remark(RemarkCode.NOT_JSON)
    if not answer.citations:
        yield remark(RemarkCode.NO_CITATIONS)
    elif not judged.verification.hops_met:
        cited = distinct_documents([state.passages[chunk] for chunk in answer.citations])
        yield remark(RemarkCode.FEW_DOCUMENTS, cited=cited, required=question.required_hops)
    for requirement in judged.coverage.missing:
        # Said above with its count, or by the lack of citations.
        if requirement.kind is not RequirementKind.HOPS:
            yield remark(RemarkCode.NOT_COVERED, requirement=requirement)
    if not judged.verification.premise_correction:
        yield remark(RemarkCode.NO_CORRECTION)
