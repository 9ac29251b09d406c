"""A provider that plays a script: for tests, in one process or through ``DOFPILOT_SCRIPT``.

The place in the script follows from the conversation, not from a counter, so one provider may serve
several runs, and each plays the script from its start.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from dofpilot.agent.conversation import Draft, Reply, ToolRequest, Turn
from dofpilot.agent.errors import AgentFailure, ConfigurationError, FailureCode
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.providers.script import Script, play

Step = Reply | ToolRequest | Draft | BaseException | Callable[[Turn], Reply]


class ScriptedProvider:
    """Answers each turn with the next step: a reply, an exception to raise, or a function of the turn.

    A step that blocks (a function that waits) plays a provider that hangs. ``turns`` are all that were
    asked for. A script that has no step left fails with ``internal_error``.
    """

    def __init__(self, steps: Sequence[Step], *, model: str = "scripted", generative: bool = True) -> None:
        self._steps = tuple(steps)
        self._identity = ProviderIdentity("scripted", model, generative)
        self.turns: list[Turn] = []

    @classmethod
    def from_file(cls, path: Path) -> ScriptedProvider:
        """Read a JSON script (its shape: ``script.Script``). ``ConfigurationError`` when it is none."""
        try:
            script = Script.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise ConfigurationError("DOFPILOT_SCRIPT", str(error)) from error
        calls = path.with_name(f"{path.name}.calls") if script.count_calls else None
        steps: list[Step] = [play(replies, calls) for replies in script.by_reply()]
        return cls(steps, model=script.model, generative=script.generative)

    @property
    def identity(self) -> ProviderIdentity:
        return self._identity

    def respond(self, turn: Turn) -> Reply:
        self.turns.append(turn)
        place = sum(isinstance(message, ToolRequest | Draft) for message in turn.messages)
        if place >= len(self._steps):
            raise AgentFailure(FailureCode.INTERNAL_ERROR, f"the script has no step {place + 1}")
        match self._steps[place]:
            case Reply() as reply:
                return reply
            case ToolRequest() | Draft() as content:
                return Reply(content)
            case BaseException() as error:
                raise error
            case function:
                return function(turn)


def tool(name: str, **arguments: Any) -> ToolRequest:
    return ToolRequest(f"call-{name}", name, arguments)


def answer(text: str, citations: Sequence[object], premise_status: str = "supported") -> Draft:
    final = {"answer": text, "citations": list(citations), "premise_status": premise_status}
    return Draft(json.dumps(final, ensure_ascii=False))
