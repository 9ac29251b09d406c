"""What a hit's score is made of, and what a search forgives."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dofpilot.corpus.building.builder import build
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.search.lexical import Limits
from dofpilot.corpus.search.query import parse
from dofpilot.corpus.types import Filters
from tests.corpus.trees import corpus_of, write

LAW, NORM, OLD, NEW, REPORT = 21, 22, 23, 24, 25
PLAIN = "La autoridad resolverá lo conducente y lo hará constar en el expediente. "

DOCUMENTS = {
    LAW: (
        date(2012, 11, 30),
        "## LEY DEL TRABAJO\n\n"
        f"**Artículo 5.-** Se entiende por jornada el tiempo al servicio de quien contrata. {PLAIN * 20}\n\n"
        f"**Artículo 6.-** La rescisión por parte del patrón dará derecho a indemnización. {PLAIN * 20}\n\n"
        f"**Artículo 7.-** La jornada será la del artículo 5; jornada y jornada. {PLAIN * 20}\n\n",
    ),
    NORM: (
        date(2018, 10, 23),
        "## NORMA Oficial Mexicana NOM-035-STPS-2018, Factores de riesgo\n\nEl riesgo se evalúa. "
        + PLAIN * 9,
    ),
    OLD: (date(2001, 3, 1), "## AVISO de cuotas\n\nLa cuota de peaje es de cinco pesos.\n"),
    NEW: (date(2024, 3, 1), "## AVISO de cuotas\n\nLa cuota de peaje es de nueve pesos.\n"),
    REPORT: (
        date(2020, 5, 4),
        "## INFORME de la Procuraduría Federal del Consumidor\n\n"
        "El suministro eléctrico se interrumpió. El suministro volvió. Todo suministro se mide.\n",
    ),
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder: Path = tmp_path_factory.mktemp("ranking")
    for code, (day, text) in DOCUMENTS.items():
        write(folder / "tree", code, text, day)
    for code in range(100, 110):
        write(folder / "tree", code, f"## AVISO\n\nEl suministro sigue. {PLAIN}", number=code)
    build(folder / "tree", folder / "out")
    with Corpus.open(folder / "out") as opened:
        yield opened


def best(corpus: Corpus, query: str, **more: object) -> int:
    return corpus.search_documents(query, **more)[0].publication.document_id  # type: ignore[arg-type]


def test_a_score_is_its_base_and_its_boosts(corpus: Corpus) -> None:
    plain = corpus.search_passages("riesgo")[0]
    norm = corpus.search_passages("riesgo NOM-035-STPS-2018")[0]
    assert plain.score.boosts == {}
    assert set(norm.score.boosts) == {"phrases", "norm"}
    assert norm.score.boosts["norm"] > norm.score.boosts["phrases"] > 0
    assert norm.score.base > plain.score.base  # the words of the identifier count as words too
    lexical = corpus._ranker._lexical
    ranked = dict(lexical.rank(lexical.plan(parse("riesgo NOM-035-STPS-2018")), Limits(), 5))
    assert norm.score.total == pytest.approx(ranked[norm.chunk_id])


def test_hits_come_in_the_order_of_their_totals(corpus: Corpus) -> None:
    totals = [hit.score.total for hit in corpus.search_passages("artículo 5 jornada NOM-035-STPS-2018")]
    assert totals == sorted(totals, reverse=True)
    assert len(set(totals)) > 2


@pytest.mark.parametrize("query", ["jornada según los artículos 4, 5 y 9", "jornada, artículos 4 y 5"])
def test_each_article_of_a_list_is_looked_for(corpus: Corpus, query: str) -> None:
    (first, *_) = corpus.search_passages(query)
    assert first.score.boosts["labels"] > 0
    assert "Artículo 5" in first.heading_path[-1]


@pytest.mark.parametrize(
    ("query", "labels"),
    [
        ("artículo 27 Bis", ("articul_27_bis",)),
        ("art. 27 bis y 28", ("articul_27_bis", "articul_28")),
        ("artículos 4o., 5 y 12-A", ("articul_4", "articul_5", "articul_12a")),
        ("artículo 15 Ter 1 de la ley", ("articul_15_ter_1",)),
        ("el 27 de mayo", ()),
    ],
)
def test_labels_are_asked_for_as_the_law_counts_them(query: str, labels: tuple[str, ...]) -> None:
    assert parse(query).labels == labels


def test_an_article_is_not_its_bis(tmp_path: Path) -> None:
    text = "## LEY\n\n" + "".join(f"**Artículo {n}.-** {PLAIN * 20}\n\n" for n in ("27", "27 Bis", "28"))
    with corpus_of(tmp_path, [text]) as corpus:
        for asked in ("27", "27 Bis"):
            (first, *_) = corpus.search_passages(f"artículo {asked}")
            assert first.heading_path[-1] == f"Artículo {asked}"


def test_a_preference_for_the_recent_reaches_back_to_the_first_year(corpus: Corpus) -> None:
    assert corpus.search_documents("peaje", Filters(as_of=date(1, 1, 1)), prefer_recent=True).hits == ()


def test_a_document_is_found_by_its_official_code(tmp_path: Path) -> None:
    write(tmp_path / "tree", 4561458, "## AVISO de cuotas\n\nLa cuota es de cinco pesos.\n")
    write(
        tmp_path / "tree", 4561459, "## AVISO de cuotas\n\nLa cuota es de 4561458 pesos y 4561458 centavos.\n"
    )
    build(tmp_path / "tree", tmp_path / "out")
    with Corpus.open(tmp_path / "out") as corpus:
        (first, _) = corpus.search_documents("cuota del documento 4561458")
        assert first.publication.document_id == 4561458
        assert first.score.boosts["document"] > 0
        assert parse("$45,614.58 o 45614.58 en 2025").codes == ()


@given(
    st.lists(st.integers(2000, 2009), min_size=1, max_size=60),
    st.integers(1, 20),
    st.integers(1999, 2010),
)
@settings(max_examples=25)
def test_a_cut_off_gives_the_first_of_those_it_leaves(years: list[int], limit: int, last: int) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        for code, year in enumerate(years, start=1):
            write(folder / "tree", code, f"## AVISO\n\n{'peaje ' * (1 + code % 3)}", date(year, 1, 1))
        build(folder / "tree", folder / "out")
        with Corpus.open(folder / "out") as corpus:
            every = corpus.search_passages("peaje", limit=100)
            left = [hit for hit in every if hit.publication.publication_date.year <= last]
            found = corpus.search_passages("peaje", Filters(as_of=date(last, 12, 31)), limit)
            assert list(found) == left[:limit]


def test_a_definition_is_preferred_to_the_passage_that_repeats_the_word(corpus: Corpus) -> None:
    assert "Artículo 7" in corpus.search_passages("jornada")[0].heading_path[-1]
    defined = corpus.search_passages("¿Qué es la jornada?")[0]
    assert "Artículo 5" in defined.heading_path[-1]
    assert defined.score.boosts["definition"] > 0


def test_everyday_words_find_those_of_the_law(corpus: Corpus) -> None:
    (first, *_) = corpus.search_passages("me corrieron, ¿me deben pagar?")
    assert first.publication.document_id == LAW
    assert first.score.boosts["synonyms"] > 0


def test_an_acronym_finds_the_name_it_stands_for(corpus: Corpus) -> None:
    assert best(corpus, "PROFECO") == REPORT


@pytest.mark.parametrize("typed", ["suminsitro", "sumnistro", "suministrro", "suministeo", "zuministro"])
def test_one_typing_error_is_forgiven_and_told(corpus: Corpus, typed: str) -> None:
    found = corpus.search_documents(f"{typed} eléctrico")
    assert found.retrieval.corrections == ((typed, "suministro"),)
    assert found[0].publication.document_id == REPORT
    assert found[0].score.boosts["corrections"] > 0


def test_words_that_the_corpus_knows_are_left_as_they_are(corpus: Corpus) -> None:
    clean = corpus.search_passages("suministro eléctrico")
    assert clean.retrieval.corrections == ()
    assert "corrections" not in clean[0].score.boosts
    assert corpus.search_passages("peajes").retrieval.corrections == ()


def test_a_rare_word_that_exists_is_not_turned_into_a_frequent_one(corpus: Corpus) -> None:
    # «peaje» occurs twice: too rare to be sure of, but nothing near it is overwhelmingly more frequent.
    assert best(corpus, "peaje") in {OLD, NEW}
    assert corpus.search_passages("peaje").retrieval.corrections == ()


def test_recent_documents_come_first_only_when_asked(corpus: Corpus) -> None:
    assert best(corpus, "cuota de peaje") == OLD
    hit = corpus.search_documents("cuota de peaje", prefer_recent=True)[0]
    assert hit.publication.document_id == NEW
    assert hit.score.boosts["recent"] > 0


def test_what_is_only_recent_is_not_found(corpus: Corpus) -> None:
    assert corpus.search_documents("xqzptk", prefer_recent=True).hits == ()


def test_ages_count_from_the_cut_off(corpus: Corpus) -> None:
    (only,) = corpus.search_documents("peaje", Filters(as_of=date(2001, 12, 31)), prefer_recent=True)
    assert only.score.boosts["recent"] == pytest.approx(3.0)
