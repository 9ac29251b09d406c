import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import CorpusUnavailable
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


def test_it_refuses_a_damaged_index(built: Path) -> None:
    (built / "lexical" / "meta.json").write_bytes(b"{}")
    assert_unavailable(built, "lexical")


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
