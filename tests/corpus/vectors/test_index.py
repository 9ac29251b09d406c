"""Searching by meaning: the same passages that a look at each one would find, within the same limits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dofpilot.corpus.building.builder import build
from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.manifest import read_manifest
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT
from dofpilot.corpus.store import Store
from dofpilot.corpus.types import Filters, Section
from dofpilot.corpus.vectors import filling, graph, index
from dofpilot.corpus.vectors.chunks import Chunks
from dofpilot.corpus.vectors.embedding import EmbeddingUnavailable
from dofpilot.corpus.vectors.filling import embed
from dofpilot.corpus.vectors.index import VectorHit, VectorIndex
from dofpilot.corpus.vectors.manifest import read_vector_manifest
from dofpilot.corpus.vectors.rows import cosines
from dofpilot.corpus.vectors.windows import windows
from dofpilot.corpus.vectors.writing import VectorWriter
from tests.corpus.trees import write
from tests.corpus.vectors.embedders import HashingEmbedder, hashed

WORDS = [
    "agua", "pesca", "minas", "salud", "aduana", "bosque", "puerto", "radio",
    "trigo", "banco", "tren", "vivienda", "maíz", "sal", "gas", "luz",
]  # fmt: skip
DAYS = [date(2024, 1, 1) + timedelta(days=number) for number in range(40)]
DOCUMENTS = range(1, len(DAYS) + 1)


def _text(code: int) -> str:
    choose = np.random.default_rng(code)
    # Every tenth law repeats the one before it word by word, for passages that tie.
    choose = np.random.default_rng(code - 1) if code % 10 == 0 else choose
    articles = (" ".join(choose.choice(WORDS, 160)) for _ in range(5))
    return "# LEY\n\n" + "\n\n".join(f"Artículo {n}.- {body}." for n, body in enumerate(articles, start=1))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vectores")
    for code, day in zip(DOCUMENTS, DAYS, strict=True):
        write(folder / "tree", code, _text(code), day=day, section=list(Section)[code % 3])
    build(folder / "tree", folder / "out")
    return folder / "out"


@pytest.fixture(scope="module")
def exact(large: Path) -> VectorIndex:
    embed(large, HashingEmbedder(), jobs=2)
    return opened(large)


@pytest.fixture(scope="module")
def by_graph(large: Path, exact: VectorIndex) -> VectorIndex:
    """The same vectors behind a graph, but for the last of them, which came later."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph, "_CONNECTIVITY", 8)
        some = iter([False] * 14 + [True])
        embed(large, HashingEmbedder(), jobs=1, restart=True, is_stopped=lambda: next(some))
        manifest, settings = read_manifest(large), read_vector_manifest(large / "vectors").settings
        with closing(VectorWriter(large, settings, manifest.fingerprint, manifest.chunks)) as writer:
            writer.make_graph()
        embed(large, HashingEmbedder(), jobs=1)
    made = opened(large)
    assert made._neighbours
    return made


@pytest.fixture(scope="module", autouse=True)
def _always_ask_the_graph() -> Iterator[None]:
    """To compare these few rows is less work, and would be done instead."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "_ROWS_PER_FETCHED", 0)
        yield


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each comparison looks at."""
    counts: list[int] = []

    def counting(codes: np.ndarray, query: np.ndarray) -> np.ndarray:
        counts.append(len(codes))
        return cosines(codes, query)

    monkeypatch.setattr(index, "cosines", counting)
    return counts


def opened(corpus: Path, embedder: HashingEmbedder | None = None) -> VectorIndex:
    manifest = read_manifest(corpus)
    made = VectorIndex.open(corpus, manifest.fingerprint, manifest.chunks, embedder or HashingEmbedder())
    assert made
    return made


