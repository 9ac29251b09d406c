"""Tools inside a run: what is offered, which ids are known, how the cut-off binds."""

import pytest

from dofpilot.agent.conversation import ToolRequest
from dofpilot.agent.limits import Limits
from dofpilot.agent.state import RunState
from dofpilot.agent.tools.arguments import ToolName
from dofpilot.agent.tools.execution import execute, prepare
from dofpilot.agent.tools.results import ToolError
from tests.agent.asking import AS_OF, LIMITS
from tests.agent.fake_corpus import CHUNKS_PER_DOCUMENT, LATER, WAGES_2025, WAGES_2026, document, gazette

DISCOVER = (ToolName.LIST_PUBLICATIONS, ToolName.SEARCH_DOCUMENTS)


class Bench:
    """A run's tools without its loop."""

    def __init__(self, corpus=None, limits=LIMITS):
        self.corpus, self.state = corpus or gazette(), RunState(limits)

    def __call__(self, name, **arguments):
        request = ToolRequest("call", name, arguments)
        call = prepare(request, self.state.offered(), self.state, AS_OF)
        return call if isinstance(call, ToolError) else execute(call, self.state, AS_OF, self.corpus)


@pytest.fixture
def bench():
    return Bench()


def test_at_first_only_discovery_is_offered(bench):
    assert bench.state.offered() == DISCOVER


def test_a_listing_opens_documents_but_no_passages(bench):
    bench("list_publications")
    assert bench.state.offered() == (*DISCOVER, ToolName.SEARCH_EVIDENCE, ToolName.GET_DOCUMENT_OUTLINE)


def test_a_search_opens_reading(bench):
    bench("search_documents", query="salario")
    assert ToolName.READ_CHUNKS in bench.state.offered()


def test_a_search_that_finds_nothing_opens_nothing(bench):
    bench("search_documents", query="ornitorrinco")
    assert bench.state.offered() == DISCOVER


def test_document_searches_are_counted():
    bench = Bench(limits=Limits(document_searches=1))
    bench("search_documents", query="salario")
    assert ToolName.SEARCH_DOCUMENTS not in bench.state.offered()
    assert bench("search_documents", query="salario").code == "tool_not_offered"


def test_no_tool_is_offered_when_the_calls_are_used_up():
    bench = Bench(limits=Limits(tool_calls=1))
    bench("list_publications")
    assert bench.state.offered() == ()


@pytest.mark.parametrize("name", ["delete_everything", "read_chunks", ""])
def test_a_tool_that_is_not_offered_is_refused_with_those_that_are(bench, name):
    error = bench(name, chunk_ids=[WAGES_2025.chunk_id(0)])
    assert error.code == "tool_not_offered"
    assert "list_publications, search_documents" in error.message


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        (
            "search_evidence",
            {"query": "uma", "document_ids": [WAGES_2026.document_id, 99]},
            "unknown_document",
        ),
        ("get_document_outline", {"document_id": LATER.document_id}, "unknown_document"),
        ("read_chunks", {"chunk_ids": [LATER.chunk_id(0)]}, "unknown_chunk"),
        ("read_chunks", {"chunk_ids": [WAGES_2025.chunk_id(2)]}, "unknown_chunk"),
        ("search_documents", {"query": "uma", "date_to": "2026-04-25"}, "after_cutoff"),
        ("list_publications", {"date_from": "2026-04-25"}, "after_cutoff"),
    ],
)
def test_what_no_tool_returned_and_later_dates_are_refused_before_the_corpus_is_asked(
    bench, name, arguments, code
):
    bench("search_documents", query="salario")
    asked_before = list(bench.corpus.calls)
    error = bench(name, **arguments)
    assert error.code == code
    assert error.field in arguments
    assert bench.corpus.calls == asked_before
    assert bench.state.tool_calls == 1


def test_the_cutoff_day_itself_is_allowed(bench):
    assert bench("search_documents", query="salario", date_to=AS_OF.isoformat()).hits


def test_the_cutoff_binds_searches_that_name_no_date(bench):
    found = {hit.publication.document_id for hit in bench("search_documents", query="salario").hits}
    assert found == {WAGES_2025.document_id, WAGES_2026.document_id}


def test_the_cutoff_is_part_of_every_search(bench):
    bench("search_documents", query="salario")
    bench("list_publications")
    bench("search_evidence", query="salario", document_ids=[WAGES_2025.document_id])
    assert [filters.as_of for filters in bench.corpus.filters] == [AS_OF] * 3


def test_a_search_puts_the_most_recent_first_where_it_is_asked_to(bench):
    by_match = bench("search_documents", query="salario").hits
    recent = bench("search_documents", query="salario", prefer_recent="true").hits
    assert [hit.publication.document_id for hit in by_match] == [5745, 5775]
    assert [hit.publication.document_id for hit in recent] == [5775, 5745]
    assert bench.corpus.recent_first == [False, True]


def test_chunks_become_known_through_hits_outlines_and_neighbours(bench):
    first, second, third = (WAGES_2025.chunk_id(index) for index in range(3))
    bench("search_documents", query="salario")
    assert not bench.state.knows_chunk(second)
    bench("read_chunks", chunk_ids=[first])
    assert bench.state.knows_chunk(second)
    assert not bench.state.knows_chunk(third)
    bench("get_document_outline", document_id=WAGES_2025.document_id)
    assert bench.state.knows_chunk(third)


def test_evidence_hits_can_be_read(bench):
    bench("search_documents", query="2025")
    bench("search_evidence", query="vigor", document_ids=[WAGES_2025.document_id])
    assert bench("read_chunks", chunk_ids=[WAGES_2025.chunk_id(1)]).passages


def test_a_neighbour_number_that_belongs_to_an_unseen_document_is_not_read():
    full = document(7000, "LISTA", AS_OF, *(f"lista {index}" for index in range(CHUNKS_PER_DOCUMENT)))
    unseen = document(7001, "OTRO", AS_OF, "Texto de otro documento.")
    bench = Bench(gazette(full, unseen))
    bench("search_documents", query="lista")
    bench("get_document_outline", document_id=7000)
    last = full.chunk_id(CHUNKS_PER_DOCUMENT - 1)
    bench("read_chunks", chunk_ids=[last])
    assert bench.state.knows_chunk(last + 1)
    assert bench("read_chunks", chunk_ids=[last + 1]).code == "unknown_chunk"
    assert last + 1 not in bench.state.passages


def test_a_passage_that_does_not_exist_is_a_refusal_that_can_be_corrected(bench):
    bench("search_documents", query="salario")
    bench("read_chunks", chunk_ids=[WAGES_2026.chunk_id(0)], neighbor_window=2)
    error = bench("read_chunks", chunk_ids=[WAGES_2026.chunk_id(2)])
    assert (error.code, error.field) == ("invalid_argument", "chunk_ids")


def test_a_repeated_id_is_read_once(bench):
    bench("search_documents", query="salario")
    chunk = WAGES_2026.chunk_id(0)
    assert len(bench("read_chunks", chunk_ids=[chunk, chunk]).passages) == 1
