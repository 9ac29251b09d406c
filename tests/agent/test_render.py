"""One result, two renderings: for the model and for the public."""

import json
from dataclasses import asdict, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dofpilot.agent.events import PAYLOAD_LIMIT
from dofpilot.agent.render.bounds import fit
from dofpilot.agent.render.model import for_model
from dofpilot.agent.render.public import came_back, public_result
from dofpilot.agent.tools.results import (
    DocumentsFound,
    EvidenceFound,
    OutlineShown,
    PublicationsListed,
    ReadPassages,
    ToolError,
)
from dofpilot.corpus.text.shortening import shorten
from dofpilot.corpus.types import DocumentHit, EvidenceHit, Outline, OutlineEntry, Score
from tests.agent.asking import CHUNK, ask, good_answer, read, search
from tests.agent.fake_corpus import WAGES_2026

PUBLICATION = WAGES_2026.publication
PASSAGE = WAGES_2026.passage(0)
HIT = DocumentHit(PUBLICATION, Score(1.5, {"title": 2.0}), CHUNK, ("Uno", "Dos", "Tres"), "salario mínimo")
EVIDENCE = EvidenceHit(
    CHUNK, PUBLICATION, ("Uno", "Dos", "Tres"), "salario mínimo", Score(1.5, {"title": 2.0})
)
OUTLINE = OutlineShown(Outline(PUBLICATION, (OutlineEntry(("Uno", "Dos"), CHUNK, CHUNK + 1),)))
EACH = [
    PublicationsListed((PUBLICATION,), 7),
    DocumentsFound("salario", (HIT,)),
    EvidenceFound("salario", (EVIDENCE,)),
    OUTLINE,
    ReadPassages((PASSAGE,)),
    ToolError("unknown_chunk", "Ese pasaje no se conoce.", "chunk_ids"),
]
named = pytest.mark.parametrize("result", EACH, ids=lambda result: type(result).__name__)


@named
def test_the_model_gets_neither_scores_nor_paths_nor_links(result):
    rendered = for_model(result)
    assert not {"score", "boosts", "path", "official_url"} & set(_keys(json.loads(rendered)))
    assert PUBLICATION.path not in rendered
    assert "http" not in rendered


def test_the_model_is_told_that_nothing_was_found():
    assert "Sin resultados" in json.loads(for_model(DocumentsFound("x", ())))["note"]


def test_the_model_reads_passages_whole_with_what_they_need():
    passage = replace(PASSAGE, text="x" * 9000, context="| Área | Pesos |")
    (shown,) = json.loads(for_model(ReadPassages((passage,))))["passages"]
    assert (shown["text"], shown["context"]) == (passage.text, passage.context)
    assert (shown["chunk_id"], shown["date"]) == (CHUNK, "2025-12-09")


def test_the_compact_rendering_takes_half_of_the_full_one_or_less():
    hits = DocumentsFound("salario", (HIT,) * 10)
    assert len(for_model(hits)) * 2 <= len(json.dumps(asdict(hits), ensure_ascii=False, default=str))


def test_a_long_outline_tells_the_model_how_much_it_omits():
    entries = OUTLINE.outline.entries * 400
    shown = json.loads(for_model(OutlineShown(Outline(PUBLICATION, entries))))
    assert len(shown["outline"]) + shown["omitted"] == 400


@pytest.mark.parametrize(
    ("result", "standing"), [(EvidenceFound("x", (EVIDENCE,)), "found"), (ReadPassages((PASSAGE,)), "read")]
)
def test_the_public_sees_what_was_found_and_what_was_read_apart(result, standing):
    assert [passage["standing"] for passage in came_back(result)["passages"]] == [standing]


@pytest.mark.parametrize(
    "result", [OUTLINE, DocumentsFound("x", (HIT,)), PublicationsListed((PUBLICATION,), 1)]
)
def test_only_hits_and_reads_are_shown_as_passages(result):
    assert "passages" not in came_back(result)


def test_the_public_sees_how_many_there_were_before_cutting():
    shown = came_back(PublicationsListed((PUBLICATION,) * 50, 1234))
    assert len(shown["documents"]) == 20
    assert shown["totals"] == {"documents": 1234}


