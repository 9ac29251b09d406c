"""The extractive provider on the sample set: the goals that a model must beat."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import Outcome, StopReason
from dofpilot.agent.providers.extractive import Extractive
from dofpilot.agent.runner import run
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.text.quotes import locate

SET = Path(__file__).parents[2] / "evaluation" / "sets" / "muestra.jsonl"
GOAL = 0.8

Answered = list[tuple[dict[str, Any], Outcome]]


@pytest.fixture(scope="module")
def answered(sample_corpus: Path) -> Answered:
    cases = [json.loads(line) for line in SET.read_text(encoding="utf-8").splitlines()]
    with Corpus.open(sample_corpus) as corpus:
        return [(case, _run(case, corpus)) for case in cases]


def _run(case: dict[str, Any], corpus: Corpus) -> Outcome:
    as_of = date.fromisoformat(case["as_of"])
    return run(
        case["question"], as_of, case["required_hops"], Extractive(), corpus, Limits(), lambda event: None
    )


def _cites_gold(case: dict[str, Any], outcome: Outcome) -> bool:
    assert outcome.answer is not None
    cited = [passage.text for passage in outcome.passages if passage.chunk_id in outcome.answer.citations]
    quotes = [span["quote"] for gold in case["gold_documents"] for span in gold["evidence"]]
    return any(locate(quote, text) for quote in quotes for text in cited)


def test_every_run_closes_with_an_accepted_answer(answered: Answered) -> None:
    assert {outcome.stop_reason for _, outcome in answered} == {StopReason.ANSWERED}


def test_four_of_five_answers_cite_a_gold_passage(answered: Answered) -> None:
    assert sum(_cites_gold(case, outcome) for case, outcome in answered) >= GOAL * len(answered)


def test_every_answer_cites_as_many_documents_as_required(answered: Answered) -> None:
    assert all(outcome.verification.hops_met for _, outcome in answered)


def test_every_figure_of_every_answer_is_found_in_what_it_cites(answered: Answered) -> None:
    figures = [figure for _, outcome in answered for figure in outcome.verification.figures]
    assert figures
    assert [figure for figure in figures if figure.chunk_id is None] == []


def test_nothing_past_the_cutoff_is_seen(answered: Answered) -> None:
    assert all(outcome.verification.cutoff.respected for _, outcome in answered)


def _quoted_first(question: str, corpus: Path) -> list[str]:
    """The quotations of the answer, best document first."""
    case = {"question": question, "as_of": "2026-04-24", "required_hops": 1}
    with Corpus.open(corpus) as opened:
        answer = _run(case, opened).answer
    assert answer is not None
    return [line.removeprefix("- «") for line in answer.text.splitlines() if line.startswith("- «")]


def test_a_definition_is_quoted_where_it_is_asked_for(sample_corpus: Path) -> None:
    question = "¿Qué son los factores de riesgo psicosocial según la NOM-035-STPS-2018?"
    assert _quoted_first(question, sample_corpus)[0].startswith("4.6 Factores de riesgo psicosocial: ")


def test_the_entry_into_force_is_quoted_from_the_publication_that_is_meant(sample_corpus: Path) -> None:
    question = "¿Cuándo entra en vigor la obligación de dar sillas con respaldo en el trabajo?"
    quoted = _quoted_first(question, sample_corpus)
    assert any(line.startswith("Primero.- ") and "ciento ochenta días naturales" in line for line in quoted)
    assert not any(line.startswith(("ÚNICO", "Artículo 132.- Son obligaciones")) for line in quoted)


def test_an_amount_is_quoted_from_what_orders_it_before_anything_else(sample_corpus: Path) -> None:
    case = {
        "question": "¿Cuáles son los salarios mínimos que rigen en 2026?",
        "as_of": "2026-04-24",
        "required_hops": 1,
    }
    with Corpus.open(sample_corpus) as corpus:
        answer = _run(case, corpus).answer
    assert answer is not None
    introduction, first, *_ = answer.text.splitlines()
    assert introduction.startswith("En «RESOLUCIÓN del Consejo de Representantes")
    assert first.startswith("- «ZSMG: ")
    assert first.count("Salario 2026 (pesos diarios) 315.04»") == 1
    assert "Que corresponde al Consejo" not in answer.text
