"""Kills, cancels, double submits and restarts in any order, while several people ask."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.faults.scene import Scene
from tests.waiting import wait_for

pytestmark = [pytest.mark.faults, pytest.mark.processes]

PEOPLE, STEPS, LONGEST_PAUSE = 5, 60, 1.0
REPLY_SECONDS = 0.2


def ask_twice(scene: Scene, chance: random.Random) -> None:
    """The same question from two places at once is one run, or none while that person's last one works."""
    number, person = scene.next_number(), chance.randrange(PEOPLE)
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda web: scene.submit(number, person, web), range(2)))
    assert {answer.status for answer in answers} <= {200, 201, 409}, answers
    accepted = {answer.body["run_id"] for answer in answers if answer.status != 409}
    assert len(accepted) <= 1
    for run_id in accepted:
        scene.follow(scene.accept(number, run_id, person), web=number % 2)


def kill_any(scene: Scene, chance: random.Random) -> None:
    living = sorted(pid for part in scene.fleet.workers for pid in part.pids())
    if living:
        # It may have ended since, with the supervisor that was killed before.
        with contextlib.suppress(ProcessLookupError):
            os.kill(chance.choice(living), signal.SIGKILL)


def cancel_any(scene: Scene, chance: random.Random) -> None:
    if scene.asked:
        scene.cancel(chance.choice(scene.asked), web=chance.randrange(2))


def start_what_ended(scene: Scene, _chance: random.Random | None = None) -> None:
    for part in scene.fleet.workers:
        if part.exit_code() is not None:
            wait_for(lambda part=part: not part.pids())
            part.start()


ACTIONS = [ask_twice, ask_twice, ask_twice, kill_any, cancel_any, start_what_ended]


# The test's name tells the seed.
@pytest.mark.parametrize("seed", [random.randrange(2**32)])
def test_any_faults_in_any_order(make_scene, provider, seed):
    chance = random.Random(seed)
    provider.seconds = REPLY_SECONDS
    scene = make_scene(web=2, workers=2, people=PEOPLE, DOFPILOT_MODEL_CONCURRENCY="2")
    for _ in range(STEPS):
        chance.choice(ACTIONS)(scene, chance)
        threading.Event().wait(chance.uniform(0, LONGEST_PAUSE))
    start_what_ended(scene)
    scene.check()
