"""Where a corpus may be built, and how it takes the place of the one that is there."""

from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from dofpilot.corpus.building import exchange, parts, target, workshop
from dofpilot.corpus.building.builder import build
from dofpilot.corpus.building.report import Phase, Progress
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import BuildError, InvalidRequest
from dofpilot.corpus.manifest import read_manifest
from dofpilot.corpus.types import Filters
from tests.corpus.trees import LAW, snapshot, write


def _directory_of_photos(out: Path) -> None:
    out.mkdir()
    (out / "foto.jpg").write_bytes(b"!")


def _names_of_a_corpus(out: Path) -> None:
    out.mkdir()
    (out / "manifest.json").write_text('{"name": "una página", "icons": []}')
    (out / "corpus.sqlite").write_text("de otro programa")
    (out / "foto.jpg").write_bytes(b"!")


def _file(out: Path) -> None:
    out.write_text("una nota")


@pytest.mark.parametrize("occupy", [_directory_of_photos, _names_of_a_corpus, _file])
def test_it_refuses_to_replace_what_is_no_corpus(
    tree: Path, out: Path, occupy: Callable[[Path], None]
) -> None:
    occupy(out)
    with pytest.raises(BuildError, match="no es un acervo"):
        build(tree, out)
    assert out.is_file() or (out / "foto.jpg").read_bytes() == b"!"


def test_it_refuses_to_delete_what_somebody_put_into_a_corpus(tree: Path, out: Path) -> None:
    build(tree, out)
    (out / "notas").mkdir()
    (out / "notas" / "mias.txt").write_text("no borrar")
    with pytest.raises(BuildError, match="algo que no es del acervo, «notas»"):
        build(tree, out)
    assert (out / "notas" / "mias.txt").exists()


@pytest.mark.parametrize("interruption", [PermissionError(13, "Permission denied"), KeyboardInterrupt()])
def test_an_old_corpus_that_cannot_be_deleted_is_told_and_in_nobodys_way(
    tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch, interruption: BaseException
) -> None:
    build(tree, out)
    write(tree, 3, LAW)
    with monkeypatch.context() as patched:
        patched.setattr(target, "shutil", Mock(rmtree=Mock(side_effect=interruption)))
        report = build(tree, out)
    assert (report.documents, report.leftover) == (3, str(out.with_name(".out.old-1")))
    assert read_manifest(Path(report.leftover)).documents == 2
    # It stays where it is, and the next ones are built as ever.
    with monkeypatch.context() as patched:
        patched.setattr(target, "shutil", Mock(rmtree=Mock(side_effect=interruption)))
        assert build(tree, out).leftover == str(out.with_name(".out.old-2"))
    assert build(tree, out).leftover == ""
    assert read_manifest(out).documents == 3


