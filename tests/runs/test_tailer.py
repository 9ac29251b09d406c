"""New rows are told once each, also those that are committed after later ones."""

from __future__ import annotations

import pytest

from dofpilot.agent.events import EventKind
from runs import lifecycle
from runs.live.tailer import LOOK_BACK, _Follower
from runs.models import Progress
from tests.cast import asker, waiting_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return lifecycle.claim(waiting_run(asker()), "w").run


@pytest.fixture
def follower() -> _Follower[Progress]:
    return _Follower(Progress)


@pytest.fixture
def add(run):
    def add(identifier: int) -> int:
        kind = EventKind.TOOL_STARTED
        sequence = run.progress.count() + 1
        Progress.objects.create(id=identifier, run=run, sequence=sequence, kind=kind, payload={})
        return identifier

    return add


def ids(rows: list[Progress]) -> list[int]:
    return [row.id for row in rows]


def test_what_was_there_before_is_not_told(follower, add):
    add(1_000)
    follower.start_at_the_end()
    assert follower.new() == []
    assert ids(follower.new()) == []
    assert ids([*follower.new(), *(add(1_001) and follower.new())]) == [1_001]


def test_a_row_that_comes_after_a_later_one_is_told_once(follower, add):
    add(1_000)
    follower.start_at_the_end()
    add(1_003)
    assert ids(follower.new()) == [1_003]
    add(1_002)
    assert ids(follower.new()) == [1_002]
    assert follower.new() == []


def test_what_it_remembers_does_not_grow(follower, add):
    follower.start_at_the_end()
    for identifier in range(1, 3 * LOOK_BACK):
        add(identifier)
        assert ids(follower.new()) == [identifier]
    assert len(follower._told) <= LOOK_BACK


def test_a_fault_while_it_looks_loses_nothing(follower, add, monkeypatch):
    follower.start_at_the_end()
    add(1)
    with monkeypatch.context() as patched:
        patched.setattr(follower, "_model", None)
        with pytest.raises(AttributeError):
            follower.new()
    assert ids(follower.new()) == [1]
