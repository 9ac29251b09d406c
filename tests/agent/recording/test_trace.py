"""The full rendering of results, and back."""

import json

import pytest

from dofpilot.agent.recording.entries import Operation
from dofpilot.agent.recording.operations import RETURNS
from dofpilot.agent.render.trace import NotRestorable, full, restored
from dofpilot.agent.tools.results import (
    DocumentsFound,
    EvidenceFound,
    OutlineShown,
    PublicationsListed,
    ReadPassages,
    ToolError,
)
from dofpilot.corpus.types import (
    DocumentHit,
    EvidenceHit,
    Found,
    Outline,
    OutlineEntry,
    Retrieval,
    Score,
    Strategy,
)
from tests.agent.fake_corpus import WAGES_2026

PUBLICATION = WAGES_2026.publication
PASSAGE = WAGES_2026.passage(0)
HOW = Retrieval(
    Strategy.HYBRID,
    Strategy.LEXICAL,
    "no hubo vectores",
    (("salrio", "salario"),),
    frozenset({"b", "a"}),
    0.5,
)
HIT = DocumentHit(PUBLICATION, Score(0.1 + 0.2, {"title": 1e-17}), 577500, ("Uno", "Dos"), "salario")
EVIDENCE = EvidenceHit(577500, PUBLICATION, (), "salario", Score(1.5))
OUTLINE = Outline(PUBLICATION, (OutlineEntry(("Uno",), 1, 2),))
RESULTS = [
    PublicationsListed((PUBLICATION,), 7),
    DocumentsFound("salario", (HIT,), HOW),
    EvidenceFound("salario", (EVIDENCE,), HOW),
    OutlineShown(OUTLINE),
    ReadPassages((PASSAGE,)),
    ToolError("unknown_chunk", "Ese pasaje no se conoce.", None),
]
RETURNED = {
    Operation.LIST_PUBLICATIONS: ((PUBLICATION, PUBLICATION), 7),
    Operation.SEARCH_DOCUMENTS: Found((HIT,), HOW),
    Operation.SEARCH_EVIDENCE: Found((EVIDENCE,), HOW),
    Operation.GET_DOCUMENT_OUTLINE: OUTLINE,
    Operation.READ_CHUNKS: (PASSAGE,),
}


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_any_result_of_a_tool_is_restored_from_its_json(result):
    rendered = json.loads(json.dumps(full(result)))
    assert restored(type(result), rendered) == result


@pytest.mark.parametrize("operation", Operation)
def test_whatever_the_corpus_returns_is_restored_with_its_types(operation):
    rendered = json.loads(json.dumps(full(RETURNED[operation])))
    again = restored(RETURNS[operation], rendered)
    assert again == RETURNED[operation]
    assert type(again) is type(RETURNED[operation])
    assert full(again) == rendered


def test_nothing_is_left_out_and_sets_are_in_order():
    rendered = full(DocumentsFound("salario", (HIT,), HOW))
    assert rendered["hits"][0]["score"] == {"base": 0.30000000000000004, "boosts": {"title": 1e-17}}
    assert rendered["hits"][0]["publication"]["path"] == PUBLICATION.path
    assert rendered["retrieval"] == {
        "asked": "hybrid", "used": "lexical", "fallback": "no hubo vectores",
        "corrections": [["salrio", "salario"]], "terms": ["a", "b"], "vector_share": 0.5,
    }  # fmt: skip


def test_a_field_that_is_wrong_is_named_from_where_it_is_counted():
    with pytest.raises(NotRestorable) as caught:
        restored(OutlineShown, {"outline": {"publication": full(PUBLICATION), "entries": [{}]}}, "returned")
    assert caught.value.field == "returned.outline.entries.0.heading_path"


def test_what_has_no_rendering_is_refused():
    with pytest.raises(NotImplementedError, match="object"):
        full(object())
