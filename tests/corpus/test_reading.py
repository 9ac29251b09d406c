import json
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from dofpilot.corpus.building.builder import build
from dofpilot.corpus.corpus import MOST_IDS, Corpus
from dofpilot.corpus.errors import CorpusError, IntegrityError, InvalidRequest
from dofpilot.corpus.types import Filters, Section
from tests.corpus.trees import corpus_of, write

FIRST = 100_000
"""Chunk 0 of document 1."""


def article(number: int) -> str:
    return f"**Artículo {number}.-** " + f"La obligación {number} se cumple en la oficina. " * 45 + "\n\n"


LAW = "# SECRETARÍA DE PRUEBAS\n\n## LEY DE PRUEBA\n\n" + "".join(map(article, range(1, 9)))
TABLE = "## TABLA de cuotas\n\n| Oficio | Cuota |\n|---|---|\n" + "| albañil | 315.04 |\n" * 300


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reading")


@pytest.fixture(scope="module")
def corpus(folder: Path) -> Iterator[Corpus]:
    with corpus_of(folder, [LAW, TABLE]) as opened:
        yield opened


def test_the_chunks_of_a_document_are_its_text(corpus: Corpus) -> None:
    outline = corpus.get_document_outline(1)
    ids = range(outline.entries[0].first_chunk_id, outline.entries[-1].last_chunk_id + 1)
    passages = corpus.read_chunks(ids)
    assert "".join(passage.text for passage in passages) == LAW == corpus.document_text(1)
    assert [passage.chunk_index for passage in passages] == list(range(8))


def test_a_passage_says_where_it_stands(corpus: Corpus) -> None:
    (passage,) = corpus.read_chunks([FIRST + 2])
    assert passage.heading_path == ("SECRETARÍA DE PRUEBAS", "LEY DE PRUEBA", "Artículo 3")
    assert LAW[passage.start : passage.end] == passage.text
    assert passage.publication.title == "LEY DE PRUEBA"
    assert passage.publication.institution == "SECRETARÍA DE PRUEBAS"
    assert passage.publication.official_url.endswith("codigo=1&fecha=09/12/2025")


def test_a_tables_header_is_context_and_not_text(corpus: Corpus) -> None:
    (passage,) = corpus.read_chunks([2 * FIRST + 1])
    assert passage.context == "| Oficio | Cuota |\n|---|---|"
    assert passage.text.startswith("| albañil")


def test_neighbours_come_with_a_chunk_and_none_comes_twice(corpus: Corpus) -> None:
    passages = corpus.read_chunks([FIRST + 5, FIRST + 4, FIRST], neighbor_window=1)
    assert [passage.chunk_index for passage in passages] == [4, 5, 6, 3, 0, 1]
    assert {passage.publication.document_id for passage in passages} == {1}


def test_outline_entries_follow_the_document(corpus: Corpus) -> None:
    entries = corpus.get_document_outline(1).entries
    assert [entry.heading_path[-1] for entry in entries] == [f"Artículo {n}" for n in range(1, 9)]
    assert entries[0].first_chunk_id == FIRST


@pytest.mark.parametrize(
    ("field", "ask"),
    [
        ("chunk_ids", lambda corpus: corpus.read_chunks([FIRST + 99])),
        ("chunk_ids", lambda corpus: corpus.read_chunks([10**30])),
        ("chunk_ids", lambda corpus: corpus.read_chunks([-1])),
        ("chunk_ids", lambda corpus: corpus.read_chunks([])),
        ("chunk_ids", lambda corpus: corpus.read_chunks([FIRST] * (MOST_IDS + 1))),
        ("neighbor_window", lambda corpus: corpus.read_chunks([FIRST], neighbor_window=-1)),
        ("neighbor_window", lambda corpus: corpus.read_chunks([FIRST], neighbor_window=9)),
        ("document_id", lambda corpus: corpus.publication(404)),
        ("document_id", lambda corpus: corpus.get_document_outline(10**30)),
        ("document_id", lambda corpus: corpus.document_text(-4)),
        ("document_ids", lambda corpus: corpus.search_evidence("obligación", [])),
        ("document_ids", lambda corpus: corpus.search_evidence("obligación", [1, 404])),
        ("limit", lambda corpus: corpus.list_publications(Filters(), limit=0)),
        ("limit", lambda corpus: corpus.search_documents("obligación", limit=101)),
        ("institution", lambda corpus: corpus.list_publications(Filters(), institution="  ")),
        ("institution", lambda corpus: corpus.list_publications(Filters(), institution="\ud800")),
        ("date_from", lambda corpus: corpus.list_publications(Filters(date_from=date.max, date_to=date.min))),
    ],
)
def test_a_refusal_names_the_argument(corpus: Corpus, field: str, ask: Callable[[Corpus], object]) -> None:
    with pytest.raises(InvalidRequest) as caught:
        ask(corpus)
    assert caught.value.field == field


