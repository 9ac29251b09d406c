"""The corpus that a process has open follows what stands in its place, and takes nothing from who reads."""

from __future__ import annotations

import gc
import logging
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

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


def add(built: Path, code: int) -> None:
    write(built.parent / "tree", code, LAW, number=code)
    build(built.parent / "tree", built)


def documents() -> int:
    return corpus_access.corpus().manifest.documents


def test_a_new_corpus_is_taken_at_once_and_its_earlier_readers_go_on(opened_here):
    before = corpus_access.corpus()
    add(opened_here, 2)
    assert documents() == 2
    assert before.manifest.documents == 1
    assert len(before.search_passages("peaje")) == 1
    assert before.read_chunks([100_000])[0].text


def damage(built: Path) -> None:
    store = built / "corpus.sqlite"
    store.write_bytes(store.read_bytes()[:-1])


def test_a_corpus_that_cannot_be_opened_leaves_the_one_before_and_is_logged_once(
    opened_here, caplog, monkeypatch
):
    before = corpus_access.corpus()
    add(opened_here, 2)
    damage(opened_here)
    with caplog.at_level(logging.ERROR):
        assert [corpus_access.corpus() for _ in range(3)] == [before] * 3
        later(monkeypatch, corpus_access.RETRY_SECONDS + 1)
        assert corpus_access.corpus() is before
    (told,) = caplog.messages
    assert "DOFPILOT_CORPUS" in told
    assert "corpus.sqlite» está dañado" in told
    assert before.search_passages("peaje").hits
    assert corpus_access.manifest_summary()["current"] is False
    add(opened_here, 3)
    assert documents() == 3
    assert corpus_access.manifest_summary()["current"] is True


def test_a_corpus_that_is_away_for_a_while_is_told_and_the_one_open_goes_on(opened_here, caplog):
    before = corpus_access.corpus()
    opened_here.rename(opened_here.with_name("fuera"))
    assert corpus_access.corpus() is before
    assert corpus_access.manifest_summary()["current"] is False
    assert caplog.messages[0].startswith("DOFPILOT_CORPUS")
    opened_here.with_name("fuera").rename(opened_here)
    assert corpus_access.corpus() is before
    assert corpus_access.manifest_summary()["current"] is True


def test_what_could_not_be_opened_is_tried_again_after_a_while(opened_here, monkeypatch):
    corpus_access.corpus()
    add(opened_here, 2)
    content = (opened_here / "corpus.sqlite").read_bytes()
    damage(opened_here)
    assert documents() == 1
    (opened_here / "corpus.sqlite").write_bytes(content)
    assert documents() == 1
    later(monkeypatch, corpus_access.RETRY_SECONDS + 1)
    assert documents() == 2


def later(monkeypatch, seconds: float) -> None:
    now = corpus_access._clock()
    monkeypatch.setattr(corpus_access, "_clock", lambda: now + seconds)


def test_vectors_that_grow_are_followed_now_and_then_and_a_new_corpus_at_once(
    opened_here, choice, monkeypatch
):
    corpus_access.corpus()
    embed(opened_here, make_embedder(choice), jobs=1)
    followed = corpus_access.corpus()
    assert followed.vectors
    touch(opened_here / "vectors" / "manifest.json")
    assert corpus_access.corpus() is followed
    later(monkeypatch, corpus_access.VECTORS_SECONDS + 1)
    again = corpus_access.corpus()
    assert again is not followed
    touch(opened_here / "vectors" / "manifest.json")
    assert corpus_access.corpus() is again
    add(opened_here, 2)
    assert documents() == 2


def touch(file: Path) -> None:
    """Replace it with the same content, as a writer does who had nothing new."""
    made = file.with_suffix(".new")
    shutil.copy(file, made)
    made.replace(file)


def test_nobody_waits_for_a_new_corpus_while_another_opens_it(opened_here, monkeypatch):
    before = corpus_access.corpus()
    add(opened_here, 2)
    opening, go_on = Event(), Event()
    real = corpus_access._opened

    def slowly(path: Path):
        opening.set()
        assert go_on.wait(30)
        return real(path)

    monkeypatch.setattr(corpus_access, "_opened", slowly)
    other = Thread(target=corpus_access.corpus)
    other.start()
    assert opening.wait(30)
    assert corpus_access.corpus() is before
    go_on.set()
    other.join()
    assert documents() == 2


def held() -> int:
    """Open files and mapped files of this process."""
    mapped = Path("/proc/self/maps").read_text().splitlines()
    return len(list(Path("/proc/self/fd").iterdir())) + sum("acervo" in line for line in mapped)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="asks Linux what the process has open")
def test_corpora_that_were_replaced_are_let_go(opened_here, choice):
    embed(opened_here, make_embedder(choice), jobs=1)
    corpus_access.corpus().search_passages("peahe")
    before = held()
    gc.disable()
    try:
        for _ in range(20):
            touch(opened_here / "manifest.json")
            corpus_access.corpus().search_passages("peahe")
        assert held() <= before + 3
    finally:
        gc.enable()
