import gc
import json
import shutil
import sqlite3
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import CorpusError, CorpusUnavailable, IntegrityError
from dofpilot.corpus.files import verify_files
from dofpilot.corpus.manifest import FORMAT
from dofpilot.corpus.store import Store
from dofpilot.corpus.types import Filters, Strategy
from tests.corpus.trees import corpus_of

LAW = "## LEY DE PRUEBA\n\nArtículo 1.- Nadie pagará peaje.\n"


@pytest.fixture
def built(tmp_path: Path) -> Path:
    corpus_of(tmp_path, [LAW]).close()
    return tmp_path / "out"


def edit(built: Path, change: Callable[[dict[str, Any]], object]) -> None:
    manifest = json.loads((built / "manifest.json").read_text())
    change(manifest)
    (built / "manifest.json").write_text(json.dumps(manifest))


def panic() -> BaseException:
    """What a panic of Tantivy looks like from Python: its class cannot be imported."""
    kind = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})
    return kind("index out of bounds")


def flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def assert_unavailable(path: Path, naming: str) -> None:
    with pytest.raises(CorpusUnavailable, match=naming):
        Corpus.open(path)


def test_it_names_a_missing_directory(tmp_path: Path) -> None:
    assert_unavailable(tmp_path / "nada", "nada")


@pytest.mark.parametrize("name", ["manifest.json", "corpus.sqlite"])
def test_it_names_a_missing_file(built: Path, name: str) -> None:
    (built / name).unlink()
    assert_unavailable(built, name)


def test_it_names_a_missing_index(built: Path) -> None:
    shutil.rmtree(built / "lexical")
    assert_unavailable(built, "lexical")


def test_it_refuses_a_manifest_that_is_no_json(built: Path) -> None:
    (built / "manifest.json").write_bytes(b'{"format": 1,')
    assert_unavailable(built, "manifest.json» está dañado")


@pytest.mark.parametrize("key", ["version", "fingerprint", "date_max", "lexical", "sample"])
def test_it_names_a_key_that_the_manifest_lacks(built: Path, key: str) -> None:
    edit(built, lambda manifest: manifest.pop(key))
    assert_unavailable(built, f"falta la clave «{key}»")


def test_it_names_a_key_with_a_wrong_value(built: Path) -> None:
    edit(built, lambda manifest: manifest["lexical"].update(chunks="muchos"))
    assert_unavailable(built, "la clave «lexical.chunks» no es válida")


def test_it_refuses_a_format_that_it_does_not_know(built: Path) -> None:
    edit(built, lambda manifest: manifest.update(format=99))
    assert_unavailable(built, "formato 99")


def test_it_asks_to_rebuild_a_corpus_of_an_older_format_whatever_its_manifest_lacks(built: Path) -> None:
    (built / "manifest.json").write_text('{"format": 1, "version": "vieja"}')
    assert_unavailable(built, f"formato 1 y .* lee el {FORMAT}: reconstruye .* build_corpus")


def test_it_refuses_an_index_that_does_not_cover_every_passage(built: Path) -> None:
    edit(built, lambda manifest: manifest.update(chunks=7))
    assert_unavailable(built, "1 de 7 pasajes")


def test_it_refuses_parts_of_two_builds(built: Path, tmp_path: Path) -> None:
    corpus_of(tmp_path / "other", [LAW.replace("peaje", "cuota")]).close()
    shutil.copy(tmp_path / "other" / "out" / "corpus.sqlite", built)
    assert_unavailable(built, "corpus.sqlite")


@pytest.mark.parametrize("content", [b"", b"garbage" * 2000])
def test_it_refuses_a_store_that_is_no_database(built: Path, content: bytes) -> None:
    (built / "corpus.sqlite").write_bytes(content)
    assert_unavailable(built, "corpus.sqlite")


def parts(built: Path, pattern: str) -> list[Path]:
    return sorted(file for file in built.glob(pattern) if file.suffix != ".lock" and file.stat().st_size)


@pytest.mark.parametrize("change", [lambda content: content[:-1], lambda content: content + b"!"])
@pytest.mark.parametrize("pattern", ["corpus.sqlite", "lexical/*"])
def test_it_names_a_file_of_another_size(built: Path, pattern: str, change: Callable[[bytes], bytes]) -> None:
    assert parts(built, pattern)
    for file in parts(built, pattern):
        content = file.read_bytes()
        file.write_bytes(change(content))
        assert_unavailable(built, f"{file.name}» está dañado: mide {len(change(content))} bytes")
        file.write_bytes(content)


@pytest.mark.parametrize(
    "pattern", ["lexical/meta.json", "lexical/*.idx", "lexical/*.term", "lexical/*.fast"]
)
def test_an_index_of_the_right_size_that_cannot_be_read_is_unavailable(built: Path, pattern: str) -> None:
    (file,) = parts(built, pattern)
    file.write_bytes(b"\xff" * file.stat().st_size)
    assert_unavailable(built, "no se puede leer el índice")


