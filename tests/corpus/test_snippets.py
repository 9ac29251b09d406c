from hypothesis import given
from hypothesis import strategies as st

from dofpilot.corpus.search.snippets import SNIPPET_LIMIT, Snippets
from dofpilot.corpus.text.analysis import terms
from dofpilot.corpus.text.shortening import ELLIPSIS


def made(text: str, *wanted: str, limit: int = SNIPPET_LIMIT) -> str:
    return Snippets(frozenset(terms(" ".join(wanted))), limit).of(text)


def test_it_shows_the_place_with_most_of_the_words() -> None:
    text = "peaje " + "nada " * 200 + "el peaje de la autopista " + "nada " * 200 + "autopista"
    assert "el peaje de la autopista" in made(text, "peaje", "autopista")


def test_what_matches_stands_in_the_middle() -> None:
    shown = made("antes " * 200 + "peaje " + "luego " * 200, "peaje")
    place = shown.index("peaje")
    assert abs(place - len(shown) // 2) < 20
    assert shown.startswith("…antes")
    assert shown.endswith("luego…")


def test_at_an_edge_the_room_goes_to_the_other_side() -> None:
    assert len(made("peaje " + "luego " * 200, "peaje")) > SNIPPET_LIMIT - 10
    assert len(made("antes " * 200 + "peaje", "peaje")) > SNIPPET_LIMIT - 10


def test_without_a_match_it_is_the_beginning() -> None:
    assert made("uno dos tres " * 100, "peaje").startswith("uno dos tres")


def test_a_short_text_is_shown_whole() -> None:
    assert made("El peaje\n\nes  caro.", "peaje") == "El peaje es caro."


words = st.lists(st.text("abcñé,.", min_size=1, max_size=9), min_size=1, max_size=80)


@given(words, st.integers(20, 120), st.data())
def test_it_is_cut_between_words_and_shows_the_match(
    pieces: list[str], limit: int, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(pieces)))
    text = " ".join([*pieces[:place], "peaje", *pieces[place:]])
    shown = made(text, "peaje", limit=limit)
    assert "peaje" in shown
    cut = shown.removeprefix(ELLIPSIS).removesuffix(ELLIPSIS)
    assert f" {cut} " in f" {text} "
    assert shown.startswith(ELLIPSIS) != text.startswith(cut)
    assert shown.endswith(ELLIPSIS) != text.endswith(cut)


@given(st.text(max_size=400), st.integers(10, 80))
def test_it_is_never_longer_than_allowed_and_always_on_one_line(text: str, limit: int) -> None:
    shown = made(text, text[:40], limit=limit)
    assert len(shown) <= limit
    assert len(shown.splitlines()) <= 1
