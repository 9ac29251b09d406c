"""Embedding a whole corpus: in pieces, through any end of the process, and through changes of the corpus."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from threading import Event

import pytest

from dofpilot.corpus.errors import BuildError, CorpusUnavailable
from dofpilot.corpus.manifest import read_manifest
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT
from dofpilot.corpus.vectors import files, filling, graph
from dofpilot.corpus.vectors.embedding import EmbeddingUnavailable
from dofpilot.corpus.vectors.filling import EmbedProgress, EmbedReport, Phase, embed
from dofpilot.corpus.vectors.index import VectorIndex
from dofpilot.corpus.vectors.manifest import VectorManifest, VectorSettings, read_vector_manifest
from dofpilot.corpus.vectors.rows import content_fingerprint, map_rows
from dofpilot.corpus.vectors.writing import VectorWriter
from runs.management.pace import Pace
from tests.corpus.trees import path_of, snapshot, write
from tests.corpus.vectors.conftest import make_corpus
from tests.corpus.vectors.embedders import DIMENSION, HashingEmbedder
from tests.waiting import wait_for


def manifest_of(corpus: Path) -> VectorManifest:
    return read_vector_manifest(corpus / "vectors")


def embedded(corpus: Path) -> list[int]:
    """Chunk ids in the order of their rows, each once."""
    owners = map_rows(corpus / "vectors", manifest_of(corpus)).owners
    return list(dict.fromkeys(owners["chunk_id"].tolist()))


def assert_same(corpus: Path, other: Path) -> None:
    """Both hold the same vectors, in the files and not only in what the manifests say."""
    for each in (corpus, other):
        manifest = manifest_of(each)
        rows = map_rows(each / "vectors", manifest)
        assert content_fingerprint(manifest.settings, rows).hexdigest() == manifest.fingerprint
    assert manifest_of(corpus).fingerprint == manifest_of(other).fingerprint


def index_of(corpus: Path) -> VectorIndex:
    manifest = read_manifest(corpus)
    made = VectorIndex.open(corpus, manifest.fingerprint, manifest.chunks, HashingEmbedder())
    assert made
    return made


def stopping_after(batches: int) -> Callable[[], bool]:
    """With one job: the first question comes before anything is written."""
    answers: Iterator[bool] = iter([False] * batches + [True] * 1000)
    return lambda: next(answers)


def fill(corpus: Path, **more: object) -> EmbedReport:
    return embed(corpus, HashingEmbedder(), **{"jobs": 2, **more})


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filling, "BATCH", 3)


@pytest.fixture
def other_corpus(tmp_path: Path, corpus: Path) -> Path:
    """A copy, for what an undisturbed call makes of the same corpus."""
    return Path(shutil.copytree(corpus, tmp_path / "otro"))


def test_each_passage_gets_its_vectors_newest_documents_first(corpus):
    report = fill(corpus)
    chunks = read_manifest(corpus).chunks
    assert report == EmbedReport(chunks, chunks, chunks, manifest_of(corpus).rows, stopped=False)
    ids = embedded(corpus)
    assert len(ids) == chunks
    documents = list(dict.fromkeys(chunk_id // CHUNKS_PER_DOCUMENT for chunk_id in ids))
    assert documents == [5, 4, 3, 2, 1]


def test_a_call_goes_on_where_another_stopped_and_makes_the_same(corpus, other_corpus):
    asked: list[str] = []

    class Counting(HashingEmbedder):
        def embed_passages(self, texts):
            asked.extend(texts)
            return super().embed_passages(texts)

    first = embed(corpus, Counting(), jobs=1, is_stopped=stopping_after(2))
    assert first.stopped
    assert 0 < first.chunks < first.chunks_total
    second = embed(corpus, Counting(), jobs=1)
    assert second.added == second.chunks_total - first.added
    fill(other_corpus)
    assert_same(corpus, other_corpus)
    done = [text for text in asked if text != "dimensión"]
    assert len(set(done)) == manifest_of(corpus).rows
    assert fill(corpus).added == 0


@pytest.mark.parametrize("jobs", [1, 4])
def test_the_number_of_jobs_changes_nothing(corpus, other_corpus, jobs):
    fill(corpus, jobs=jobs)
    fill(other_corpus, jobs=3)
    assert_same(corpus, other_corpus)


def test_the_fingerprint_is_of_the_content(corpus):
    fill(corpus)
    manifest = manifest_of(corpus)
    rows = map_rows(corpus / "vectors", manifest)
    assert content_fingerprint(manifest.settings, rows).hexdigest() == manifest.fingerprint
    os.utime(corpus / "vectors" / "vectors-1.i8", (0, 0))
    assert fill(corpus).added == 0
    assert manifest_of(corpus).fingerprint == manifest.fingerprint
    fill(corpus, restart=True)
    assert manifest_of(corpus).fingerprint == manifest.fingerprint


@pytest.mark.parametrize("extra", [1, 7, DIMENSION - 1, DIMENSION + 3])
def test_half_written_rows_are_cut_off(corpus, other_corpus, extra):
    embed(corpus, HashingEmbedder(), jobs=1, is_stopped=stopping_after(1))
    for name in ("vectors-1.i8", "rows-1.bin"):
        with (corpus / "vectors" / name).open("ab") as file:
            file.write(b"\x01" * extra)
    fill(corpus)
    fill(other_corpus)
    assert_same(corpus, other_corpus)


def test_rows_that_no_manifest_names_yet_are_kept_if_they_are_whole(corpus, other_corpus):
    embed(corpus, HashingEmbedder(), jobs=1, is_stopped=stopping_after(1))
    earlier = (corpus / "vectors" / "manifest.json").read_bytes()
    second = embed(corpus, HashingEmbedder(), jobs=1, is_stopped=stopping_after(1))
    assert second.added
    (corpus / "vectors" / "manifest.json").unlink()
    (corpus / "vectors" / "manifest.json").write_bytes(earlier)
    with (corpus / "vectors" / "rows-1.bin").open("ab") as file:
        # What a power cut may leave: a size without its content.
        file.truncate(file.tell() + 240)
    with (corpus / "vectors" / "vectors-1.i8").open("ab") as file:
        file.truncate(file.tell() + 10 * DIMENSION)
    third = fill(corpus)
    assert third.added == third.chunks_total - second.chunks
    fill(other_corpus)
    assert_same(corpus, other_corpus)


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"model": "otro"}, "el modelo es «palabras» y no «otro»"),
        ({"provider": "nube"}, "el proveedor es «prueba» y no «nube»"),
        ({"query_prefix": "q: "}, "el prefijo de las preguntas es «» y no «q: »"),
        ({"passage_prefix": "p: "}, "el prefijo de los pasajes es «» y no «p: »"),
        ({"dimension": 7}, f"la dimensión es «{DIMENSION}» y no «7»"),
    ],
)
def test_settings_are_never_mixed(corpus, other, named):
    fill(corpus)
    before = manifest_of(corpus)
    with pytest.raises(BuildError, match=f"{named}.*--restart"):
        embed(corpus, HashingEmbedder(**other), jobs=1)
    assert manifest_of(corpus) == before
    embed(corpus, HashingEmbedder(**other), jobs=1, restart=True)
    assert manifest_of(corpus).settings == VectorSettings.of(
        HashingEmbedder(**other).settings, other.get("dimension", DIMENSION)
    )
    assert len({file.name for file in (corpus / "vectors").iterdir()}) == 3


@pytest.mark.parametrize("key", ["windows", "quantisation"])
def test_vectors_of_another_version_are_named_too(corpus, key):
    fill(corpus)
    manifest = corpus / "vectors" / "manifest.json"
    value = getattr(manifest_of(corpus).settings, key)
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace(f'"{value}"', '"antes"'), encoding="utf-8"
    )
    with pytest.raises(BuildError, match="es «antes» y no"):
        fill(corpus)


@pytest.mark.parametrize("name", ["manifest.json", "rows-1.bin", "vectors-1.i8"])
def test_damaged_files_are_told_with_the_way_out(corpus, name):
    fill(corpus)
    file = corpus / "vectors" / name
    file.write_bytes(file.read_bytes()[:-7])
    with pytest.raises(BuildError, match=r"dañado.*--restart"):
        fill(corpus)
    assert not fill(corpus, restart=True).stopped
    assert fill(corpus).added == 0


@pytest.mark.parametrize("content", [None, b"x" * 5000])
def test_a_graph_that_is_lost_is_made_again(corpus, monkeypatch, content):
    monkeypatch.setattr(graph, "THRESHOLD", 5)
    fill(corpus)
    (file,) = (corpus / "vectors").glob("*.usearch")
    file.unlink()
    if content:
        file.write_bytes(content)
    assert fill(corpus).added == 0
    manifest = read_manifest(corpus)
    index = VectorIndex.open(corpus, manifest.fingerprint, manifest.chunks, HashingEmbedder())
    assert index.search(HashingEmbedder().embed_query("pesca"), 3)


def test_only_one_may_write(corpus):
    settings = VectorSettings.of(HashingEmbedder().settings, DIMENSION)
    writer = VectorWriter(corpus, settings, "f", 1)
    for restart in (False, True):
        with pytest.raises(BuildError, match="otro embed_corpus"):
            fill(corpus, restart=restart)
    writer.close()
    assert not fill(corpus).stopped


def test_a_failing_model_loses_nothing_of_what_came_before(corpus):
    calls = iter([None, None, None, EmbeddingUnavailable("se apagó")])

    def fail_the_third() -> None:
        if error := next(calls):
            raise error

    with pytest.raises(EmbeddingUnavailable, match="se apagó"):
        embed(corpus, HashingEmbedder(before=fail_the_third), jobs=1)
    assert manifest_of(corpus).chunks > 0


@pytest.mark.parametrize("name", ["vectors-1.i8", "rows-1.bin"])
@pytest.mark.parametrize("restart", [True, False])
def test_what_one_file_alone_holds_shifts_nothing(corpus, other_corpus, name, restart):
    (corpus / "vectors").mkdir()
    (corpus / "vectors" / name).write_bytes(b"\x05" * (3 * DIMENSION + 1))
    fill(corpus, restart=restart)
    fill(other_corpus)
    assert_same(corpus, other_corpus)


def test_a_model_that_changes_its_dimension_is_told_and_shifts_nothing(corpus, other_corpus):
    class Changing(HashingEmbedder):
        calls = 0

        def embed_passages(self, texts):
            self.calls += 1
            vectors = super().embed_passages(texts)
            return vectors if self.calls < 3 else vectors[:, : DIMENSION // 2]

    with pytest.raises(EmbeddingUnavailable, match="ahora llegan de 24"):
        embed(corpus, Changing(), jobs=1)
    assert 0 < len(embedded(corpus)) < read_manifest(corpus).chunks
    fill(corpus)
    fill(other_corpus)
    assert manifest_of(corpus).fingerprint == manifest_of(other_corpus).fingerprint


def test_two_batches_at_work_that_fail_alike_lose_nothing_of_what_came_before(corpus, other_corpus):
    order: list[tuple[str, ...]] = []
    third_began = Event()

    class Telling(HashingEmbedder):
        def embed_passages(self, texts):
            order.append(tuple(texts))
            return super().embed_passages(texts)

    class Changing(HashingEmbedder):
        def embed_passages(self, texts):
            place = order.index(tuple(texts))
            if place == 2:
                assert third_began.wait(20)
            elif place == 3:
                third_began.set()
            vectors = super().embed_passages(texts)
            return vectors if place < 2 else vectors[:, : DIMENSION // 2]

    embed(other_corpus, Telling(), jobs=1)
    with pytest.raises(EmbeddingUnavailable, match="ahora llegan de 24"):
        embed(corpus, Changing(), jobs=2)
    assert embedded(corpus) == embedded(other_corpus)[: len(embedded(corpus))] != []


def test_what_was_embedded_when_somebody_stops_it_is_kept(corpus, other_corpus):
    done: list[int] = []
    asked: list[None] = []

    class Telling(HashingEmbedder):
        def embed_passages(self, texts):
            vectors = super().embed_passages(texts)
            done.append(len(texts))
            return vectors

    def is_stopped() -> bool:
        asked.append(None)
        # The one that learns the dimension, and all that were given out so far.
        wait_for(lambda: len(done) > len(asked))
        return len(asked) == 2

    assert embed(corpus, Telling(), jobs=2, is_stopped=is_stopped).stopped
    assert manifest_of(corpus).rows == sum(done[1:])
    fill(corpus)
    fill(other_corpus)
    assert_same(corpus, other_corpus)


def test_who_stops_it_does_not_wait_for_a_graph(corpus, monkeypatch):
    monkeypatch.setattr(graph, "THRESHOLD", 1)
    assert embed(corpus, HashingEmbedder(), jobs=1, is_stopped=stopping_after(2)).stopped
    assert manifest_of(corpus).rows > 2
    assert manifest_of(corpus).graph is None
    fill(corpus)
    assert manifest_of(corpus).graph.rows == manifest_of(corpus).rows


def test_a_disk_that_fails_in_the_middle_of_a_row_shifts_none(corpus, other_corpus, monkeypatch):
    write_all, writes = files._write, iter(range(1000))

    def failing(handle: int, data: bytes) -> None:
        if next(writes) == 5:
            write_all(handle, data[:7])
            raise OSError(errno.ENOSPC, "No space left on device")
        write_all(handle, data)

    monkeypatch.setattr(files, "_write", failing)
    with pytest.raises(BuildError, match="No space left"):
        embed(corpus, HashingEmbedder(), jobs=2)
    rows, kept = map_rows(corpus / "vectors", manifest_of(corpus)), manifest_of(corpus)
    assert content_fingerprint(kept.settings, rows).hexdigest() == kept.fingerprint
    assert len(rows) > 0
    fill(corpus)
    fill(other_corpus)
    assert {*embedded(corpus)} == {*embedded(other_corpus)}
    query = HashingEmbedder().embed_query("minas")
    assert index_of(corpus).search(query, 99) == index_of(other_corpus).search(query, 99)


def test_a_corpus_that_is_replaced_while_a_model_loads_is_no_matter(tmp_path, corpus):
    replaced: list[Path] = []

    def replace_corpus() -> None:
        if not replaced:
            write(tmp_path / "tree", 5, "# OTRA LEY\n\nArtículo 1.- Dice otra cosa.\n", day=_day(5))
            replaced.append(make_corpus(tmp_path, range(6, 8)))

    report = embed(corpus, HashingEmbedder(before=replace_corpus), jobs=1)
    assert report.chunks == report.chunks_total == read_manifest(corpus).chunks


@pytest.mark.parametrize("opened", ["Store", "VectorWriter"])
def test_parts_of_two_corpora_are_never_taken_for_one(tmp_path, corpus, monkeypatch, opened):
    opening = getattr(filling, opened)

    def late(*given: object, **more: object) -> object:
        make_corpus(tmp_path, range(6, 8))
        return opening(*given, **more)

    monkeypatch.setattr(filling, opened, late)
    with pytest.raises(BuildError, match=r"se reemplazó por otro acervo al empezar.*repite la orden"):
        fill(corpus)


def test_a_graph_never_ends_in_another_corpus(tmp_path, corpus, monkeypatch):
    monkeypatch.setattr(graph, "THRESHOLD", 5)
    extend, carried = graph.extend, {}

    def late(*given: object) -> object:
        make_corpus(tmp_path, range(6, 7))
        carried.update(snapshot(corpus / "vectors"))
        return extend(*given)

    monkeypatch.setattr(graph, "extend", late)
    with pytest.raises(BuildError, match=r"se reemplazó.*se conservan"):
        fill(corpus)
    assert carried
    assert snapshot(corpus / "vectors") == carried


def test_a_graph_that_cannot_be_saved_is_told_and_loses_nothing(corpus, monkeypatch):
    monkeypatch.setattr(graph, "THRESHOLD", 5)

    def refuse(*_: object) -> None:
        raise RuntimeError("No space left on device")

    monkeypatch.setattr(graph.Index, "save", refuse)
    with pytest.raises(BuildError, match=r"no se puede escribir.*No space left"):
        fill(corpus)
    assert manifest_of(corpus).chunks == read_manifest(corpus).chunks


def test_vectors_survive_a_rebuilt_corpus_and_only_new_passages_are_embedded(tmp_path, corpus):
    fill(corpus)
    write(tmp_path / "tree", 2, "# LEY NUEVA\n\nArtículo 1.- Ahora dice otra cosa.\n", day=_day(2))
    (tmp_path / "tree" / path_of(3, _day(3))).unlink()
    make_corpus(tmp_path, range(6, 8))

    manifest = read_manifest(corpus)
    index = VectorIndex.open(corpus, manifest.fingerprint, manifest.chunks, HashingEmbedder())
    hits = index.search(HashingEmbedder().embed_query("pesca"), 100)
    assert {hit.chunk_id // CHUNKS_PER_DOCUMENT for hit in hits} == {1, 4, 5}
    assert index.complete == len(hits) / manifest.chunks < 1

    report = fill(corpus)
    assert report.added == manifest.chunks - len(hits)
    assert manifest_of(corpus).corpus == manifest.fingerprint
    assert manifest_of(corpus).chunks == manifest.chunks == len(embedded(corpus))
    shutil.rmtree(corpus / "vectors")
    fill(corpus)
    assert {chunk_id // CHUNKS_PER_DOCUMENT for chunk_id in embedded(corpus)} == {1, 2, 4, 5, 6, 7}


@pytest.mark.parametrize("linked", [True, False])
def test_a_corpus_that_is_replaced_meanwhile_is_noticed_and_nothing_is_lost(tmp_path, corpus, linked):
    def replace_corpus(now: EmbedProgress) -> None:
        if now.bytes_done and not (tmp_path / "tree" / path_of(6, _day(6))).exists():
            make_corpus(tmp_path, range(6, 7))
            if not linked:
                shutil.rmtree(corpus / "vectors")

    fate = "se conservan" if linked else "no pasaron"
    with pytest.raises(BuildError, match=f"se reemplazó.*{fate}"):
        embed(corpus, HashingEmbedder(), jobs=1, on_progress=replace_corpus)
    report = fill(corpus)
    assert (report.added < report.chunks_total) == linked
    assert report.chunks == report.chunks_total


def test_readers_keep_the_rows_that_they_opened(corpus):
    embed(corpus, HashingEmbedder(), jobs=1, is_stopped=stopping_after(1))
    manifest = read_manifest(corpus)
    index = VectorIndex.open(corpus, manifest.fingerprint, manifest.chunks, HashingEmbedder())
    query = HashingEmbedder().embed_query("minas")
    before = index.search(query, 100)
    fill(corpus)
    assert index.search(query, 100) == before
    fill(corpus, restart=True)
    assert index.search(query, 100) == before


def test_progress_counts_passages_and_text_and_ends_at_all(corpus, monkeypatch):
    monkeypatch.setattr(graph, "THRESHOLD", 5)
    told: list[EmbedProgress] = []
    embed(corpus, HashingEmbedder(), jobs=1, is_stopped=stopping_after(1), on_progress=told.append)
    stopped_at = told[-1]
    told.clear()
    fill(corpus, on_progress=told.append)
    assert told[0].chunks_done == stopped_at.chunks_done > 0
    # The whole is estimated before what is left of a document begun earlier is read.
    assert told[0].bytes_left == pytest.approx(stopped_at.bytes_left, rel=0.2)
    done = [now.chunks_done for now in told]
    assert done == sorted(done)
    assert (told[-1].chunks_done, told[-1].chunks_total) == (read_manifest(corpus).chunks,) * 2
    assert told[-1].bytes_left < 0.05 * told[0].bytes_left
    assert told[-1].phase is Phase.GRAPH


def test_checkpoints_show_readers_what_is_done_so_far(corpus, monkeypatch):
    monkeypatch.setattr(filling, "CHECKPOINT", -1.0)
    seen: list[float] = []

    def look(now: EmbedProgress) -> None:
        if now.chunks_done:
            manifest = read_manifest(corpus)
            index = VectorIndex.open(corpus, manifest.fingerprint, manifest.chunks, HashingEmbedder())
            seen.append(index.complete)

    embed(corpus, HashingEmbedder(), jobs=1, on_progress=look)
    assert seen == sorted(seen)
    assert 0 < seen[1] < 1


def test_a_directory_that_is_no_corpus_is_named(tmp_path):
    with pytest.raises(CorpusUnavailable, match="nada"):
        fill(tmp_path / "nada")


def test_the_graph_grows_with_the_rows_and_not_with_each_checkpoint():
    assert not graph.is_due(0, graph.THRESHOLD)
    assert graph.is_due(0, graph.THRESHOLD + 1)
    assert not graph.is_due(10_000_000, 10_900_000)
    assert graph.is_due(10_000_000, 10_900_000, final=True)
    assert graph.is_due(10_000_000, 11_100_000)


def test_the_time_left_follows_the_pace_of_the_last_minutes():
    pace = Pace()
    pace.report(0.0, 0)
    assert pace.seconds_left(1.0, 500) is None
    for second in range(10, 1001, 10):
        pace.report(float(second), second * 100)
    assert pace.seconds_left(1000.0, 5000) == pytest.approx(50)
    for second in range(1010, 2001, 10):
        pace.report(float(second), 100_000 + (second - 1000) * 10)
    assert pace.seconds_left(2000.0, 5000) == pytest.approx(500)
    # A server that hangs: the rate falls although nothing is reported.
    assert pace.rate(2200.0) < pace.rate(2000.0) / 2


def _day(code: int) -> date:
    return date(2025, 3, code)
