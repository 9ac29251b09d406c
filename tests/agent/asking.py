"""Asking the agent in tests: a question over the small gazette, answered by a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from dofpilot.agent.conversation import Draft, ToolRequest
from dofpilot.agent.events import Event, EventKind
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import Outcome
from dofpilot.agent.providers.scripted import ScriptedProvider, Step, answer, tool
from dofpilot.agent.runner import run
from tests.agent.fake_corpus import WAGES_2026, FakeCorpus, gazette

AS_OF = date(2026, 4, 24)
QUESTION = "¿Cuál es el salario mínimo general en 2026?"
LIMITS = Limits()
CHUNK = WAGES_2026.chunk_id(0)


@dataclass
class Log:
    """What a run reported, in order."""

    events: list[Event] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    def of(self, kind: EventKind) -> list[dict[str, Any]]:
        return [event.payload for event in self.events if event.kind is kind]

    @property
    def kinds(self) -> list[EventKind]:
        return [event.kind for event in self.events]


@dataclass
class Asked:
    outcome: Outcome
    log: Log
    provider: ScriptedProvider


def ask(
    steps: Sequence[Step],
    *,
    question: str = QUESTION,
    hops: int = 1,
    corpus: FakeCorpus | None = None,
    limits: Limits = LIMITS,
    **more: Any,
) -> Asked:
    provider, log = ScriptedProvider(steps), Log()
    outcome = run(question, AS_OF, hops, provider, corpus or gazette(), limits, log, **more)
    return Asked(outcome, log, provider)


def search(query: str = "salario", **more: Any) -> ToolRequest:
    return tool("search_documents", query=query, **more)


def read(*chunk_ids: int, **more: Any) -> ToolRequest:
    return tool("read_chunks", chunk_ids=list(chunk_ids), **more)


def good_answer() -> Draft:
    return answer(f"En 2026 es de 315.04 pesos diarios [{CHUNK}].", [CHUNK])
