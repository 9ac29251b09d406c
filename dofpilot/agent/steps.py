"""The observable steps of a run, as bounded events with their sentences (kinds in ``events.py``)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from dofpilot.agent import wording
from dofpilot.agent.conversation import Question
from dofpilot.agent.events import Event, EventKind
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import Coverage, FigureStatus, Remark, Requirement, Verification
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.render import said
from dofpilot.agent.render.bounds import fit
from dofpilot.agent.render.public import came_back
from dofpilot.agent.saying import Saying, completed, started
from dofpilot.agent.tools.arguments import ToolName
from dofpilot.agent.tools.execution import Call
from dofpilot.agent.tools.results import ToolError, ToolResult
from dofpilot.agent.wording import Sentence
from dofpilot.corpus.text.shortening import shorten

REASONS_SHOWN = 10
REASON_LENGTH = 300
MISSING_SHOWN = 10
MODEL_LENGTH = 100


def agent_started(identity: ProviderIdentity, question: Question) -> Event:
    message = Sentence(wording.STARTED, {"as_of": question.as_of})
    why = None if identity.generative else Sentence(wording.STARTED_EXTRACTIVE)
    provider = {
        "provider": identity.provider,
        "model": shorten(identity.model, MODEL_LENGTH),
        "generative": identity.generative,
    }
    return _event(EventKind.AGENT_STARTED, Saying(message, why), provider=provider)


class Closing(StrEnum):
    """Why a turn offers no tools and asks for the answer."""

    LAST_TURN = wording.WHY_LAST_TURN
    LITTLE_TIME = wording.WHY_LITTLE_TIME
    NO_CALLS = wording.WHY_NO_CALLS


_CLOSING_WITH_MISSING = {
    Closing.LAST_TURN: wording.WHY_LAST_TURN_MISSING,
    Closing.LITTLE_TIME: wording.WHY_LITTLE_TIME_MISSING,
    Closing.NO_CALLS: wording.WHY_NO_CALLS_MISSING,
}


def turn_started(
    turn: int, limits: Limits, missing: Sequence[Requirement], closing: Closing | None = None
) -> Event:
    values = {"turn": turn, "turns": limits.turns}
    message = Sentence(wording.TURN_ANSWER if closing else wording.TURN, values)
    why = _why_turn(tuple(missing[:MISSING_SHOWN]), closing)
    return _event(EventKind.MODEL_TURN_STARTED, Saying(message, why), turn=turn)


def _why_turn(missing: tuple[Requirement, ...], closing: Closing | None) -> Sentence | None:
    if not missing:
        return Sentence(closing.value) if closing else None
    template = _CLOSING_WITH_MISSING[closing] if closing else wording.MISSING_PARTS
    return Sentence(template, {"missing": missing})


def tool_started(call: Call, title: str, turn: int, step: int) -> Event:
    """``title`` is that of the document asked about, where there is one."""
    saying = started(call.arguments, title)
    return _event(EventKind.TOOL_STARTED, saying, turn=turn, step=step, **_asked(call))


def tool_completed(call: Call, result: ToolResult, title: str, turn: int, step: int) -> Event:
    if isinstance(result, ToolError):
        return tool_refused(call.tool, result, turn, step)
    saying = completed(call.arguments, result, title)
    came = came_back(result)
    return _event(EventKind.TOOL_COMPLETED, saying, turn=turn, step=step, **_asked(call), **came)


def tool_refused(tool: ToolName | None, error: ToolError, turn: int, step: int) -> Event:
    """``tool`` is ``None`` when the model named none that exists."""
    message = Sentence(wording.REFUSED, {"reason": shorten(error.message, REASON_LENGTH)})
    named = {"tool": tool.value} if tool else {}
    saying = Saying(message, Sentence(wording.WHY_REFUSED))
    came = came_back(error)
    return _event(EventKind.TOOL_COMPLETED, saying, turn=turn, step=step, **named, **came)


def revision_requested(reasons: Sequence[Remark], turn: int) -> Event:
    saying = Saying(Sentence(wording.REVISION, {"reason": reasons[0]}), Sentence(wording.WHY_REVISION))
    shown = [said.remark(reason) for reason in reasons[:REASONS_SHOWN]]
    return _event(EventKind.ANSWER_REVISION_REQUESTED, saying, turn=turn, reasons=shown)


def verified(verification: Verification, coverage: Coverage, answered: bool, turn: int) -> Event:
    found = sum(figure.status is FigureStatus.FOUND for figure in verification.figures)
    total = len(verification.figures)
    template = wording.VERIFIED_ONE if total == 1 else wording.VERIFIED
    message = Sentence(template, {"found": found, "total": total})
    if not total:
        message = Sentence(wording.VERIFIED_NO_FIGURES if answered else wording.VERIFIED_NO_ANSWER)
    checks = {
        "figures_found": found,
        "figures_total": total,
        "citations_read": verification.citations_read,
        "hops_met": verification.hops_met,
        "coverage_met": verification.coverage_met,
        "missing": [said.requirement(item) for item in coverage.missing[:MISSING_SHOWN]],
    }
    saying = Saying(message, Sentence(wording.WHY_VERIFIED))
    return _event(EventKind.VERIFICATION_COMPLETED, saying, turn=turn, verification=checks)


def _asked(call: Call) -> dict[str, Any]:
    return {"tool": call.tool.value, "arguments": call.arguments.public()}


def _event(kind: EventKind, saying: Saying, **payload: Any) -> Event:
    return Event(kind, fit({**saying.payload(), **payload}))
