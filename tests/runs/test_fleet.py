"""What holds over two web and two worker processes on one database."""

from __future__ import annotations

import json
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from runs.queue import UNKNOWN_SECONDS
from tests.faults.provider import TURNS, Provider
from tests.faults.scene import Scene
from tests.waiting import wait_for

pytestmark = pytest.mark.processes


@pytest.fixture
def provider():
    with Provider() as playing:
        yield playing


@pytest.fixture
def make_scene(make_fleet, provider):
    def make(*, people: int, **environment: str) -> Scene:
        quick = {"DOFPILOT_LEASE_SECONDS": "5", "DOFPILOT_PROBE_SECONDS": "0"}
        fleet = make_fleet(web=2, workers=2, **{**provider.environment, **quick, **environment})
        return Scene(fleet.start(), provider, people)

    return make


def times(scene: Scene) -> dict[str, tuple[str, str]]:
    """Each run's start and end, as text that sorts by time."""
    rows = scene.fleet.database.rows(
        "SELECT a.run_id, CAST(a.created_at AS text), CAST(b.created_at AS text) FROM runs_transition a "
        "JOIN runs_transition b ON a.run_id = b.run_id WHERE a.sequence = 2 AND b.sequence = 3"
    )
    return {run: (start, end) for run, start, end in rows}


@pytest.mark.parametrize("places", [1, 2])
def test_runs_start_in_turn_and_no_more_at_once_than_may(make_scene, provider, places):
    scene = make_scene(people=6, DOFPILOT_MODEL_CONCURRENCY=str(places))
    asked = [scene.ask(person, web=person % 2) for person in range(6)]
    for one in asked:
        scene.wait(one, "succeeded")
    lives = times(scene)
    starts = [lives[one.key][0] for one in asked]
    assert starts == sorted(starts)
    for number, start in enumerate(starts):
        at_work = [key for key, (began, ended) in lives.items() if began <= start < ended]
        assert len(at_work) <= places, number
    assert provider.twice() == []
    assert sum(provider.calls.values()) == len(asked) * TURNS


def test_all_places_are_used(make_scene, provider):
    scene = make_scene(people=3, DOFPILOT_MODEL_CONCURRENCY="2")
    provider.hold(1)
    first, second, third = (scene.ask(person) for person in range(3))
    scene.wait_for_turn(first, 1)
    scene.wait_for_turn(second, 1)
    assert scene.state(third) == "queued"
    provider.release()
    scene.wait(third, "succeeded")


def test_one_question_at_both_doors_at_once_is_one_run(make_scene, provider):
    scene = make_scene(people=1)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda web: scene.submit(1, web=web % 2), range(8)))
    assert sorted(answer.status for answer in answers) == [200] * 7 + [201]
    (run_id,) = {answer.body["run_id"] for answer in answers}
    scene.wait(scene.accept(1, run_id, 0), "succeeded")
    assert provider.twice() == []


def test_what_is_asked_at_one_door_is_followed_and_cancelled_at_the_other(make_scene, provider):
    scene = make_scene(people=1)
    provider.hold(2)
    asked = scene.ask(web=0)
    reader = scene.follow(asked, web=1)
    scene.wait_for_turn(asked, 2)
    stored = scene.steps()[asked.key]
    wait_for(lambda: reader.seen == stored)
    scene.cancel(asked, web=1)
    reader.wait()
    assert scene.failure(asked) == "cancelled"
    assert reader.seen == scene.steps()[asked.key]
    assert reader.breaks == 0
    provider.release()


def test_place_and_wait_in_the_queue_move_at_the_other_door_as_others_go(make_scene, provider):
    scene = make_scene(people=3)
    provider.hold(1)
    working = scene.ask(0, web=0)
    scene.wait_for_turn(working, 1)
    ahead, waiting = scene.ask(1, web=0), scene.ask(2, web=0)
    address = f"{scene.fleet.web[1].address}/api/v1/runs/{waiting.run_id}/events"
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {waiting.token}"})
    told = []
    with urllib.request.urlopen(request, timeout=30) as stream:
        for line in stream:
            if not line.startswith(b"data: ") or "queue" not in (status := json.loads(line[6:])):
                continue
            told.append(status["queue"])
            if len(told) == 1:
                scene.cancel(ahead, web=0)
            elif told[-1]["position"] == 1:
                break
    assert (told[0]["position"], told[-1]["position"]) == (2, 1)
    assert all(later["position"] <= earlier["position"] for earlier, later in pairwise(told))
    # Nothing was measured yet: one run at work and one ahead, each as long as is thought at first.
    typical = int(UNKNOWN_SECONDS)
    assert told[0]["wait_seconds"] == [typical, 2 * typical]
    assert told[-1]["wait_seconds"] == [0, typical]
    provider.release()
