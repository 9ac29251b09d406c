import pytest
from hypothesis import given
from hypothesis import strategies as st

from dofpilot.corpus.text.quotes import Span, locate

TEXT = "**Artículo 76.-** Las   _personas_\ntrabajadoras  gozarán de *doce* días; [véase](http://x.mx/a b)."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("las personas trabajadoras", "Las   _personas_\ntrabajadoras"),
        ("ARTICULO 76. LAS", "Artículo 76.-** Las"),
        ("doce dias véase", "doce* días; [véase"),
        ("76", "76"),
    ],
)
def test_it_finds_words_however_they_are_set(quote: str, found: str) -> None:
    span = locate(quote, TEXT)
    assert span is not None
    assert TEXT[span.start : span.end] == found


@pytest.mark.parametrize(
    "quote", ["personas gozarán", "doce día", "trabajadoras personas", "7", "", "—", "x mx", "76 77"]
)
def test_what_is_no_contiguous_run_of_whole_words_is_not_found(quote: str) -> None:
    assert locate(quote, TEXT) is None


def test_the_first_of_two_places_is_given() -> None:
    assert locate("uno dos", "dos uno dos uno dos") == Span(4, 11)


@given(st.lists(st.text(alphabet="aeñÁ1º ", min_size=1).filter(str.strip), min_size=1), st.data())
def test_any_run_of_words_of_a_text_is_found_in_it(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    text = " ** ".join(words)
    assert locate(" ".join(words[start:end]), text) is not None


@given(st.text(), st.text())
def test_any_two_texts_give_a_span_inside_or_nothing(quote: str, text: str) -> None:
    span = locate(quote, text)
    assert span is None or 0 <= span.start < span.end <= len(text)


def test_a_megabyte_of_half_open_links_is_searched() -> None:
    assert locate("fin", "](" * 500_000 + " fin") is not None