def test_many_threads_read_at_once(corpus: Corpus) -> None:
    def read(turn: int) -> bool:
        hits = corpus.search_passages(f"obligación {turn % 8 + 1}")
        return bool(corpus.read_chunks([hit.chunk_id for hit in hits]))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(read, range(64)))


def test_a_passage_is_read_while_a_listing_walks_through_all_documents(corpus: Corpus) -> None:
    read: list[int] = []
    reader = Thread(target=lambda: read.append(len(corpus.read_chunks([FIRST]))), daemon=True)
    with corpus._store._listings._lock:
        reader.start()
        reader.join(30)
        assert read == [1]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT count(*) FROM document WHERE day <= 20251209 AND section = 'MAT'",
        "SELECT document_id, day, section FROM document",
    ],
)
def test_days_and_editions_are_told_without_walking_through_the_documents(
    tmp_path: Path, statement: str
) -> None:
    corpus_of(tmp_path, [LAW]).close()
    with closing(sqlite3.connect(tmp_path / "out" / "corpus.sqlite")) as reader:
        ((*_, plan),) = reader.execute(f"EXPLAIN QUERY PLAN {statement}")
    assert "USING COVERING INDEX" in plan


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE block SET text = substr(text, 1, 40) || x'00' || substr(text, 42)",
        "UPDATE block SET text = 7",
        "UPDATE block SET text = x''",
        "UPDATE block SET chunks = substr(chunks, 1, 20) || x'00' || substr(chunks, 22)",
        "UPDATE block SET chunks = text, text = chunks",
        "UPDATE block SET digests = substr(digests, 2)",
        "UPDATE block SET digests = x'00' || substr(digests, 2)",
        "DELETE FROM block",
        "DELETE FROM document",
        "UPDATE document SET title = 'LEY DE OTRA COSA'",
        "UPDATE document SET day = 20251210",
        "UPDATE document SET kind = 'AVISO'",
        "UPDATE document SET organs = organs || 'secretaria'",
        "UPDATE document SET size = size + 1",
        "UPDATE document SET chunks = chunks + 1",
        "UPDATE document SET sample = 1 - sample",
        "UPDATE document SET file_digest = record_digest",
    ],
)
def test_damage_in_the_store_is_reported_and_not_served(tmp_path: Path, damage: str) -> None:
    with corpus_of(tmp_path, [LAW]) as corpus:
        with sqlite3.connect(tmp_path / "out" / "corpus.sqlite") as writer:
            writer.execute(damage)
        writer.close()
        with pytest.raises(IntegrityError):
            corpus.read_chunks([FIRST])


@pytest.mark.parametrize(
    "change",
    [
        lambda spans: [spans[0] + 1, spans[1]],
        lambda spans: [spans[0], [[spans[1][0][0] - 1, *spans[1][0][1:]], *spans[1][1:]]],
        lambda spans: [spans[0], [*spans[1][1:], spans[1][0]]],
        lambda spans: [spans[0], [[spans[1][0][0], ["Artículo 9"], ""], *spans[1][1:]]],
        lambda spans: [spans[0], [[*spans[1][0][:2], "otra tabla"], *spans[1][1:]]],
        lambda spans: [spans[0], []],
        lambda spans: {"start": 0},
    ],
)
def test_a_changed_place_or_label_is_reported_and_not_served(
    tmp_path: Path, change: Callable[[Any], Any]
) -> None:
    with corpus_of(tmp_path, [LAW]) as corpus:
        rewrite_spans(tmp_path / "out" / "corpus.sqlite", change)
        with pytest.raises(IntegrityError):
            corpus.read_chunks([FIRST])


def rewrite_spans(database: Path, change: Callable[[Any], Any]) -> None:
    """Change what the first block says about its chunks, well-formed and with a valid checksum."""
    with closing(sqlite3.connect(database)) as writer, writer:
        (frame,) = writer.execute("SELECT chunks FROM block").fetchone()
        spans = change(json.loads(zstandard.ZstdDecompressor().decompress(frame)))
        changed = zstandard.ZstdCompressor(write_checksum=True).compress(json.dumps(spans).encode())
        writer.execute("UPDATE block SET chunks = ?", [changed])


def test_a_lost_block_is_reported_by_all_who_need_it(tmp_path: Path) -> None:
    with corpus_of(tmp_path, ["".join(map(article, range(1, 60)))]) as corpus:
        with closing(sqlite3.connect(tmp_path / "out" / "corpus.sqlite")) as writer, writer:
            blocks = [row[0] for row in writer.execute("SELECT first_chunk_id FROM block ORDER BY 1")]
            writer.execute("DELETE FROM block WHERE first_chunk_id = ?", [blocks[1]])
        with pytest.raises(IntegrityError, match="faltan pasajes"):
            corpus.get_document_outline(1)
        with pytest.raises(IntegrityError):
            corpus.document_text(1)
        with pytest.raises(IntegrityError, match=f"falta el pasaje {blocks[1]}"):
            corpus.read_chunks([blocks[1]])
        assert corpus.read_chunks([blocks[2]])[0].chunk_id == blocks[2]


