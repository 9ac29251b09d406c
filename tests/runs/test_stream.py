"""A reader's stream against a real record and a real in-memory layer: gaps, repeats, heartbeats, access."""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from channels.layers import get_channel_layer
from django.db import OperationalError

from dofpilot.agent.events import Event, EventKind
from runs import lifecycle
from runs.lifecycle import Lease
from runs.live import stream as streaming
from runs.live.messages import QUEUE_GROUP, changed, group_of
from runs.live.stream import Reader, stream
from runs.live.watch import RedisWatch
from runs.models import Progress, Run
from tests.cast import asker, waiting_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("streams_stay_here")]


class Scene:
    """A started run, one reader of it, and pushes that only the test sends."""

    def __init__(self, lease: Lease) -> None:
        self.lease = lease
        self.may_read = True
        self.fault: str | None = None

    def write(self, count: int = 1) -> list[Progress]:
        event = Event(EventKind.TOOL_STARTED, {"message": "Busca", "why": ""})
        return [lifecycle.append(self.lease, event) for _ in range(count)]

    async def push(self, steps: list[Progress]) -> None:
        await get_channel_layer().group_send(
            group_of(self.lease.run.pk), changed(self.lease.run.pk, steps=steps)
        )

    def open(self, after: int = 0) -> AsyncIterator[str]:
        async def allowed() -> bool:
            self._fail_once("allowed")
            return self.may_read

        def step(public: dict[str, Any]) -> dict[str, Any]:
            self._fail_once("step")
            return public

        def status(run: Run) -> dict[str, Any]:
            self._fail_once("status")
            return {"run": str(run.pk)}

        reader = Reader(self.lease.run, step, status, allowed)
        return (frame.decode() async for frame in stream(reader, after))

    def _fail_once(self, part: str) -> None:
        if self.fault == part:
            self.fault = None
            raise OperationalError("the connection is closed")


@pytest.fixture
def scene(db, monkeypatch) -> Scene:
    async def no_tailer() -> None: ...

    monkeypatch.setattr(streaming.tailer, "ensure_running", no_tailer)
    monkeypatch.setattr(streaming, "HEARTBEAT_SECONDS", 0.2)
    return Scene(lifecycle.claim(waiting_run(asker()), "w"))


async def until(frames: AsyncIterator[str], found: Callable[[str], object]) -> list[str]:
    """Frames up to the first for which ``found`` holds."""
    seen: list[str] = []
    async with asyncio.timeout(10):
        async for frame in frames:
            seen.append(frame)
            if found(frame):
                return seen
    raise AssertionError(f"the stream ended without it: {seen}")


def sequences(frames: list[str]) -> list[int]:
    return [int(match[1]) for frame in frames if (match := re.match(r"id: (\d+)", frame))]


def has(sequence: int) -> Callable[[str], bool]:
    return lambda frame: frame.startswith(f"id: {sequence}\n")


def test_it_replays_exactly_the_later_steps(scene):
    scene.write(4)

    async def read():
        return await until(scene.open(after=2), has(4))

    assert sequences(async_to_sync(read)()) == [3, 4]


def test_a_push_twice_is_one_step_and_a_gap_is_filled_from_the_record(scene, monkeypatch):
    monkeypatch.setattr(streaming, "HEARTBEAT_SECONDS", 60)  # so that no heartbeat fills the gap
    first = scene.write(4)[0]

    async def read():
        frames = scene.open(after=0)
        seen = await until(frames, has(4))
        fifth, _sixth, seventh = await sync_to_async(scene.write)(3)
        await scene.push([first, fifth])
        await scene.push([fifth])
        await scene.push([seventh])  # the push of the sixth was lost
        return seen + await until(frames, has(7))

    assert sequences(async_to_sync(read)()) == [1, 2, 3, 4, 5, 6, 7]


def test_the_end_comes_after_the_last_step_and_closes(scene):
    scene.write(2)
    lifecycle.succeed(scene.lease, {"answer": None})

    async def read():
        return [frame async for frame in scene.open()]

    frames = async_to_sync(read)()
    assert sequences(frames) == [1, 2]
    assert frames[-1] == 'event: terminal\ndata: {"status":"succeeded"}\n\n'


class DeadLayer:
    """As channels_redis is while no Redis answers."""

    async def new_channel(self) -> str:
        raise ConnectionRefusedError(111, "no Redis")


def test_without_a_layer_the_record_is_still_told(scene, monkeypatch):
    monkeypatch.setattr(streaming, "get_channel_layer", DeadLayer)
    monkeypatch.setattr(streaming, "POLL_SECONDS", 0.01)
    scene.write(2)

    async def read():
        frames = scene.open()
        seen = await until(frames, has(2))
        await sync_to_async(scene.write)(1)
        seen += await until(frames, has(3))
        await sync_to_async(lifecycle.succeed)(scene.lease, {"answer": None})
        return seen + await until(frames, lambda frame: frame.startswith("event: terminal"))

    assert sequences(async_to_sync(read)()) == [1, 2, 3]


