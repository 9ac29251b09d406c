"""Builds that were interrupted, by real signals in real processes, and how the same command goes on."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from dofpilot.corpus.building import builder
from dofpilot.corpus.building.builder import build
from dofpilot.corpus.building.report import BuildReport, Phase, Progress
from dofpilot.corpus.building.workshop import saved_documents
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.files import verify_files
from tests.corpus.trees import LAW, path_of, snapshot, write

ROOT = Path(__file__).parents[2]
EVERY = 3
"""Documents between two checkpoints."""

CHILD = """
import os, signal, sys
from pathlib import Path
from dofpilot.corpus.building import builder, parts, indexing, storing

def end(*given, **more):
    os.kill(os.getpid(), signal.SIGKILL)

def end_late(calls, real):
    def call(*given, **more):
        calls.append(1)
        return end() if len(calls) == 2 else real(*given, **more)
    return call

builder.CHECKPOINT_BYTES = {bytes}
{hook}
builder.build(Path({tree!r}), Path({out!r}), jobs=1, update={update}, on_progress=show)
"""
QUIET = "show = None\n"


def law(code: int) -> str:
    return LAW.replace("peaje", f"derecho{code:02}")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for code in range(1, 13):
        write(tmp_path / "tree", code, law(code), number=code)
    return tmp_path / "tree"


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "CHECKPOINT_BYTES", EVERY * len(law(1).encode()))


def killed(tree: Path, out: Path, hook: str, update: bool = False) -> None:
    """Build in a process that kills itself where the hook says."""
    code = CHILD.format(
        bytes=builder.CHECKPOINT_BYTES,
        hook=textwrap.dedent(hook),
        tree=str(tree),
        out=str(out),
        update=update,
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


AT_EIGHT = "show = lambda now: end() if now.done_documents == 8 else None"
HOOKS = {
    "between two checkpoints": (AT_EIGHT, 6),
    "before the index saves": (
        QUIET + "indexing.LexicalWriter.save = end_late([], indexing.LexicalWriter.save)",
        3,
    ),
    "after the index saved": (
        QUIET + "storing.StoreWriter.indexed = end_late([], storing.StoreWriter.indexed)",
        6,
    ),
    "while finishing": (QUIET + "builder.measure = end", 12),
    "before the corpus takes its place": (QUIET + "builder.publish = end", 0),
}


@pytest.mark.parametrize(("hook", "kept"), HOOKS.values(), ids=HOOKS.keys())
def test_a_killed_build_goes_on_and_ends_as_if_it_had_not_been(
    tree: Path, out: Path, tmp_path: Path, hook: str, kept: int
) -> None:
    killed(tree, out, hook)
    assert not out.exists()
    report = build(tree, out)
    assert (report.resumed, report.documents, report.added) == (kept, 12, 12)
    assert_as_built_at_once(tree, out, tmp_path / "whole", report)


def assert_as_built_at_once(tree: Path, out: Path, whole: Path, report: BuildReport) -> None:
    assert report.fingerprint == build(tree, whole).fingerprint
    assert verify_files(out) == ()
    assert sorted(entry.name for entry in out.parent.iterdir()) == ["out", "tree", "whole"]
    with Corpus.open(out) as one, Corpus.open(whole) as other:
        for code in range(1, 13):
            assert one.document_text(code) == law(code)
            assert one.get_document_outline(code) == other.get_document_outline(code)
            query = f"derecho{code:02}"
            assert [hit.publication.document_id for hit in one.search_documents(query)] == [code]
            assert one.search_passages(query) == other.search_passages(query)


def test_a_killed_update_goes_on_and_keeps_what_the_corpus_had(tree: Path, out: Path, tmp_path: Path) -> None:
    for code in range(4, 13):
        (tree / path_of(code, number=code)).rename(tmp_path / f"{code}.md")
    build(tree, out)
    for code in range(4, 13):
        (tmp_path / f"{code}.md").rename(tree / path_of(code, number=code))
    before = snapshot(out)
    killed(tree, out, AT_EIGHT, update=True)
    assert snapshot(out) == before
    report = build(tree, out, update=True)
    assert (report.resumed, report.present, report.added, report.documents) == (6, 3, 9, 12)
    assert_as_built_at_once(tree, out, tmp_path / "whole", report)


def interrupted(tree: Path, out: Path, at: int = 8) -> None:
    def interrupt(now: Progress) -> None:
        if now.done_documents == at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(tree, out, on_progress=interrupt)


def test_what_was_resumed_is_told_and_counted_as_done(tree: Path, out: Path) -> None:
    interrupted(tree, out)
    assert saved_documents(out) == 6
    seen: list[Progress] = []
    build(tree, out, on_progress=seen.append)
    begin = next(now for now in seen if now.phase == Phase.INDEXING)
    assert (begin.resumed_documents, begin.done_documents, begin.total_documents) == (6, 6, 12)
    assert begin.resumed_bytes == begin.done_bytes == 6 * len(law(1).encode())
    assert seen[-1].done_bytes == seen[-1].total_bytes
    assert saved_documents(out) == 0


def _change(tree: Path, out: Path) -> None:
    write(tree, 2, law(2) + "Más.\n", number=2)


def _rewrite(tree: Path, out: Path) -> None:
    file = write(tree, 2, law(3), number=2)
    os.utime(file, (2**32, 2**32))


def _remove(tree: Path, out: Path) -> None:
    (tree / path_of(2, number=2)).unlink()


def _move(tree: Path, out: Path) -> None:
    shutil.copytree(tree, tree.with_name("other"))
    shutil.rmtree(tree)
    tree.with_name("other").rename(tree)
    os.utime(tree / path_of(2, number=2), (2**32, 2**32))
    (tree / path_of(2, number=2)).rename(tree / path_of(2, number=99))


def _damage_state(tree: Path, out: Path) -> None:
    (out.with_name(".out.building") / "workshop.json").write_text("{")


def _damage_store(tree: Path, out: Path) -> None:
    (out.with_name(".out.building") / "corpus.sqlite").write_bytes(b"garbage" * 500)


def _lose_index(tree: Path, out: Path) -> None:
    shutil.rmtree(out.with_name(".out.building") / "lexical")


def _damage_index(tree: Path, out: Path) -> None:
    (out.with_name(".out.building") / "lexical" / "meta.json").write_text("{}")


@pytest.mark.parametrize(
    "disturb",
    [_change, _rewrite, _remove, _move, _damage_state, _damage_store, _lose_index, _damage_index],
)
def test_it_starts_afresh_where_what_was_saved_is_no_longer_true(
    tree: Path, out: Path, tmp_path: Path, disturb: Callable[[Path, Path], None]
) -> None:
    interrupted(tree, out)
    disturb(tree, out)
    report = build(tree, out)
    assert report.resumed == 0
    assert report.fingerprint == build(tree, tmp_path / "whole").fingerprint
    assert verify_files(out) == ()


def test_another_tree_does_not_go_on_with_the_work_for_this_one(
    tree: Path, out: Path, tmp_path: Path
) -> None:
    interrupted(tree, out)
    write(tmp_path / "other", 40, LAW)
    report = build(tmp_path / "other", out)
    assert (report.documents, report.resumed) == (1, 0)


def test_files_that_came_in_the_meantime_are_built_too(tree: Path, out: Path) -> None:
    interrupted(tree, out)
    write(tree, 40, law(40), section="VES")
    report = build(tree, out)
    assert (report.resumed, report.documents) == (6, 13)


def test_a_refused_file_is_refused_again_after_an_interruption(tree: Path, out: Path) -> None:
    write(tree, 1, law(1), number=0)
    interrupted(tree, out)
    (refused,) = build(tree, out).rejected
    assert refused.path == path_of(1, number=1)