def test_a_leftover_that_cannot_be_deleted_is_named(
    tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (out.with_name(".out.building") / "lexical").mkdir(parents=True)
    refuse = Mock(side_effect=PermissionError(13, "Permission denied"))
    monkeypatch.setattr(
        workshop.shutil, "rmtree", lambda path, ignore_errors=False: ignore_errors or refuse()
    )
    with pytest.raises(BuildError, match=r"no se puede borrar «.*\.out\.building».*bórrala"):
        build(tree, out)


@pytest.mark.parametrize("version", ["", "   ", "a\nb", "\x1b[31mrojo", "x" * 65, "mal\udcff"])
def test_a_version_that_nobody_could_read_is_refused_before_anything_is_built(
    tree: Path, out: Path, version: str
) -> None:
    with pytest.raises(InvalidRequest, match="version: debe tener de 1 a 64 caracteres"):
        build(tree, out, version=version)
    assert [entry.name for entry in out.parent.iterdir()] == ["tree"]


@pytest.mark.parametrize("place", ["tree", "tree/2025/acervo", "."])
def test_it_refuses_a_corpus_in_its_own_tree_and_a_tree_in_its_own_corpus(tree: Path, place: str) -> None:
    before = snapshot(tree.parent)
    with pytest.raises(BuildError, match="uno dentro del otro"):
        build(tree, tree.parent / place)
    assert snapshot(tree.parent) == before


def test_it_names_a_target_under_a_file(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "nota").write_text("una nota")
    with pytest.raises(BuildError, match=r"no se puede escribir «.*/nota/a/out»: "):
        build(tree, tmp_path / "nota" / "a" / "out")


@pytest.mark.parametrize("part", ["StoreWriter", "LexicalWriter"])
def test_it_names_the_target_when_the_disk_refuses_a_part(
    tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    real = getattr(parts, part)
    monkeypatch.setattr(parts, part, lambda path: real(path / "nada" / "x"))
    with pytest.raises(BuildError, match=f"no se puede escribir «{out}»"):
        build(tree, out)
    assert [entry.name for entry in out.parent.iterdir()] == ["tree"]


def test_a_workshop_that_is_a_link_is_not_cleared(tree: Path, out: Path, tmp_path: Path) -> None:
    (tmp_path / "papeles").mkdir()
    (tmp_path / "papeles" / "importante.txt").write_text("no borrar")
    out.with_name(".out.building").symlink_to(tmp_path / "papeles")
    with pytest.raises(BuildError, match="no se puede escribir"):
        build(tree, out)
    assert (tmp_path / "papeles" / "importante.txt").exists()


def test_it_fills_an_empty_directory(tree: Path, out: Path) -> None:
    out.mkdir()
    assert build(tree, out).documents == 2


def test_it_replaces_a_corpus_while_a_reader_keeps_the_old_one(tree: Path, out: Path) -> None:
    build(tree, out)
    with Corpus.open(out) as old:
        write(tree, 3, LAW)
        build(tree, out)
        assert old.list_publications(Filters())[1] == 2
        assert len(old.search_passages("peaje")) == 2
    with Corpus.open(out) as new:
        assert new.list_publications(Filters())[1] == 3
    assert sorted(entry.name for entry in out.parent.iterdir()) == ["out", "tree"]


def test_where_two_paths_cannot_be_swapped_the_corpus_is_still_replaced(
    tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tree, out)
    monkeypatch.setattr(exchange, "_exchange", lambda one, other: False)
    write(tree, 3, LAW)
    assert build(tree, out).documents == 3
    with Corpus.open(out) as corpus:
        assert corpus.manifest.documents == 3
    assert sorted(entry.name for entry in out.parent.iterdir()) == ["out", "tree"]


@pytest.fixture
def halfway(tree: Path, out: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A corpus of two documents put aside and one of three finished: where a kill between two renames
    leaves them."""
    build(tree, out)
    write(tree, 3, LAW)
    build(tree, tmp_path / "new")
    new, old = out.with_name(".out.building"), out.with_name(".out.building.old")
    (tmp_path / "new").rename(new)
    out.rename(old)
    return new, old


def test_a_replacement_that_was_killed_half_way_is_finished(
    tree: Path, out: Path, halfway: tuple[Path, Path]
) -> None:
    report = build(tree, out, update=True)
    assert (report.documents, report.added) == (3, 0)
    assert sorted(entry.name for entry in out.parent.iterdir()) == ["out", "tree"]


def test_a_corpus_that_was_put_aside_for_one_that_was_never_finished_is_back(
    tree: Path, out: Path, halfway: tuple[Path, Path]
) -> None:
    (halfway[0] / "manifest.json").unlink()
    assert build(tree, out, update=True).added == 1
    assert sorted(entry.name for entry in out.parent.iterdir()) == ["out", "tree"]


def test_an_old_corpus_that_a_killed_build_had_no_time_to_delete_is_in_nobodys_way(
    tree: Path, out: Path, halfway: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    halfway[0].rename(out)
    monkeypatch.setattr(exchange, "_exchange", lambda one, other: False)
    assert build(tree, out).documents == 3
    assert sorted(entry.name for entry in out.parent.iterdir()) == ["out", "tree"]


def test_a_first_corpus_that_was_finished_and_not_yet_in_its_place_is_put_there(
    tree: Path, out: Path, halfway: tuple[Path, Path], tmp_path: Path
) -> None:
    halfway[1].rename(tmp_path / "tree" / "otro")
    assert build(tree, out, update=True).added == 0
    assert Corpus.open(out).manifest.documents == 3


def test_a_place_that_refuses_the_new_corpus_has_the_old_one_again(
    tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tree, out)
    monkeypatch.setattr(exchange, "_exchange", lambda one, other: False)
    write(tree, 3, LAW)
    rename = Path.rename

    def refuse(one: Path, other: Path) -> Path:
        if one.name == ".out.building" and other == out:
            raise PermissionError(13, "Permission denied")
        return rename(one, other)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(BuildError, match="no se puede escribir"):
        build(tree, out)
    with Corpus.open(out) as corpus:
        assert corpus.manifest.documents == 2


def test_a_report_that_cannot_be_written_leaves_the_last_one(
    tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tree, out)
    before = (out / "report.json").read_bytes()
    (tree / "mala.md").write_text("x")
    monkeypatch.setattr(Path, "replace", Mock(side_effect=OSError(28, "No space left on device")))
    with pytest.raises(BuildError, match="No space left"):
        build(tree, out, update=True)
    assert (out / "report.json").read_bytes() == before


def test_what_a_killed_build_left_behind_is_cleared(tree: Path, out: Path) -> None:
    leftover = out.with_name(".out.building")
    (leftover / "lexical").mkdir(parents=True)
    (leftover / "corpus.sqlite").write_bytes(b"half")
    assert build(tree, out).documents == 2
    assert not leftover.exists()


def test_a_second_build_of_the_same_corpus_is_refused_while_the_first_works(tree: Path, out: Path) -> None:
    refusals: list[str] = []

    def try_again(progress: Progress) -> None:
        if progress.phase == Phase.FINISHING:
            with pytest.raises(BuildError, match="en curso") as caught:
                build(tree, out)
            refusals.append(str(caught.value))

    assert build(tree, out, on_progress=try_again).documents == 2
    assert len(refusals) == 1