@pytest.mark.parametrize("failing", ["allowed", "status", "step"])
def test_a_database_that_is_away_for_a_moment_costs_no_step(scene, monkeypatch, failing):
    monkeypatch.setattr(streaming, "POLL_SECONDS", 0.01)
    scene.write(2)
    scene.fault = failing

    async def read():
        frames = scene.open()
        seen = await until(frames, has(2))
        await sync_to_async(lifecycle.succeed)(scene.lease, {"answer": None})
        return seen + await until(frames, lambda frame: frame.startswith("event: terminal"))

    frames = async_to_sync(read)()
    assert scene.fault is None
    assert sequences(frames) == [1, 2]
    assert frames.count(streaming.frames.HEARTBEAT.decode()) >= 1


async def busy_with_others() -> None:
    other = "00000000-0000-0000-0000-000000000000"
    while True:
        await get_channel_layer().group_send(QUEUE_GROUP, {**changed(other), "state": "started"})
        await asyncio.sleep(0.01)


def test_heartbeats_come_however_busy_the_queue_is(scene):
    async def read():
        traffic = asyncio.create_task(busy_with_others())
        try:
            return await until(scene.open(), lambda frame: frame.startswith(":"))
        finally:
            traffic.cancel()

    assert async_to_sync(read)()[-1].startswith(":")


def test_who_follows_already_reads_the_record_while_redis_is_away(scene, monkeypatch):
    monkeypatch.setattr(streaming, "HEARTBEAT_SECONDS", 60)
    monkeypatch.setattr(streaming, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(streaming, "watch", RedisWatch())
    scene.write(1)

    async def read():
        frames = scene.open()
        seen = await until(frames, has(1))
        waiting = asyncio.ensure_future(until(frames, has(2)))
        await asyncio.sleep(0.1)
        await sync_to_async(scene.write)(1)
        streaming.watch.note(answers=False)
        seen += await waiting
        await sync_to_async(scene.write)(1)
        seen += await until(frames, has(3))
        # Back again: what is pushed is heard.
        streaming.watch.note(answers=True)
        waiting = asyncio.ensure_future(until(frames, has(4)))
        await asyncio.sleep(0.1)
        await scene.push(await sync_to_async(scene.write)(1))
        return seen + await waiting

    assert sequences(async_to_sync(read)()) == [1, 2, 3, 4]


def hear_of_the_queue() -> int:
    """How many channels; the layer over Redis puts its own words before a group's name."""
    groups = get_channel_layer().groups
    return sum(len(channels) for name, channels in groups.items() if name.endswith(QUEUE_GROUP))


def test_only_who_waits_hears_of_the_queue(scene):
    scene_of_waiting = Scene(Lease(waiting_run(asker("berta")), uuid.uuid4()))

    async def read():
        listeners = []
        for one in (scene_of_waiting, scene):
            frames = one.open()
            await until(frames, lambda frame: frame.startswith("event: status"))
            listeners.append((frames, hear_of_the_queue()))
        await sync_to_async(lifecycle.claim)(scene_of_waiting.lease.run, "w")
        await get_channel_layer().group_send(QUEUE_GROUP, changed(scene.lease.run.pk))
        await until(listeners[0][0], lambda frame: frame.startswith("event: status"))
        return [count for _frames, count in listeners], hear_of_the_queue()

    assert async_to_sync(read)() == ([1, 1], 0)


def test_a_reader_who_is_shut_out_gets_no_more_however_busy_the_queue_is(scene):
    async def read():
        traffic = asyncio.create_task(busy_with_others())
        frames = scene.open()
        await until(frames, lambda frame: frame.startswith("event: status"))
        scene.may_read = False
        try:
            async with asyncio.timeout(10):
                rest = [frame async for frame in frames]
        finally:
            traffic.cancel()
        return rest

    assert sequences(async_to_sync(read)()) == []


def test_who_may_not_read_gets_nothing_from_the_record(scene):
    scene.write(2)
    scene.may_read = False

    async def read():
        return [frame async for frame in scene.open()]

    assert async_to_sync(read)() == ["retry: 2000\n\n"]


def test_a_status_tells_of_the_state_it_was_asked_for(scene):
    async def read():
        return await until(scene.open(), lambda frame: frame.startswith("event: status"))

    shown = async_to_sync(read)()[-1]
    assert json.loads(shown.splitlines()[1].removeprefix("data: ")) == {"run": str(scene.lease.run.pk)}
