from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dofpilot.corpus.building.builder import build
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import InvalidRequest
from dofpilot.corpus.search.snippets import SNIPPET_LIMIT
from dofpilot.corpus.types import Filters, Section, Strategy
from tests.corpus.trees import corpus_of, write

FILLER = "La autoridad resolverá lo conducente en el plazo que corresponda y lo hará constar. "
NORM, NOTICE, OTHER_NORM, LAW, DECREE, RATES, TWIN = 11, 12, 13, 14, 15, 16, 17

DOCUMENTS = {
    NORM: (
        date(2018, 10, 23),
        "MAT",
        "# SECRETARÍA DEL TRABAJO\n\n## NORMA Oficial Mexicana NOM-035-STPS-2018, Factores de riesgo\n\n"
        f"### 5. Obligaciones\n\n5.1 {FILLER * 18}\n\n"
        f"5.2 Los centros de hasta 50 personas evalúan. {FILLER * 18}\n",
    ),
    NOTICE: (
        date(2019, 11, 15),
        "MAT",
        "## AVISO sobre la NOM-035-STPS-2018\n\nSe hace saber: la NOM-035-STPS-2018 rige. "
        + "La NOM-035-STPS-2018 obliga. " * 9,
    ),
    OTHER_NORM: (
        date(2024, 9, 5),
        "MAT",
        "## NORMA Oficial Mexicana NOM-035-ENER-2024, Bombas\n\nNorma oficial mexicana STPS de 2018. "
        + FILLER,
    ),
    LAW: (
        date(2025, 2, 21),
        "MAT",
        "## LEY DEL TRABAJO\n\n"
        + "".join(f"**Artículo {n}.-** {FILLER * 12}\n\n" for n in range(70, 90))
        + f"**Artículo 90.-** El año sabático se rige por el artículo 78. {FILLER * 12}\n\n",
    ),
    DECREE: (
        date(2025, 12, 9),
        "VES",
        f"## DECRETO de estímulos\n\n{FILLER * 6}"
        f"Las vacaciones vencen el 9 de diciembre de 2025. {FILLER * 6}",
    ),
    RATES: (date(2026, 1, 5), "MAT", "## TABLA de cuotas\n\nEl salario diario es de 315.04 pesos.\n"),
    TWIN: (date(2026, 1, 6), "MAT", "## TABLA de cuotas\n\nEl salario diario es de 315.04 pesos.\n"),
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder: Path = tmp_path_factory.mktemp("search")
    for code, (day, section, text) in DOCUMENTS.items():
        write(folder / "tree", code, text, day, section)
    build(folder / "tree", folder / "out")
    with Corpus.open(folder / "out") as opened:
        yield opened


def found(corpus: Corpus, query: str, filters: Filters = Filters()) -> list[int]:  # noqa: B008
    return [hit.publication.document_id for hit in corpus.search_documents(query, filters)]


def test_a_document_comes_once_with_its_best_place(corpus: Corpus) -> None:
    hits = corpus.search_documents("año sabático plazo")
    ids = [hit.publication.document_id for hit in hits]
    assert len(ids) == len(set(ids))
    assert hits[0].publication.document_id == LAW
    assert hits[0].heading_path[-1] == "Artículo 90"
    assert "sabático" in hits[0].snippet


def test_many_passages_of_one_document_do_not_crowd_out_the_others(tmp_path: Path) -> None:
    loud = "## LEY\n\n" + "".join(f"Artículo {n}.- {'El peaje. ' * 190}\n\n" for n in range(1, 40))
    quiet = f"## AVISO de obra\n\nSobre el peaje. {FILLER * 20}"
    with corpus_of(tmp_path, [loud, quiet, quiet]) as small:
        assert found(small, "peaje") == [1, 2, 3]
        assert len(small.search_documents("peaje", limit=2)) == 2


def test_words_in_the_order_asked_precede_the_same_words_apart(tmp_path: Path) -> None:
    apart = f"## AVISO de obra\n\nOficio 2025 sobre 117 y ACU. {FILLER}"
    together = f"## AVISO de obra\n\nOficio sobre ACU-117-2025 y {FILLER}"
    with corpus_of(tmp_path, [apart, together]) as small:
        assert found(small, "ACU-117-2025") == [2, 1]
        assert found(small, "oficio «ACU 117 2025»") == [2, 1]


def test_the_norm_that_bears_an_identifier_precedes_those_that_cite_it(corpus: Corpus) -> None:
    assert found(corpus, "¿Qué pide la NOM-035-STPS-2018?")[:2] == [NORM, NOTICE]


def test_a_numeral_is_found_as_written(corpus: Corpus) -> None:
    (first, *_) = corpus.search_evidence("numeral 5.2", [NORM])
    assert first.heading_path[-1] == "5.2"


def test_an_article_precedes_the_articles_that_refer_to_it(corpus: Corpus) -> None:
    for query in ("artículo 78", "ARTICULO 78", "art. 78 de la ley"):
        (first, *_) = corpus.search_evidence(query, [LAW])
        (passage,) = corpus.read_chunks([first.chunk_id])
        assert "**Artículo 78.-**" in passage.text


@pytest.mark.parametrize("query", ["9 de diciembre de 2025", "2025-12-09", "9/12/2025", "09-12-2025"])
def test_a_date_is_found_in_any_spelling(corpus: Corpus, query: str) -> None:
    assert found(corpus, query)[0] == DECREE


def test_a_date_finds_what_was_published_that_day(corpus: Corpus) -> None:
    assert found(corpus, "publicaciones del 2026-01-06")[0] == TWIN


def test_an_amount_is_found_as_written(corpus: Corpus) -> None:
    assert found(corpus, "$315.04") == [RATES, TWIN]


def test_accents_make_no_difference(corpus: Corpus) -> None:
    assert found(corpus, "AÑO SABÁTICO") == found(corpus, "ano sabatico")


def test_words_of_asking_are_ignored(corpus: Corpus) -> None:
    plain = corpus.search_passages("vacaciones")
    assert corpus.search_passages("¿Cuándo quiero saber de vacaciones?") == plain


def test_a_question_of_such_words_alone_is_still_searched(corpus: Corpus) -> None:
    assert corpus.search_documents("¿cuánto hay hoy?").hits == ()


def test_equal_scores_come_in_the_order_of_ids(corpus: Corpus) -> None:
    first, second = corpus.search_passages("salario diario")
    assert first.score == second.score
    assert first.chunk_id < second.chunk_id
    assert corpus.search_passages("salario diario", limit=1).hits == (first,)


def test_filters_hold_and_leave_scores_alone(corpus: Corpus) -> None:
    every = {hit.chunk_id: hit.score for hit in corpus.search_passages("salario diario")}
    limited = corpus.search_passages("salario diario", Filters(as_of=date(2026, 1, 5)))
    assert {hit.chunk_id: hit.score for hit in limited} == {RATES * 100_000: every[RATES * 100_000]}
    assert found(corpus, "plazo", Filters(section=Section.VES)) == [DECREE]
    assert found(corpus, "salario", Filters(date_from=date(2026, 1, 6))) == [TWIN]
    assert found(corpus, "salario", Filters(date_to=date(2026, 1, 5), as_of=date(2026, 1, 6))) == [RATES]
    assert found(corpus, "salario", Filters(as_of=date(2026, 1, 5), date_to=date(2026, 1, 6))) == [RATES]
    assert found(corpus, "salario", Filters(as_of=date(2025, 12, 31))) == []


def test_evidence_stays_inside_the_documents_asked_for(corpus: Corpus) -> None:
    hits = corpus.search_evidence("plazo", [NORM, DECREE, NORM], limit=100)
    assert {hit.publication.document_id for hit in hits} == {NORM, DECREE}
    assert corpus.search_evidence("plazo", [NORM], Filters(as_of=date(2018, 1, 1))).hits == ()


def test_a_snippet_is_short_and_shows_the_match(corpus: Corpus) -> None:
    (first, *_) = corpus.search_passages("vencen las vacaciones")
    assert len(first.snippet) <= SNIPPET_LIMIT
    assert "vacaciones vencen" in first.snippet
    assert first.snippet[0] == first.snippet[-1] == "…"


@pytest.mark.parametrize("strategy", [Strategy.VECTOR, Strategy.HYBRID])
def test_a_strategy_without_index_is_refused(corpus: Corpus, strategy: Strategy) -> None:
    for ask in (corpus.search_documents, corpus.search_passages):
        with pytest.raises(InvalidRequest) as caught:
            ask("salario", strategy=strategy)
        assert caught.value.field == "strategy"


@pytest.mark.parametrize("query", ["", " \n\t ", "de la que", "¿?", "\x00", "🙂🙂", "\ud800", "x" * 10_001])
def test_a_query_with_nothing_to_look_for_is_refused(corpus: Corpus, query: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        corpus.search_documents(query)
    assert caught.value.field == "query"


@given(st.text(max_size=300) | st.text(alphabet='"+-*?:()[]{}^~\\/ aAND ORNOT«»\x00', max_size=80))
@example("palabra " * 1_250)
@example("1-" * 5_000)
@example("9999-99-99 32/13/2025 0 de enero de 0000")
@example("artículo 99999 \ud800 NOT body:salario")
def test_any_query_gives_hits_or_a_refusal_of_the_query(corpus: Corpus, query: str) -> None:
    with suppress(InvalidRequest):
        corpus.search_documents(query)


@pytest.mark.parametrize(
    "syntax",
    ["NOT {}", "-{}", "+{}", "body:{}", '"{}"', "{}*", "{}~2", "({})", "[{} TO z]", "{} AND", "title:{}^7.5"],
)
def test_query_syntax_is_only_text(corpus: Corpus, syntax: str) -> None:
    # "not", "body", "title" and "to" are then words like others, which no document holds.
    assert found(corpus, syntax.format("sabático")) == [LAW]
