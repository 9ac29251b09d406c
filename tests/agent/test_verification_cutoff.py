"""The cut-off proof: the latest publication date among everything that any tool returned."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from dofpilot.agent.conversation import ToolRequest
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import Outcome, RemarkCode
from dofpilot.agent.providers.scripted import tool
from dofpilot.agent.render.public import public_result
from dofpilot.agent.state import RunState
from dofpilot.agent.tools.arguments import ToolName
from dofpilot.agent.tools.results import (
    DocumentsFound,
    EvidenceFound,
    OutlineShown,
    PublicationsListed,
    ReadPassages,
)
from dofpilot.corpus.types import DocumentHit, EvidenceHit, Outline, Score
from tests.agent.asking import AS_OF, CHUNK, ask, good_answer, read, search
from tests.agent.fake_corpus import WAGES_2025, WAGES_2026, FakeCorpus, document, gazette

NEXT_DAY = AS_OF + timedelta(days=1)


class Careless(FakeCorpus):
    """Lets everything through, whatever the cut-off."""

    def _allowed(self, filters):
        return list(self.documents)


def notice(day: date):
    return document(6100, "AVISO de precios", day, "Los precios se publican.", institution="BANCO DE MÉXICO")


def outcome(corpus: FakeCorpus, *steps: ToolRequest) -> Outcome:
    return ask([search("2026"), read(CHUNK), *steps, good_answer()], corpus=corpus).outcome


def careless(day: date) -> Careless:
    return Careless((WAGES_2025, WAGES_2026, notice(day)))


PRICES = notice(AS_OF)
LISTED = tool("list_publications", institution="banco de méxico")
FOUND = search("precios")
LOCATED = tool("search_evidence", query="precios", document_ids=[PRICES.document_id])
OUTLINED = tool("get_document_outline", document_id=PRICES.document_id)
READ = read(PRICES.chunk_id(0))
BY_TOOL = {
    "list_publications": [LISTED],
    "search_documents": [FOUND],
    "search_evidence": [LISTED, LOCATED],
    "get_document_outline": [LISTED, OUTLINED],
    "read_chunks": [FOUND, READ],
}


@pytest.mark.parametrize("steps", BY_TOOL.values(), ids=BY_TOOL)
def test_a_publication_of_the_day_of_the_cutoff_may_be_used(steps):
    found = outcome(careless(AS_OF), *steps).verification.cutoff
    assert (found.as_of, found.latest_seen, found.respected) == (AS_OF, AS_OF, True)


@pytest.mark.parametrize("steps", BY_TOOL.values(), ids=BY_TOOL)
def test_a_later_one_is_told_whichever_tool_returned_it(steps):
    ended = outcome(careless(NEXT_DAY), *steps)
    cutoff = ended.verification.cutoff
    assert (cutoff.latest_seen, cutoff.respected) == (NEXT_DAY, False)
    assert RemarkCode.PAST_CUTOFF in [warning.code for warning in ended.warnings]
    shown = public_result(ended)["verification"]["cutoff"]
    assert shown == {"as_of": AS_OF.isoformat(), "latest_seen": NEXT_DAY.isoformat(), "respected": False}


LATE = notice(NEXT_DAY)
RESULTS = {
    ToolName.LIST_PUBLICATIONS: PublicationsListed((WAGES_2026.publication, LATE.publication), 2),
    ToolName.SEARCH_DOCUMENTS: DocumentsFound(
        "precios", (DocumentHit(LATE.publication, Score(1.0), LATE.chunk_id(0), (), "Los precios"),)
    ),
    ToolName.SEARCH_EVIDENCE: EvidenceFound(
        "precios", (EvidenceHit(LATE.chunk_id(0), LATE.publication, (), "Los precios", Score(1.0)),)
    ),
    ToolName.GET_DOCUMENT_OUTLINE: OutlineShown(Outline(LATE.publication, ())),
    ToolName.READ_CHUNKS: ReadPassages((WAGES_2026.passage(0), LATE.passage(0))),
}


@pytest.mark.parametrize("tool_name", ToolName)
def test_each_tools_own_result_counts_whatever_was_seen_before(tool_name):
    state = RunState(Limits())
    state.record(ToolName.LIST_PUBLICATIONS, PublicationsListed((WAGES_2025.publication,), 1))
    state.record(tool_name, RESULTS[tool_name])
    assert state.latest_seen == NEXT_DAY


def test_an_earlier_publication_does_not_take_the_place_of_a_later_one():
    state = RunState(Limits())
    for item in (WAGES_2026, WAGES_2025):
        state.record(ToolName.LIST_PUBLICATIONS, PublicationsListed((item.publication,), 1))
    assert state.latest_seen == WAGES_2026.publication.publication_date


def test_what_the_corpus_holds_and_no_tool_returned_does_not_count():
    ended = outcome(gazette(notice(AS_OF)))
    assert ended.verification.cutoff.latest_seen == WAGES_2026.publication.publication_date


def test_a_refused_call_returned_nothing():
    ended = outcome(careless(NEXT_DAY), OUTLINED)
    assert ended.verification.cutoff.respected
