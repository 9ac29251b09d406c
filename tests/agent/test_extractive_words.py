"""What a question's words stand for: other words, abbreviations, names; and what it is cut into."""

from __future__ import annotations

from datetime import date

import pytest

from dofpilot.agent.conversation import Question
from dofpilot.agent.providers.extractive.abbreviations import explained
from dofpilot.agent.providers.extractive.articles import covers
from dofpilot.agent.providers.extractive.asking import Form, without_form
from dofpilot.agent.providers.extractive.concepts import concepts
from dofpilot.agent.providers.extractive.naming import about, proper_names
from dofpilot.agent.providers.extractive.planning import Plan, plan
from dofpilot.corpus.text.analysis import terms


def planned(text: str, hops: int = 1) -> Plan:
    return plan(Question(text, date(2026, 4, 24), hops))


def said(query: str, text: str) -> list[float]:
    return [concept.said_by(frozenset(terms(text))) for concept in concepts(query)]


def test_a_word_is_said_by_itself_and_nearly_by_another_that_may_stand_for_it() -> None:
    assert said("cárcel", "pena de cárcel") == [1.0]
    assert 0 < said("cárcel", "pena de prisión")[0] < 1
    assert said("cárcel", "pena de multa") == [0.0]


def test_a_full_date_is_one_word_however_it_is_written() -> None:
    (day,) = (concept.own for concept in concepts("14 de junio de 2024"))
    assert day == "2024-06-14"


def test_an_abbreviation_is_explained_where_its_capitals_spell_it() -> None:
    text = "Rige en la Zona del Salario Mínimo General (ZSMG) y en otra parte (OTRA)."
    assert explained([text]) == {"zsmg": frozenset(terms("Zona del Salario Mínimo General"))}


def test_proper_names_are_runs_of_capitals_inside_a_sentence() -> None:
    question = "¿Qué monto tiene la beca Benito Juárez en Jalisco? Lo leí en el Diario Oficial de México."
    assert proper_names(question) == ("Benito Juárez", "Jalisco")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("¿Cuánto cobra el registro civil por un acta de matrimonio?", ("registro", "acta", "matrimonio")),
        ("¿Quién es la nueva cónsul en Porto Velho?", ("cónsul", "Porto")),
        ("¿Qué plazo da la ley para cambiar el reglamento el 5 de mayo?", ("ley", "reglamento")),
        ("¿Vale el dólar en mi hogar sin pagar?", ("dólar", "hogar")),
    ],
)
def test_what_a_question_is_about_follows_its_articles_and_prepositions(
    question: str, words: tuple[str, ...]
) -> None:
    assert about(question)[: len(words)] == words


@pytest.mark.parametrize(
    ("heading", "article", "inside"),
    [
        ("Artículo 76 – Artículo 81", "77", True),
        ("Artículo 76 – Artículo 81", "81", True),
        ("Artículo 76 – Artículo 81", "82", False),
        ("Artículo 336 – Artículo 336 Bis", "336 bis", True),
        ("Artículo 336 Bis", "336", False),
        ("Transitorios", "1", False),
    ],
)
def test_a_heading_covers_the_articles_between_its_first_and_its_last(
    heading: str, article: str, inside: bool
) -> None:
    assert covers((heading,), article) is inside


def test_each_part_that_asks_has_its_own_form() -> None:
    facets = planned("Tengo una tienda: ¿desde cuándo rige la norma y cuánto tiempo dieron de plazo?").facets
    assert [facet.asked.form for facet in facets] == [Form.START, Form.LENGTH]


def test_words_that_only_open_or_end_a_question_belong_to_the_part_that_says_something() -> None:
    (fine,) = planned("Me atrasé: ¿de cuánto a cuánto va la multa mayor?").facets
    assert (fine.words, fine.asked.form) == ("multa mayor", Form.AMOUNT)
    (guarantee,) = planned("¿lo menos que puede durar esa garantía cuánto es?").facets
    assert (guarantee.words, guarantee.asked.form) == ("menos durar garantía", Form.QUANTITY)


def test_a_part_that_only_asks_for_another_form_asks_it_of_the_same() -> None:
    facets = planned("¿Hasta cuándo se concede la suma asegurada y cuántas UMA son?").facets
    assert [facet.asked.form for facet in facets] == [Form.WHEN, Form.COUNT]
    assert {facet.words for facet in facets} == {"concede suma asegurada"}


def test_the_words_that_only_ask_for_a_form_can_be_left_out() -> None:
    left = without_form("¿Qué porcentaje del pago y en cuánto tiempo?").split()
    assert left == ["¿", "del", "pago", "y", "?"]


def test_what_is_set_aside_is_not_asked_for() -> None:
    plan_ = planned("¿Qué días cierra la oficina, sin contar las vacaciones de su personal?")
    assert "vacaciones" not in plan_.subject
    assert "vacaciones" in plan_.searches[0].query


@pytest.mark.parametrize(
    ("question", "recent"),
    [
        ("¿Cuánto vale la UMA vigente?", True),
        ("¿Cuál es la última resolución de salarios?", True),
        ("¿Cuál es el salario mínimo vigente en 2025?", False),
        ("¿Cuánto vale la UMA?", False),
    ],
)
def test_it_looks_for_the_most_recent_only_where_that_is_asked_and_no_year(
    question: str, recent: bool
) -> None:
    assert planned(question).recent is recent
