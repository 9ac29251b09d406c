"""What is pushed, in which order, and what a failing Redis costs."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from redis import exceptions as redis

from dofpilot.agent.events import Event, EventKind
from runs import lifecycle
from runs.live import push
from runs.live.messages import QUEUE_GROUP, Changed, group_of
from tests.cast import asker, waiting_run

pytestmark = pytest.mark.django_db


class Layer:
    """Channels' layer: it fails as told, once for each fault."""

    def __init__(self) -> None:
        self.faults: list[Exception] = []
        self.tried = 0
        self.sent: list[tuple[str, Changed]] = []

    async def group_send(self, group: str, message: Changed) -> None:
        self.tried += 1
        if self.faults:
            raise self.faults.pop(0)
        self.sent.append((group, message))


@pytest.fixture
def layer(settings, monkeypatch) -> Layer:
    made = Layer()
    settings.REDIS_URL = "redis://127.0.0.1:1"
    monkeypatch.setattr(push, "get_channel_layer", lambda: made)
    monkeypatch.setattr(push, "_pusher", push._Pusher())
    return made


@pytest.fixture
def committed(layer, django_capture_on_commit_callbacks) -> Callable[[Callable[[], object]], None]:
    """Does it, commits it and waits until what it had to push was tried."""

    def commit(work: Callable[[], object]) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            work()
        push._pusher._thread.submit(lambda: None).result(10)

    return commit


def step(lease) -> None:
    lifecycle.append(lease, Event(EventKind.AGENT_STARTED, {"message": "Empieza", "why": ""}))


@pytest.fixture
def lease(layer):
    return lifecycle.claim(waiting_run(asker()), "w")


def test_steps_go_to_their_run_and_its_end_to_those_who_wait_too(layer, lease, committed):
    committed(lambda: [step(lease), step(lease), lifecycle.succeed(lease, {"answer": None})])
    own = group_of(lease.run.pk)
    assert [group for group, _message in layer.sent] == [own, own, own, QUEUE_GROUP]
    assert [one["sequence"] for _group, message in layer.sent for one in message["steps"]] == [1, 2]
    assert [message["state"] for _group, message in layer.sent] == [None, None, "succeeded", "succeeded"]


def test_a_connection_that_was_cut_is_made_anew(layer, lease, committed):
    layer.faults = [redis.ConnectionError("closed by the server")]
    committed(lambda: step(lease))
    assert len(layer.sent) == 1


def test_a_redis_that_refuses_is_tried_at_every_step(layer, lease, committed):
    layer.faults = [redis.ConnectionError("refused")] * 4
    committed(lambda: [step(lease), step(lease), step(lease)])
    assert (layer.tried, len(layer.sent)) == (5, 1)


def test_a_redis_that_does_not_answer_is_left_alone_for_a_while(layer, lease, committed, monkeypatch):
    layer.faults = [redis.TimeoutError("no answer")]
    committed(lambda: [step(lease), step(lease), step(lease)])
    assert (layer.tried, layer.sent) == (1, [])
    later = push.time.monotonic() + push.REST_SECONDS
    monkeypatch.setattr(push.time, "monotonic", lambda: later)
    committed(lambda: step(lease))
    assert len(layer.sent) == 1


def test_a_forked_process_pushes_too(layer, lease, committed):
    committed(lambda: step(lease))
    read, write = os.pipe()
    if not (child := os.fork()):
        layer.sent.clear()
        push._pusher.push("run.x", {"type": "run.changed", "run": "x", "steps": [], "state": None}).result(10)
        os.write(write, str(len(layer.sent)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 10) == b"1"
