"""What both OpenAI formats do alike: name themselves, send one request a turn, read its reply."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import openai

from dofpilot.agent.conversation import Draft, Reply, ToolRequest, Turn
from dofpilot.agent.errors import AgentFailure
from dofpilot.agent.providers import openai_faults as faults
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.providers.openai_faults import Fault
from dofpilot.agent.providers.openai_reading import JsonObject
from dofpilot.agent.providers.openai_usage import UsageKeys, spent
from dofpilot.agent.providers.openai_wire import Connection, Wire


class OpenAIProvider(ABC):
    """A format says how a turn becomes a request, where it goes, and where the reply keeps its parts.

    ``dispensable``: parts of a request that a model or a server may refuse and that a run can do without,
    with a word that the refusal has where it does not name the part.
    """

    name: ClassVar[str]
    usage_keys: ClassVar[UsageKeys]
    dispensable: ClassVar[Mapping[str, str]]

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._wire = Wire(connection)
        self._refused: set[str] = set()

    @property
    def identity(self) -> ProviderIdentity:
        connection = self._connection
        return ProviderIdentity(self.name, connection.model, True, connection.reasoning_effort)

    def respond(self, turn: Turn) -> Reply:
        request = self.request(turn)
        names = CallIds(turn)

        def send(client: openai.OpenAI, seconds: float) -> Any:
            wanted = {part: value for part, value in request.items() if part not in self._refused}
            return self._endpoint(client).with_raw_response.create(**wanted, timeout=seconds)

        def read(body: JsonObject) -> ToolRequest | Draft:
            if fault := faults.of_body(body):
                raise fault
            content = self._content(body, names)
            if isinstance(content, ToolRequest):
                return content
            # Once more: parts that held a piece of the key each are one text by now.
            return replace(content, text=self._wire.without_key(content.text))

        try:
            content, calls = self._wire.exchange(send, read, self._does_without, turn.seconds)
        except AgentFailure as failure:
            failure.usage = spent(failure.calls, self.usage_keys)
            raise
        return Reply(content, spent(calls, self.usage_keys), calls)

    def _does_without(self, fault: Fault) -> bool:
        """Leave out, for good, the first part that ``fault`` refuses; False when it refuses none of them."""
        for part, word in self.dispensable.items():
            if part not in self._refused and (fault.param == part or word in str(fault).lower()):
                self._refused.add(part)
                return True
        return False

    @abstractmethod
    def _endpoint(self, client: openai.OpenAI) -> Any:
        """The client's resource with ``create``."""

    @abstractmethod
    def request(self, turn: Turn) -> JsonObject:
        """The body of the request for ``turn``, before the server has refused any part of it."""

    @abstractmethod
    def _content(self, body: JsonObject, names: CallIds) -> ToolRequest | Draft:
        """The first tool call, or the text. A call that the length limit cut is not carried out."""


class CallIds:
    """Names for calls, so that no two of one conversation are alike."""

    def __init__(self, turn: Turn) -> None:
        self._taken = {message.call_id for message in turn.messages if isinstance(message, ToolRequest)}

    def unique(self, sent: Any) -> str:
        """The server's own name; another where it has none or gave it before."""
        given = str(sent) if isinstance(sent, str | int) else ""
        return next(name for name in (given, *self._spare()) if name and name not in self._taken)

    def _spare(self) -> Iterator[str]:
        # Nine letters and digits: the only form that every server accepts (Mistral).
        return (f"call{number:05d}" for number in range(1, len(self._taken) + 2))