@pytest.fixture(scope="module")
def everything(large: Path) -> dict[int, tuple[date, Section, list[np.ndarray]]]:
    """Day, edition and the vectors of the windows of each chunk, straight from the store."""
    store = Store(large)
    found = {}
    for row in list(store.every_chunk()):
        document = store.publications([row.document_id])[row.document_id]
        vectors = [np.array(hashed(text)) for text in windows(document.title, row.text)]
        found[row.chunk_id] = document.publication_date, document.section, vectors
    store.close()
    return found


def _int8(vector: np.ndarray) -> np.ndarray:
    return np.rint(vector * 127 / np.abs(vector).max())


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def by_looking_at_each(everything, query, filters: Filters, within=()) -> dict[int, float]:
    code = _int8(query)
    return {
        chunk_id: max(_cosine(_int8(vector), code) for vector in vectors)
        for chunk_id, (day, section, vectors) in everything.items()
        if (not filters.as_of or day <= filters.as_of)
        and (not filters.date_to or day <= filters.date_to)
        and (not filters.date_from or day >= filters.date_from)
        and (not filters.section or section == filters.section)
        and (not within or chunk_id // CHUNKS_PER_DOCUMENT in within)
    }


def assert_best(hits: list[VectorHit], expected: dict[int, float], limit: int) -> None:
    assert len(hits) == min(limit, len(expected))
    assert len({hit.chunk_id for hit in hits}) == len(hits)
    assert [hit.similarity for hit in hits] == pytest.approx(
        sorted(expected.values(), reverse=True)[:limit], abs=2e-6
    )
    assert all(hit.similarity == pytest.approx(expected[hit.chunk_id], abs=2e-6) for hit in hits)
    assert hits == sorted(hits, key=lambda hit: (-hit.similarity, hit.chunk_id))


_questions = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
_days = st.none() | st.sampled_from([date(2023, 1, 1), *DAYS, date(2030, 1, 1)])
_filters = st.builds(Filters, _days, _days, _days, st.none() | st.sampled_from(Section))


@given(
    _questions,
    st.integers(1, 60),
    _filters,
    st.lists(st.sampled_from([*DOCUMENTS, 99]), max_size=4).map(tuple),
)
def test_every_limit_is_honoured_exactly(exact, everything, question, limit, filters, within):
    query = HashingEmbedder().embed_query(question)
    expected = by_looking_at_each(everything, query, filters, within)
    assert_best(exact.search(query, limit, filters, within), expected, limit)


@given(_questions, st.integers(1, 60), _filters)
def test_behind_a_graph_there_are_never_fewer_than_exist(by_graph, everything, question, limit, filters):
    query = HashingEmbedder().embed_query(question)
    expected = by_looking_at_each(everything, query, filters)
    with pytest.MonkeyPatch.context() as patch:
        # As few rows as chunks are wanted: some of them are windows of one chunk, and more must be fetched.
        patch.setattr(index, "_OVERFETCH", 1)
        hits = by_graph.search(query, limit, filters)
    assert len(hits) == min(limit, len(expected))
    assert {hit.chunk_id for hit in hits} <= expected.keys()
    assert all(hit.similarity == pytest.approx(expected[hit.chunk_id], abs=2e-6) for hit in hits)


@pytest.mark.parametrize("word", WORDS)
def test_behind_a_graph_are_the_same_passages(exact, by_graph, word):
    query = HashingEmbedder().embed_query(f"{word} y {word}")
    found = {hit.chunk_id for hit in by_graph.search(query, 20)}
    assert len(found & {hit.chunk_id for hit in exact.search(query, 20)}) >= 18


def test_rows_that_came_after_the_graph_are_found_as_well(by_graph, everything):
    later = by_graph._chunks.ids[by_graph._chunks.starts >= by_graph._neighbours.rows].tolist()
    assert later
    for chunk_id in later:
        (vector, *_) = everything[chunk_id][2]
        nearest = by_graph.search(vector, 2)
        assert chunk_id in {hit.chunk_id for hit in nearest if hit.similarity == nearest[0].similarity}


HALF = Filters(date_to=DAYS[len(DAYS) // 2])


def test_too_many_rows_are_never_all_compared(by_graph, everything, compared, monkeypatch):
    later = len(by_graph._rows) - by_graph._neighbours.rows
    monkeypatch.setattr(index, "_FEW_ROWS", 20)
    monkeypatch.setattr(index, "_MOST_FETCHED", 12)
    query = HashingEmbedder().embed_query("agua y sal")
    expected = by_looking_at_each(everything, query, HALF)
    hits = by_graph.search(query, 30, HALF)
    assert {hit.chunk_id for hit in hits} <= expected.keys()
    # Some windows of the chunks that the graph names, and those that it does not hold yet.
    assert 0 < sum(compared) <= later + 12 * 4 < len(by_graph._rows) / 2


def test_more_is_asked_of_the_graph_before_all_is_compared(by_graph, compared, monkeypatch):
    asked: list[int] = []
    nearest = by_graph._neighbours.nearest

    def asking(query: np.ndarray, count: int) -> np.ndarray:
        asked.append(count)
        return nearest(query, count)

    monkeypatch.setattr(index, "_OVERFETCH", 1)
    monkeypatch.setattr(by_graph._neighbours, "nearest", asking)
    assert len(by_graph.search(HashingEmbedder().embed_query("agua y sal"), 20)) == 20
    assert asked == [20, 80]
    assert sum(compared) < len(by_graph._rows)


def test_few_rows_are_compared_and_no_graph_is_asked(by_graph, everything, monkeypatch):
    monkeypatch.setattr(index, "_ROWS_PER_FETCHED", 1000)
    monkeypatch.setattr(by_graph._neighbours, "nearest", lambda *_: pytest.fail("asked"))
    query = HashingEmbedder().embed_query("agua y sal")
    assert_best(by_graph.search(query, 9, HALF), by_looking_at_each(everything, query, HALF), 9)


def test_filters_look_at_the_chunks_of_the_documents_alone_and_once_at_all(exact, monkeypatch):
    looked: list[object] = []

    def looking(self, filters, places):
        looked.append(places)
        return allowed(self, filters, places)

    allowed = Chunks.allowed
    monkeypatch.setattr(Chunks, "allowed", looking)
    query = HashingEmbedder().embed_query("agua")
    exact.search(query, 3, HALF, within=(1, 2))
    assert len(looked[0]) == len(exact._chunks.of_documents((1, 2))) > 0
    before = Filters(date_to=DAYS[3], section=Section.MAT)
    assert exact.search(query, 3, before) == exact.search(query, 3, before)
    assert len(looked) == 2


def test_a_chunk_takes_few_bytes(exact):
    chunks = exact._chunks
    arrays = (chunks.ids, chunks.starts, chunks.windows, chunks.days, chunks.sections, chunks.by_id)
    assert sum(array.nbytes for array in arrays) == 23 * len(chunks)


def test_few_rows_need_no_graph_and_many_have_one(exact, by_graph, large):
    assert exact._neighbours is None
    assert 0 < by_graph._neighbours.rows < len(by_graph._rows)
    assert len(list((large / "vectors").glob("*.usearch"))) == 1


def test_equal_passages_come_in_the_order_of_their_ids(exact, everything):
    query = HashingEmbedder().embed_query("agua pesca")
    hits = exact.search(query, len(everything))
    tied = [(one, next_) for one, next_ in pairwise(hits) if one.similarity == next_.similarity]
    assert len(tied) >= 4
    assert all(one.chunk_id < next_.chunk_id for one, next_ in tied)


def test_chunks_can_be_asked_for_by_name(exact, everything):
    query = HashingEmbedder().embed_query("minas de sal")
    expected = by_looking_at_each(everything, query, Filters())
    asked = [*list(everything)[3:9], list(everything)[3], 12345]
    found = exact.similarities(query, asked)
    assert found.keys() == set(asked[:-1])
    assert all(found[chunk_id] == pytest.approx(expected[chunk_id], abs=2e-6) for chunk_id in found)
    assert exact.similarities(query, []) == {}


def test_many_may_search_at_once(by_graph):
    queries = [HashingEmbedder().embed_query(word) for word in WORDS]
    alone = [by_graph.search(query, 10) for query in queries]
    found: dict[int, list] = {}

    def ask(place: int) -> None:
        found[place] = [by_graph.search(query, 10) for query in queries]

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[place] == alone for place in range(8))


def test_a_corpus_without_vectors_has_no_index(corpus):
    assert VectorIndex.open(corpus, "x", 1, HashingEmbedder()) is None


def test_a_part_of_the_vectors_says_how_large_a_part(corpus, monkeypatch):
    monkeypatch.setattr(filling, "BATCH", 3)
    stops = iter([False, True])
    report = embed(corpus, HashingEmbedder(), jobs=1, is_stopped=lambda: next(stops))
    complete = opened(corpus).complete
    assert report.stopped
    assert 0 < complete < 1
    assert complete == report.chunks / report.chunks_total
    embed(corpus, HashingEmbedder(), jobs=1)
    assert opened(corpus).complete == 1


@pytest.mark.parametrize(
    ("embedder", "told"),
    [
        (HashingEmbedder(model="otro"), "el modelo es «palabras» y no «otro»"),
        (HashingEmbedder(provider="nube"), "el proveedor es «prueba»"),
        (HashingEmbedder(query_prefix="q: "), "el prefijo de las preguntas"),
        (None, "no hay con qué"),
        (HashingEmbedder(), ""),
    ],
)
def test_vectors_of_another_model_are_not_used_and_the_reason_is_told(corpus, embedder, told):
    embed(corpus, HashingEmbedder(), jobs=1)
    manifest = read_manifest(corpus)
    unusable = VectorIndex.open(corpus, manifest.fingerprint, manifest.chunks, embedder).unusable
    assert told in unusable
    assert bool(unusable) == bool(told)


def test_a_query_of_another_dimension_is_refused(exact):
    with pytest.raises(EmbeddingUnavailable, match="dimensión 7"):
        exact.search(np.ones(7, dtype=np.float32), 5)


@pytest.mark.parametrize("file", ["rows-1.bin", "vectors-1.i8", "manifest.json"])
@pytest.mark.parametrize("damage", ["short", "gone", "other", "flipped"])
def test_damaged_files_are_reported(corpus, file, damage):
    embed(corpus, HashingEmbedder(), jobs=1)
    damaged = corpus / "vectors" / file
    content = damaged.read_bytes()
    match damage:
        case "short":
            damaged.write_bytes(content[:-5])
        case "gone":
            damaged.unlink()
        case "other":
            damaged.write_bytes(bytes(len(content)))
        case "flipped":
            damaged.write_bytes(content[:50] + bytes([content[50] ^ 1]) + content[51:])
    if file == "vectors-1.i8" and damage in ("other", "flipped"):
        # Nothing but reading all of them would tell. It misplaces a passage, and misquotes none.
        assert len(opened(corpus).search(HashingEmbedder().embed_query("agua"), 3)) == 3
    elif (file, damage) == ("manifest.json", "flipped"):
        # A byte of the model's provider.
        assert opened(corpus).unusable
    elif (file, damage) == ("manifest.json", "gone"):
        assert VectorIndex.open(corpus, "x", 1, HashingEmbedder()) is None
    else:
        with pytest.raises(CorpusUnavailable, match="vectors"):
            opened(corpus)


def test_a_damaged_graph_is_reported(large, by_graph):
    (file,) = (large / "vectors").glob("*.usearch")
    content = file.read_bytes()
    try:
        for damaged in (content[:-1], content + b"x", b"x" * len(content)):
            file.unlink()
            file.write_bytes(damaged)
            with pytest.raises(CorpusUnavailable, match=file.name):
                opened(large)
    finally:
        file.write_bytes(content)
