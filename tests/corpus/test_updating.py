"""What an update adds, and all that it leaves alone."""

import errno
import json
import os
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from dofpilot.corpus.building import base
from dofpilot.corpus.building.builder import build
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import BuildError
from dofpilot.corpus.files import verify_files
from dofpilot.corpus.manifest import read_manifest
from dofpilot.corpus.sources import tree as source_tree
from dofpilot.corpus.types import Filters
from tests.corpus.trees import LAW, path_of, snapshot, write

NEW_DAY = date(2025, 12, 10)
OTHER = LAW.replace("peaje", "cuota")


@pytest.fixture
def built(tree: Path, out: Path) -> Path:
    build(tree, out, version="primera")
    return out


def backdate(out: Path, days: int = 1) -> None:
    """The corpus was built some days ago: what is written now is later."""
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["built_at"] = datetime.fromtimestamp(out.stat().st_mtime - days * 86_400, UTC).isoformat()
    (out / "manifest.json").write_text(json.dumps(manifest))


def test_new_documents_are_added_and_no_id_changes(tree: Path, built: Path) -> None:
    with Corpus.open(built) as corpus:
        before = [corpus.get_document_outline(code) for code in (1, 2)]
        passages = corpus.read_chunks([100_000, 200_000])
    write(tree, 3, OTHER, day=NEW_DAY)
    report = build(tree, built, update=True)
    assert (report.documents, report.added, report.present, report.rejected) == (3, 1, 2, ())
    with Corpus.open(built) as corpus:
        assert [corpus.get_document_outline(code) for code in (1, 2)] == before
        assert corpus.read_chunks([100_000, 200_000]) == passages
        assert corpus.document_text(3) == OTHER
        assert [hit.publication.document_id for hit in corpus.search_documents("cuota")] == [3]
        assert len(corpus.search_documents("ley")) == 3
        assert corpus.manifest.date_max == NEW_DAY
    assert verify_files(built) == ()


def test_an_updated_corpus_has_the_fingerprint_of_one_built_whole(
    tree: Path, built: Path, tmp_path: Path
) -> None:
    write(tree, 3, OTHER, day=date(1999, 1, 4))
    write(tree, 4, OTHER, day=NEW_DAY)
    build(tree, built, update=True)
    build(tree, tmp_path / "whole")
    updated, whole = read_manifest(built), read_manifest(tmp_path / "whole")
    assert updated.fingerprint == whole.fingerprint
    assert updated.lexical == whole.lexical
    assert (updated.documents, updated.chunks, updated.source_bytes) == (4, 4, whole.source_bytes)
    with Corpus.open(built) as one, Corpus.open(tmp_path / "whole") as other:
        assert one.search_passages("peaje") == other.search_passages("peaje")
        assert one.list_publications(Filters()) == other.list_publications(Filters())


def test_a_tree_of_the_new_days_is_enough(built: Path, tmp_path: Path) -> None:
    write(tmp_path / "news", 3, OTHER, day=NEW_DAY)
    report = build(tmp_path / "news", built, update=True)
    assert (report.documents, report.added, report.present) == (3, 1, 0)


def test_updates_follow_one_another(tree: Path, built: Path, tmp_path: Path) -> None:
    for code in range(3, 8):
        write(tree, code, OTHER, number=code)
        assert build(tree, built, update=True).added == 1
    assert build(tree, tmp_path / "whole").fingerprint == read_manifest(built).fingerprint
    with Corpus.open(built) as corpus:
        assert len(corpus.search_documents("cuota")) == 5


def test_without_a_corpus_an_update_builds_one(tree: Path, out: Path) -> None:
    report = build(tree, out, update=True)
    assert (report.documents, report.added) == (2, 2)


def without_report(built: Path) -> dict[str, bytes]:
    return {name: content for name, content in snapshot(built).items() if name != "report.json"}


def test_with_nothing_new_the_corpus_stays_as_it_was(tree: Path, built: Path) -> None:
    before = without_report(built)
    report = build(tree, built, update=True, version="otra")
    assert (report.added, report.present, report.version) == (0, 2, "primera")
    assert without_report(built) == before
    assert sorted(entry.name for entry in built.parent.iterdir()) == ["out", "tree"]


def test_an_update_from_a_tree_without_documents_is_an_error(built: Path, tmp_path: Path) -> None:
    before = snapshot(built)
    (tmp_path / "empty").mkdir()
    with pytest.raises(BuildError, match="no contiene ningún documento"):
        build(tmp_path / "empty", built, update=True)
    assert snapshot(built) == before


@pytest.mark.parametrize("content", [LAW + "Artículo 2.- Tampoco mañana.\n", OTHER])
def test_a_file_with_other_content_is_reported_and_left_as_it_was(
    tree: Path, built: Path, content: str
) -> None:
    backdate(built)
    changed = write(tree, 1, content)
    write(tree, 3, OTHER, day=NEW_DAY)
    report = build(tree, built, update=True)
    assert [refused.path for refused in report.rejected] == [path_of(1)]
    assert "ya está en el acervo con otro contenido" in report.rejected[0].reason
    assert json.loads((built / "report.json").read_text())["rejected"][0]["path"] == path_of(1)
    with Corpus.open(built) as corpus:
        assert corpus.document_text(1) == LAW != changed.read_text()


