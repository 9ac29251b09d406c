"""The extractive provider on the sample set: the goals that a model must beat."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import Outcome, StopReason
from dofpilot.agent.providers.extractive import Extractive
from dofpilot.agent.runner import run
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.text.folding import fold
from dofpilot.corpus.text.quotes import locate

SET = Path(__file__).parents[2] / "evaluation" / "sets" / "muestra.jsonl"
GOAL = 0.8
QUOTED_GOAL = 0.8
MOST_OF_A_QUOTE = 0.7
MOST_REFUSED_WRONGLY = 1

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


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", fold(text)))


def _quotes_gold(case: dict[str, Any], outcome: Outcome) -> bool:
    """Whether one quotation says most words of a gold quote."""
    assert outcome.answer is not None
    quotations = [_words(line) for line in outcome.answer.text.splitlines() if line.startswith("- «")]
    golds = [_words(span["quote"]) for gold in case["gold_documents"] for span in gold["evidence"]]
    return any(len(gold & said) >= MOST_OF_A_QUOTE * len(gold) for gold in golds for said in quotations)


def test_every_run_closes_with_an_accepted_answer(answered: Answered) -> None:
    assert {outcome.stop_reason for _, outcome in answered} == {StopReason.ANSWERED}


def test_four_of_five_answers_cite_a_gold_passage(answered: Answered) -> None:
    assert sum(_cites_gold(case, outcome) for case, outcome in answered) >= GOAL * len(answered)


def test_four_of_five_answers_quote_the_sentence_that_answers(answered: Answered) -> None:
    assert sum(_quotes_gold(case, outcome) for case, outcome in answered) >= QUOTED_GOAL * len(answered)


def test_it_seldom_says_that_it_found_nothing_where_there_is_an_answer(answered: Answered) -> None:
    refused = [case["id"] for case, outcome in answered if outcome.answer and _refuses(outcome.answer.text)]
    assert len(refused) <= MOST_REFUSED_WRONGLY


def _refuses(text: str) -> bool:
    return text.startswith("No encontré una respuesta")


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuánto cuesta renovar el pasaporte?",
        "¿Cuál es la pena de cárcel por robo de vehículo?",
        "¿Qué dice el artículo 999 de la Ley Federal del Trabajo?",
        "¿Cuál es el salario mínimo general en 2031?",
        "¿Quién es el presidente de la Comisión Nacional Bancaria y de Valores?",
        "¿Cuándo se celebra el Gran Premio de México de Fórmula 1?",
        "¿Qué requisitos pide la NOM-022-STPS-2015 para la electricidad estática?",
        "¿Cuánto cobra el registro civil por un acta de matrimonio?",
        "¿Cuál es la edad mínima para votar en México?",
        "¿Qué multa hay por no usar cubrebocas en el transporte público?",
        "¿Cuánto le toca al municipio de Monterrey en el Programa Barrio a Barrio 2026?",
        "¿Cuál es la cuota de entrada a Chichén Itzá?",
        "¿Cuántos habitantes tiene Guadalajara?",
    ],
)
def test_what_the_gazette_does_not_say_is_not_answered(question: str, sample_corpus: Path) -> None:
    assert _refuses(_answer(question, sample_corpus))


@pytest.mark.parametrize(
    ("question", "quotation"),
    [
        ("¿Cuál es el salario mínimo general en 2026?", "315.04"),
        ("¿Cuánto vale la UMA diaria en 2026?", "117.31 pesos diarios"),
        ("¿Qué es la reversibilidad en el teletrabajo?", "3.3 Reversibilidad: "),
        ("¿Qué dice el artículo 330-G sobre pasar a teletrabajo?", "Artículo 330-G.- "),
        ("¿Cuánto cuesta entrar a la zona arqueológica de Xochicalco?", "Cuota general $100.00"),
        (
            "¿En qué casos se pierde el Distintivo Entorno Laboral Sano?",
            "Artículo 8. Se pierde el Distintivo",
        ),
        (
            "¿Cuánto dura la concesión minera y por cuánto se puede prorrogar?",
            "La concesión dura treinta años",
        ),
        ("¿Qué iluminación mínima debe tener el lugar de teletrabajo?", "Iluminación: Condición mínima 300"),
    ],
)
def test_the_answer_leads_with_the_sentence_that_answers(
    question: str, quotation: str, sample_corpus: Path
) -> None:
    assert quotation in _quoted_first(question, sample_corpus)[0]


@pytest.mark.parametrize(
    ("question", "quotations"),
    [
        ("¿Cuánto valía la UMA diaria en 2025 y cuánto vale en 2026?", ("113.14", "117.31")),
        ("¿Cómo cambió el salario mínimo general de 2025 a 2026?", ("278.80", "315.04")),
        ("¿De cuánto fue la inflación mensual de enero de 2026 según el INPC?", ("0.38 por ciento",)),
        (
            "¿Hasta cuándo se concede la suma asegurada de un microseguro de personas y cuántas UMA son?",
            ("1,300 veces la UMA",),
        ),
    ],
)
def test_what_it_quotes_it_does_not_say_that_it_did_not_find(
    question: str, quotations: tuple[str, ...], sample_corpus: Path
) -> None:
    quoted = "\n".join(_quoted_first(question, sample_corpus))
    assert all(quotation in quoted for quotation in quotations)


def test_every_answer_cites_as_many_documents_as_required(answered: Answered) -> None:
    assert all(outcome.verification.hops_met for _, outcome in answered)


def test_every_figure_of_every_answer_is_found_in_what_it_cites(answered: Answered) -> None:
    figures = [figure for _, outcome in answered for figure in outcome.verification.figures]
    assert figures
    assert [figure for figure in figures if figure.chunk_id is None] == []


def test_nothing_past_the_cutoff_is_seen(answered: Answered) -> None:
    assert all(outcome.verification.cutoff.respected for _, outcome in answered)


def _answer(question: str, corpus: Path) -> str:
    case = {"question": question, "as_of": "2026-04-24", "required_hops": 1}
    with Corpus.open(corpus) as opened:
        answer = _run(case, opened).answer
    assert answer is not None
    return answer.text


def _quoted_first(question: str, corpus: Path) -> list[str]:
    """The quotations of an answer, best first; none where it says that it found none."""
    text = _answer(question, corpus)
    lines = [] if _refuses(text) else text.splitlines()
    return [line.removeprefix("- «") for line in lines if line.startswith("- «")]


def test_a_definition_is_quoted_where_it_is_asked_for(sample_corpus: Path) -> None:
    question = "¿Qué son los factores de riesgo psicosocial según la NOM-035-STPS-2018?"
    assert _quoted_first(question, sample_corpus)[0].startswith("4.6 Factores de riesgo psicosocial: ")


def test_the_entry_into_force_is_quoted_from_the_publication_that_is_meant(sample_corpus: Path) -> None:
    question = "¿Cuándo entra en vigor la obligación de dar sillas con respaldo en el trabajo?"
    quoted = _quoted_first(question, sample_corpus)
    assert any(line.startswith("Primero.- ") and "ciento ochenta días naturales" in line for line in quoted)
    assert not any(line.startswith(("ÚNICO", "Artículo 132.- Son obligaciones")) for line in quoted)
    assert quoted[0].startswith("Primero.- ")


def test_an_amount_is_quoted_from_what_orders_it_before_anything_else(sample_corpus: Path) -> None:
    text = _answer("¿Cuáles son los salarios mínimos que rigen en 2026?", sample_corpus)
    introduction, first, *_ = text.splitlines()
    assert introduction.startswith("En «RESOLUCIÓN del Consejo de Representantes")
    assert first.startswith("- «ZSMG: ")
    assert first.count("Salario 2026 (pesos diarios) 315.04»") == 1
    assert "Que corresponde al Consejo" not in text
