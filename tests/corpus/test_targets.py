"""Where a corpus may be built, and how it takes the place of the one that is there."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dofpilot.corpus.building import exchange, parts
from dofpilot.corpus.building.builder import build
from dofpilot.corpus.building.report import Phase, Progress
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import BuildError
from dofpilot.corpus.types import Filters
from tests.corpus.trees import LAW, snapshot, write


def _directory_of_photos(out: Path) -> None:
    out.mkdir()
    (out / "foto.jpg").write_bytes(b"!")


def _file(out: Path) -> None:
    out.write_text("una nota")


@pytest.mark.parametrize("occupy", [_directory_of_photos, _file])
def test_it_refuses_to_replace_what_is_no_corpus(
    tree: Path, out: Path, occupy: Callable[[Path], None]
) -> None:
    occupy(out)
    with pytest.raises(BuildError, match="no es un acervo"):
        build(tree, out)
    assert out.is_file() or (out / "foto.jpg").read_bytes() == b"!"


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
