"""The dictionaries that documents are compressed with: learnt from the tree, kept with the corpus."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest

from dofpilot.corpus.building import dictionaries
from dofpilot.corpus.building.builder import build
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.sources import tree as tree_of_files
from dofpilot.corpus.sources.tree import Kind, Listing, SourceFile
from tests.corpus.trees import LAW, corpus_of, write, write_at


def text(code: int) -> str:
    articles = (f"Artículo {n}.- La cuota {code * n} se paga en la oficina {n + code}.\n" for n in range(40))
    return LAW + "".join(articles)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dictionaries")
    for code in range(1, 131):
        write(folder / "tree", code, text(code), number=code)
    write_at(folder / "tree", "2025/mala.md", b"\xff" * 99)
    build(folder / "tree", folder / "out")
    return folder


def stored(database: Path) -> dict[str, bytes]:
    with closing(sqlite3.connect(database)) as reader:
        return dict(reader.execute("SELECT name, data FROM dictionary").fetchall())


def test_a_corpus_of_many_documents_learns_from_them_and_reads_back_exactly(folder: Path) -> None:
    assert all(len(data) > 1_000 for data in stored(folder / "out" / "corpus.sqlite").values())
    with Corpus.open(folder / "out") as corpus:
        for code in (1, 77, 130):
            assert corpus.document_text(code) == text(code)


def test_the_same_tree_gives_the_same_dictionaries(folder: Path) -> None:
    build(folder / "tree", folder / "again")
    assert stored(folder / "again" / "corpus.sqlite") == stored(folder / "out" / "corpus.sqlite")


def test_they_make_the_store_smaller(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionaries, "_FEWEST", 1_000)
    build(folder / "tree", folder / "plain")
    assert stored(folder / "plain" / "corpus.sqlite") == {"text": b"", "chunks": b""}
    sizes = [
        sum(len(data) for (data,) in closing_rows(folder / name / "corpus.sqlite"))
        for name in ("out", "plain")
    ]
    assert sizes[0] < 0.7 * sizes[1]


def closing_rows(database: Path) -> list[tuple[bytes]]:
    with closing(sqlite3.connect(database)) as reader:
        return reader.execute("SELECT text FROM block").fetchall()


def listing_of(tree: Path, texts: Sequence[str]) -> Listing:
    listing = Listing(tree)
    for code, text in enumerate(texts, start=1):
        file = write(tree, code, text, number=code)
        folder = str(file.parent.relative_to(tree))
        listing.add(SourceFile(str(tree), folder, file.name, len(text.encode()), Kind.FILE))
    return listing


@pytest.mark.parametrize("documents", [10, 19, 21])
def test_no_more_documents_are_read_than_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, documents: int
) -> None:
    monkeypatch.setattr(dictionaries, "_SAMPLES", 10)
    listing = listing_of(tmp_path, [LAW] * documents)
    assert 5 <= len(list(dictionaries._pieces(listing))) <= 10


def test_of_a_long_document_a_piece_is_read_and_no_letter_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_of_files, "read", Mock(side_effect=AssertionError("read whole")))
    listing = listing_of(tmp_path, ["ñ" * 20_001, "a" + "ñ" * 20_001])
    for piece in dictionaries._pieces(listing):
        assert len(piece.encode()) <= dictionaries._PIECE
        assert set(piece) <= {"a", "ñ"}
        assert len(piece) >= dictionaries._PIECE // 2 - 1


def test_an_update_uses_those_of_the_corpus(folder: Path, tmp_path: Path) -> None:
    build(folder / "tree", tmp_path / "out")
    before = stored(tmp_path / "out" / "corpus.sqlite")
    for code in range(200, 320):
        write(tmp_path / "news", code, text(code), section="VES", number=code)
    assert build(tmp_path / "news", tmp_path / "out", update=True).added == 120
    assert stored(tmp_path / "out" / "corpus.sqlite") == before
    with Corpus.open(tmp_path / "out") as corpus:
        assert [corpus.document_text(code) for code in (1, 200)] == [text(1), text(200)]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE dictionary SET data = data || x'00'",
        "UPDATE dictionary SET data = 7",
        "UPDATE dictionary SET digest = x'00'",
        "DELETE FROM dictionary WHERE name = 'text'",
        "UPDATE dictionary SET name = 'otro' WHERE name = 'text'",
        "DROP TABLE dictionary",
    ],
)
def test_a_damaged_dictionary_is_told_at_opening(tmp_path: Path, damage: str) -> None:
    corpus_of(tmp_path, [LAW]).close()
    with closing(sqlite3.connect(tmp_path / "out" / "corpus.sqlite")) as writer, writer:
        size = (tmp_path / "out" / "corpus.sqlite").stat().st_size
        writer.execute(damage)
    assert (tmp_path / "out" / "corpus.sqlite").stat().st_size == size
    with pytest.raises(CorpusUnavailable, match=r"corpus\.sqlite"):
        Corpus.open(tmp_path / "out")


def test_a_flipped_bit_of_a_dictionary_is_told_at_opening(folder: Path, tmp_path: Path) -> None:
    content = bytearray((folder / "out" / "corpus.sqlite").read_bytes())
    middle = stored(folder / "out" / "corpus.sqlite")["text"]
    # Somewhere inside it that lies in one page.
    place = content.find(middle[2_000:2_100])
    assert place > 0
    content[place] ^= 1
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    for name in ("lexical", "manifest.json"):
        (damaged / name).symlink_to(folder / "out" / name)
    (damaged / "corpus.sqlite").write_bytes(content)
    with pytest.raises(CorpusUnavailable, match="diccionario"):
        Corpus.open(damaged)
