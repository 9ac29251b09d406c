"""Days as people and the gazette write them."""

from __future__ import annotations

from datetime import date

import pytest

from dofpilot.corpus.search.query import parse
from dofpilot.corpus.text import dates
from dofpilot.corpus.text.folding import fold, fold_in_place

JANUARY = date(2026, 1, 1)


@pytest.mark.parametrize(
    "written",
    [
        "2026-01-01",
        "2026-1-1",
        "01/01/2026",
        "1-1-2026",
        "1 de enero de 2026",
        "1º de enero del 2026",
        "1o. de enero de 2026",
        "1 ene 2026",
        "primero de enero de dos mil veintiséis",
        "PRIMERO DE ENERO DE 2026",
    ],
)
def test_a_query_and_a_figure_read_the_same_spellings_of_a_day(written: str) -> None:
    (mention,) = dates.find(fold_in_place(written))
    assert mention.day == JANUARY
    assert parse(f"lo publicado el {written}").days == (JANUARY,)


def test_a_day_in_digits_is_looked_for_in_words() -> None:
    assert parse("acuerdo del 09/12/2025").terms == parse("acuerdo del 9 de diciembre de 2025").terms


@pytest.mark.parametrize("written", ["32/13/2025", "2025-02-30", "3.1 de enero de 2026"])
def test_what_is_no_day_is_searched_as_it_is_written(written: str) -> None:
    assert parse(f"acuerdo {written}").days == ()


def test_a_day_is_spelled_as_the_gazette_does() -> None:
    assert dates.spelled(date(2025, 9, 16)) == "16 de septiembre de 2025"


@pytest.mark.parametrize("text", ["Año 2026 – ÑANDÚ", "İstanbul", "℃ ﬁ ½", "a\u00a0b"])
def test_folding_in_place_moves_no_character(text: str) -> None:
    assert len(fold_in_place(text)) == len(text)


def test_both_foldings_agree_on_spanish_words() -> None:
    text = "Ley de Amnistía, año ÚNICO: pingüino"
    assert fold(text) == fold_in_place(text)


def test_each_place_is_read_once_and_in_its_fullest_way() -> None:
    text = "del 1 de enero al 9 de diciembre de 2025, y en enero de 2026"
    assert [mention.value for mention in dates.find(text)] == ["--01-01", "2025-12-09", "2026-01"]


@pytest.mark.parametrize(
    ("asked", "said", "same"),
    [
        ("2026-01", "2026-01-09", True),
        ("--01-09", "2026-01-09", True),
        ("2026-01-09", "2026-01-09", True),
        ("2026-01-09", "2026-01", False),
        ("2026-01-09", "--01-09", False),
        ("2026-01", "2026-10-09", False),
        ("--01-09", "2026-01", False),
    ],
)
def test_a_fuller_date_is_the_same(asked: str, said: str, same: bool) -> None:
    assert dates.same(asked, said) is same
