"""A fleet, its provider, the people who ask, and what must hold after any fault."""

from __future__ import annotations

import itertools
import signal
from collections import defaultdict
from typing import Any

from tests.faults.provider import TURNS, Provider, question
from tests.faults.reader import Reader
from tests.fleet import Fleet
from tests.http import Answer
from tests.waiting import wait_for

AS_OF = "2026-04-24"
TERMINAL = ("succeeded", "failed")
PATIENCE = 90.0


class Asked:
    """A question by its number, its run and who asked."""

    def __init__(self, number: int, run_id: str, token: str) -> None:
        self.number, self.run_id, self.token = number, run_id, token

    @property
    def key(self) -> str:
        """As the database gives it."""
        return self.run_id.replace("-", "")


class Scene:
    """Each person asks questions in turn; ``asked`` are all of them."""

    def __init__(self, fleet: Fleet, provider: Provider, people: int) -> None:
        self.fleet, self.provider = fleet, provider
        self.asked: list[Asked] = []
        self.readers: list[Reader] = []
        self.tokens = fleet.invite(people)
        self._numbers = itertools.count(1)

    def next_number(self) -> int:
        """Of a question nobody asked yet."""
        return next(self._numbers)

    def ask(self, person: int = 0, web: int = 0) -> Asked:
        """One more question, accepted."""
        number = self.next_number()
        answer = self.submit(number, person, web)
        assert answer.status == 201, answer.body
        return self.accept(number, answer.body["run_id"], person)

    def accept(self, number: int, run_id: str, person: int) -> Asked:
        self.asked.append(Asked(number, run_id, self.tokens[person]))
        return self.asked[-1]

    def submit(self, number: int, person: int = 0, web: int = 0) -> Answer:
        body = {"question": question(number), "as_of": AS_OF, "client_request_id": f"q-{number}"}
        return self.fleet.api("POST", "/runs", body, token=self.tokens[person], web=web)

    def follow(self, asked: Asked, web: int = 0) -> Reader:
        part = self.fleet.web[web]
        reader = Reader(lambda: f"{part.address}/api/v1/runs/{asked.run_id}/events", asked.token)
        self.readers.append(reader)
        return reader

    def state(self, asked: Asked) -> str:
        """By the database: the site may be down."""
        return self.states()[asked.key][-1]

    def failure(self, asked: Asked) -> str:
        sql = "SELECT failure FROM runs_transition WHERE run_id = %s ORDER BY sequence DESC"
        return self.fleet.database.rows(sql, asked.key)[0][0]

    def states(self) -> dict[str, list[str]]:
        """Each run's states in order."""
        found = defaultdict(list)
        for run, state in self.fleet.database.rows(
            "SELECT run_id, state FROM runs_transition ORDER BY run_id, sequence"
        ):
            found[run].append(state)
        return found

    def wait(self, asked: Asked, *states: str, seconds: float = PATIENCE) -> None:
        wait_for(lambda: self.state(asked) in (states or TERMINAL), seconds)

    def wait_for_turn(self, asked: Asked, turn: int) -> None:
        """Until the provider has been asked so far."""
        wait_for(lambda: self.provider.asked(asked.number, turn), PATIENCE)

    def cancel(self, asked: Asked, web: int = 0) -> None:
        self.fleet.api("POST", f"/runs/{asked.run_id}/cancel", token=asked.token, web=web)

    def shown(self, asked: Asked, web: int = 0) -> dict[str, Any]:
        return self.fleet.api("GET", f"/runs/{asked.run_id}", token=asked.token, web=web).body

    def check(self, web: int = 0) -> None:
        """What holds after every fault, the next question included."""
        for asked in self.asked:
            self.wait(asked)
        following = self.ask(len(self.tokens) - 1, web)
        self.wait(following, "succeeded")
        assert [self.provider.calls[following.number, turn] for turn in range(1, TURNS + 1)] == [1] * TURNS
        assert self.provider.twice() == []
        self._check_record()
        self._check_readers()
        self._check_stop()

    def _check_record(self) -> None:
        """Every run waits or works under a claim, or ended once; its steps have no gap."""
        claims = dict(self.fleet.database.rows("SELECT run_id, token FROM runs_claim"))
        for run, states in self.states().items():
            assert states in _LIVES, (run, states)
            assert (run in claims) == (states[-1] not in TERMINAL), (run, states)
            assert (claims.get(run) is not None) == (states[-1] == "started"), (run, states)
        for run, steps in self.steps().items():
            assert steps == list(range(1, len(steps) + 1)), run

    def steps(self) -> dict[str, list[int]]:
        found = defaultdict(list)
        for run, sequence in self.fleet.database.rows(
            "SELECT run_id, sequence FROM runs_progress ORDER BY run_id, id"
        ):
            found[run].append(sequence)
        return found

    def _check_readers(self) -> None:
        stored = self.steps()
        by_run = {asked.run_id: asked for asked in self.asked}
        for reader in self.readers:
            reader.wait()
            asked = by_run[reader.address.rpartition("/runs/")[2].partition("/")[0]]
            assert reader.seen == stored.get(asked.key, [])

    def _check_stop(self) -> None:
        """Told to stop, every part ends by itself, and nothing that it started is left."""
        parts = [*self.fleet.web, *self.fleet.workers]
        for part in parts:
            part.signal(signal.SIGTERM)
        for part in parts:
            part.wait()
        assert self.fleet.pids() == []


_LIVES = (
    ["queued"],
    ["queued", "started"],
    ["queued", "failed"],
    ["queued", "started", "succeeded"],
    ["queued", "started", "failed"],
)
