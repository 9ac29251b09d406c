"""What every provider is to the runner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from dofpilot.agent.conversation import Reply, Turn


@dataclass(frozen=True, slots=True)
class ProviderIdentity:
    """How provenance and the page name a provider. ``generative``: a model writes the words."""

    provider: str
    model: str
    generative: bool
    reasoning_effort: str | None = None


class Provider(Protocol):
    @property
    def identity(self) -> ProviderIdentity: ...

    def respond(self, turn: Turn) -> Reply:
        """One reply: a tool request, or a draft of the final answer.

        Raises ``AgentFailure`` with a public code when no reply is to be had within ``turn.seconds``.
        """
        ...
