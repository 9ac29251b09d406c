"""What is embedded of a passage: windows of whole sentences, each under the document's title."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dofpilot.corpus.vectors.windows import LARGEST, TITLE, tidy, windows

SENTENCE = "La autoridad resolverá en treinta días. "


def bodies(text: str) -> list[str]:
    return [window.removeprefix("Ley\n") for window in windows("Ley", text)]


def test_a_short_passage_is_one_window_under_its_title():
    assert windows("Ley de Aguas", "Artículo 1.- El agua es de la Nación.") == (
        "Ley de Aguas\nArtículo 1.- El agua es de la Nación.",
    )


def test_it_cuts_between_paragraphs_where_there_are_any():
    first, second = SENTENCE * 15, "Artículo 2.- " + SENTENCE * 12
    assert bodies(f"{first.strip()}\n\n{second.strip()}") == [first.strip(), second.strip()]


def test_it_cuts_between_sentences_otherwise():
    cut = bodies(SENTENCE * 60)
    assert all(body.endswith("días.") for body in cut)
    assert "".join(f"{body} " for body in cut) == SENTENCE * 60


def test_windows_are_about_alike_and_no_more_than_needed():
    lengths = [len(body) for body in bodies(SENTENCE * 80)]
    assert len(lengths) == -(-len(SENTENCE * 80) // LARGEST)
    assert min(lengths) > LARGEST / 2


@given(st.text(alphabet=st.characters(), max_size=4000) | st.text(alphabet="ab \n.|-", max_size=4000))
def test_no_word_is_lost_and_no_window_is_too_large(text):
    cut = windows("T", text)
    assert cut == windows("T", text)
    assert all(len(window) <= len("T\n") + LARGEST for window in cut)
    assert "".join("".join(window.removeprefix("T") for window in cut).split()) == "".join(tidy(text).split())


@pytest.mark.parametrize("text", ["x" * 5000, " \n" * 5000, "|" * 100_000, "- " * 50_000, "\n" * 100_000])
def test_strange_passages_have_windows_too(text):
    assert all(0 < len(window) <= LARGEST + 2 for window in windows("T", text))


def test_a_passage_of_blanks_has_its_title_alone():
    assert windows("Ley", " \n\n ") == ("Ley",)


def test_a_long_title_is_shortened_and_tables_lose_their_rules():
    (window,) = windows("Acuerdo " * 60, "| Clave | Monto |\n|-------|:-----:|\n| A-1 | 1,250.50 |")
    head, *rows = window.split("\n")
    assert len(head) <= TITLE
    assert "---" not in window
    assert "A-1 | 1,250.50" in rows[-1]


def test_nothing_ends_a_text_early_or_cannot_be_encoded():
    assert tidy("antes\x00después\ud800 fin") == "antes después fin"
