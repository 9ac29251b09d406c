"""Judging one draft: what it cites, what it covers, and why it may not be accepted yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dofpilot.agent import coverage as covering
from dofpilot.agent.answer import Final, parse, resolve
from dofpilot.agent.conversation import Draft, Question
from dofpilot.agent.outcome import (
    Answer,
    Coverage,
    Cutoff,
    FigureStatus,
    PremiseStatus,
    Rejection,
    RejectionReason,
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

NAMES_LENGTH = 250
_OF_A_FALSE_PREMISE = frozenset(
    {RemarkCode.NOT_COVERED, RemarkCode.UNREAD_CITATIONS, RemarkCode.INVALID_CITATIONS}
)
# What a question can name without its existing; a year or a range always exists.
_MAY_NOT_EXIST = frozenset(
    {
        RequirementKind.NORM,
        RequirementKind.PLAN,
        RequirementKind.PUBLICATION_DATE,
        RequirementKind.NUMERAL,
        RequirementKind.TRANSITORY,
    }
)


@dataclass(frozen=True, slots=True)
class Review:
    """A draft as it would be shown."""

    answer: Answer | None
    coverage: Coverage
    verification: Verification
    objections: tuple[Remark, ...]

    @property
    def stands(self) -> bool:
        """Whether it can be accepted: without objections, or when all that it lacks are passages on something
        that the question takes for granted and that does not exist, as it says with what is true instead."""
        return not self.objections or (
            self.answer is not None
            and self.answer.premise_status is PremiseStatus.FALSE
            and {objection.code for objection in self.objections} <= _OF_A_FALSE_PREMISE
            and {requirement.kind for requirement in self.coverage.missing} <= _MAY_NOT_EXIST
        )


def review(draft: Draft, question: Question, required: Sequence[Requirement], state: RunState) -> Review:
    final = parse(draft.text)
    resolved = resolve(final, state.passages, state.knows_chunk)
    judged = judge(resolved.answer, question, required, state)
    cut = draft.truncated or resolved.cut
    objections = tuple(_objections(cut, final, judged, question, state))
    if objections and judged.answer:
        objections += tuple(_about_rejected(judged.answer))
    return replace(judged, objections=objections)


def dropped_citations(answer: Answer) -> tuple[Rejection, ...]:
    """Rejected for what they name; an id given twice was not dropped."""
    return tuple(
        rejected for rejected in answer.rejected_citations if rejected.reason is not RejectionReason.REPEATED
    )


def figures_not_found(verification: Verification) -> tuple[Remark, ...]:
    """One objection that names the figures which no cited passage says; none when all were found."""
    absent = [figure.text for figure in verification.figures if figure.status is FigureStatus.NOT_FOUND]
    if not absent:
        return ()
    return (remark(RemarkCode.FIGURES_NOT_FOUND, figures=shorten(", ".join(absent), NAMES_LENGTH)),)


def _about_rejected(answer: Answer) -> Iterator[Remark]:
    dropped = dropped_citations(answer)
    invalid = [rejected.id for rejected in dropped if rejected.reason is RejectionReason.INVALID]
    unread = [rejected.id for rejected in dropped if rejected.reason is not RejectionReason.INVALID]
    if unread:
        yield remark(RemarkCode.UNREAD_CITATIONS, ids=shorten(", ".join(unread), NAMES_LENGTH))
    if invalid:
        yield remark(RemarkCode.INVALID_CITATIONS, ids=shorten(", ".join(invalid), NAMES_LENGTH))


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
    cut: bool, final: Final, judged: Review, question: Question, state: RunState
) -> Iterator[Remark]:
    answer = judged.answer
    if cut:
        yield remark(RemarkCode.CUT)
    if answer is None:
        yield remark(RemarkCode.NO_TEXT)
    if final.faults and not cut:
        yield remark(RemarkCode.NOT_JSON, fault=final.faults)
    if answer is None:
        return
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
