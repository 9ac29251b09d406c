import json
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from dofpilot.corpus.building.builder import build
from dofpilot.corpus.building.report import Phase, Progress
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import BuildError
from dofpilot.corpus.sources import tree as source_tree
from tests.corpus.trees import LAW, path_of, snapshot, write, write_at

DISCLAIMER = "> Texto escrito para dofpilot; no es una publicación oficial.\n\n"


def test_it_builds_a_corpus_that_opens_and_counts_what_it_holds(tree: Path, out: Path) -> None:
    report = build(tree, out, version="prueba")
    with Corpus.open(out) as corpus:
        manifest = corpus.manifest
        assert corpus.document_text(1) == LAW
    assert (report.documents, report.chunks, report.rejected) == (2, 2, ())
    assert (manifest.version, manifest.documents, manifest.lexical.chunks) == ("prueba", 2, 2)
    assert (manifest.date_min, manifest.date_max) == (date(2024, 1, 2), date(2025, 12, 9))
    assert manifest.source_bytes == 2 * len(LAW.encode())
    assert json.loads((out / "report.json").read_text())["documents"] == 2


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        ("apuntes.md", LAW, "no sigue el esquema"),
        (path_of(3).replace("1209", "1231"), LAW, "la carpeta"),
        (path_of(3).replace("20251209", "20251309"), LAW, "no existe"),
        (path_of(3), b"Ley de Espa\xf1a", "no es UTF-8 (byte 11)"),
        (path_of(3), "", "está vacío"),
        (path_of(3), "\n \r\n", "está vacío"),
        (path_of(3), "\ufeff", "está vacío"),
        (path_of(3), "\u200b\u00ad \x00\n", "está vacío"),
        (path_of(1, number=9), LAW, "ya es de"),
    ],
)
def test_a_bad_file_is_reported_and_the_rest_is_built(
    tree: Path, out: Path, path: str, content: str | bytes, reason: str
) -> None:
    write_at(tree, path, content)
    report = build(tree, out)
    assert report.documents == 2
    assert [refused.path for refused in report.rejected] == [path]
    assert reason in report.rejected[0].reason
    stored = json.loads((out / "report.json").read_text())["rejected"]
    assert stored == [{"path": path, "reason": report.rejected[0].reason, "fault": False}]


def test_a_file_over_the_limit_is_reported_without_being_read(
    tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_tree, "LARGEST_FILE", 200)
    huge = write(tree, 3, "x" * 201)
    huge.chmod(0)
    (refused,) = build(tree, out).rejected
    assert "201 bytes" in refused.reason


def test_a_file_of_600_megabytes_is_reported_and_takes_no_memory(tree: Path, out: Path) -> None:
    huge = write(tree, 3, "")
    os.truncate(huge, 600_000_000)
    (refused,) = build(tree, out).rejected
    assert refused.reason == f"mide 600000000 bytes; el máximo es {source_tree.LARGEST_FILE}"


def _grow(file: Path) -> None:
    file.write_text(LAW * 3)


@pytest.mark.parametrize(
    ("change", "reason"), [(Path.unlink, "no se puede leer"), (_grow, "cambió de tamaño"), (Path.touch, "")]
)
def test_a_file_that_changes_after_it_was_listed_costs_only_itself(
    tree: Path, out: Path, change: Callable[[Path], None], reason: str
) -> None:
    file = write(tree, 4, LAW)

    def disturb(progress: Progress) -> None:
        if progress.phase == Phase.INDEXING and progress.done_documents == 0:
            change(file)

    report = build(tree, out, on_progress=disturb)
    assert [reason in refused.reason for refused in report.rejected] == [True] * bool(reason)
    assert report.documents == 3 - len(report.rejected)


def test_a_listing_gives_back_what_was_put_in(tree: Path) -> None:
    (tree / "2025" / os.fsdecode(b"no\xff.md")).write_text("x")
    (tree / "a.md").write_text("")
    (tree / path_of(9)).symlink_to("nada")
    listing = source_tree.Listing(tree)
    found = list(source_tree.walk(tree))
    for file in found:
        listing.add(file)
    assert [replace(file, modified=0) for file in found] == list(listing)
    assert (len(listing), listing.size) == (5, sum(file.size for file in found))
    assert "2025/no\\xff.md" in [file.path for file in listing]


@pytest.mark.parametrize("name", ["nada", "secreto.txt"])
def test_a_link_to_a_file_is_reported_and_never_read(tree: Path, out: Path, name: str) -> None:
    (tree.parent / "secreto.txt").write_text("peaje secreto")
    (tree / path_of(4)).symlink_to(tree.parent / name)
    report = build(tree, out)
    (refused,) = report.rejected
    assert (report.documents, refused.path) == (2, path_of(4))
    assert "es un enlace" in refused.reason