def test_a_changed_file_is_reported_even_with_nothing_new(tree: Path, built: Path) -> None:
    write(tree, 1, LAW + "Más.\n")
    report = build(tree, built, update=True)
    assert (report.added, len(report.rejected)) == (0, 1)
    assert json.loads((built / "report.json").read_text())["rejected"][0]["path"] == path_of(1)
    assert verify_files(built) == ()


def test_a_refusal_that_was_mended_is_reported_no_longer(tree: Path, built: Path) -> None:
    bad = write(tree, 5, b"\xff")
    assert len(build(tree, built, update=True).rejected) == 1
    bad.unlink()
    build(tree, built, update=True)
    assert json.loads((built / "report.json").read_text())["rejected"] == []


def test_a_file_that_was_only_touched_is_the_same(tree: Path, built: Path) -> None:
    backdate(built)
    (tree / path_of(1)).touch()
    report = build(tree, built, update=True)
    assert (report.present, report.rejected) == (2, ())


def test_files_older_than_the_corpus_are_not_read_again(
    tree: Path, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in tree.rglob("*.md"):
        os.utime(file, (0, 0))
    monkeypatch.setattr(source_tree, "read", lambda file: pytest.fail("read"))
    assert build(tree, built, update=True).present == 2


def test_a_new_file_with_the_code_of_another_is_refused(tree: Path, built: Path) -> None:
    write(tree, 1, OTHER, number=9)
    (refused,) = build(tree, built, update=True).rejected
    assert refused.reason == f"el código 1 ya es de «{path_of(1)}»"


@pytest.mark.parametrize("key", ["chunker_version", "lexical"])
def test_it_refuses_to_add_to_a_corpus_made_in_another_way(tree: Path, built: Path, key: str) -> None:
    manifest = json.loads((built / "manifest.json").read_text())
    manifest[key] = {**manifest[key], "fingerprint": "otra"} if key == "lexical" else "otra"
    (built / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(BuildError, match="sin --update"):
        build(tree, built, update=True)


def test_it_refuses_to_add_to_a_corpus_of_another_format(tree: Path, built: Path) -> None:
    (built / "manifest.json").write_text('{"format": 1, "version": "vieja", "fingerprint": "otra"}')
    with pytest.raises(BuildError, match="sin --update"):
        build(tree, built, update=True)
    assert build(tree, built).documents == 2


def test_it_refuses_to_add_to_a_damaged_store(tree: Path, built: Path) -> None:
    content = bytearray((built / "corpus.sqlite").read_bytes())
    content[len(content) // 2] ^= 1
    (built / "corpus.sqlite").write_bytes(content)
    write(tree, 3, OTHER)
    with pytest.raises(BuildError, match=r"corpus\.sqlite» está dañado"):
        build(tree, built, update=True)
    assert sorted(entry.name for entry in built.parent.iterdir()) == ["out", "tree"]


def _flip(index: Path) -> None:
    content = bytearray(index.read_bytes())
    content[0] ^= 1
    index.write_bytes(content)


def _cut(index: Path) -> None:
    index.write_bytes(index.read_bytes()[:-1])


@pytest.mark.parametrize("damage", [_flip, _cut, Path.unlink])
def test_it_refuses_to_add_to_a_damaged_index(
    tree: Path, built: Path, damage: Callable[[Path], None]
) -> None:
    index = next((built / "lexical").glob("*.term"))
    damage(index)
    before = snapshot(built)
    write(tree, 3, OTHER)
    with pytest.raises(BuildError, match=rf"{index.name}» está dañado o falta: .*sin --update"):
        build(tree, built, update=True)
    assert snapshot(built) == before
    assert build(tree, built).documents == 3


def test_it_refuses_to_add_to_a_corpus_whose_manifest_lacks_its_store(tree: Path, built: Path) -> None:
    manifest = json.loads((built / "manifest.json").read_text())
    del manifest["files"]["corpus.sqlite"]
    (built / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(BuildError, match=r"corpus\.sqlite» está dañado o falta: .*sin --update"):
        build(tree, built, update=True)


@pytest.mark.parametrize("update", [False, True])
def test_vectors_outlive_a_build(tree: Path, built: Path, update: bool) -> None:
    (built / "vectors").mkdir()
    files = {"vectors.i8": b"\x01\x02", "manifest.json": b"{}"}
    for name, content in files.items():
        (built / "vectors" / name).write_bytes(content)
    write(tree, 3, OTHER)
    build(tree, built, update=update)
    assert snapshot(built / "vectors") == files
    assert not any(name.startswith("vectors") for name in read_manifest(built).files)


def test_where_there_are_no_links_files_are_copied(
    tree: Path, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    monkeypatch.setattr(base.os, "copy_file_range", refuse)
    write(tree, 3, OTHER)
    assert build(tree, built, update=True).documents == 3
    assert verify_files(built) == ()
    with Corpus.open(built) as corpus:
        assert len(corpus.search_documents("ley")) == 3


def test_a_reader_keeps_the_corpus_that_it_opened_before_an_update(tree: Path, built: Path) -> None:
    with Corpus.open(built) as old:
        write(tree, 3, OTHER)
        build(tree, built, update=True)
        assert old.list_publications(Filters())[1] == 2
        assert old.read_chunks([100_000])[0].text == LAW
        assert len(old.search_passages("peaje")) == 2
