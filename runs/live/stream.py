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
from runs.live.messages import QUEUE_GROUP, group_of
from runs.live.tailer import tailer
from runs.models import TERMINAL, Run, State
from runs.public import public_step

HEARTBEAT_SECONDS = 15.0

StepRenderer = Callable[[dict[str, Any]], dict[str, Any]]
StatusRenderer = Callable[[Run], dict[str, Any]]
Permission = Callable[[], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads which run and how.

    ``step`` shapes a public step, ``status`` the state of a run (both may touch the database);
    ``allowed`` is asked again at every heartbeat.
    """

    run_id: str
    step: StepRenderer
    status: StatusRenderer
    allowed: Permission


async def stream(run: Run, after: int, reader: Reader) -> AsyncIterator[bytes]:
    """Frames of ``run`` later than sequence ``after``, until its end or the reader's."""
    yield frames.opening()
    async with _subscription(run) as next_message:
        # Subscribed first, then read: a step committed in between is seen twice, never missed.
        state: str | None = None
        while True:
            for step in await _recorded(run, after):
                after = step["sequence"]
                yield await _step_frame(step, reader)
            state, before = await _state(run), state
            if state in TERMINAL:
                # The end is committed after the last step, which may have come since the last look.
                for step in await _recorded(run, after):
                    yield await _step_frame(step, reader)
                yield frames.frame("terminal", {"status": state})
                return
            if state != before or state == State.QUEUED:
                yield frames.frame("status", await database_sync_to_async(reader.status)(run))
            async for made in _live(next_message, reader, after, state):
                after = made.after
                yield made.frame
            if not await reader.allowed():
                return


@dataclass(frozen=True, slots=True)
class _Made:
    frame: bytes
    after: int


async def _live(
    next_message: Callable[[], Awaitable[Any]], reader: Reader, after: int, state: str
) -> AsyncIterator[_Made]:
    """Frames from pushes, as long as they follow on without a gap; ends when the record must be read."""
    while True:
        message = await next_message()
        if message is None:
            yield _Made(frames.HEARTBEAT, after)
            return
        if message["run"] != reader.run_id:
            if state == State.QUEUED:
                return
            continue
        new = [step for step in message["steps"] if step["sequence"] > after]
        for step in new:
            if step["sequence"] != after + 1:
                return
            after += 1
            yield _Made(await _step_frame(step, reader), after)
        if message["state"] is not None:
            return


@asynccontextmanager
async def _subscription(run: Run) -> AsyncIterator[Callable[[], Awaitable[Any]]]:
    """A function that waits for the next message, or gives ``None`` when it is time for a heartbeat."""
    layer = get_channel_layer()
    await tailer.ensure_running()
    channel = await layer.new_channel()
    groups = (group_of(run.pk), QUEUE_GROUP)
    for group in groups:
        await layer.group_add(group, channel)
    pending: asyncio.Task[Any] | None = None

    async def next_message() -> Any:
        nonlocal pending
        # The wait for a message is kept over heartbeats: cancelling it could lose one.
        pending = pending or asyncio.ensure_future(layer.receive(channel))
        done, _waiting = await asyncio.wait({pending}, timeout=HEARTBEAT_SECONDS)
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


async def _step_frame(step: dict[str, Any], reader: Reader) -> bytes:
    shaped = await database_sync_to_async(reader.step)(step)
    return frames.frame("progress", shaped, event_id=step["sequence"])


@database_sync_to_async
def _recorded(run: Run, after: int) -> list[dict[str, Any]]:
    return [public_step(step) for step in run.progress.filter(sequence__gt=after).order_by("sequence")]


@database_sync_to_async
def _state(run: Run) -> str:
    return run.transitions.order_by("-sequence").values_list("state", flat=True)[0]
