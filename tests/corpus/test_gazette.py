"""The generated gazette is what its benchmark takes it for."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import zstandard

from dofpilot.corpus import names
from dofpilot.corpus.building.builder import build
from dofpilot.corpus.sources.headings import read_head
from tests.benchmarks.documents import LAW, LONG, Composed
from tests.benchmarks.gazette import LAST_DAY, Gazette
from tests.benchmarks.questions import Kind, Query, queries
from tests.corpus.trees import snapshot

GAZETTE = Gazette.of(400, seed=3)


@pytest.fixture(scope="module")
def documents() -> list[Composed]:
    return [GAZETTE.document(place) for place in GAZETTE.places]


def test_the_same_seed_gives_the_same_bytes_in_any_number_of_processes(tmp_path: Path) -> None:
    gazette = Gazette.of(300, seed=5)
    gazette.write(tmp_path / "one", processes=1)
    gazette.write(tmp_path / "three", processes=3)
    assert snapshot(tmp_path / "one") == snapshot(tmp_path / "three")


def test_another_seed_gives_another_gazette() -> None:
    assert Gazette.of(20, seed=1).places != Gazette.of(20, seed=2).places


def test_every_path_follows_the_scheme_and_no_code_comes_twice() -> None:
    parsed = [names.parse(place.path) for place in GAZETTE.places]
    assert {name.section for name in parsed} == set(names.Section)
    assert len({name.document_id for name in parsed}) == len(parsed)
    assert len({(name.publication_date, name.section, name.number) for name in parsed}) == len(parsed)


def test_what_comes_later_is_later_and_new() -> None:
    later = GAZETTE.later(30)
    assert min(place.day for place in later.places) > LAST_DAY
    assert not {place.document_id for place in later.places} & {place.document_id for place in GAZETTE.places}


def test_nothing_is_refused_by_a_build(tmp_path: Path) -> None:
    written = Gazette.of(40).write(tmp_path / "tree", processes=1)
    report = build(tmp_path / "tree", tmp_path / "out")
    assert (report.documents, report.source_bytes, report.rejected) == (40, written, ())


def test_seven_in_ten_are_short_and_most_bytes_are_in_the_long_ones(documents: list[Composed]) -> None:
    sizes = [len(document.text.encode()) for document in documents]
    short = [size for size in sizes if size < LONG]
    assert 0.65 < len(short) / len(sizes) < 0.77
    assert sum(short) < 0.25 * sum(sizes)
    assert max(sizes) > 200_000


def test_it_compresses_as_legal_prose_does(documents: list[Composed]) -> None:
    compressor = zstandard.ZstdCompressor(level=3)
    whole = [document.text.encode() for document in documents]
    assert 0.23 < sum(map(len, map(compressor.compress, whole))) / sum(map(len, whole)) < 0.29


def test_its_words_are_as_unequal_as_those_of_a_language(documents: list[Composed]) -> None:
    counts = Counter(word for document in documents for word in re.findall(r"\w+", document.text.lower()))
    ordered, total = [count for _, count in counts.most_common()], counts.total()
    assert counts.most_common(1)[0][0] == "de"
    assert 0.4 < sum(ordered[:50]) / total < 0.55
    assert 0.75 < sum(ordered[:1_000]) / total < 0.88
    assert len(ordered) > 15_000


def test_titles_and_institutions_are_read_as_they_were_meant(documents: list[Composed]) -> None:
    for document in documents:
        head = read_head(document.text)
        assert (head.title, head.institution) == (document.title, document.institution)


def test_the_kind_of_a_document_is_known_without_its_text(documents: list[Composed]) -> None:
    laws = [place for place, document in zip(GAZETTE.places, documents, strict=True) if document.kind == LAW]
    assert GAZETTE.laws() == tuple(laws)


def test_queries_are_of_all_kinds_distinct_and_the_same_for_a_seed() -> None:
    asked = list(queries(GAZETTE, 60, seed=4))
    assert {query.kind for query in asked} == set(Kind)
    assert len({query.text for query in asked}) == 60
    assert asked == list(queries(GAZETTE, 60, seed=4))


def test_few_documents_still_give_distinct_queries() -> None:
    asked = [query.text for query in queries(Gazette.of(3), 50)]
    assert len(asked) == len(set(asked)) == 50


@pytest.mark.parametrize("kind", [Kind.IDENTIFIER, Kind.DATE, Kind.AMOUNT, Kind.TITLE])
def test_what_a_query_names_stands_in_its_document(kind: Kind) -> None:
    for query in (query for query in queries(GAZETTE, 60) if query.kind is kind):
        assert _named(query) in GAZETTE.document(query.place).text


def _named(query: Query) -> str:
    """The identifier, date, amount or title without the words that come with it."""
    patterns = {Kind.DATE: r".*? de \d{4}", Kind.AMOUNT: r"\S+"}
    match = re.match(patterns.get(query.kind, ".*"), query.text)
    assert match
    return match[0]
