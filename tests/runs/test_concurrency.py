"""As many runs at once as there are places, first in first out, and no place stays empty while one waits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import OperationalError
from django_q.models import OrmQ

from runs import lifecycle, presence
from runs.models import Claim, Run, State, Worker
from runs.requests import RunRequest
from runs.work import console, execution, tasks
from tests import scripts
from tests.cast import AS_OF, asker, waiting_run
from tests.site import ROOT, Site
from tests.waiting import wait_for

QUESTION = "¿Cuáles son los salarios mínimos generales que rigen en 2026?"

CODE_ADMIT = f"""
from dofpilot.access.invitations import invite
from runs.admission import admit
from runs.requests import parse
admit(invite(label="ana")[0].user, parse({{"question": "{QUESTION}"}}))
"""


class TestWakeUps:
    pytestmark = pytest.mark.django_db

    @pytest.fixture(autouse=True)
    def _quick(self, monkeypatch, settings):
        """Every run ends at once; ``settings`` has one place."""
        settings.MODEL_CONCURRENCY = 1

        def execute(lease, **_):
            lifecycle.succeed(lease, {"answer": None})

        monkeypatch.setattr(execution, "execute", execute)

    def test_a_run_that_ends_wakes_somebody_for_the_next_one(self):
        for name in ("ana", "beto", "carla"):
            waiting_run(asker(name))
        # The wake-ups of two of them came too early and are spent; each that is made is taken.
        for made in (1, 1, 0):
            assert tasks.wake_up() is True
            assert OrmQ.objects.all().delete()[0] == made

    def test_one_that_finds_all_places_taken_begins_nothing(self):
        lifecycle.claim(waiting_run(asker("ana")), "w")
        waiting_run(asker("beto"))
        assert tasks.wake_up() is False
        assert Claim.objects.filter(token__isnull=False).count() == 1
        assert not OrmQ.objects.exists()

    def test_more_than_needed_do_nothing(self):
        waiting_run(asker())
        assert [tasks.wake_up() for _ in range(3)] == [True, False, False]
        assert not OrmQ.objects.exists()

    def test_a_database_that_is_away_fails_no_task(self, monkeypatch, caplog):
        def away(*_, **__):
            raise OperationalError("database is locked")

        run = waiting_run(asker())
        monkeypatch.setattr(lifecycle, "claim_next", away)
        assert tasks.wake_up() is False
        assert "wake-up: database is locked" in caplog.text
        assert run.transitions.count() == 1

    @pytest.mark.parametrize("places", [1, 2, 3])
    def test_never_more_than_the_places_and_the_oldest_first(self, settings, places):
        settings.MODEL_CONCURRENCY = places
        runs = [waiting_run(asker(f"persona-{number}")) for number in range(5)]
        taken = [lifecycle.claim_next("w", at_most=places) for _ in range(5)]
        assert [lease and lease.run for lease in taken] == [*runs[:places], *[None] * (5 - places)]


class TestConsole:
    pytestmark = pytest.mark.django_db

    @pytest.fixture(autouse=True)
    def _one_place(self, settings, loaded_corpus):
        settings.MODEL_CONCURRENCY = 1

    @pytest.fixture
    def request_(self) -> RunRequest:
        return RunRequest(question=QUESTION, as_of=AS_OF.isoformat())

    def test_it_takes_a_free_place(self, request_):
        lease = console.admit(asker(), request_)
        assert lease.run.transitions.last().state == State.STARTED

    def test_nothing_is_stored_while_all_places_are_taken(self, request_):
        at_work = lifecycle.claim(waiting_run(asker("beto")), "w")
        who = asker("ana")
        assert console.admit(who, request_) is None
        assert Run.objects.count() == 1
        lifecycle.succeed(at_work, {"answer": None})
        assert console.admit(who, request_).run.evaluator == who

    def test_it_lets_those_go_first_who_wait(self, request_):
        presence.began("w")
        waiting_run(asker("beto"))
        ana = asker("ana")
        assert console.admit(ana, request_) is None
        lifecycle.succeed(lifecycle.claim_next("w", at_most=1), {"answer": None})
        assert console.admit(ana, request_)

    def test_but_not_for_ever_where_nobody_answers_them(self, request_):
        waiting_run(asker("beto"))
        assert not Worker.objects.exists()
        assert console.admit(asker("ana"), request_) is not None

    def test_what_a_killed_command_left_is_ended_by_the_next_one(self):
        with subprocess.Popen(["sleep", "60"]) as process:
            name = f"{console._prefix()}{process.pid}:{console._began(process.pid)}"
            lease = lifecycle.claim(waiting_run(asker("ana")), name)
            console.end_left_behind()
            assert lease.run.transitions.last().state == State.STARTED
            process.kill()
        console.end_left_behind()
        assert lease.run.transitions.last().state == State.FAILED

    def test_another_process_with_its_number_is_not_taken_for_it(self):
        lease = lifecycle.claim(waiting_run(asker()), f"{console._prefix()}{os.getpid()}:1")
        console.end_left_behind()
        assert lease.run.transitions.last().state == State.FAILED

    @pytest.mark.parametrize("name", ["consola:otra-máquina:1:1", "esta:/datos"])
    def test_others_are_left_to_their_silence(self, name):
        lease = lifecycle.claim(waiting_run(asker()), name)
        console.end_left_behind()
        assert lease.run.transitions.last().state == State.STARTED

    def test_this_process_is_alive(self):
        lease = lifecycle.claim(waiting_run(asker()), console.worker_name())
        console.end_left_behind()
        assert lease.run.transitions.last().state == State.STARTED


@pytest.mark.processes
class TestAsk:
    @pytest.fixture
    def gate(self, tmp_path: Path) -> Path:
        """The provider waits until this file exists."""
        return tmp_path / "gate"

    @pytest.fixture
    def full(self, make_site, tmp_path, gate) -> Site:
        """A site with one place, which a run has that waits for the gate."""
        chosen = scripts.write(tmp_path / "script.json", [{"wait_for_file": str(gate)}, *scripts.WHOLE])
        site = make_site(**chosen).start()
        asked = site.api("POST", "/runs", {"question": QUESTION, "client_request_id": "a"})
        assert asked.status == 201
        wait_for(lambda: states(site) == ["queued", "started"])
        return site

    def asking(self, site: Site, tmp_path: Path, *options: str) -> subprocess.Popen[str]:
        """A question on the command line that waits for a place."""
        said = tmp_path / "said"
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "ask", QUESTION, *options],
            env=site.environment,
            stdout=subprocess.PIPE,
            stderr=said.open("w"),
            text=True,
        )
        wait_for(lambda: "espera a que se libere uno" in said.read_text(encoding="utf-8"))
        return process

    def test_it_waits_for_a_place_and_then_answers(self, full, gate, tmp_path):
        asking = self.asking(full, tmp_path, "--json")
        assert states(full) == ["queued", "started"]
        gate.touch()
        said, _ = asking.communicate(timeout=60)
        assert json.loads(said)["status"] == "succeeded"
        # One after the other, in this order.
        assert states(full) == ["queued", "started", "succeeded"] * 2

    @pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
    def test_who_does_not_wait_leaves_nothing(self, full, tmp_path, number, code):
        asking = self.asking(full, tmp_path, "--json")
        asking.send_signal(number)
        said, _ = asking.communicate(timeout=30)
        assert (asking.returncode, said) == (code, "")
        assert states(full) == ["queued", "started"]

    def test_a_killed_one_does_not_keep_the_next_from_asking(self, site, gate, tmp_path):
        held = scripts.write(tmp_path / "held.json", [{"wait_for_file": str(gate)}, *scripts.WHOLE])
        with site.begin("ask", QUESTION, **held) as killed:
            wait_for(lambda: states(site) == ["queued", "started"])
            killed.kill()
        asked = site.manage("ask", QUESTION)
        assert asked.returncode == 0, asked.stderr
        assert "espera" not in asked.stdout
        assert states(site) == ["queued", "started", "failed", "queued", "started", "succeeded"]

    def test_who_leaves_its_place_wakes_somebody_for_the_run_that_waits(self, make_site, gate, tmp_path):
        # Not started, so that no worker's sweep does it.
        held = scripts.write(tmp_path / "held.json", [{"wait_for_file": str(gate)}, *scripts.WHOLE])
        site = make_site(**held)
        with site.begin("ask", QUESTION):
            wait_for(lambda: states(site) == ["queued", "started"])
            admitted = site.manage("shell", "-c", CODE_ADMIT)
            assert admitted.returncode == 0, admitted.stderr
            site.database.execute("DELETE FROM django_q_ormq")
            gate.touch()
        assert states(site) == ["queued", "started", "queued", "succeeded"]
        assert len(site.database.rows("SELECT id FROM django_q_ormq")) == 1


def states(site: Site) -> list[str]:
    """Of all runs, in the order in which they came about."""
    return [state for (state,) in site.database.rows("SELECT state FROM runs_transition ORDER BY id")]
