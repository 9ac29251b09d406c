"""The extractive provider: whether what it quotes is of the very thing, year and provision asked for."""

from __future__ import annotations

from datetime import date

import pytest

from tests.agent.fake_corpus import FakeCorpus, document
from tests.agent.quoting import answer, paper

REFUSED = "No encontré una respuesta"
UMA = [
    document(
        6040, "UNIDAD de medida de 2026", date(2026, 1, 9), "La UMA mensual vale 3,566.22 pesos en 2026."
    ),
    document(
        6041,
        "UNIDAD de medida de 2025",
        date(2025, 1, 10),
        "La UMA mensual vale 3,439.46 pesos en 2025.\n\nEn enero se usarán todavía los de 2024.",
    ),
]


def test_a_compared_year_is_found_only_beside_a_figure_of_the_form_asked_for() -> None:
    corpus = FakeCorpus(tuple(UMA))
    text = answer("¿Qué valor tiene la UMA mensual en 2024 y en 2026?", corpus=corpus)
    assert text.startswith(f"{REFUSED} en los pasajes leídos. Tampoco encontré una cifra de 2024.\n")
    assert answer("¿Qué valor tiene la UMA mensual en 2025 y en 2026?", corpus=corpus).startswith(
        "En «UNIDAD"
    )


def test_a_sentence_that_names_no_year_is_of_the_year_of_its_publication() -> None:
    corpus = FakeCorpus(
        tuple(
            document(6050 + year, "UNIDAD de medida", date(year, 1, 9), f"La UMA vale {value} pesos.")
            for year, value in ((2025, "113.14"), (2026, "117.31"))
        )
    )
    text = answer("¿Cuánto vale la UMA en 2025 y en 2026?", corpus=corpus)
    assert text.startswith("En «UNIDAD")
    assert "una cifra" not in text


@pytest.mark.parametrize("verb", ["aumentó", "subió", "bajó", "creció", "disminuyó", "varió", "ha cambiado"])
def test_a_verb_of_change_is_nothing_to_be_found_in_a_comparison(verb: str) -> None:
    text = answer(f"¿Cuánto {verb} la UMA de 2025 a 2026?", corpus=FakeCorpus(tuple(UMA)), hops=2)
    assert text.startswith("En «UNIDAD")
    assert {"3,439.46", "3,566.22"} <= set(text.split())
    assert "No encontré" not in text


def test_a_verb_of_change_is_never_listed_as_a_thing_that_was_not_found() -> None:
    text = answer("¿Cuánto subió la UMA en 2026?", corpus=FakeCorpus(tuple(UMA)))
    assert text.startswith(REFUSED)
    assert "subió" not in text


CHAIRS = (
    "Primero.- El Decreto de sillas con respaldo entra en vigor a los 180 días.\n\n"
    "Segundo.- La Secretaría expide las normas de sillas con respaldo."
)


def test_a_transitory_article_is_found_wherever_coverage_finds_it() -> None:
    text = answer(
        "¿Cuándo entró en vigor el decreto de sillas con respaldo y qué dice el segundo transitorio?",
        corpus=paper("DECRETO de sillas", CHAIRS),
    )
    assert text.startswith("En «DECRETO de sillas»")
    assert "Segundo.- La Secretaría" in text
    assert "No encontré" not in text


def test_a_transitory_article_that_nothing_quoted_holds_withdraws_the_answer() -> None:
    text = answer(
        "¿Cuándo entró en vigor el decreto de sillas con respaldo y qué dice el noveno transitorio?",
        corpus=paper("DECRETO de sillas", CHAIRS),
    )
    assert text.startswith(f"{REFUSED} en los pasajes leídos. Tampoco encontré")
    assert text.split("\n")[0].count("transitorio") == 1


WATER = "Artículo 4. Para esta Ley son usos del agua: I. Doméstico; II. Agrícola, y III. Industrial."
WAGES = "PRIMERO. La resolución fija los salarios mínimos en 315.04 pesos."


