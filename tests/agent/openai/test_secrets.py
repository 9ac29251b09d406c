"""The key in every spelling."""

from __future__ import annotations

import base64
import html
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dofpilot.agent.providers.openai_secrets import Redaction

# No token that a header carries has a backslash.
TOKEN = st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="\\")
KEYS = st.text(TOKEN, min_size=6, max_size=60)
SURROUNDINGS = st.text(st.sampled_from("ñ /=<>\"'\\"), max_size=5)


def everything_escaped(key: str) -> list[str]:
    return [
        key,
        quote(key, safe=""),
        quote(quote(key, safe=""), safe=""),
        html.escape(key),
        json.dumps(key)[1:-1],
        json.dumps(key)[1:-1].replace("/", "\\/"),
        "".join(f"&#{ord(character)};" for character in key),
        "".join(f"&#x{ord(character):X};" for character in key),
        "".join(f"\\u{ord(character):04x}" for character in key),
        "".join(f"%{ord(character):02X}" for character in key),
    ]


@given(KEYS, SURROUNDINGS, SURROUNDINGS)
def test_no_spelling_of_a_key_is_left(key: str, before: str, after: str) -> None:
    redaction = Redaction(key)
    for spelled in everything_escaped(key):
        hidden = redaction.text(f"{before}{spelled}{after}")
        assert "***" in hidden
        assert len(hidden) <= len(before) + len(after) + 3


@given(KEYS, st.binary(max_size=7), st.binary(max_size=7))
def test_no_key_inside_of_something_in_base64_is_left(key: str, before: bytes, after: bytes) -> None:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        spelled = encode(before + key.encode() + after).decode()
        hidden = Redaction(key).text(spelled)
        # What is left belongs to what stood around it, with a character at each end that both share.
        assert len(hidden.replace("***", "")) <= len(encode(before)) + len(encode(after)) + 4


@pytest.mark.parametrize(
    "masked", ["sk-ab****89", "sk-ab…89", "sk-ab...89", "sk-ab***********************xyz89"]
)
def test_beginning_and_end_of_a_masked_key_are_not_left(masked: str) -> None:
    assert Redaction("sk-abcdefxyz89").text(f"clave: {masked} no sirve") == "clave: *** no sirve"


LENGTH = 1_000_000
GUESSED = "sk-secreta-0123456789"
INNOCENT = [
    *["\\", "\\s", "\\u0073", "%", "%25", "%73", "&#", "&#0", "&#115;", "s", "S", "sk-s", "sk-s-", "sk-s."],
    *[GUESSED[:-1], "".join(f"\\u{ord(character):04x}" for character in GUESSED[:-1])],
]


# Each takes a tenth of a second. What grows with the square of the length would take hours.


@pytest.mark.parametrize("unit", INNOCENT)
def test_any_long_text_without_a_key_stays(unit: str) -> None:
    text = unit * (LENGTH // len(unit))
    assert Redaction(GUESSED).text(text) == text


@pytest.mark.parametrize(
    ("unit", "hidden"), [(GUESSED.upper(), "***" * (LENGTH // len(GUESSED))), ("sk-s*", "***")]
)
def test_any_number_of_keys_is_hidden(unit: str, hidden: str) -> None:
    assert Redaction(GUESSED).text(unit * (LENGTH // len(unit))) == hidden


@pytest.mark.parametrize("begin", ["&#", "%", "sk-s", "%" + "25" * 1000 + "73"])
@pytest.mark.parametrize("run", ["0", "25", "w", "\\", "."])
def test_any_long_run_without_a_key_stays(begin: str, run: str) -> None:
    text = begin + run * (LENGTH // len(run))
    masked = (begin, run) == ("sk-s", ".")
    assert Redaction(GUESSED).text(text) == ("***" if masked else text)


def test_a_key_behind_a_run_of_backslashes_is_not_left() -> None:
    assert Redaction(GUESSED).text("a" + "\\" * 1000 + GUESSED) == "a***"
    assert Redaction(GUESSED).text("a" + "\\" * 1001 + "u0073" + GUESSED[1:]) == "a***"


def test_names_and_nested_values_are_gone_through() -> None:
    value = {"a": ["clave123", {"clave123": "x clave123"}], "b": 1, "c": None, "d": True, "e": 0.5}
    hidden = {"a": ["***", {"***": "x ***"}], "b": 1, "c": None, "d": True, "e": 0.5}
    assert Redaction("clave123").value(value) == hidden


@pytest.mark.parametrize("key", [None, "", "none", "EMPTY"])
def test_what_local_servers_get_for_a_key_stays(key: str | None) -> None:
    assert Redaction(key).value({"none": "EMPTY"}) == {"none": "EMPTY"}
