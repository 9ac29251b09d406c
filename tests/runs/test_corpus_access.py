"""The corpus that a process has open follows what stands in its place, and takes nothing from who reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dofpilot.corpus.building.builder import build
from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.vectors.choosing import EmbedderChoice, EmbedderName, make_embedder
from dofpilot.corpus.vectors.filling import embed
from runs import corpus_access
from tests.corpus.trees import LAW, write
from tests.corpus.vectors.server import EmbeddingServer


@pytest.fixture
def choice() -> Iterator[EmbedderChoice]:
    with EmbeddingServer() as server:
        yield EmbedderChoice(EmbedderName.ENDPOINT, url=server.url, model="m")


@pytest.fixture
def opened_here(tmp_path: Path, settings, choice: EmbedderChoice) -> Iterator[Path]:
    """A corpus of one law, which the settings name, with an embedder that no other test gets."""
    write(tmp_path / "tree", 1, LAW)
    build(tmp_path / "tree", tmp_path / "acervo")
    settings.CORPUS, settings.EMBEDDINGS = tmp_path / "acervo", choice
    corpus_access._embedder.cache_clear()
    yield tmp_path / "acervo"
    corpus_access._embedder.cache_clear()


def test_it_stays_open_while_nothing_changes(opened_here):
    assert corpus_access.corpus() is corpus_access.corpus()


def test_vectors_are_noticed_and_earlier_readers_keep_what_they_have(opened_here, choice):
    before = corpus_access.corpus()
    assert before.vectors is None
    embed(opened_here, make_embedder(choice), jobs=1)
    after = corpus_access.corpus()
    assert after.vectors.unusable == ""
    assert after.vectors.share == 1
    assert after is corpus_access.corpus()
    assert before.vectors is None
    assert before.search_passages("peaje").hits


def test_another_model_than_the_vectors_is_told_and_the_corpus_opens(opened_here, choice, settings):
    embed(opened_here, make_embedder(choice), jobs=1)
    settings.EMBEDDINGS = EmbedderChoice()
    assert corpus_access.corpus().vectors.unusable
    assert corpus_access.corpus().search_passages("peaje").hits


def test_a_missing_corpus_names_the_setting(settings, tmp_path):
    settings.CORPUS = tmp_path / "nada"
    with pytest.raises(CorpusUnavailable, match="DOFPILOT_CORPUS"):
        corpus_access.corpus()