def test_excerpts_are_cut_before_lists():
    result = ReadPassages((replace(PASSAGE, text="palabra " * 1000),) * 12)
    fitted = fit(came_back(result))
    assert len(json.dumps(fitted)) <= PAYLOAD_LIMIT
    assert len(fitted["passages"]) == 12
    assert all(600 < len(passage["excerpt"]) < 1600 for passage in fitted["passages"])


texts = st.one_of(
    st.text(max_size=40), st.sampled_from(["x", "ñ", "\x00", "\ud800", "😀", '"', "\u2028"])
).flatmap(lambda part: st.sampled_from([part, part * 50, part * 3000]))
publications = st.builds(replace, st.just(PUBLICATION), title=texts, institution=texts)
paths = st.lists(texts, max_size=9).map(tuple)
results = st.one_of(
    st.builds(
        lambda item, path, text, n: ReadPassages(
            (replace(PASSAGE, publication=item, heading_path=path, text=text),) * n
        ),
        publications, paths, texts, st.integers(0, 40),
    ),
    st.builds(
        lambda item, path, text, n: EvidenceFound(
            text, (replace(EVIDENCE, publication=item, heading_path=path, snippet=text),) * n
        ),
        publications, paths, texts, st.integers(0, 40),
    ),
    st.builds(lambda item, n: PublicationsListed((item,) * n, n), publications, st.integers(0, 60)),
    st.builds(
        lambda item, path, n: OutlineShown(Outline(item, (OutlineEntry(path, 1, 2),) * n)),
        publications, paths, st.integers(0, 90),
    ),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(results)
def test_whatever_comes_back_fits_a_payload(result):
    fitted = fit(came_back(result))
    assert len(json.dumps(fitted)) <= PAYLOAD_LIMIT
    assert len(json.dumps(fitted, ensure_ascii=False).encode()) <= PAYLOAD_LIMIT
    assert "\\u0000" not in json.dumps(fitted)


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("corto", 10, "corto"),
        ("diez letras", 11, "diez letras"),
        ("una frase algo larga", 12, "una frase a…"),
        ("una frase algo larga", 11, "una frase…"),
        ("x" * 20, 5, "xxxx…"),
    ],
)
def test_text_is_cut_between_words_at_a_known_length(text, limit, expected):
    assert shorten(text, limit) == expected


def test_the_public_result_has_the_shape_of_the_public_run():
    result = public_result(ask([search(), read(CHUNK), good_answer()]).outcome)
    assert list(result) == [
        "answer", "evidence", "documents", "coverage", "verification", "stop_reason", "warnings",
        "generative", "usage", "timing",
    ]  # fmt: skip
    assert set(result["answer"]) == {"text", "citations", "premise_status", "rejected_citations"}
    assert set(result["coverage"]) == {"required", "missing", "complete"}
    assert set(result["timing"]) == {"worked_ms", "provider_ms", "tools_ms"}
    assert set(result["usage"]) == {"input_tokens", "output_tokens", "turns", "tool_calls"}
    publication = {
        "document_id", "path", "title", "institution", "publication_date", "section", "official_url",
    }  # fmt: skip
    (evidence,) = result["evidence"]
    assert publication | {"chunk_id", "heading_path", "text", "cited"} <= set(evidence)
    assert evidence["cited"]
    assert all(set(use) == publication | {"found", "read", "cited"} for use in result["documents"])
    verification = result["verification"]
    assert set(verification) == {
        "citations_read", "hops_met", "coverage_met", "premise_correction", "figures", "cutoff",
    }  # fmt: skip
    assert verification["cutoff"] == {
        "as_of": "2026-04-24", "latest_seen": "2025-12-09", "respected": True,
    }  # fmt: skip
    figure = verification["figures"][0]
    assert {"text", "kind", "value", "start", "end", "status", "chunk_id"} <= set(figure)
    text = result["answer"]["text"]
    assert text[figure["start"] : figure["end"]] == figure["text"]
    json.dumps(result, allow_nan=False)


def _keys(node):
    if isinstance(node, dict):
        for key, value in node.items():
            yield key
            yield from _keys(value)
    elif isinstance(node, list):
        for item in node:
            yield from _keys(item)
