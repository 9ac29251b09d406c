"""Fifty questions at once from four processes: what the queue holds, and what each is told."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.site import ROOT, Site

pytestmark = pytest.mark.processes

PROCESSES, ASKS, QUEUE_LIMIT = 4, 50, 20
PEOPLE = [f"p{number}" for number in range(ASKS)]


class Process:
    """One of those that ask (``tests.runs.asking_at_once``)."""

    def __init__(self, site: Site) -> None:
        command = [sys.executable, "-m", "tests.runs.asking_at_once"]
        piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, cwd=ROOT, env=site.environment, **piped)

    def send(self, order: Any) -> None:
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def answer(self) -> Any:
        return json.loads(self._process.stdout.readline())

    def tell(self, order: Any) -> Any:
        self.send(order)
        return self.answer()

    def end(self) -> None:
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()


class Crowd:
    """The processes that ask the same site."""

    def __init__(self, processes: list[Process]) -> None:
        self._processes = processes
        self.tell({"people": PEOPLE})

    def tell(self, order: Any) -> Any:
        return self._processes[0].tell(order)

    def ask(self, asks: list[tuple[str, str]]) -> list[tuple[tuple[str, str], dict[str, Any]]]:
        """What came of each, asked at the same moment by all processes."""
        shares = [asks[place::PROCESSES] for place in range(PROCESSES)]
        for process, share in zip(self._processes, shares, strict=True):
            assert process.tell({"asks": share}) == "ready"
        for process in self._processes:
            process.send("now")
        answers = [process.answer() for process in self._processes]
        return [
            pair
            for share, told in zip(shares, answers, strict=True)
            for pair in zip(share, told, strict=True)
        ]


@pytest.fixture
def make_crowd(make_site: Callable[..., Site]) -> Iterator[Callable[..., Crowd]]:
    processes: list[Process] = []

    def make(**environment: str) -> Crowd:
        site = make_site(DOFPILOT_QUEUE_LIMIT=str(QUEUE_LIMIT), **environment)
        processes.extend(Process(site) for _ in range(PROCESSES))
        return Crowd(processes)

    yield make
    for process in processes:
        process.end()


def came_of_it(told: list[tuple[tuple[str, str], dict[str, Any]]]) -> Counter[str]:
    return Counter(one.get("code") or ("created" if one["created"] else "repeated") for _, one in told)


def test_never_more_than_the_queue_holds_and_the_others_hear_when_to_come_back(make_crowd):
    told = make_crowd().ask([(name, "a") for name in PEOPLE])
    assert came_of_it(told) == {"created": QUEUE_LIMIT, "queue_full": ASKS - QUEUE_LIMIT}
    refused = [one for _, one in told if "code" in one]
    assert all(one["status"] == 503 and one["retry_after"] >= 1 for one in refused)


def test_never_more_than_one_active_run_of_one_person(make_crowd):
    told = make_crowd().ask([(PEOPLE[number % 10], f"a-{number}") for number in range(ASKS)])
    assert came_of_it(told) == {"created": 10, "active_run": ASKS - 10}
    assert {name for (name, _id), one in told if "run" in one} == set(PEOPLE[:10])


def test_one_request_sent_ten_times_at_once_is_one_run(make_crowd):
    crowd = make_crowd()
    told = crowd.ask([(PEOPLE[number % 5], "a") for number in range(ASKS)])
    assert came_of_it(told) == {"created": 5, "repeated": ASKS - 5}
    assert len({(name, one["run"]) for (name, _id), one in told}) == 5
    assert crowd.tell({"end": True}) == 5


def test_a_retry_is_answered_although_the_queue_is_full(make_crowd):
    crowd = make_crowd()
    first = crowd.ask([(name, "a") for name in PEOPLE])
    kept = {asked: one["run"] for asked, one in first if "run" in one}
    retries = crowd.ask([*kept, *kept, *((name, "b") for name in PEOPLE[:10])])
    assert {asked: one["run"] for asked, one in retries if "run" in one} == kept
    # Whoever has a run hears of it before the queue.
    assert all(one["code"] in ("queue_full", "active_run") for (_, id_), one in retries if id_ == "b")


def test_a_retry_is_answered_although_the_hours_limit_is_reached(make_crowd):
    crowd = make_crowd(DOFPILOT_RUNS_PER_HOUR="1")
    first = {asked: one["run"] for asked, one in crowd.ask([(name, "a") for name in PEOPLE[:10]])}
    assert crowd.tell({"end": True}) == 10
    again = crowd.ask([(name, id_) for id_ in "aabbb" for name in PEOPLE[:10]])
    assert came_of_it(again) == {"repeated": 20, "rate_limited": 30}
    assert {asked: one["run"] for asked, one in again if "run" in one} == first
    assert all(one["retry_after"] > 3000 for _, one in again if "code" in one)
