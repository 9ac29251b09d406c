"""The extractive provider: what it looks for and reads."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from dofpilot.agent.conversation import Draft, Question, Reply, Revision, ToolRequest, ToolReturn, Turn
from dofpilot.agent.events import EventKind
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import StopReason
from dofpilot.agent.prompting import ANSWER_SCHEMA
from dofpilot.agent.providers.extractive import Extractive
from dofpilot.agent.runner import run
from dofpilot.agent.tools.arguments import ToolName
from dofpilot.agent.tools.results import DocumentsFound, ToolError
from dofpilot.agent.tools.specs import specs
from dofpilot.corpus.types import Section
from tests.agent.asking import Log
from tests.agent.fake_corpus import FakeCorpus, document, gazette
from tests.agent.quoting import AS_OF, WAGE, researched


def asked(text: str, *messages: Any, tools: Any = tuple(ToolName), hops: int = 1) -> Reply:
    turn = Turn("", (Question(text, AS_OF, hops), *messages), specs(tools), ANSWER_SCHEMA, (), 10.0)
    return Extractive().respond(turn)


def requests(text: str, *, hops: int = 1, tools: Any = tuple(ToolName)) -> list[ToolRequest]:
    """What it asks for when every tool finds nothing."""
    made: list[ToolRequest] = []
    messages: list[Any] = []
    while isinstance(content := asked(text, *messages, hops=hops, tools=tools).content, ToolRequest):
        made.append(content)
        messages += [content, ToolReturn(content.call_id, content.name, DocumentsFound("", ()))]
    return made


def test_it_says_what_it_is() -> None:
    identity = Extractive().identity
    assert (identity.provider, identity.model, identity.generative) == ("extractive", "extractive-1", False)


def test_the_same_turn_always_gets_the_same_reply() -> None:
    assert asked(WAGE) == asked(WAGE)


def test_a_run_shows_at_least_five_steps() -> None:
    outcome, log = researched(WAGE)
    assert outcome.stop_reason is StopReason.ANSWERED
    steps = [kind for kind in log.kinds if kind is not EventKind.MODEL_TURN_STARTED]
    assert len(steps) >= 5
    tools = [payload["tool"] for payload in log.of(EventKind.TOOL_COMPLETED)]
    assert tools == sorted(tools, key=["search_documents", "search_evidence", "read_chunks"].index)
    assert set(tools) == {"search_documents", "search_evidence", "read_chunks"}


def test_it_searches_for_the_subject_not_for_the_words_of_asking() -> None:
    query = requests(
        "¿Quiénes tienen que observar la NOM-035-STPS-2018, publicada el 23 de octubre de 2018?"
    )[0]
    words = query.arguments["query"].split()
    assert {"NOM-035-STPS-2018", "observar"} <= set(words)
    assert not {"Quiénes", "tienen", "que", "la"} & set(words)
    assert "23 de octubre de 2018" in query.arguments["query"]


def test_it_spells_out_acronyms() -> None:
    assert "unidad de medida y actualización" in requests("¿Cuánto vale la UMA?")[0].arguments["query"]


def test_it_looks_for_each_compared_year_by_itself() -> None:
    searches = requests("¿Cómo cambió el salario mínimo de 2025 a 2026?", hops=2)
    queries = [made.arguments["query"] for made in searches if made.name == "search_documents"]
    years = [[year for year in ("2025", "2026") if year in query] for query in queries[:2]]
    assert years == [["2025"], ["2026"]]


def test_it_looks_first_among_what_was_published_on_the_day_named() -> None:
    first, second = requests("¿Qué obliga la ley publicada el 11 de diciembre de 2025?")
    assert first.arguments["date_from"] == first.arguments["date_to"] == "2025-12-11"
    assert second.arguments["date_from"] is None


def test_it_lists_the_day_and_edition_when_asked_what_was_published() -> None:
    listing = requests("¿Qué publicó la Presidencia en la edición vespertina del 15 de abril de 2025?")[0]
    assert listing.name == "list_publications"
    assert listing.arguments["date_from"] == listing.arguments["date_to"] == "2025-04-15"
    assert listing.arguments["section"] == Section.VES


@pytest.mark.parametrize(
    "question",
    [
        WAGE,
        "¿Qué publicó el INEGI el 9 de enero de 2026, qué valores fijó, cuándo rigen y quién los calcula?",
        "¿Cómo cambiaron la UMA y el INPC de 2024 a 2025 y de 2025 a 2026, y qué dice la NOM-035?",
    ],
)
def test_it_keeps_a_turn_for_the_answer(question: str) -> None:
    made = requests(question, hops=3)
    assert len(made) <= 7
    assert sum(request.name == "search_documents" for request in made) <= 3


def test_it_asks_only_for_tools_that_are_offered() -> None:
    assert {made.name for made in requests(WAGE, tools=[ToolName.SEARCH_DOCUMENTS])} == {"search_documents"}
    assert isinstance(asked(WAGE, tools=[]).content, Draft)


def test_a_refused_call_is_not_repeated() -> None:
    first = asked(WAGE).content
    assert isinstance(first, ToolRequest)
    refused = ToolReturn(first.call_id, first.name, ToolError("invalid_argument", "No.", "query"))
    assert asked(WAGE, first, refused).content != first


def test_an_answer_sent_back_earns_another_reading() -> None:
    pages = [f"El salario mínimo de la página {number} se explica aquí con cuidado." for number in range(30)]
    long = document(6000, "MANUAL del salario mínimo", date(2025, 1, 2), *pages)
    provider, corpus, log = Extractive(), FakeCorpus((long,)), Log()
    outcome = run("¿Qué dice la NOM-001 del salario mínimo?", AS_OF, 1, provider, corpus, Limits(), log)
    reads = [payload for payload in log.of(EventKind.TOOL_COMPLETED) if payload["tool"] == "read_chunks"]
    assert len(reads) == 3
    assert len(outcome.passages) == 18


def test_a_question_of_many_parts_leaves_calls_to_read_with() -> None:
    question = (
        "¿Cuál es el salario mínimo general, cuándo entra en vigor la resolución, quién fija el salario "
        "mínimo, dónde se publica la resolución y cuánto sube el salario mínimo?"
    )
    outcome, log = researched(question, hops=2)
    tools = [payload["tool"] for payload in log.of(EventKind.TOOL_COMPLETED)]
    assert tools.count("search_documents") == 3
    assert "read_chunks" in tools
    assert outcome.stop_reason is StopReason.ANSWERED


def test_a_list_that_breaks_off_is_read_on() -> None:
    law = document(
        6006,
        "LEY de mercados",
        date(2020, 1, 2),
        "Artículo 5. Son requisitos del puesto:\n\nI. Tener un permiso;",
        "II. Contar con aval, y\n\nIII. Pagar la cuota.",
    )
    outcome, _ = researched("¿Qué requisitos tiene el puesto?", corpus=FakeCorpus((law,)))
    assert {passage.chunk_id for passage in outcome.passages} == {law.chunk_id(0), law.chunk_id(1)}


def test_the_transitory_articles_are_searched_when_a_beginning_is_asked_for() -> None:
    _, log = researched("¿Desde cuándo rige el salario mínimo?")
    asked_for = [
        payload["arguments"]
        for payload in log.of(EventKind.TOOL_COMPLETED)
        if payload["tool"] == "search_evidence"
    ]
    assert [len(arguments["document_ids"]) for arguments in asked_for[:2]] == [2, 1]
    assert "transitorios" in asked_for[1]["query"]


def test_an_article_that_no_search_hits_is_looked_up_in_the_outline_of_its_law() -> None:
    texts = [f"El trabajo del capítulo {number} tiene su regla." for number in range(30)]
    headings = [("LEY", f"Artículo {2 * number} – Artículo {2 * number + 1}") for number in range(30)]
    law = document(6007, "LEY DEL TRABAJO", date(2020, 1, 2), *texts, headings=headings)
    outcome, log = researched("¿Qué dice el artículo 59 de la Ley del Trabajo?", corpus=FakeCorpus((law,)))
    tools = [payload["tool"] for payload in log.of(EventKind.TOOL_COMPLETED)]
    assert tools.count("get_document_outline") == 1
    assert law.chunk_id(29) in {passage.chunk_id for passage in outcome.passages}
    assert outcome.answer is not None
    assert law.chunk_id(29) in outcome.answer.citations


def test_an_article_that_a_search_hits_needs_no_outline() -> None:
    law = document(6008, "LEY DEL TRABAJO", date(2020, 1, 2), "El trabajo.", headings=[("LEY", "Artículo 5")])
    _, log = researched("¿Qué dice el artículo 5 de la Ley del Trabajo?", corpus=FakeCorpus((law,)))
    assert "get_document_outline" not in [payload["tool"] for payload in log.of(EventKind.TOOL_COMPLETED)]


@pytest.mark.parametrize(
    ("question", "recent"), [("¿Cuál es el salario mínimo vigente?", True), (WAGE, False)]
)
def test_the_most_recent_is_preferred_where_the_question_asks_for_it(question: str, recent: bool) -> None:
    corpus = gazette()
    researched(question, corpus=corpus)
    assert corpus.recent_first == [recent]


def test_the_draft_is_the_same_json_that_models_give() -> None:
    content = asked(WAGE, tools=[]).content
    assert isinstance(content, Draft)
    assert set(json.loads(content.text)) == {"answer", "citations", "premise_status"}


def test_a_revision_alone_does_not_make_it_ask_again() -> None:
    assert isinstance(asked(WAGE, Draft("x"), Revision(("No.",)), tools=[]).content, Draft)
