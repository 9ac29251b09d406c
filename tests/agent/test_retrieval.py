"""How a run searches: what is chosen, what is told when it was not so, and whether vectors were used."""

from __future__ import annotations

import logging

import pytest

from dofpilot.agent.events import EventKind
from dofpilot.agent.outcome import RemarkCode
from dofpilot.agent.providers.scripted import tool
from dofpilot.agent.retrieval import RetrievalMode, choose
from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.types import Retrieval, Strategy, VectorState
from tests.agent.asking import CHUNK, ask, good_answer, read, search
from tests.agent.fake_corpus import WAGES_2026, gazette

WORDS = frozenset({Strategy.LEXICAL})
SOME = frozenset({Strategy.LEXICAL, Strategy.HYBRID})
ALL = frozenset(Strategy)
VECTORS = VectorState(1.0, "f", "m")
STEPS = [
    search("salario"),
    tool("search_evidence", query="pesos", document_ids=[WAGES_2026.document_id]),
    read(CHUNK),
    good_answer(),
]
FALLEN = Retrieval(Strategy.HYBRID, Strategy.LEXICAL, fallback="el servidor https://secreto no respondió")
WHOLE = Retrieval(Strategy.HYBRID, Strategy.HYBRID, vector_share=1.0)
PART = Retrieval(Strategy.HYBRID, Strategy.HYBRID, vector_share=0.3729)


@pytest.mark.parametrize(
    ("mode", "offered", "chosen"),
    [
        ("auto", WORDS, "lexical"),
        ("auto", SOME, "hybrid"),
        ("auto", ALL, "hybrid"),
        ("lexical", ALL, "lexical"),
        ("vector", ALL, "vector"),
        ("hybrid", SOME, "hybrid"),
    ],
)
def test_a_mode_becomes_a_strategy_that_the_corpus_offers(mode, offered, chosen):
    assert choose(RetrievalMode(mode), offered, VECTORS) == chosen


@pytest.mark.parametrize(
    ("mode", "offered", "vectors", "told"),
    [
        ("hybrid", WORDS, None, "no tiene vectores"),
        ("vector", WORDS, VectorState(1.0, "f", "m", unusable="el modelo es otro"), "el modelo es otro"),
        ("vector", SOME, VectorState(0.4, "f", "m"), "faltan los vectores"),
    ],
)
def test_a_fixed_mode_that_is_not_offered_is_refused_with_the_reason(mode, offered, vectors, told):
    with pytest.raises(CorpusUnavailable, match=f"no ofrece «{mode}».*{told}"):
        choose(RetrievalMode(mode), offered, vectors)


def test_each_strategy_is_a_mode():
    assert {mode.value for mode in RetrievalMode} == {"auto", *Strategy}


def asked(*retrievals, strategy=Strategy.HYBRID):
    corpus = gazette()
    corpus.retrievals = list(retrievals)
    return ask(STEPS, corpus=corpus, strategy=strategy)


def messages(run):
    return [payload["message"] for payload in run.log.of(EventKind.TOOL_COMPLETED)]


def test_every_search_of_a_run_has_its_strategy():
    corpus = gazette()
    assert ask(STEPS, corpus=corpus, strategy=Strategy.HYBRID).outcome.vector_used
    assert corpus.ranked_by == [Strategy.HYBRID] * 2
    run = asked(strategy=Strategy.LEXICAL)
    assert not run.outcome.vector_used
    assert run.outcome.warnings == ()
    assert messages(run)[:2] == ["Buscó documentos sobre «salario»", "Buscó «pesos» dentro de un documento"]


def test_a_run_whose_vectors_fail_half_way_goes_on_by_words_and_says_so(caplog):
    with caplog.at_level(logging.WARNING, logger="dofpilot.agent"):
        run = asked(WHOLE, FALLEN)
    assert run.outcome.answer is not None
    assert run.outcome.vector_used
    (warning,) = run.outcome.warnings
    assert (warning.code, warning.values) == (RemarkCode.WORDS_ALONE, {"count": 1, "total": 2})
    assert messages(run)[0] == "Buscó documentos sobre «salario»"
    assert messages(run)[1] == (
        "Buscó «pesos» dentro de un documento. No se pudieron comparar vectores: se buscó solo por palabras"
    )
    assert "secreto" in caplog.text
    assert "secreto" not in repr(run.log.events) + repr(run.outcome.warnings)


def test_vectors_that_never_answered_were_not_used():
    run = asked(FALLEN, FALLEN)
    assert not run.outcome.vector_used
    assert [warning.values for warning in run.outcome.warnings] == [{"count": 2, "total": 2}]


def test_an_incomplete_index_is_told_with_its_share():
    run = asked(PART, PART)
    assert run.outcome.vector_used
    (warning,) = run.outcome.warnings
    assert (warning.code, warning.values) == (RemarkCode.PARTIAL_VECTORS, {"percent": "37.2"})
    assert all(message.endswith("tiene vectores (37.2 %)") for message in messages(run)[:2])


def test_an_index_without_any_vector_was_not_used():
    assert not asked(*[Retrieval(Strategy.HYBRID, Strategy.HYBRID)] * 2).outcome.vector_used


def test_corrected_words_are_told_with_the_search():
    run = asked(Retrieval(Strategy.HYBRID, Strategy.HYBRID, "", (("sumnistro", "suministro"),)))
    assert messages(run)[0] == (
        "Buscó documentos sobre «salario». También se buscó «suministro» por «sumnistro»"
    )
    assert run.outcome.warnings == ()