@pytest.mark.parametrize(
    ("question", "thing", "text"),
    [
        ("¿Cuántos perros puedo tener según la Ley General de Aguas?", "perros", WATER),
        ("¿Cuántos perros permite la Ley General de Aguas?", "perros", WATER),
        ("¿Qué perros puedo tener conforme a la Ley General de Aguas?", "perros", WATER),
        ("¿Cuántos perros puedo tener y desde cuándo según la Ley General de Aguas?", "perros", WATER),
        ("¿De cuánto es el aguinaldo según la resolución de salarios mínimos?", "aguinaldo", WAGES),
        ("Según la resolución de salarios mínimos, ¿de cuánto es el aguinaldo?", "aguinaldo", WAGES),
        ("¿De cuánto es el aguinaldo en la resolución de salarios mínimos?", "aguinaldo", WAGES),
        ("¿Cuánto es el aguinaldo que fija la resolución de salarios mínimos?", "aguinaldo", WAGES),
        ("¿Qué monto tiene el aguinaldo según la resolución de salarios mínimos?", "aguinaldo", WAGES),
    ],
)
def test_a_thing_that_nothing_quoted_names_is_not_counted_or_valued(
    question: str, thing: str, text: str
) -> None:
    said = answer(question, corpus=paper("LEY GENERAL DE AGUAS y resolución", text))
    assert said.startswith(f"{REFUSED} en los pasajes leídos. Tampoco encontré «{thing}»")


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuántos usos del agua hay según la Ley General de Aguas?",
        "¿Cuántos glaciares hay según la Ley General de Aguas?",
    ],
)
def test_a_thing_that_a_quotation_or_what_stands_above_it_names_is_counted(question: str) -> None:
    assert answer(question, corpus=paper("LEY GENERAL DE AGUAS y glaciares", WATER)).startswith(
        "En «LEY GENERAL"
    )


def test_a_thing_that_only_an_unquoted_line_names_is_not_counted() -> None:
    signed = f"{WATER}\n\nEl encargado de perros, Juan Pérez.- Rúbrica."
    text = answer(
        "¿Cuántos perros permite la Ley General de Aguas?", corpus=paper("LEY GENERAL DE AGUAS", signed)
    )
    assert text.startswith(f"{REFUSED} en los pasajes leídos. Tampoco encontré «perros».")


def test_an_amount_told_in_other_words_is_not_withdrawn() -> None:
    fuel = paper("ACUERDO", "El estímulo de la gasolina premium de la semana es de 0.00 pesos por litro.")
    question = "¿De cuánto fue el descuento en pesos por litro de la gasolina premium?"
    assert answer(question, corpus=fuel).startswith("En «ACUERDO»")


def test_of_two_parts_the_one_that_is_found_is_answered() -> None:
    text = answer(
        "¿Cuánto valen los salarios mínimos de la resolución y de cuánto es el aguinaldo?",
        corpus=paper("RESOLUCIÓN de salarios mínimos", WAGES),
    )
    assert text.startswith("En «RESOLUCIÓN")
    assert text.endswith("No encontré «aguinaldo» en los pasajes leídos.")


ONLY_SPANISH = f"{REFUSED} en los pasajes leídos. Este método solo entiende preguntas en español."


@pytest.mark.parametrize(
    "question",
    [
        "What is the minimum wage in 2026?",
        "How much is the salario mínimo in Mexico?",
        "Quel est le salaire minimum en 2026 ?",
        "Combien vaut la UMA en 2026 ?",
        "minimum wage",
        "minimum wage 2026",
    ],
)
def test_a_question_that_is_not_spanish_is_told_so_and_not_picked_to_pieces(question: str) -> None:
    assert answer(question).split("\n")[0] == ONLY_SPANISH


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuántos perros puedo tener?",
        "¿Qué es el home office y el coworking?",
        "perros gatos",
        "¿Cuánto paga The Home Depot por la cosecha de peras?",
        "salario mínimo Kansas",
        "¿Me pagan el Black Friday?",
    ],
)
def test_a_spanish_question_is_never_told_to_be_asked_in_spanish(question: str) -> None:
    assert "español" not in answer(question)
