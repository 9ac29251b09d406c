"""The bounded loop: a question goes in, events come out on the way, an outcome at the end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from dofpilot.agent import prompting, steps
from dofpilot.agent.closing import Spent, close
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
from dofpilot.agent.outcome import Outcome, Requirement, StopReason
from dofpilot.agent.patience import OutOfTime, respond
from dofpilot.agent.providers.base import Provider
from dofpilot.agent.retrieval import Searches
from dofpilot.agent.review import Review, missing_from_reading, review
from dofpilot.agent.state import RunState
from dofpilot.agent.tools.arguments import GetDocumentOutline, ToolName
from dofpilot.agent.tools.execution import Call, execute, prepare
from dofpilot.agent.tools.results import ToolError, ToolResult
from dofpilot.agent.tools.specs import specs
from dofpilot.corpus.errors import CorpusError
from dofpilot.corpus.types import Strategy

if TYPE_CHECKING:
    from dofpilot.corpus.corpus import Corpus

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
    corpus: Corpus,
    limits: Limits,
    on_event: OnEvent,
    *,
    strategy: Strategy = Strategy.LEXICAL,
    searches: Searches | None = None,
    should_stop: ShouldStop = never,
    clock: Clock = time.monotonic,
) -> Outcome:
    """Research one question. A reached limit is an outcome, with the last draft where there is one.

    ``on_event`` is called in the calling thread, in order, and may raise to end the run; so may
    ``should_stop`` by returning a code, which it is asked for between steps and every tenth of a second
    while the provider thinks. Nothing is reported after the end. ``clock`` gives seconds. ``strategy`` is
    that of every search and one that ``corpus`` offers; ``searches`` learns of each, so that its owner knows
    of them even when the run fails.

    Raises ``AgentFailure``: the provider's codes, ``deadline_exceeded`` when time is over before any
    draft, ``corpus_unavailable``, or the code of ``should_stop``.
    """
    asked = Question(question, as_of, required_hops)
    required = requirements(question, required_hops, as_of)
    state = RunState(limits, searches=Searches() if searches is None else searches)
    return _Run(asked, required, provider, corpus, state, on_event, strategy, should_stop, clock).play()


@dataclass(slots=True)
class _Run:
    question: Question
    required: tuple[Requirement, ...]
    provider: Provider
    corpus: Corpus
    state: RunState
    emit: OnEvent
    strategy: Strategy
    should_stop: ShouldStop
    clock: Clock
    spent: Spent = field(init=False)
    instructions: str = field(init=False)
    messages: list[Message] = field(init=False)
    kept: Review | None = None
    requests: int = 0

    def __post_init__(self) -> None:
        self.spent = Spent(self.clock())
        self.instructions = prompting.instructions(self.question, self.state.limits)
        self.messages = [self.question]

    def play(self) -> Outcome:
        self.emit(steps.agent_started(self.provider.identity, self.question))
        try:
            reason = self._turns()
        except OutOfTime:
            if self.kept is None:
                raise
            reason = StopReason.TIME_LIMIT
        outcome = self._close(reason)
        answered = outcome.answer is not None
        self.emit(steps.verified(outcome.verification, outcome.coverage, answered, outcome.turns))
        return outcome

    def _turns(self) -> StopReason:
        while self.spent.turns < self.state.limits.turns:
            self.spent.turns += 1
            reply = self._reply()
            if isinstance(reply.content, ToolRequest):
                self._use_tool(reply.content)
            elif self._accepts(reply.content):
                return StopReason.ANSWERED
        return StopReason.TOOL_LIMIT if self.state.tools_exhausted else StopReason.TURN_LIMIT

    def _reply(self) -> Reply:
        self._check()
        missing = missing_from_reading(self.question, self.required, self.state)
        turn = self._turn(missing)
        self.emit(steps.turn_started(self.spent.turns, self.state.limits, missing, bool(turn.tools)))
        began = self.clock()
        try:
            reply = respond(self.provider, turn, self.clock, self._check)
        finally:
            self.spent.provider_seconds += self.clock() - began
        self.spent.add(reply.usage)
        return reply

    def _turn(self, missing: tuple[Requirement, ...]) -> Turn:
        left = self.spent.began + self.state.limits.run_seconds - self.clock()
        if left <= 0:
            raise OutOfTime(f"the run's {self.state.limits.run_seconds:.0f} s are over")
        return Turn(
            instructions=self.instructions,
            messages=tuple(self.messages),
            tools=specs(self._offered()),
            answer_schema=prompting.ANSWER_SCHEMA,
            missing=tuple(requirement.text for requirement in missing),
            seconds=min(self.state.limits.turn_seconds, left),
        )

    def _offered(self) -> tuple[ToolName, ...]:
        return () if self._last_turn else self.state.offered()

    @property
    def _last_turn(self) -> bool:
        return self.spent.turns >= self.state.limits.turns

    def _use_tool(self, request: ToolRequest) -> None:
        self.requests += 1
        call = prepare(request, self._offered(), self.state, self.question.as_of)
        if isinstance(call, ToolError):
            result: ToolResult = call
            tool = ToolName(request.name) if request.name in list(ToolName) else None
            self.emit(steps.tool_refused(tool, call, self.spent.turns, self.requests))
        else:
            result = self._carry_out(call)
        self.messages += [request, ToolReturn(request.call_id, request.name, result)]

    def _carry_out(self, call: Call) -> ToolResult:
        title = self._title(call)
        self.emit(steps.tool_started(call, title, self.spent.turns, self.requests))
        began = self.clock()
        try:
            result = execute(call, self.state, self.question.as_of, self.corpus, self.strategy)
        except CorpusError as error:
            raise AgentFailure(FailureCode.CORPUS_UNAVAILABLE, str(error)) from error
        finally:
            self.spent.tools_seconds += self.clock() - began
        self.emit(steps.tool_completed(call, result, title, self.spent.turns, self.requests))
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
        if not judged.objections:
            return True
        if not self._last_turn:
            self.emit(steps.revision_requested(judged.objections, self.spent.turns))
            reasons = tuple(objection.text for objection in judged.objections)
            self.messages += [draft, Revision(reasons)]
        return False

    def _close(self, reason: StopReason) -> Outcome:
        generative = self.provider.identity.generative
        self.spent.ended = self.clock()
        return close(reason, self.kept, self.question, self.required, self.state, self.spent, generative)

    def _check(self) -> None:
        code = self.should_stop()
        if code is not None:
            raise AgentFailure(code, "the run was asked to stop")
