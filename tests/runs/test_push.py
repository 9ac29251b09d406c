"""A push that fails costs its sender at most one wait."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from redis import exceptions as redis

from dofpilot.agent.events import Event, EventKind
from runs import lifecycle
from runs.live import push
from tests.cast import asker, waiting_run

pytestmark = pytest.mark.django_db


class Layer:
    """Channels' layer as its Redis fails."""

    def __init__(self) -> None:
        self.fault: Exception | None = None
        self.tried = 0

    async def group_send(self, _group: str, _message: object) -> None:
        self.tried += 1
        if self.fault is not None:
            raise self.fault


@pytest.fixture
def layer(settings, monkeypatch) -> Layer:
    made = Layer()
    settings.REDIS_URL = "redis://127.0.0.1:1"
    monkeypatch.setattr(push, "get_channel_layer", lambda: made)
    monkeypatch.setattr(push, "_pushing", push._Pushing())
    return made


@pytest.fixture
def step(layer, django_capture_on_commit_callbacks) -> Callable[[], None]:
    """Writes one step more and commits it."""
    lease = lifecycle.claim(waiting_run(asker()), "w")

    def write() -> None:
        with django_capture_on_commit_callbacks(execute=True):
            lifecycle.append(lease, Event(EventKind.AGENT_STARTED, {"message": "Empieza", "why": ""}))

    return write


def test_a_redis_that_refuses_is_tried_again_at_once(layer, step):
    layer.fault = redis.ConnectionError("refused")
    step()
    step()
    assert layer.tried == 2


def test_a_redis_that_does_not_answer_is_left_alone_for_a_while(layer, step, monkeypatch):
    layer.fault = redis.TimeoutError("no answer")
    for _ in range(3):
        step()
    assert layer.tried == 1
    layer.fault = None
    later = push.time.monotonic() + push.REST_SECONDS
    monkeypatch.setattr(push.time, "monotonic", lambda: later)
    step()
    assert layer.tried == 2
