"""The promises that hold across processes: a real site is started, stopped and killed."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import scripts
from tests.databases import SERVER
from tests.site import STOP_SECONDS, Site
from tests.waiting import wait_for

pytestmark = pytest.mark.processes

QUESTION = {"question": "¿Cuál es el salario mínimo general de 2026?", "as_of": "2026-04-24"}


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "script.json"


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """The provider waits until this file exists."""
    return tmp_path / "gate"


@pytest.fixture
def held_site(make_site, script, gate):
    """A site whose provider does not answer before the gate opens."""
    steps = [{"wait_for_file": str(gate)}, *scripts.WHOLE]
    return make_site(**scripts.write(script, steps)).start()


def submit(site: Site, request_id: str = "a-1", token: str | None = None) -> dict:
    answer = site.api("POST", "/runs", {**QUESTION, "client_request_id": request_id}, token)
    assert answer.status in (200, 201), answer.body
    return answer.body


def status(site: Site, run: dict) -> str:
    return site.api("GET", f"/runs/{run['run_id']}").body["status"]


def wait_for_status(site: Site, run: dict, wanted: str) -> None:
    wait_for(lambda: status(site, run) == wanted)


def logged(site: Site) -> list[tuple]:
    """Everything logged of finished runs, as the database has it."""
    steps = site.database.rows("SELECT run_id, sequence, kind, payload, created_at FROM runs_progress")
    changes = site.database.rows("SELECT run_id, sequence, state, payload FROM runs_transition")
    return sorted(map(repr, steps + changes))


def test_a_repeated_submit_is_one_run_and_one_conversation_with_the_provider(held_site, script, gate):
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: submit(held_site), range(8)))
    assert len({run["run_id"] for run in runs}) == 1
    gate.touch()
    wait_for_status(held_site, runs[0], "succeeded")
    assert submit(held_site)["run_id"] == runs[0]["run_id"]
    assert scripts.calls(script) == len(scripts.WHOLE)


def test_a_run_goes_on_without_any_reader(held_site, gate):
    run = submit(held_site)
    wait_for_status(held_site, run, "started")
    gate.touch()
    wait_for_status(held_site, run, "succeeded")


def test_ctrl_c_ends_everything_with_the_provider_hung_and_runs_waiting(held_site):
    other = held_site.manage("invite", "--label", "otra").stdout.split()
    token = next(word for word in other if word.startswith("dof_"))
    working = submit(held_site)
    wait_for_status(held_site, working, "started")
    waiting = submit(held_site, token=token)
    assert held_site.stop() == 0
    assert held_site.processes() == []
    ends = dict(held_site.database.rows("SELECT run_id, failure FROM runs_transition ORDER BY sequence"))
    assert ends[working["run_id"].replace("-", "")] == "interrupted"
    assert ends[waiting["run_id"].replace("-", "")] == ""


def test_a_waiting_run_is_answered_after_a_restart(held_site, gate):
    token = held_site.invitation
    working = submit(held_site)
    wait_for_status(held_site, working, "started")
    invited = held_site.manage("invite", "--label", "otra").stdout.split()
    other = next(word for word in invited if word.startswith("dof_"))
    waiting = submit(held_site, token=other)
    held_site.stop()
    gate.touch()
    held_site.start()
    wait_for(
        lambda: held_site.api("GET", f"/runs/{waiting['run_id']}", token=other).body["status"] == "succeeded"
    )
    ended = held_site.api("GET", f"/runs/{working['run_id']}", token=token).body
    assert (ended["status"], ended["error"]["code"]) == ("failed", "interrupted")


def test_kill_9_of_everything_loses_no_finished_run(site):
    site.start()
    token = site.invitation
    run = submit(site)
    wait_for_status(site, run, "succeeded")
    before = logged(site)
    for pid in site.processes():
        os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not site.processes())
    site.start()
    assert logged(site) == before
    again = site.api("POST", "/runs", {**QUESTION, "client_request_id": "a-2"}, token).body
    wait_for(lambda: site.api("GET", f"/runs/{again['run_id']}", token=token).body["status"] == "succeeded")


def test_children_do_not_outlive_a_killed_parent(held_site):
    run = submit(held_site)
    wait_for_status(held_site, run, "started")
    held_site.kill()
    wait_for(lambda: not held_site.processes(), STOP_SECONDS)


def test_a_second_worker_says_who_works_already(site):
    site.start()
    second = site.manage("agentworker")
    assert second.returncode == 1
    assert "ya trabaja" in second.stderr


def test_the_second_start_keeps_people_and_shows_no_secret_again(site):
    site.start()
    token = site.invitation
    site.stop()
    site.start()
    assert "dof_" not in site.output
    assert site.api("GET", "/runs", token=token).status == 200


def test_what_is_shown_once_is_shown_even_when_the_start_fails(site):
    with (site.folder / "agentworker.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # as if another worker had the place of this one
        failed = site.manage("up")
    assert failed.returncode == 1
    assert "Invitación      dof_" in failed.stdout
    assert "contraseña " in failed.stdout
    assert site.processes() == []


def test_a_damaged_corpus_stops_the_start_and_is_named(make_site, tmp_path):
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "manifest.json").write_text("{", encoding="utf-8")
    failed = make_site(DOFPILOT_CORPUS=str(damaged)).manage("up")
    assert failed.returncode == 1
    assert f"DOFPILOT_CORPUS ({damaged})" in failed.stderr
    assert "Traceback" not in failed.stderr


CLUSTER = 5
"""Its first process, the sentinel, a worker, the monitor and the pusher."""


def whole_cluster(site: Site) -> dict[int, int]:
    """As soon as it is there: the site may serve before its worker works."""
    return wait_for(lambda: len(found := cluster_of(site)) == CLUSTER and found)


def cluster_of(site: Site) -> dict[int, int]:
    """Process -> parent, of the queue's cluster."""
    found = {}
    for pid in site.processes():
        if b"qcluster" in Path(f"/proc/{pid}/cmdline").read_bytes():
            found[pid] = int(
                re.search(r"^PPid:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)[1]
            )
    return found


def main_of(cluster: dict[int, int]) -> int:
    return next(pid for pid, parent in cluster.items() if parent not in cluster)


def test_the_queue_comes_back_after_its_main_process_died_while_the_database_was_locked(site):
    site.start()
    before = main_of(whole_cluster(site))
    with site.database.locked():
        os.kill(before, signal.SIGKILL)
        wait_for(lambda: before not in site.processes())
        if not SERVER:
            # Longer than SQLite's patience of 25 s, so that the supervisor meets the error itself.
            wait_for(lambda: "recover: " in site.output, 60)
    run = submit(site)
    wait_for_status(site, run, "succeeded")


def test_an_idle_worker_that_was_killed_is_replaced(site):
    site.start()
    cluster = whole_cluster(site)
    for child in set(cluster) - {main_of(cluster)}:
        os.kill(child, signal.SIGKILL)
    run = submit(site)
    wait_for(lambda: status(site, run) == "succeeded", 60)


def test_a_taken_port_is_named_and_nothing_is_started(site, tmp_path):
    site.start()
    other = Site(tmp_path / "other", DOFPILOT_PORT=str(site.port))
    refused = other.manage("up")
    assert refused.returncode == 1
    assert "DOFPILOT_PORT" in refused.stderr
    assert not other.folder.joinpath("dofpilot.sqlite3").exists()


def test_cancelling_a_started_run_does_not_wait_for_the_provider(held_site):
    run = submit(held_site)
    wait_for_status(held_site, run, "started")
    held_site.api("POST", f"/runs/{run['run_id']}/cancel")
    wait_for_status(held_site, run, "failed")
    assert held_site.api("GET", f"/runs/{run['run_id']}").body["error"]["code"] == "cancelled"


def test_the_event_stream_replays_and_follows_without_gap_or_repeat(held_site, gate):
    run = submit(held_site)
    wait_for_status(held_site, run, "started")

    def read(after: int, into: list[bytes]) -> None:
        address = f"{held_site.address}/api/v1/runs/{run['run_id']}/events?after={after}"
        request = urllib.request.Request(address, headers={"Authorization": f"Bearer {held_site.invitation}"})
        with urllib.request.urlopen(request, timeout=30) as stream:
            assert stream.headers["Cache-Control"] == "no-store"
            into.extend(stream)

    live: list[bytes] = []
    reader = threading.Thread(target=read, args=(0, live))
    reader.start()
    gate.touch()
    reader.join(30)
    ids = [int(line[4:]) for line in live if line.startswith(b"id: ")]
    assert ids == list(range(1, len(ids) + 1))
    assert len(ids) >= 9
    assert b"event: terminal\n" in live
    late: list[bytes] = []
    read(3, late)
    assert [int(line[4:]) for line in late if line.startswith(b"id: ")] == ids[3:]
