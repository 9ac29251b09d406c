"""Waiting for a provider that may never answer, without ever outliving a deadline or a stop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait

from dofpilot.agent.conversation import UNTOLD, Reply, Turn, Usage, WireCall
from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.providers.base import Provider

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.1

Respond = Callable[[Provider, Turn, Callable[[], float], Callable[[], None]], Reply]


class OutOfTime(AgentFailure):
    """The turn's or the run's seconds are over; what was drafted before may still be kept."""

    def __init__(self, detail: str, calls: tuple[WireCall, ...] = (), usage: Usage = UNTOLD) -> None:
        super().__init__(FailureCode.DEADLINE_EXCEEDED, detail, calls, usage)


def respond(provider: Provider, turn: Turn, clock: Callable[[], float], check: Callable[[], None]) -> Reply:
    """The provider's reply within ``turn.seconds``. ``check`` raises when the run must stop at once.

    Raises ``AgentFailure``: the provider's own, ``OutOfTime``, or ``internal_error`` for anything
    else that the provider raised. A reply that comes later is dropped.
    """
    deadline = clock() + turn.seconds
    future: Future[Reply] = Future()
    # A daemon: a pool's thread would keep the process alive for as long as the provider hangs.
    threading.Thread(target=_call, args=(provider, turn, future), name="provider-call", daemon=True).start()
    try:
        while not wait([future], timeout=min(POLL_SECONDS, max(0.0, deadline - clock()))).done:
            check()
            if clock() >= deadline:
                raise OutOfTime(f"no reply within {turn.seconds:.1f} s")
        check()
    finally:
        if not future.done():
            future.add_done_callback(_drop)
    return _reply(future)


def _call(provider: Provider, turn: Turn, future: Future[Reply]) -> None:
    try:
        future.set_result(provider.respond(turn))
    except BaseException as error:  # noqa: BLE001 - handed to the waiting thread, which raises it
        future.set_exception(error)


def _reply(future: Future[Reply]) -> Reply:
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, AgentFailure):
        if error.code is FailureCode.DEADLINE_EXCEEDED:
            raise OutOfTime(str(error), error.calls, error.usage) from error
        raise error
    raise AgentFailure(FailureCode.INTERNAL_ERROR, f"the provider raised {error!r}") from error


def _drop(_late: Future[Reply]) -> None:
    logger.debug("a late provider reply was dropped")
