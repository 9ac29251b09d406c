"""One reader's stream of one run: the record first, then what comes, each step once and in order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.db import Error
from redis.exceptions import RedisError

from runs.live import frames
from runs.live.messages import QUEUE_GROUP, Changed, group_of
from runs.live.tailer import tailer
from runs.live.watch import watch
from runs.models import TERMINAL, Run, State
from runs.public import public_step

logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 15.0
POLL_SECONDS = 2.0
LAYER_FAULTS = (RedisError, OSError)

StepRenderer = Callable[[dict[str, Any]], dict[str, Any]]
StatusRenderer = Callable[[Run], dict[str, Any]]
Permission = Callable[[], Awaitable[bool]]


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
    async with _subscription(reader.run) as subscriber:
        following = _Following(reader, subscriber, after)
        while not following.is_over:
            try:
                async for frame in following.turn():
                    yield frame
            except Error as error:
                # A restarting database: what it has by then is read at the next look.
                logger.warning("a stream waits for the database: %s", error)
                following.state = None
                yield frames.HEARTBEAT
                await asyncio.sleep(POLL_SECONDS)


class _Following:
    """How far a reader has come: ``after`` is the last sequence sent, ``state`` the last state seen."""

    def __init__(self, reader: Reader, subscriber: _Subscriber, after: int) -> None:
        self._reader = reader
        self._subscriber = subscriber
        self._after = after
        self.state: str | None = None
        self.is_over = False

    async def turn(self) -> AsyncIterator[bytes]:
        """One look at the record, and then what is pushed until it is time for the next.

        Raises what the database does; no step counts as sent that was not.
        """
        if not await self._reader.allowed():
            self.is_over = True
            return
        async for frame in self.recorded():
            yield frame
        if self.state in TERMINAL:
            yield frames.frame("terminal", {"status": self.state})
            self.is_over = True
            return
        async for frame in self.live():
            yield frame

    async def recorded(self) -> AsyncIterator[bytes]:
        """What the database has beyond the last look: steps, and the state where it changed or waits."""
        # The state first: the end is committed after the last step, so these steps are then all.
        before, self.state = self.state, await _state(self._reader.run)
        if self.state != State.QUEUED:
            # Every run's changes would wake every reader, and only places in the queue depend on them.
            await self._subscriber.leave(QUEUE_GROUP)
        for step in await _steps(self._reader.run, self._after):
            yield await self._frame(step)
        if self.state not in TERMINAL and (self.state != before or self.state == State.QUEUED):
            shaped = await database_sync_to_async(self._reader.status)(self._reader.run)
            yield frames.frame("status", shaped)

    async def live(self) -> AsyncIterator[bytes]:
        """Steps as they are pushed, while they follow on; ends when it is time to look at the record."""
        until = asyncio.get_running_loop().time() + HEARTBEAT_SECONDS
        while message := await self._subscriber.next_message(until):
            if message["run"] != str(self._reader.run.pk):
                return
            for step in message["steps"]:
                if step["sequence"] > self._after + 1:
                    return
                if step["sequence"] == self._after + 1:
                    yield await self._frame(step)
            if message["state"] is not None:
                return
        yield frames.HEARTBEAT

    async def _frame(self, step: dict[str, Any]) -> bytes:
        shaped = await database_sync_to_async(self._reader.step)(step)
        self._after = step["sequence"]
        return frames.frame("progress", shaped, event_id=step["sequence"])


@asynccontextmanager
async def _subscription(run: Run) -> AsyncIterator[_Subscriber]:
    subscriber = _Subscriber((group_of(run.pk), QUEUE_GROUP))
    try:
        try:
            await subscriber.subscribe()
        except LAYER_FAULTS:
            # As if never begun: half subscribed, it would wait for what nobody sends it.
            await subscriber.close()
        yield subscriber
    finally:
        await subscriber.close()


class _Subscriber:
    """A channel in some groups. While the layer fails, it gives ``None`` often: then the record is polled."""

    def __init__(self, groups: tuple[str, ...]) -> None:
        self._layer = get_channel_layer()
        self._groups = groups
        self._channel: str | None = None
        self._pending: asyncio.Task[Changed] | None = None

    async def next_message(self, until: float) -> Changed | None:
        """The next message, or ``None`` once the loop's clock says ``until``."""
        if watch.is_away:
            # What is subscribed stays so: the layer takes it up again once Redis is back.
            await asyncio.sleep(POLL_SECONDS)
            return None
        try:
            return await self._receive(until)
        except LAYER_FAULTS as error:
            logger.warning("the channel layer fails, the record is polled: %s", error)
            await self.close()
            await asyncio.sleep(POLL_SECONDS)
            return None

    async def subscribe(self) -> None:
        await tailer.ensure_running()
        watch.ensure_running()
        self._channel = await self._layer.new_channel()
        for group in self._groups:
            await self._layer.group_add(group, self._channel)

    async def leave(self, group: str) -> None:
        """Hear nothing more of this group."""
        if group not in self._groups:
            return
        self._groups = tuple(one for one in self._groups if one != group)
        if self._channel is not None:
            with suppress(*LAYER_FAULTS):
                await self._layer.group_discard(group, self._channel)

    async def _receive(self, until: float) -> Changed | None:
        if self._channel is None:
            await self.subscribe()
            # Whatever came before this moment was not heard: the record has it.
            return None
        # The wait for a message is kept over heartbeats: cancelling it could lose one.
        self._pending = self._pending or asyncio.ensure_future(self._layer.receive(self._channel))
        seconds = until - asyncio.get_running_loop().time()
        first = asyncio.FIRST_COMPLETED
        await asyncio.wait({self._pending, watch.gone()}, timeout=seconds, return_when=first)
        if not self._pending.done():
            return None
        message, self._pending = self._pending.result(), None
        return message

    async def close(self) -> None:
        channel, pending = self._channel, self._pending
        self._channel = self._pending = None
        if channel is None:
            return
        with suppress(*LAYER_FAULTS):
            for group in self._groups:
                await self._layer.group_discard(group, channel)
        await self._forget(channel, pending)

    async def _forget(self, channel: str, pending: asyncio.Task[Changed] | None) -> None:
        # The layer over Redis lets go of a channel only when a wait for it is cancelled.
        while pending is None or pending.done():
            pending = asyncio.ensure_future(self._layer.receive(channel))
            await asyncio.sleep(0)
            if pending.done() and pending.exception():
                return
        pending.cancel()
        await asyncio.wait({pending})


@database_sync_to_async
def _steps(run: Run, after: int) -> list[dict[str, Any]]:
    return [public_step(step) for step in run.progress.filter(sequence__gt=after).order_by("sequence")]


@database_sync_to_async
def _state(run: Run) -> str:
    return run.transitions.order_by("-sequence").values_list("state", flat=True)[0]