@pytest.mark.parametrize("kind", ["term", "idx", "pos", "fieldnorm", "fast"])
def test_a_flipped_byte_of_an_index_is_an_error_of_the_corpus_or_none(built: Path, kind: str) -> None:
    (file,) = parts(built, f"lexical/*.{kind}")
    content = file.read_bytes()
    for place in range(0, len(content), 18):
        file.write_bytes(content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :])
        with suppress(CorpusError), Corpus.open(built) as corpus:
            corpus.search_documents("peaje")


def test_an_index_that_confuses_documents_does_not_search_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with corpus_of(tmp_path, [LAW]) as corpus:
        lexical = corpus._ranker._lexical
        monkeypatch.setattr(lexical, "rank", lambda plan, limits, limit: [(100_000, 1.0)] * limit)
        with pytest.raises(IntegrityError, match="confunde"):
            corpus.search_documents("peaje")


def failing(failure: BaseException | type[BaseException]) -> Mock:
    """A searcher of Tantivy that knows every word and fails when it looks for them."""
    return Mock(**{"search.side_effect": failure, "doc_freq.return_value": 9})


@pytest.mark.parametrize("failure", [ValueError("corrupt"), OSError("gone"), panic()])
def test_what_tantivy_raises_from_a_search_is_an_unavailable_corpus(
    built: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    with Corpus.open(built) as corpus:
        monkeypatch.setattr(corpus._ranker._lexical, "_searcher", failing(failure))
        with pytest.raises(CorpusUnavailable, match="no se puede leer el índice"):
            corpus.search_documents("peaje")


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
def test_an_interrupted_search_stays_an_interruption(
    built: Path, monkeypatch: pytest.MonkeyPatch, interruption: type[BaseException]
) -> None:
    with Corpus.open(built) as corpus:
        monkeypatch.setattr(corpus._ranker._lexical, "_searcher", failing(interruption))
        with pytest.raises(interruption):
            corpus.search_documents("peaje")


def test_it_finds_the_files_that_are_not_as_they_were_built(built: Path) -> None:
    assert verify_files(built) == ()
    (index,) = parts(built, "lexical/*.idx")
    index.write_bytes(flipped(index.read_bytes()))
    (built / "corpus.sqlite").unlink()
    assert verify_files(built) == ("corpus.sqlite", f"lexical/{index.name}")


def test_it_offers_only_the_strategies_it_has_an_index_for(built: Path) -> None:
    with Corpus.open(built) as corpus:
        assert corpus.strategies == {Strategy.LEXICAL}


def test_reading_writes_nothing_into_the_corpus(built: Path) -> None:
    def listing() -> dict[Path, int]:
        return {file: file.stat().st_mtime_ns for file in [built, *built.rglob("*")]}

    before = listing()
    with Corpus.open(built) as corpus:
        corpus.search_documents("peaje")
        corpus.list_publications(Filters())
        corpus.document_text(1)
    assert listing() == before


def test_a_closed_corpus_says_that_it_is_closed(built: Path) -> None:
    corpus = Corpus.open(built)
    corpus.close()
    with pytest.raises(CorpusUnavailable, match="cerrado"):
        corpus.publication(1)


@pytest.mark.parametrize(
    "operation",
    [
        lambda corpus: corpus.search_passages("peaje"),
        lambda corpus: corpus.list_publications(Filters()),
        lambda corpus: corpus.read_chunks([100_000]),
        lambda corpus: corpus.strategies,
    ],
)
def test_every_operation_of_a_closed_corpus_says_that_it_is_closed(
    built: Path, operation: Callable[[Corpus], object]
) -> None:
    corpus = Corpus.open(built)
    corpus.close()
    with pytest.raises(CorpusUnavailable, match="cerrado"):
        operation(corpus)


def mapped(built: Path) -> int:
    return Path("/proc/self/maps").read_text().count(str(built))


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="asks Linux what the process has mapped")
def test_closing_releases_the_files_of_the_index_while_the_corpus_is_still_known(built: Path) -> None:
    corpus = Corpus.open(built)
    corpus.search_passages("peahe")
    assert mapped(built)
    gc.disable()
    try:
        corpus.close()
        assert not mapped(built)
    finally:
        gc.enable()


def test_an_index_that_nobody_uses_is_gone_without_the_garbage_collector(built: Path) -> None:
    gc.disable()
    try:
        corpus = Corpus.open(built)
        corpus.search_passages("peahe")
        index = weakref.ref(corpus._ranker._lexical)
        del corpus
        assert index() is None
    finally:
        gc.enable()


def test_a_store_that_cannot_be_opened_is_named(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> sqlite3.Connection:
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr(sqlite3, "connect", refuse)
    assert_unavailable(built, "no se puede leer «.*corpus.sqlite»: unable to open")


def test_it_refuses_a_date_of_building_that_is_none(built: Path) -> None:
    edit(built, lambda manifest: manifest.update(built_at="ayer"))
    assert_unavailable(built, "la clave «built_at» no es válida")


def test_an_opening_that_fails_leaves_no_file_open(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []
    close = Store.close
    monkeypatch.setattr(Store, "close", lambda store: (closed.append(store), close(store)))
    monkeypatch.setattr("dofpilot.corpus.corpus.open_vectors", Mock(side_effect=RuntimeError))
    with pytest.raises(RuntimeError):
        Corpus.open(built)
    assert len(closed) == 1
