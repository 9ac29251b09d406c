"""Figures that the search is tuned by: they count what they say they count."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.text.folding import fold
from dofpilot.harness.cases import (
    Answerability,
    Case,
    Category,
    Difficulty,
    Evidence,
    GoldDocument,
)
from tests.benchmarks.growth import line, power
from tests.benchmarks.mistakes import mistyped, slip, without_accents
from tests.benchmarks.recall import evaluate, evaluate_mistyped
from tests.corpus import trees

FEE = "# LEY DE PEAJES\n\n**Artículo 1.-** La cuota del puente es de doce pesos.\n"
DUCKS = "# REGLAMENTO DE PATOS\n\n**Artículo 1.-** Los patos migratorios gozan de paso libre.\n"
LATE = "# LEY DE PUENTES\n\n**Artículo 1.-** La cuota del puente sube a veinte pesos.\n"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = tmp_path_factory.mktemp("recall")
    trees.write(folder / "tree", 1, FEE, number=1)
    trees.write(folder / "tree", 2, DUCKS, number=2)
    trees.write(folder / "tree", 3, LATE, day=date(2026, 2, 2))
    trees.build(folder / "tree", folder / "out")
    with Corpus.open(folder / "out") as opened:
        yield opened


def case(
    question: str,
    code: int,
    *quotes: str,
    category: Category = Category.SINGLE_PASSAGE,
    answerability: Answerability = Answerability.ANSWERABLE,
    as_of: date = trees.DAY,
) -> Case:
    gold = GoldDocument(
        document_id=None,
        relpath=trees.path_of(code, number=code),
        publication_date=trees.DAY,
        section="MAT",
        role="answer",
        evidence=tuple(Evidence(chunk_id=None, chunk_index=None, quote=quote) for quote in quotes),
    )
    return Case(
        id=question,
        category=category,
        question=question,
        persona="viajero",
        difficulty=Difficulty.EASY,
        as_of=as_of,
        answerability=answerability,
        reference_answer="—",
        required_hops=1,
        gold_documents=(gold,),
        unanswerable_reason=None,
    )


def test_a_quote_counts_from_the_passage_that_holds_it_whole(corpus: Corpus) -> None:
    asked = [
        case("cuota del puente", 1, "la cuota del puente es de doce pesos", "la cuota del puente es de once")
    ]
    found = evaluate(corpus, asked)
    assert [gold.rank for gold in found.quotes] == [1, None]
    assert found.evidence_at(5) == found.evidence_at(50) == 0.5


def test_a_gold_document_counts_when_a_search_for_documents_lists_it(corpus: Corpus) -> None:
    found = evaluate(
        corpus, [case("patos migratorios", 2, "paso libre"), case("patos migratorios", 1, "pesos")]
    )
    assert [gold.rank for gold in found.documents] == [1, None]
    assert found.documents_at(10) == 0.5


def test_nothing_after_the_cut_off_counts(corpus: Corpus) -> None:
    late = [
        case("cuota del puente", 1, "sube a veinte pesos", as_of=as_of)
        for as_of in (trees.DAY, date(2026, 3, 1))
    ]
    assert [evaluate(corpus, [asked]).evidence_at(50) for asked in late] == [0.0, 1.0]


def test_questions_without_an_answer_are_left_out_and_keep_their_place(corpus: Corpus) -> None:
    asked = [
        case("patos", 2, "paso libre", answerability=Answerability.FALSE_PREMISE),
        case("patos migratorios", 2, "paso libre"),
        case("peaje", 1, "once pesos", category=Category.MONITORING),
    ]
    found = evaluate(corpus, asked)
    assert len(found.quotes) == 2
    assert found.only(half=1).evidence_at(10) == 1.0
    assert found.only(half=0).evidence_at(10) == 0.0
    assert found.only(category=Category.MONITORING).evidence_at(10) == 0.0


def test_the_change_is_what_is_searched(corpus: Corpus) -> None:
    asked = [case("patos migratorios", 2, "paso libre")]
    assert evaluate(corpus, asked, change=lambda question: "cuota").evidence_at(50) == 0.0
    assert len(evaluate_mistyped(corpus, asked).quotes) == 3


def test_accents_go_and_letters_stay() -> None:
    assert without_accents("¿Cuándo caduca el año? §5") == "¿Cuando caduca el ano? §5"


@given(st.text(alphabet="abcdeñáózw", min_size=4, max_size=12), st.integers())
def test_a_slip_changes_a_word_and_never_its_first_letter(word: str, seed: int) -> None:
    changed = slip(word, random.Random(seed))
    assert fold(changed) != fold(word)
    assert changed[0] == word[0]
    assert abs(len(changed) - len(word)) <= 1


def test_one_or_two_words_are_mistyped_and_the_same_for_a_seed() -> None:
    question = "¿Qué multa impone el artículo 47 Bis de la NOM-035-STPS-2018 a los patrones morosos?"
    made = {mistyped(question, str(seed)) for seed in range(40)}
    assert len(made) > 10
    assert mistyped(question, "1") == mistyped(question, "1")
    for text in made:
        pairs = list(zip(question.split(), text.split(), strict=True))
        assert 1 <= sum(before != after for before, after in pairs) <= 2
        assert all(
            before == after for before, after in pairs if before in {"¿Qué", "47", "NOM-035-STPS-2018", "de"}
        )


def test_growth_is_read_from_what_was_measured() -> None:
    sizes = [1.0, 4.0, 16.0]
    assert line(sizes, [5.0, 11.0, 35.0]).at(100.0) == pytest.approx(203.0)
    assert power(sizes, [3.0, 6.0, 12.0]).at(64.0) == pytest.approx(24.0)
    assert power(sizes, [3.0, 6.0, 12.0]).exponent == pytest.approx(0.5)
