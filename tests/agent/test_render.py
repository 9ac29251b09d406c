"""What the public sees of results, and of a finished run."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dofpilot.agent.events import PAYLOAD_LIMIT
from dofpilot.agent.limits import Limits
from dofpilot.agent.providers.scripted import answer
from dofpilot.agent.render.bounds import fit
from dofpilot.agent.render.public import came_back, public_result
from dofpilot.agent.tools.results import (
    DocumentsFound,
    EvidenceFound,
    OutlineShown,
    PublicationsListed,
    ReadPassages,
)
from dofpilot.corpus.text.shortening import shorten
from dofpilot.corpus.types import DocumentHit, EvidenceHit, Outline, OutlineEntry, Score
from tests.agent.asking import CHUNK, ask, good_answer, read, search
from tests.agent.fake_corpus import WAGES_2025, WAGES_2026

PUBLICATION = WAGES_2026.publication
PASSAGE = WAGES_2026.passage(0)
HIT = DocumentHit(PUBLICATION, Score(1.5, {"title": 2.0}), CHUNK, ("Uno", "Dos", "Tres"), "salario mínimo")
EVIDENCE = EvidenceHit(
    CHUNK, PUBLICATION, ("Uno", "Dos", "Tres"), "salario mínimo", Score(1.5, {"title": 2.0})
)
OUTLINE = OutlineShown(Outline(PUBLICATION, (OutlineEntry(("Uno", "Dos"), CHUNK, CHUNK + 1),)))


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
    tokens = {"input_tokens", "output_tokens", "cached_input_tokens", "reasoning_tokens"}
    assert set(result["usage"]) == tokens | {"turns", "tool_calls", "per_turn"}
    assert len(result["usage"]["per_turn"]) == result["usage"]["turns"] == 3
    assert all(
        set(turn) == tokens | {"turn", "provider_ms", "tools_ms"} for turn in result["usage"]["per_turn"]
    )
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


def test_the_public_result_tells_which_passages_meet_each_requirement():
    question = "Compara el salario mínimo de 2025 y 2026."
    limits = Limits(turns=3)
    result = public_result(
        ask([search(), read(CHUNK), good_answer()], question=question, limits=limits).outcome
    )
    first, second = result["coverage"]["required"]
    assert (first["kind"], first["value"], first["chunk_ids"]) == ("year", "2025", [])
    assert (second["kind"], second["value"], second["chunk_ids"]) == ("year", "2026", [CHUNK])
    assert result["coverage"]["missing"] == [{key: first[key] for key in ("kind", "value", "text")}]


def test_the_public_result_tells_why_an_id_is_no_citation():
    unread = WAGES_2025.chunk_id(0)
    final = answer(f"315.04 [{CHUNK}] [{unread}].", [CHUNK, CHUNK, unread, 99, "12"])
    result = public_result(ask([search(), read(CHUNK), final]).outcome)
    assert result["answer"]["citations"] == [CHUNK]
    assert {(rejected["id"], rejected["reason"]) for rejected in result["answer"]["rejected_citations"]} == {
        (str(unread), "not_read"), (str(CHUNK), "repeated"), ("99", "unknown"), ("12", "invalid"),
    }  # fmt: skip
