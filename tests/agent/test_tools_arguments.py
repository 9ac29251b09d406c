"""What a tool may be asked, in the spellings that models use."""

import json

import pytest

from dofpilot.agent.tools.arguments import ReadChunks, SearchDocuments, ToolName, parse
from dofpilot.agent.tools.errors import CallRefused, RefusalCode
from dofpilot.agent.tools.specs import specs
from dofpilot.corpus.types import Section


def refusal(tool, raw):
    with pytest.raises(CallRefused) as refused:
        parse(ToolName(tool), raw)
    return refused.value.error


@pytest.mark.parametrize("absent", [None, "null", "None", "", " NULL "])
@pytest.mark.parametrize("name", ["date_from", "date_to", "section", "limit", "prefer_recent"])
def test_words_for_nothing_count_as_absent_where_an_argument_is_optional(name, absent):
    assert parse(ToolName.SEARCH_DOCUMENTS, {"query": "uma", name: absent}) == SearchDocuments(query="uma")


def test_a_word_for_nothing_is_no_value_for_a_required_argument():
    error = refusal("get_document_outline", {"document_id": "null"})
    assert (error.code, error.field) == ("invalid_argument", "document_id")


@pytest.mark.parametrize("times", [1, 2])
def test_arguments_encoded_as_json_text_are_decoded(times):
    raw = {"query": "uma", "section": "VES"}
    for _ in range(times):
        raw = json.dumps(raw)
    assert parse(ToolName.SEARCH_DOCUMENTS, raw).section is Section.VES


def test_exact_numbers_as_text_are_numbers():
    expected = ReadChunks(chunk_ids=[12, 13], neighbor_window=1)
    assert parse(ToolName.READ_CHUNKS, {"chunk_ids": ["12", 13], "neighbor_window": "1"}) == expected
    assert parse(ToolName.READ_CHUNKS, {"chunk_ids": '["12", 13]', "neighbor_window": "1"}) == expected


@pytest.mark.parametrize(
    ("sent", "meant"), [("true", True), (" True ", True), ("FALSE", False), (True, True), (False, False)]
)
def test_yes_and_no_are_understood_as_text(sent, meant):
    parsed = parse(ToolName.SEARCH_DOCUMENTS, {"query": "uma", "prefer_recent": sent})
    assert parsed.prefer_recent is meant


@pytest.mark.parametrize(
    ("tool", "raw", "code", "field"),
    [
        ("search_documents", {"query": "uma", "prefer_recent": 1}, "invalid_argument", "prefer_recent"),
        ("search_documents", {"query": "uma", "prefer_recent": "yes"}, "invalid_argument", "prefer_recent"),
        ("search_documents", {"query": "uma", "as_of": "2030-01-01"}, "unknown_argument", "as_of"),
        ("search_documents", {}, "missing_argument", "query"),
        ("search_documents", {"query": 7}, "invalid_argument", "query"),
        ("search_documents", {"query": "x" * 401}, "invalid_argument", "query"),
        ("search_documents", {"query": "uma", "limit": 21}, "invalid_argument", "limit"),
        ("search_documents", {"query": "uma", "limit": "12.5"}, "invalid_argument", "limit"),
        ("search_documents", {"query": "uma", "limit": True}, "invalid_argument", "limit"),
        ("search_documents", {"query": "uma", "section": "TARDE"}, "invalid_argument", "section"),
        ("search_documents", {"query": "uma", "date_from": "2026-02-30"}, "invalid_argument", "date_from"),
        ("search_documents", {"query": "uma", "date_from": 1767225600}, "invalid_argument", "date_from"),
        (
            "list_publications",
            {"date_from": "2026-01-02", "date_to": "2026-01-01"},
            "invalid_argument",
            "date_from",
        ),
        ("read_chunks", {"chunk_ids": []}, "invalid_argument", "chunk_ids"),
        ("read_chunks", {"chunk_ids": [1, 2, 3, 4, 5, 6, 7]}, "invalid_argument", "chunk_ids"),
        ("read_chunks", {"chunk_ids": [1.5]}, "invalid_argument", "chunk_ids"),
        ("read_chunks", {"chunk_ids": [1], "neighbor_window": 3}, "invalid_argument", "neighbor_window"),
        ("read_chunks", {"chunk_ids": [2**53]}, "invalid_argument", "chunk_ids"),
        ("read_chunks", '{"chunk_ids": [1', "arguments_not_an_object", None),
        ("read_chunks", "[1]", "arguments_not_an_object", None),
        ("read_chunks", "[" * 100_000, "arguments_not_an_object", None),
    ],
)
def test_it_refuses_with_a_code_a_field_and_a_way_to_correct(tool, raw, code, field):
    error = refusal(tool, raw)
    assert (error.code, error.field) == (code, field)
    assert len(error.message) > 20


def test_an_unknown_argument_is_answered_with_the_known_ones():
    raw = {"query": "uma", "document_ids": [1], "pagina": 2}
    assert "query, document_ids, limit" in refusal("search_evidence", raw).message


def test_text_that_no_database_can_hold_is_made_printable():
    assert parse(ToolName.SEARCH_DOCUMENTS, {"query": "a\x00b\ud800"}).query == "a\ufffdb\ufffd"


@pytest.mark.parametrize("spec", specs(ToolName), ids=lambda spec: spec.name)
def test_schemas_are_strict(spec):
    schema = spec.parameters
    assert schema["additionalProperties"] is False
    assert schema["required"] == list(schema["properties"])
    assert all(described["description"] for described in schema["properties"].values())
    assert not {"$ref", "$defs", "default", "title"} & set(_keys(schema))


def test_optional_arguments_take_null_and_required_ones_do_not():
    (spec,) = specs([ToolName.SEARCH_DOCUMENTS])
    nullable = {name for name, described in spec.parameters["properties"].items() if "anyOf" in described}
    assert nullable == {"date_from", "date_to", "section", "limit", "prefer_recent"}


def test_schemas_keep_their_bounds():
    (spec,) = specs([ToolName.READ_CHUNKS])
    chunk_ids = spec.parameters["properties"]["chunk_ids"]
    assert (chunk_ids["minItems"], chunk_ids["maxItems"]) == (1, 6)
    (window, _null) = spec.parameters["properties"]["neighbor_window"]["anyOf"]
    assert window == {"type": "integer", "minimum": 0, "maximum": 2}


def _keys(node):
    if isinstance(node, dict):
        for key, value in node.items():
            yield key
            yield from _keys(value)
    elif isinstance(node, list):
        for item in node:
            yield from _keys(item)


@pytest.mark.parametrize("name", ["\ud800", "que\ud800ry", "\0", 5])
def test_a_name_that_cannot_be_told_is_refused_like_any_other(name):
    with pytest.raises(CallRefused) as refusal:
        parse(ToolName.SEARCH_DOCUMENTS, {"query": "salario", name: 1})
    assert refusal.value.error.code is RefusalCode.UNKNOWN_ARGUMENT
    refusal.value.error.message.encode()
