"""A pause before each reply of a provider that would otherwise be done before anybody can look."""

from __future__ import annotations

import time

from dofpilot.agent.conversation import Reply, Turn
from dofpilot.agent.providers.base import Provider, ProviderIdentity


class Paced:
    """``provider``, waiting ``seconds`` before each reply. Its replies stay the same."""

    def __init__(self, provider: Provider, seconds: float) -> None:
        self._provider = provider
        self._seconds = seconds

    @property
    def identity(self) -> ProviderIdentity:
        return self._provider.identity

    def respond(self, turn: Turn) -> Reply:
        time.sleep(self._seconds)
        return self._provider.respond(turn)
