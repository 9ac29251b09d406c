"""The bounded loop: a question goes in, events come out on the way, an outcome at the end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from dofpilot.agent import prompting, steps
from dofpilot.agent.closing import close
from dofpilot.agent.conversation import (
    Draft,
    Message,
    Question,
    Reply,
    Revision,
    ToolRequest,
    ToolReturn,
    Turn,
)
from dofpilot.agent.coverage import requirements
from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.events import OnEvent
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import Outcome, Remark, Requirement, StopReason
from dofpilot.agent.patience import OutOfTime, Respond, respond
from dofpilot.agent.providers.base import Provider
from dofpilot.agent.reader import Reader
from dofpilot.agent.retrieval import Searches
from dofpilot.agent.review import Review, figures_not_found, missing_from_reading, review
from dofpilot.agent.spending import Spent
from dofpilot.agent.state import RunState
from dofpilot.agent.steps import Closing
from dofpilot.agent.tools.arguments import GetDocumentOutline, ToolName
from dofpilot.agent.tools.execution import Call, execute, prepare
from dofpilot.agent.tools.results import ToolError, ToolResult
from dofpilot.agent.tools.specs import specs
from dofpilot.corpus.errors import CorpusError
from dofpilot.corpus.types import Strategy

ShouldStop = Callable[[], FailureCode | None]
Clock = Callable[[], float]


def never() -> FailureCode | None:
    """Nobody asks the run to stop."""
    return None


def run(
    question: str,
    as_of: date,
    required_hops: int,
    provider: Provider,
    corpus: Reader,
    limits: Limits,
    on_event: OnEvent,
    *,
    strategy: Strategy = Strategy.LEXICAL,
    searches: Searches | None = None,
    should_stop: ShouldStop = never,
    clock: Clock = time.monotonic,
    respond: Respond = respond,
) -> Outcome:
    """Research one question. A reached limit is an outcome, with the last draft where there is one.

    ``on_event`` is called in the calling thread, in order, and may raise to end the run; so may
    ``should_stop`` by returning a code, which it is asked for between steps and every tenth of a second
    while the provider thinks. Nothing is reported after the end. ``clock`` gives seconds. ``strategy`` is
    that of every search and one that ``corpus`` offers; ``searches`` learns of each, so that its owner knows
    of them even when the run fails. ``respond`` waits for the provider, as that of ``patience`` does.

    Raises ``AgentFailure``: the provider's codes, ``deadline_exceeded`` when time is over before any
    draft, ``corpus_unavailable``, or the code of ``should_stop``.
    """
    asked = Question(question, as_of, required_hops)
    required = requirements(question, required_hops, as_of)
    state = RunState(limits, searches=Searches() if searches is None else searches)
    return _Run(
        asked, required, provider, corpus, state, on_event, strategy, should_stop, clock, respond
    ).play()


@dataclass(slots=True)
class _Run:
    question: Question
    required: tuple[Requirement, ...]
    provider: Provider
    corpus: Reader
    state: RunState
    emit: OnEvent
    strategy: Strategy
    should_stop: ShouldStop
    clock: Clock
    respond: Respond
    spent: Spent = field(init=False)
    instructions: str = field(init=False)
    messages: list[Message] = field(init=False)
    kept: Review | None = None
    acceptable: Review | None = None
    requests: int = 0
    offered: tuple[ToolName, ...] = ()

    def __post_init__(self) -> None:
        self.spent = Spent(self.clock())
        self.instructions = prompting.instructions(self.question, self.state.limits)
        self.messages = [self.question]

    def play(self) -> Outcome:
        self.emit(steps.agent_started(self.provider.identity, self.question))
        outcome = self._close(self._reason())
        answered = outcome.answer is not None
        self.emit(steps.verified(outcome.verification, outcome.coverage, answered, self._number))
        return outcome

    def _reason(self) -> StopReason:
        try:
            reason = self._turns()
        except OutOfTime:
            if self.kept is None:
                raise
            reason = StopReason.TIME_LIMIT
        # It was sent back in doubt, and nothing better came.
        if self.acceptable is not None and reason is not StopReason.ANSWERED:
            self.kept, reason = self.acceptable, StopReason.ANSWERED
        return reason

    def _turns(self) -> StopReason:
        while not self._last_turn:
            reply = self._reply()
            if isinstance(reply.content, ToolRequest):
                self._use_tool(reply.content)
            elif self._accepts(reply.content):
                return StopReason.ANSWERED
        return StopReason.TOOL_LIMIT if self.state.tools_exhausted else StopReason.TURN_LIMIT

    def _reply(self) -> Reply:
        self._check()
        elapsed = self._elapsed()
        spending = self.spent.begin_turn()
        turn = self._turn(elapsed)
        began = self.clock()
        try:
            reply = self.respond(self.provider, turn, self.clock, self._check)
        except AgentFailure as failure:
            spending.usage = failure.usage
            raise
        finally:
            spending.provider_seconds += self.clock() - began
        spending.usage = reply.usage
        return reply

    def _elapsed(self) -> float:
        elapsed, most = self.clock() - self.spent.began, self.state.limits.run_seconds
        if elapsed >= most:
            raise OutOfTime(f"the run's {most:.0f} s are over")
        return elapsed

    def _turn(self, elapsed: float) -> Turn:
        limits = self.state.limits
        left = limits.run_seconds - elapsed
        closing = self._closing(left)
        self.offered = () if closing else self.state.offered()
        missing = missing_from_reading(self.question, self.required, self.state)
        self.emit(steps.turn_started(self._number, limits, missing, closing))
        return Turn(
            instructions=self.instructions,
            messages=tuple(self.messages),
            tools=specs(self.offered),
            answer_schema=prompting.ANSWER_SCHEMA,
            missing=tuple(requirement.text for requirement in missing),
            seconds=min(limits.turn_seconds, left),
            elapsed=elapsed,
        )

    def _closing(self, left: float) -> Closing | None:
        """Whether the answer must come now: a run that is cut off in the middle of reading says nothing."""
        if self._last_turn:
            return Closing.LAST_TURN
        if left <= self.state.limits.closing_seconds:
            return Closing.LITTLE_TIME
        return Closing.NO_CALLS if self.state.tools_exhausted else None

    @property
    def _number(self) -> int:
        """Of the turn that is being played, from 1."""
        return len(self.spent.turns)

    @property
    def _last_turn(self) -> bool:
        return self._number >= self.state.limits.turns

    def _use_tool(self, request: ToolRequest) -> None:
        self.requests += 1
        call = prepare(request, self.offered, self.state, self.question.as_of)
        if isinstance(call, ToolError):
            result: ToolResult = call
            tool = ToolName(request.name) if request.name in list(ToolName) else None
            self.emit(steps.tool_refused(tool, call, self._number, self.requests))
        else:
            result = self._carry_out(call)
        self.messages += [request, ToolReturn(request.call_id, request.name, result)]

    def _carry_out(self, call: Call) -> ToolResult:
        title = self._title(call)
        self.emit(steps.tool_started(call, title, self._number, self.requests))
        began = self.clock()
        try:
            result = execute(call, self.state, self.question.as_of, self.corpus, self.strategy)
        except CorpusError as error:
            raise AgentFailure(FailureCode.CORPUS_UNAVAILABLE, str(error)) from error
        finally:
            self.spent.turns[-1].tools_seconds += self.clock() - began
        self.emit(steps.tool_completed(call, result, title, self._number, self.requests))
        return result

    def _title(self, call: Call) -> str:
        if not isinstance(call.arguments, GetDocumentOutline):
            return ""
        return self.state.publications[call.arguments.document_id].title

    def _accepts(self, draft: Draft) -> bool:
        """Judge a draft, keep it if it says anything, and send it back while turns remain."""
        judged = review(draft, self.question, self.required, self.state)
        if judged.answer is not None:
            self.kept = judged
        doubts = self._doubts(judged) if judged.stands else judged.objections
        if doubts and not self._last_turn:
            self.acceptable = judged if judged.stands else self.acceptable
            self.emit(steps.revision_requested(doubts, self._number))
            self.messages += [draft, Revision(tuple(doubt.text for doubt in doubts))]
            return False
        return judged.stands

    def _doubts(self, judged: Review) -> tuple[Remark, ...]:
        """Why to ask once more for an answer that may stand as it is."""
        if self.acceptable is not None:
            return ()
        if judged.objections or not self.state.limits.revise_figures:
            return judged.objections
        return figures_not_found(judged.verification)

    def _close(self, reason: StopReason) -> Outcome:
        generative = self.provider.identity.generative
        self.spent.ended = self.clock()
        return close(reason, self.kept, self.question, self.required, self.state, self.spent, generative)

    def _check(self) -> None:
        code = self.should_stop()
        if code is not None:
            raise AgentFailure(code, "the run was asked to stop")