def test_a_file_that_turns_into_a_link_after_it_was_listed_is_not_read(tree: Path, out: Path) -> None:
    (tree.parent / "secreto.txt").write_text("peaje secreto")
    file = write(tree, 4, LAW)

    def swap(progress: Progress) -> None:
        if progress.phase == Phase.INDEXING and not file.is_symlink():
            file.unlink()
            file.symlink_to(tree.parent / "secreto.txt")

    report = build(tree, out, on_progress=swap)
    assert (report.documents, [refused.path for refused in report.rejected]) == (2, [path_of(4)])


def test_a_linked_folder_is_reported_and_not_entered(tree: Path, out: Path) -> None:
    write(tree.parent / "elsewhere", 4, LAW, day=date(2023, 1, 2))
    (tree / "2023").symlink_to(tree.parent / "elsewhere" / "2023")
    report = build(tree, out)
    assert report.documents == 2
    assert [(refused.path, refused.reason[:24]) for refused in report.rejected] == [
        ("2023", "es un enlace a una carpe")
    ]


def test_a_folder_with_the_name_of_a_document_is_reported(tree: Path, out: Path) -> None:
    (tree / path_of(4)).mkdir()
    (refused,) = build(tree, out).rejected
    assert (refused.path, refused.reason) == (path_of(4), "es una carpeta con nombre de documento")


def test_files_that_are_no_markdown_are_only_counted(tree: Path, out: Path) -> None:
    (tree / "index.jsonl").write_text("{}")
    report = build(tree, out)
    assert (report.ignored, report.rejected) == (1, ())


@pytest.mark.parametrize("content", [None, "", "Sin nombre válido"])
def test_a_tree_without_documents_is_an_error_and_leaves_nothing(
    tmp_path: Path, out: Path, content: str | None
) -> None:
    (tmp_path / "tree").mkdir()
    if content is not None:
        write_at(tmp_path / "tree", "nota.md", content)
    with pytest.raises(BuildError):
        build(tmp_path / "tree", out)
    assert [entry.name for entry in tmp_path.iterdir()] == ["tree"]


def test_a_missing_tree_is_an_error(tmp_path: Path, out: Path) -> None:
    with pytest.raises(BuildError, match="no existe"):
        build(tmp_path / "nada", out)


def test_a_folder_that_cannot_be_listed_stops_the_build(
    tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("2024"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(BuildError, match="2024"):
        build(tree, out)


@pytest.mark.parametrize("phase", list(Phase))
def test_an_interrupted_build_leaves_the_corpus_as_it_was(tree: Path, out: Path, phase: Phase) -> None:
    build(tree, out)
    before = snapshot(out)
    write(tree, 3, LAW)

    def interrupt(progress: Progress) -> None:
        if progress.phase == phase:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(tree, out, on_progress=interrupt)
    assert snapshot(out) == before
    assert sorted(entry.name for entry in out.parent.iterdir()) == ["out", "tree"]


def test_progress_goes_from_nothing_to_everything(tree: Path, out: Path) -> None:
    write_at(tree, "mala.md", "x")
    seen: list[Progress] = []
    build(tree, out, on_progress=seen.append)
    indexing = [progress for progress in seen if progress.phase == Phase.INDEXING]
    assert [progress.done_documents for progress in indexing] == [0, 1, 2, 3]
    assert seen[-1].phase == Phase.FINISHING
    assert seen[-1].done_bytes == seen[-1].total_bytes == 2 * len(LAW.encode()) + 1


def test_the_fingerprint_comes_from_paths_and_contents_alone(tree: Path, out: Path, tmp_path: Path) -> None:
    first = build(tree, out).fingerprint
    file = tree / path_of(1)
    file.touch()
    assert build(tree, tmp_path / "again", version="otro").fingerprint == first
    file.write_text(LAW.replace("peaje", "cuota"))
    assert build(tree, tmp_path / "changed").fingerprint != first
    file.write_text(LAW)
    file.rename(file.with_name(Path(path_of(1, number=7)).name))
    assert build(tree, tmp_path / "moved").fingerprint != first


def test_adding_documents_changes_no_id(tree: Path, out: Path, tmp_path: Path) -> None:
    build(tree, out)
    write(tree, 5, LAW, day=date(1999, 1, 4))
    build(tree, tmp_path / "more")
    with Corpus.open(out) as before, Corpus.open(tmp_path / "more") as after:
        assert before.get_document_outline(2) == after.get_document_outline(2)
        (hit,) = before.search_evidence("peaje", [2])
        assert after.read_chunks([hit.chunk_id]) == before.read_chunks([hit.chunk_id])


def test_only_a_corpus_of_samples_throughout_is_a_sample(tmp_path: Path, out: Path) -> None:
    write(tmp_path / "tree", 1, DISCLAIMER + LAW)
    build(tmp_path / "tree", out)
    with Corpus.open(out) as corpus:
        assert corpus.manifest.sample
    write(tmp_path / "tree", 2, LAW)
    build(tmp_path / "tree", out)
    with Corpus.open(out) as corpus:
        assert not corpus.manifest.sample
