"""What a run accepts; the same rules for page, API and command line."""

from __future__ import annotations

import datetime

import pytest
from django.utils import timezone

from runs import corpus_access
from runs.requests import InvalidInput, is_storable, parse

GOOD = {
    "question": "¿Qué rige en 2026?",
    "as_of": "2026-04-24",
    "required_hops": 2,
    "client_request_id": "a-1",
}


def test_it_accepts_exactly_the_four_fields():
    request = parse(GOOD)
    assert request.as_of == datetime.date(2026, 4, 24)
    assert (request.question, request.required_hops, request.client_request_id) == (
        "¿Qué rige en 2026?",
        2,
        "a-1",
    )


def test_it_fills_in_what_may_be_left_out():
    first, second = parse({"question": "¿Qué rige?"}), parse({"question": "¿Qué rige?"})
    assert first.required_hops == 1
    assert first.as_of <= datetime.date.today() + datetime.timedelta(days=1)
    assert first.client_request_id != second.client_request_id


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("question", ""),
        ("question", "ab"),
        ("question", "   ab   "),
        ("question", "x" * 2001),
        ("question", "con un \x00 dentro"),
        ("question", "medio \ud800 par"),
        ("question", "¿?¡!"),
        ("question", "\u200b" * 5),
        ("question", None),
        ("question", ["lista"]),
        ("as_of", "2026-02-30"),
        ("as_of", "24/04/2026"),
        ("as_of", "2026-04-24T10:00:00"),
        ("as_of", "2026-W17-5"),
        ("as_of", "20260424"),
        ("as_of", 1_777_000_000),
        ("as_of", ""),
        ("required_hops", 0),
        ("required_hops", 6),
        ("required_hops", "dos"),
        ("required_hops", 2.5),
        ("required_hops", 2.0),
        ("required_hops", "2.0"),
        ("required_hops", None),
        ("required_hops", True),
        ("client_request_id", ""),
        ("client_request_id", "x" * 129),
        ("client_request_id", "con espacio"),
        ("client_request_id", "línea\n"),
        ("modelo", "gpt"),
    ],
)
def test_it_names_the_field_at_fault_and_no_other(field, value):
    with pytest.raises(InvalidInput) as refused:
        parse({**GOOD, field: value})
    assert list(refused.value.errors) == [field]
    assert refused.value.errors[field]


def test_it_names_every_field_at_fault():
    with pytest.raises(InvalidInput) as refused:
        parse({"question": "", "as_of": "ayer", "required_hops": 9})
    assert set(refused.value.errors) == {"question", "as_of", "required_hops"}


def test_a_form_may_send_its_number_as_text():
    assert parse({**GOOD, "required_hops": "3"}).required_hops == 3


def test_line_breaks_are_part_of_a_question():
    assert parse({**GOOD, "question": "una\ndos"}).question == "una\ndos"


@pytest.mark.parametrize("text", ["línea\notra\r\ncon\ttabulador", "emoji 🙂 y ñ"])
def test_what_people_write_can_be_stored(text):
    assert is_storable(text)


@pytest.mark.parametrize("text", ["\0", "\x1b[31m", "\x85", "\ud800"])
def test_control_characters_and_halves_of_characters_cannot_be_stored(text):
    assert not is_storable(f"a{text}b")


def test_without_a_cutoff_it_is_the_corpus_last_day_and_without_a_corpus_today(
    loaded_corpus, settings, tmp_path
):
    last = corpus_access.manifest_summary()["date_max"]
    assert parse({"question": "¿Qué?"}).as_of == last < timezone.localdate()
    settings.CORPUS = tmp_path / "nowhere"
    assert parse({"question": "¿Qué?"}).as_of == timezone.localdate()
