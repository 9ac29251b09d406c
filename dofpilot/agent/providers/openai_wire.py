"""What both OpenAI formats share: one request a time, its record, retries within a turn's time."""

from __future__ import annotations

import json
import logging
import random
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import openai

from dofpilot.agent.conversation import WireCall
from dofpilot.agent.errors import AgentFailure, ConfigurationError
from dofpilot.agent.providers import openai_faults as faults
from dofpilot.agent.providers.openai_client import PunctualClient
from dofpilot.agent.providers.openai_faults import Fault, FaultKind
from dofpilot.agent.providers.openai_reading import JsonObject, decoded
from dofpilot.agent.providers.openai_secrets import Redaction

logger = logging.getLogger(__name__)

# A local server wants no key, but the client refuses to start without one.
_NO_KEY = "not-needed"
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0
_DETAIL_LENGTH = 500
# A request that is given less than this has no use.
_LEAST_SECONDS = 0.001
# Of a turn's time: who waits for it stops at its end, and what failed must have been told by then.
_TIME_TO_TELL = 0.02

T = TypeVar("T")
Send = Callable[[openai.OpenAI, float], Any]
Mend = Callable[[Fault], bool]


@dataclass(frozen=True, slots=True)
class Connection:
    """How to reach a server. ``timeout``: seconds for one request; ``max_retries``: beyond the first."""

    model: str
    api_key: str | None = field(default=None, repr=False)
    base_url: str | None = None
    timeout: float = 60.0
    max_retries: int = 2
    reasoning_effort: str | None = None


class Wire:
    """One HTTP client. Retries are counted here, not in the client, which knows no deadline."""

    def __init__(self, connection: Connection, pause: Callable[[float], None] = time.sleep) -> None:
        key = connection.api_key or _NO_KEY
        if not (key.isascii() and key.isprintable()):
            # Left to the client, the error would quote the key.
            raise ConfigurationError("DOFPILOT_API_KEY", "tiene caracteres que ninguna cabecera HTTP admite")
        self._connection = connection
        self._pause = pause
        self._redaction = Redaction(connection.api_key)
        self._client = openai.OpenAI(
            api_key=key, base_url=connection.base_url, max_retries=0, http_client=PunctualClient()
        )

    def exchange(
        self, send: Send, read: Callable[[JsonObject], T], mend: Mend, seconds: float
    ) -> tuple[T, tuple[WireCall, ...]]:
        """What ``read`` makes of the reply's JSON, and every request that it took.

        ``send`` gets the client and the seconds left, and returns the client's raw response. ``read`` may
        raise ``Fault``. ``mend`` is asked after a refusal, and says whether ``send`` will now send something
        else. Raises ``AgentFailure`` with the requests made, under ``deadline_exceeded`` a little before
        ``seconds`` are over.
        """
        deadline = time.monotonic() + seconds * (1 - _TIME_TO_TELL)
        calls: list[WireCall] = []
        attempt = 0
        while True:
            try:
                return self._attempt(send, read, deadline - time.monotonic(), calls), tuple(calls)
            except Fault as fault:
                calls[-1] = replace(calls[-1], error=self._told(fault))
                mended = fault.kind is FaultKind.REFUSED and mend(fault)
                pause = 0.0 if mended else self._pause_after(fault, attempt)
                if pause is None or time.monotonic() + pause >= deadline:
                    # Without the original error in its chain, which may have the key.
                    raise AgentFailure(fault.kind.code, calls[-1].error, tuple(calls)) from None
            logger.info("%s; once more in %.1f s", calls[-1].error, pause)
            self._pause(pause)
            attempt += not mended

    def _attempt(self, send: Send, read: Callable[[JsonObject], T], left: float, calls: list[WireCall]) -> T:
        """What ``read`` makes of one reply; its request is added to ``calls``. Raises ``Fault``."""
        began = time.monotonic()
        response, error = self._sent(send, max(min(self._connection.timeout, left), _LEAST_SECONDS))
        request = response.request if error is None else error.request
        asked = self._redaction.value(json.loads(request.read()))
        status = None if response is None else response.status_code
        calls.append(WireCall(asked, time.monotonic() - began, status))
        with self._reading():
            if response is not None:
                # Nobody reads it as it came: a server that repeats the key may do so in an answer too.
                calls[-1] = replace(calls[-1], reply=self._redaction.value(decoded(response.text)))
            body = calls[-1].reply
            if error is not None:
                raise self._fault(error, body, left)
            if not isinstance(body, dict):
                raise faults.unusable("the reply is no JSON object", body)
            return read(body)

    def _sent(self, send: Send, seconds: float) -> tuple[Any, openai.APIError | None]:
        """The response, if there is one, and the error that the client makes of it.

        Not raised: a traceback of what goes wrong with it later would quote it, and it may quote the key.
        """
        try:
            return send(self._client, seconds).http_response, None
        except openai.APIError as error:
            return getattr(error, "response", None), error

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """A server chooses what it sends, so whatever that does to its reader makes it a reply of no use, and
        never a failure of the run's own. That the reader is ours is told to the log."""
        try:
            yield
        except Fault:
            raise
        except Exception as error:  # noqa: BLE001 - told to the log, without the key that it may quote
            logger.error("a reply could not be read\n%s", self.without_key(traceback.format_exc()))
            raise faults.unusable(f"the reply could not be read: {type(error).__name__}") from None

    def _fault(self, error: openai.APIError, body: Any, left: float) -> Fault:
        if isinstance(error, openai.APIStatusError):
            return faults.of_status(error, body)
        if isinstance(error, openai.APITimeoutError):
            if left <= self._connection.timeout:
                return Fault(FaultKind.TIME_OVER, "no reply within the turn's time")
            return Fault(FaultKind.FAILED, f"no reply within {self._connection.timeout:.0f} s")
        return Fault(FaultKind.FAILED, f"{error} {error.__cause__!r}" if error.__cause__ else str(error))

    def _told(self, fault: Fault) -> str:
        return self.without_key(str(fault))[:_DETAIL_LENGTH]

    def without_key(self, text: str) -> str:
        return self._redaction.text(text)

    def _pause_after(self, fault: Fault, attempt: int) -> float | None:
        """Seconds to wait before another attempt; ``None`` when there is to be none."""
        if not fault.repeatable or attempt >= self._connection.max_retries:
            return None
        longest = min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE)
        # Many that failed together must not come back together.
        backoff = random.uniform(longest / 2, longest)  # noqa: S311
        return backoff if fault.wait is None else fault.wait
