"""The processes of a build: they change nothing of its result, and none of them outlives it."""

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import NoReturn
from unittest.mock import Mock

import pytest

from dofpilot.corpus.blocks import Dictionaries
from dofpilot.corpus.building import builder, workers
from dofpilot.corpus.building.builder import build
from dofpilot.corpus.building.report import Progress
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import BuildError, InvalidRequest
from dofpilot.corpus.manifest import read_manifest
from tests.corpus.trees import LAW, path_of, write, write_at

ROOT = Path(__file__).parents[2]
CHILD = """
import multiprocessing, os, signal, sys
from pathlib import Path
from dofpilot.corpus.building import builder, workers

def show(now):
    if now.done_documents == 1:
        print(*(worker.pid for worker in multiprocessing.active_children()), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    workers.WORTH_A_PROCESS, workers._BATCH_FILES = 0, 4
    builder.build(Path(sys.argv[1]), Path(sys.argv[2]), jobs=2, on_progress=show)
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for code in range(1, 31):
        write(tmp_path / "tree", code, LAW.replace("peaje", f"derecho{code} " * 40 * code), number=code)
    write(tmp_path / "tree", 7, LAW, number=99)
    write_at(tmp_path / "tree", "apuntes.md", "nada")
    return tmp_path / "tree"


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "WORTH_A_PROCESS", 0)
    monkeypatch.setattr(workers, "_BATCH_FILES", 4)
    monkeypatch.setattr(workers, "_IN_FLIGHT_BYTES", 40_000)


def test_the_number_of_processes_changes_nothing(tree: Path, tmp_path: Path) -> None:
    one, two = (build(tree, tmp_path / f"out{jobs}", jobs=jobs) for jobs in (1, 2))
    assert (one.documents, len(one.rejected)) == (30, 2)
    assert one.rejected == two.rejected
    stores = [(tmp_path / f"out{jobs}" / "corpus.sqlite").read_bytes() for jobs in (1, 2)]
    assert stores[0] == stores[1]
    manifests = [read_manifest(tmp_path / f"out{jobs}") for jobs in (1, 2)]
    assert manifests[0].lexical == manifests[1].lexical
    with Corpus.open(tmp_path / "out1") as first, Corpus.open(tmp_path / "out2") as second:
        assert first.search_passages("derecho ley") == second.search_passages("derecho ley")


def test_a_document_that_breaks_our_own_code_costs_only_itself(
    tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = workers.make.__globals__["index_entry"]

    def index_entry(document: object) -> object:
        if document.name.number == 7:  # type: ignore[attr-defined]
            raise IndexError("tuple index out of range")
        return real(document)

    monkeypatch.setitem(workers.make.__globals__, "index_entry", index_entry)
    report = build(tree, out, jobs=1)
    (refused,) = [refused for refused in report.rejected if refused.fault]
    assert refused.path == path_of(7, number=7)
    assert refused.reason == "error interno al leerlo (IndexError: tuple index out of range)"
    # Its code is free for the other file that has it.
    assert report.documents == 30


def test_a_killed_worker_is_an_error_that_says_what_to_do(tree: Path, out: Path) -> None:
    def kill(now: Progress) -> None:
        if now.done_documents == 1:
            for worker in multiprocessing.active_children():
                os.kill(worker.pid or 0, signal.SIGKILL)

    with pytest.raises(BuildError, match="murió un proceso de la construcción"):
        build(tree, out, jobs=2, on_progress=kill)
    assert build(tree, out, jobs=2).documents == 30


class _DiesBeforeItBegins:
    """The process dies while it reads what it is to do."""

    def __reduce__(self) -> tuple[Callable[[int], NoReturn], tuple[int]]:
        return os._exit, (1,)


def die_with_the_first_batch(channel: Connection) -> None:
    channel.recv()
    channel.recv()
    os._exit(1)


@pytest.fixture
def no_hang() -> Iterator[None]:
    """End what waits for ever, even with Ctrl-C held back."""

    def give_up(*given: object) -> None:
        raise AssertionError("it waits for ever")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("no_hang")
@pytest.mark.parametrize("death", [_DiesBeforeItBegins(), die_with_the_first_batch])
def test_a_worker_that_dies_while_others_start_ends_the_build(
    tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch, death: Callable[[Connection], None]
) -> None:
    # More than a pipe holds, whoever is to read it.
    monkeypatch.setattr(builder, "train", lambda listing: Dictionaries(text=bytes(1_000_000)))
    monkeypatch.setattr(workers, "_serve", death)
    before = set(multiprocessing.active_children())
    with pytest.raises(BuildError, match="murió un proceso de la construcción"):
        build(tree, out, jobs=3)
    assert set(multiprocessing.active_children()) == before


def test_processes_that_cannot_be_started_are_told_as_that(
    tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = OSError(errno.EAGAIN, "Resource temporarily unavailable")
    monkeypatch.setattr(SpawnProcess, "start", Mock(side_effect=full))
    with pytest.raises(BuildError, match=r"no se pueden iniciar 3 procesos .*menos --jobs"):
        build(tree, out, jobs=3)


def test_workers_end_with_a_build_that_was_killed(tree: Path, out: Path, tmp_path: Path) -> None:
    script = tmp_path / "child.py"
    script.write_text(CHILD)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, script, tree, out], env=environment, stdout=subprocess.PIPE, text=True, check=False
    )
    assert done.returncode == -signal.SIGKILL
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) == 2
    deadline = time.monotonic() + 60
    while any(map(is_alive, pids)):
        assert time.monotonic() < deadline, "a worker outlived its build"
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_no_worker_outlives_a_build_that_ends(tree: Path, out: Path) -> None:
    before = set(multiprocessing.active_children())
    build(tree, out, jobs=2)
    assert set(multiprocessing.active_children()) == before


def test_it_refuses_to_work_with_no_process(tree: Path, out: Path) -> None:
    with pytest.raises(InvalidRequest, match="jobs: debe ser 1 o más"):
        build(tree, out, jobs=0)
