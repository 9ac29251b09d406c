"""Which words are taken for typing errors, over a vocabulary of a few terms."""

from __future__ import annotations

import pytest

from dofpilot.corpus.search.typos import correction, is_strange
from dofpilot.corpus.text.analysis import term

KNOWN = {term(word): 500 for word in ("enero", "entrará", "salir", "salario", "multa", "subir")}
KNOWN |= {term("cubrir"): 2, term("cubrirá"): 2}


def frequency(found: str) -> int:
    return KNOWN.get(found, 0)


@pytest.mark.parametrize(("typed", "meant"), [("salraio", "salario"), ("mulat", "multa"), ("enro", None)])
def test_a_slip_in_a_word_of_five_letters_or_more_is_found(typed: str, meant: str | None) -> None:
    assert is_strange(typed, frequency) == (meant is not None)
    assert meant in (None, correction(typed, frequency))


def test_a_known_word_is_not_strange() -> None:
    assert not is_strange("enero", frequency)


@pytest.mark.parametrize("word", ["entro", "salio", "subio", "cubrio"])
def test_a_past_tense_of_a_known_verb_is_no_slip(word: str) -> None:
    assert not is_strange(word, frequency)


def test_a_past_tense_of_no_known_verb_may_be_one() -> None:
    assert is_strange("eneto", frequency)
    assert correction("eneto", frequency) == "enero"
