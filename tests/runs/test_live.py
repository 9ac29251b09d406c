"""Server-sent events: one line of JSON whatever the text, and where a reader starts again."""

from __future__ import annotations

import json

import pytest
from django.test import RequestFactory

from runs.live import frames
from runs.live.views import _after

HOSTILE = "a\r\nevent: terminal\r\ndata: {}\n\nb\u2028c\u2029d\u0085e\x00f"


def test_any_text_is_one_line_that_reads_back():
    made = frames.frame("progress", {"message": HOSTILE}, event_id=7).decode()
    lines = made.splitlines()
    assert lines[:2] == ["id: 7", "event: progress"]
    assert len(lines) == 4
    assert lines[3] == ""
    assert json.loads(lines[2].removeprefix("data: ")) == {"message": HOSTILE}


def test_an_event_without_sequence_has_no_id():
    assert frames.frame("terminal", {"status": "failed"}).startswith(b"event: terminal\n")


@pytest.mark.parametrize(
    ("header", "query", "after"),
    [
        (None, "", 0),
        (None, "12", 12),
        ("7", "3", 7),  # a reconnecting browser repeats its first address
        (None, "-1", 0),
        (None, "1e3", 0),
        (None, "٣", 0),
        ("x", "3", 0),
        (None, "9" * 40, 0),
    ],
)
def test_a_reader_starts_after_the_last_event_it_has(header, query, after):
    headers = {} if header is None else {"Last-Event-ID": header}
    assert _after(RequestFactory().get("/", {"after": query}, headers=headers)) == after
