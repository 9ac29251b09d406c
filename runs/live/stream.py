"""One reader's stream of one run: the record first, then what comes, each step once and in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer

from runs.live import frames
from runs.live.messages import QUEUE_GROUP, Changed, group_of
from runs.live.tailer import tailer
from runs.models import TERMINAL, Run, State
from runs.public import public_step

HEARTBEAT_SECONDS = 15.0

StepRenderer = Callable[[dict[str, Any]], dict[str, Any]]
StatusRenderer = Callable[[Run], dict[str, Any]]
Permission = Callable[[], Awaitable[bool]]
NextMessage = Callable[[float], Awaitable[Changed | None]]


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads which run and how.

    ``step`` shapes a public step, ``status`` the state of a run (both may touch the database);
    ``allowed`` is asked again at every heartbeat.
    """

    run: Run
    step: StepRenderer
    status: StatusRenderer
    allowed: Permission


async def stream(reader: Reader, after: int) -> AsyncIterator[bytes]:
    """Frames of the reader's run later than sequence ``after``, until its end or the reader's."""
    yield frames.opening()
    # Subscribed first, then read: a step committed in between is seen twice, never missed.
    async with _subscription(reader.run) as next_message:
        following = _Following(reader, next_message, after)
        while await reader.allowed():
            async for frame in following.recorded():
                yield frame
            if following.state in TERMINAL:
                yield frames.frame("terminal", {"status": following.state})
                return
            async for frame in following.live():
                yield frame


class _Following:
    """How far a reader has come: ``after`` is the last sequence sent, ``state`` the last state seen."""

    def __init__(self, reader: Reader, next_message: NextMessage, after: int) -> None:
        self._reader = reader
        self._next_message = next_message
        self._after = after
        self.state: str | None = None

    async def recorded(self) -> AsyncIterator[bytes]:
        """What the database has beyond the last look: steps, and the state where it changed or waits."""
        # The state first: the end is committed after the last step, so these steps are then all.
        before, self.state = self.state, await _state(self._reader.run)
        for step in await _steps(self._reader.run, self._after):
            yield await self._frame(step)
        if self.state not in TERMINAL and (self.state != before or self.state == State.QUEUED):
            shaped = await database_sync_to_async(self._reader.status)(self._reader.run)
            yield frames.frame("status", shaped)

    async def live(self) -> AsyncIterator[bytes]:
        """Steps as they are pushed, while they follow on; ends when it is time to look at the record."""
        until = asyncio.get_running_loop().time() + HEARTBEAT_SECONDS
        while message := await self._next_message(until):
            if message["run"] != str(self._reader.run.pk):
                if self.state == State.QUEUED:
                    return
                continue
            for step in message["steps"]:
                if step["sequence"] > self._after + 1:
                    return
                if step["sequence"] == self._after + 1:
                    yield await self._frame(step)
            if message["state"] is not None:
                return
        yield frames.HEARTBEAT

    async def _frame(self, step: dict[str, Any]) -> bytes:
        self._after = step["sequence"]
        shaped = await database_sync_to_async(self._reader.step)(step)
        return frames.frame("progress", shaped, event_id=step["sequence"])


@asynccontextmanager
async def _subscription(run: Run) -> AsyncIterator[NextMessage]:
    """A function that waits for the next message until a moment of the loop's clock, then gives ``None``."""
    layer = get_channel_layer()
    await tailer.ensure_running()
    channel = await layer.new_channel()
    groups = (group_of(run.pk), QUEUE_GROUP)
    for group in groups:
        await layer.group_add(group, channel)
    pending: asyncio.Task[Changed] | None = None

    async def next_message(until: float) -> Changed | None:
        nonlocal pending
        # The wait for a message is kept over heartbeats: cancelling it could lose one.
        pending = pending or asyncio.ensure_future(layer.receive(channel))
        done, _waiting = await asyncio.wait({pending}, timeout=until - asyncio.get_running_loop().time())
        if not done:
            return None
        message, pending = pending.result(), None
        return message

    try:
        yield next_message
    finally:
        if pending is not None:
            pending.cancel()
        for group in groups:
            await layer.group_discard(group, channel)


@database_sync_to_async
def _steps(run: Run, after: int) -> list[dict[str, Any]]:
    return [public_step(step) for step in run.progress.filter(sequence__gt=after).order_by("sequence")]


@database_sync_to_async
def _state(run: Run) -> str:
    return run.transitions.order_by("-sequence").values_list("state", flat=True)[0]
