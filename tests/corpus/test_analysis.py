import pytest
from hypothesis import given
from hypothesis import strategies as st

from dofpilot.corpus.text.analysis import terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("año", "ano"),  # on purpose: people type without ñ, and much of the older gazette has none
        ("AÑOS", "año"),
        ("días", "DIA"),
        ("notificación", "notificaciones"),
        ("notificacion", "NOTIFICACIONES"),
        ("patrón", "patrones"),
        ("ley", "leyes"),
        ("1º", "1o."),
        ("Artículo 3o.-", "articulo 3"),
        ("$1,234.50", "1234.50"),
        ("330-A", "330-a"),
        ("330-A", "330A"),
        ("ARTÍCULO 3O.", "artículo 3"),
        ("3a. sesión", "3 sesion"),
        ("an\u0303o", "año"),
        ("sa\u00adlario", "salario"),
    ],
)
def test_spellings_that_are_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other) != []


@pytest.mark.parametrize(
    ("one", "other"),
    [("5.2", "52"), ("330-A", "330"), ("330-A", "330-B"), ("1,234", "1.234"), ("caso", "casa de moneda")],
)
def test_what_stays_apart(one: str, other: str) -> None:
    assert terms(one) != terms(other)


def test_function_words_are_left_out() -> None:
    assert terms("El de la que a los") == []


@given(st.text())
def test_terms_of_any_text_hold_no_space_and_have_an_end(text: str) -> None:
    for term in terms(text):
        assert term.split() == [term]
        assert len(term) <= 64
