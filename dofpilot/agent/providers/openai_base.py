"""What both OpenAI formats do alike: name themselves, send one request a turn, read its reply."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import openai

from dofpilot.agent.conversation import Draft, Reply, ToolRequest, Turn
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.providers.openai_wire import Connection, JsonObject, Wire, raise_error_body, usage


class OpenAIProvider(ABC):
    """A format says how a turn becomes a request, where it goes, and where the reply keeps its parts."""

    name: ClassVar[str]
    usage_keys: ClassVar[tuple[str, str]]

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._wire = Wire(connection)

    @property
    def identity(self) -> ProviderIdentity:
        connection = self._connection
        return ProviderIdentity(self.name, connection.model, True, connection.reasoning_effort)

    def respond(self, turn: Turn) -> Reply:
        request = self._request(turn)
        spare_id = f"call_{len(turn.messages)}"

        def send(client: openai.OpenAI, seconds: float) -> Any:
            return self._endpoint(client).with_raw_response.create(**request, timeout=seconds)

        def read(body: JsonObject) -> Reply:
            raise_error_body(body)
            return Reply(self._content(body, spare_id), usage(body, *self.usage_keys))

        return self._wire.exchange(send, read, turn.seconds)

    @abstractmethod
    def _endpoint(self, client: openai.OpenAI) -> Any:
        """The client's resource with ``create``."""

    @abstractmethod
    def _request(self, turn: Turn) -> JsonObject: ...

    @abstractmethod
    def _content(self, body: JsonObject, spare_id: str) -> ToolRequest | Draft:
        """The first tool call, or the text. A call that the length limit cut is not carried out.

        ``spare_id`` names a call that the server left without a name.
        """
