"""A recording as a file, and what a damaged one says."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dofpilot.agent.conversation import Draft, ToolRequest, Usage, WireCall
from dofpilot.agent.errors import FailureCode
from dofpilot.agent.nesting import DEEPEST
from dofpilot.agent.outcome import StopReason
from dofpilot.agent.recording.entries import Exchange, from_json, to_json
from dofpilot.agent.recording.transcript import (
    Ending,
    TranscriptError,
    check_beginning,
    line_of,
    load,
    read,
    write,
)
from dofpilot.agent.render.trace import dumps
from dofpilot.corpus.errors import InvalidRequest
from tests.agent.any_replies import contents, usages
from tests.agent.any_runs import Call, Move, Plan
from tests.agent.asking import CHUNK, good_answer, search
from tests.agent.asking import read as read_passages
from tests.agent.recording.taping import changed, tape, through_a_file

PLAN = Plan(
    (Move(search()), Move(search(), Usage(7, 3, 2, 1)), Move(read_passages(CHUNK)), Move(good_answer())),
    calls=(Call(error=InvalidRequest("query", "no sirve")),),
)
bodies = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
wire_calls = st.builds(
    WireCall,
    request=st.dictionaries(st.text(), bodies, max_size=3),
    seconds=st.floats(0, 900),
    status=st.none() | st.integers(100, 599),
    reply=bodies,
    error=st.text(),
)
names = st.lists(st.text(), max_size=2).map(tuple)
exchanges = st.builds(
    Exchange,
    turn=st.integers(1, 9),
    elapsed=st.floats(0, 900),
    seconds=st.floats(0, 900),
    tools=names,
    missing=names,
    reply=contents | st.none(),
    usage=usages,
    failure=st.none() | st.sampled_from(FailureCode),
    calls=st.lists(wire_calls, max_size=2).map(tuple),
)


@settings(max_examples=150, deadline=None)
@given(exchanges)
def test_any_exchange_reads_back_as_it_was(exchange):
    line = line_of(exchange)
    same = from_json(json.loads(line.encode()))
    # As text, since arguments may hold numbers that equal nothing.
    assert line_of(same) == line
    assert type(same.reply) is type(exchange.reply)
    assert line.count("\n") == 1


def test_a_transcript_reads_back_as_it_was():
    transcript = tape(PLAN).transcript
    assert read(write(transcript)) == [transcript]
    assert [type(entry).__name__ for entry in transcript.entries] == [
        "Exchange", "CorpusCall", "Exchange", "CorpusCall", "Exchange", "CorpusCall", "Exchange",
    ]  # fmt: skip


def test_several_transcripts_follow_each_other_in_one_file(tmp_path):
    first, second = tape(PLAN).transcript, tape(replace(PLAN, stop_after=5)).transcript
    path = tmp_path / "dos.jsonl"
    path.write_text("\n".join(["", *write(first), "", *write(second)]), encoding="utf-8")
    assert load(path) == [first, second]


def test_each_line_says_what_it_is():
    lines = [json.loads(line) for line in write(tape(PLAN).transcript)]
    kinds = [line["type"] for line in lines]
    assert kinds == ["header", *["exchange", "corpus_call"] * 3, "exchange", "ending"]
    assert lines[1]["reply"]["type"] == "tool_request"
    assert lines[7]["reply"]["type"] == "draft"
    assert lines[2]["error"] == {"kind": "invalid_request", "field": "query", "reason": "no sirve"}


def test_what_a_call_returned_is_in_it_in_full():
    call = to_json(tape(PLAN).transcript.entries[3])
    hit = call["returned"]["hits"][0]
    assert hit["score"] == {"base": 1.0, "boosts": {}}
    assert hit["publication"]["path"].endswith(".md")
    assert call["returned"]["retrieval"]["used"] == "lexical"


@pytest.mark.parametrize("text", ["\ud800", "a\u2028b\x85c\r\nd", "\x00", "ñ😀"])
def test_any_text_of_a_model_is_one_line_that_utf8_can_carry(text, tmp_path):
    transcript = tape(Plan((Move(Draft(text)), Move(Draft(text))))).transcript
    path = tmp_path / "uno.jsonl"
    path.write_bytes("".join(write(transcript)).encode("utf-8"))
    (same,) = load(path)
    assert same.entries[0].reply == Draft(text)


def test_accents_stay_readable():
    assert dumps({"ñ": "publicación"}) == '{"ñ":"publicación"}'


def damaged(change, line=3):
    """The error for a transcript whose ``line`` was changed; lines count from 1."""
    lines = list(write(tape(PLAN).transcript))
    value = json.loads(lines[line - 1])
    text = change(value)
    lines[line - 1] = f"{dumps(value) if text is None else text}\n"
    with pytest.raises(TranscriptError) as caught:
        read(lines)
    assert str(caught.value).startswith(f"line {caught.value.line}: {caught.value.field}")
    return caught.value.line, caught.value.field


def putting(*path, value):
    def change(node):
        for name in path[:-1]:
            node = node[name]
        node[path[-1]] = value

    return change


def dropping(name):
    def change(node):
        del node[name]

    return change


@pytest.mark.parametrize(
    ("line", "change", "field"),
    [
        (1, dropping("question"), "question"),
        (1, putting("as_of", value="ayer"), "as_of"),
        (1, putting("limits", "turns", value="ocho"), "limits.turns"),
        (1, putting("strategy", value="magic"), "strategy"),
        (2, putting("turn", value="uno"), "turn"),
        (2, dropping("usage"), "usage"),
        (2, putting("usage", "input_tokens", value=[]), "usage.input_tokens"),
        (2, putting("reply", "type", value="poem"), "reply.type"),
        (2, putting("reply", "type", value=[]), "reply.type"),
        (2, putting("reply", "type", value={}), "reply.type"),
        (2, putting("reply", value="x"), "reply.type"),
        (2, dropping("elapsed"), "elapsed"),
        (2, putting("failure", value="bad_luck"), "failure"),
        (2, putting("calls", value=[{"seconds": 1}]), "calls.0.request"),
        (3, putting("operation", value="write"), "operation"),
        (3, putting("error", "kind", value="odd"), "error.kind"),
        (3, putting("type", value="poem"), "type"),
        (3, dropping("type"), "type"),
        (2, putting("turn", value=0), "turn"),
        (4, putting("turn", value=1), "turn"),
        (4, putting("turn", value=3), "turn"),
        (2, putting("usage", "input_tokens", value=-1), "usage.input_tokens"),
        (9, putting("events", value="x"), "events"),
        (9, putting("events", value=-1), "events"),
        (9, putting("failure", value="cancelled"), ""),
        (9, putting("stop_reason", value=None), ""),
    ],
)
def test_a_damaged_line_is_named_with_its_field(line, change, field):
    assert damaged(change, line) == (line, field)


NO_SECONDS = [-1, -0.001, float("nan"), float("inf"), -float("inf"), 10**400, -(10**400), "1e400"]


@pytest.mark.parametrize("value", NO_SECONDS, ids=lambda value: str(value)[:9])
@pytest.mark.parametrize(
    ("line", "path"),
    [
        (1, ("limits", "run_seconds")),
        (1, ("limits", "turn_seconds")),
        (2, ("elapsed",)),
        (2, ("seconds",)),
        (2, ("calls", 0, "seconds")),
        (3, ("seconds",)),
    ],
)
def test_what_no_clock_tells_is_refused_by_its_field(line, path, value):
    def change(node):
        if path[0] == "calls":
            node["calls"] = [{"request": {}, "seconds": 1, "status": None, "reply": None, "error": ""}]
        putting(*path, value=value)(node)

    assert damaged(change, line) == (line, ".".join(map(str, path)))


@pytest.mark.parametrize("levels", [150, 485, 900])
def test_a_line_that_is_nested_too_deep_is_refused(levels):
    assert damaged(putting("arguments", value=json.loads("[" * levels + "]" * levels))) == (3, "")


def test_a_reply_as_deep_as_any_that_is_read_is_kept_and_read_back():
    deep = json.loads("[" * DEEPEST + "]" * DEEPEST)
    transcript = tape(PLAN).transcript
    call = WireCall({"messages": [deep]}, 1.0, 200, deep)
    same = through_a_file(changed(transcript, 0, calls=(call,)))
    assert same.entries[0].calls == (call,)


@pytest.mark.parametrize("text", ["{", "no", "[]", "7", "[" * 100_000])
def test_a_line_that_is_no_object_is_named(text):
    assert damaged(lambda value: text) == (3, "")


def test_a_field_inside_a_reply_is_named_whole():
    assert damaged(lambda line: dropping("name")(line["reply"]), 2) == (2, "reply.name")


@pytest.mark.parametrize(
    ("keep", "line", "reason"),
    [
        (slice(0, 8), 8, "no ending"),
        (slice(1, 9), 1, "begins with one header"),
        (slice(0, 0), 0, "no transcript"),
        (slice(8, 9), 1, "begins with one header"),
    ],
)
def test_a_file_that_lacks_a_part_is_refused(keep, line, reason):
    lines = list(write(tape(PLAN).transcript))
    with pytest.raises(TranscriptError, match=reason) as caught:
        read(lines[keep])
    assert caught.value.line == line


@pytest.mark.parametrize("keep", [1, 4, 8])
def test_a_file_whose_last_transcript_lacks_its_ending_is_refused(keep):
    lines = list(write(tape(PLAN).transcript))
    with pytest.raises(TranscriptError, match="no ending") as caught:
        read([*lines, *lines[:keep]])
    assert caught.value.line == len(lines) + keep


def test_a_header_inside_a_transcript_is_refused():
    lines = list(write(tape(PLAN).transcript))
    with pytest.raises(TranscriptError) as caught:
        read([*lines[:4], lines[0], *lines[4:]])
    assert (caught.value.line, caught.value.field) == (5, "type")


def test_a_file_of_other_bytes_is_refused(tmp_path):
    path = tmp_path / "foto.jsonl"
    path.write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(TranscriptError, match="line 1: no UTF-8"):
        load(path)


def test_a_byte_that_is_no_text_is_named_by_its_line_and_not_read_over(tmp_path):
    path = tmp_path / "rota.jsonl"
    lines = [line.encode() for line in ["\n", *write(tape(PLAN).transcript)]]
    lines[3] = lines[3].replace(b"salario", b"sal\xc3rio")
    path.write_bytes(b"".join(lines))
    with pytest.raises(TranscriptError, match="line 4: no UTF-8"):
        load(path)


@pytest.mark.parametrize("text", ["", "\n\n", "{}\n", "no\n", '{"type":"ending"}\n'])
def test_a_file_that_does_not_begin_as_a_transcript_is_told_from_its_beginning(tmp_path, text):
    path = tmp_path / "otra.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TranscriptError):
        check_beginning(path)


def test_the_beginning_of_a_file_is_judged_without_the_rest(tmp_path):
    path = tmp_path / "larga.jsonl"
    header, *_ = write(tape(PLAN).transcript)
    path.write_bytes(b"\n" + header.encode() + b"\xff")
    check_beginning(path)


@pytest.mark.parametrize(("failure", "reason"), [(None, None), (FailureCode.CANCELLED, StopReason.ANSWERED)])
def test_a_run_ends_with_a_failure_or_for_a_reason(failure, reason):
    with pytest.raises(ValueError, match="one of both"):
        Ending(3, failure, reason)


def test_arguments_keep_their_spelling():
    for arguments in ('"{\\"query\\": 1}"', {"query": ["x", None, 1.5]}, ""):
        transcript = tape(Plan((Move(ToolRequest("call", "x", arguments)), *PLAN.moves))).transcript
        assert transcript.entries[0].reply.arguments == arguments