def test_a_passage_under_the_id_of_another_is_reported(tmp_path: Path) -> None:
    with corpus_of(tmp_path, [LAW, LAW]) as corpus:
        with closing(sqlite3.connect(tmp_path / "out" / "corpus.sqlite")) as writer, writer:
            for old, new in ((FIRST, -1), (2 * FIRST, FIRST), (-1, 2 * FIRST)):
                writer.execute("UPDATE block SET first_chunk_id = ? WHERE first_chunk_id = ?", [new, old])
        with pytest.raises(IntegrityError):
            corpus.read_chunks([FIRST])


def test_every_chunk_is_told_in_order(corpus: Corpus) -> None:
    rows = list(corpus._store.every_chunk())
    assert [row.chunk_id for row in rows] == sorted(row.chunk_id for row in rows)
    assert "".join(row.text for row in rows) == LAW + TABLE
    assert all(row.is_intact for row in rows)
    assert list(corpus._store.every_chunk(after=FIRST + 2)) == rows[3:]


@settings(max_examples=40)
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_any_flipped_bit_is_reported_or_changes_nothing(
    corpus: Corpus, folder: Path, place: float, bit: int
) -> None:
    truth = (corpus.get_document_outline(1), corpus.read_chunks([FIRST + 3]), corpus.document_text(1))
    damaged = folder / "damaged"
    _copy_with_flip(folder / "out", damaged, place, bit)
    try:
        with Corpus.open(damaged) as opened:
            found = (opened.get_document_outline(1), opened.read_chunks([FIRST + 3]), opened.document_text(1))
    except CorpusError:
        return
    assert found == truth


def _copy_with_flip(source: Path, target: Path, place: float, bit: int) -> None:
    if not target.exists():
        target.mkdir()
        for name in ("lexical", "manifest.json"):
            (target / name).symlink_to(source / name)
    content = bytearray((source / "corpus.sqlite").read_bytes())
    content[int(place * len(content))] ^= 1 << bit
    (target / "corpus.sqlite").write_bytes(content)


@pytest.fixture(scope="module")
def gazette(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = tmp_path_factory.mktemp("gazette")
    issued = [
        (1, "COMISIÓN NACIONAL DE LOS SALARIOS MÍNIMOS", date(2025, 12, 9), "VES", 1),
        (2, "SECRETARÍA DEL TRABAJO Y PREVISIÓN SOCIAL", date(2025, 12, 9), "MAT", 12),
        (3, "BANCO DE MÉXICO", date(2025, 12, 9), "MAT", 2),
        (4, "BANCO DE MÉXICO", date(2025, 12, 10), "EXT", 1),
        (5, "SECRETARÍA DE HACIENDA Y CRÉDITO PÚBLICO", date(2024, 1, 2), "MAT", 1),
    ]
    for code, organ, day, section, number in issued:
        text = f"# {organ}\n\n## AVISO número {code}\n\nTexto."
        write(folder / "tree", code, text, day, section, number)
    build(folder / "tree", folder / "out")
    with Corpus.open(folder / "out") as opened:
        yield opened


def codes(corpus: Corpus, filters: Filters, institution: str | None = None) -> list[int]:
    found, total = corpus.list_publications(filters, institution=institution)
    assert total == len(found)
    return [publication.document_id for publication in found]


def test_publications_are_listed_by_day_edition_and_number(gazette: Corpus) -> None:
    assert codes(gazette, Filters()) == [5, 3, 2, 1, 4]


def test_every_limit_of_the_filters_holds(gazette: Corpus) -> None:
    day = date(2025, 12, 9)
    assert codes(gazette, Filters(as_of=day)) == [5, 3, 2, 1]
    assert codes(gazette, Filters(date_to=day)) == [5, 3, 2, 1]
    assert codes(gazette, Filters(date_from=day)) == [3, 2, 1, 4]
    assert codes(gazette, Filters(section=Section.VES)) == [1]
    assert codes(gazette, Filters(as_of=date(2025, 12, 8), date_from=day)) == []


def test_the_total_counts_what_the_limit_leaves_out(gazette: Corpus) -> None:
    found, total = gazette.list_publications(Filters(), limit=2)
    assert (len(found), total) == (2, 5)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [("banco de mexico", [3, 4]), ("Banxico", [3, 4]), ("CONASAMI", [1]), ("S.T.P.S.", [2]), ("SHCP", [5])],
)
def test_an_institution_is_found_by_part_of_its_name_or_its_acronym(
    gazette: Corpus, asked: str, expected: list[int]
) -> None:
    assert codes(gazette, Filters(), asked) == expected


def test_an_unknown_institution_has_no_publications(gazette: Corpus) -> None:
    assert codes(gazette, Filters(), "%") == []
