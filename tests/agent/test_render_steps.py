"""What the live log says of each step."""

import json
import string
from datetime import date

import pytest

from dofpilot.agent import wording
from dofpilot.agent.events import PAYLOAD_LIMIT, EventKind
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import RequirementKind
from dofpilot.agent.providers.scripted import answer, tool
from dofpilot.agent.steps import Closing, turn_started
from tests.agent.asking import AS_OF, CHUNK, ask, good_answer, read, search
from tests.agent.fake_corpus import WAGES_2025, WAGES_2026, FakeCorpus, document


def said(*steps):
    """The messages of the tool steps: while running, and once done."""
    log = ask([*steps, answer("Nada.", [])], limits=Limits(turns=len(steps) + 1)).log
    started, completed = log.of(EventKind.TOOL_STARTED), log.of(EventKind.TOOL_COMPLETED)
    return [payload["message"] for payload in started], [payload["message"] for payload in completed]


def test_a_search_says_what_it_looks_for_and_why():
    log = ask([search("salario mínimo"), read(CHUNK), good_answer()]).log
    started, completed = log.of(EventKind.TOOL_STARTED)[0], log.of(EventKind.TOOL_COMPLETED)[0]
    assert started["message"] == "Busca documentos sobre «salario mínimo»"
    assert completed["message"] == "Buscó documentos sobre «salario mínimo»"
    assert completed["why"] == "Primero hay que saber qué publicaciones podrían contener la respuesta."
    assert completed["arguments"] == {"query": "salario mínimo", "limit": 10, "prefer_recent": False}


def test_a_search_says_that_it_put_the_latest_first():
    _, done = said(search("salario", prefer_recent=True))
    assert done == ["Buscó documentos sobre «salario». Se dio prioridad a lo más reciente"]


def test_each_tool_speaks_differently_while_it_runs_and_once_it_is_done():
    both = [WAGES_2025.document_id, WAGES_2026.document_id]
    running, done = said(
        search(),
        tool("list_publications", date_from="2025-12-09", date_to="2025-12-09"),
        tool("search_evidence", query="pesos", document_ids=both),
        tool("get_document_outline", document_id=both[0]),
        read(CHUNK, WAGES_2025.chunk_id(0)),
        read(CHUNK),
    )
    title = WAGES_2025.publication.title
    assert running == [
        "Busca documentos sobre «salario»",
        "Consulta las publicaciones del 9 dic 2025",
        "Busca «pesos» dentro de 2 documentos",
        f"Revisa el índice de «{title}»",
        "Lee 2 pasajes",
        "Lee un pasaje",
    ]
    assert done == [
        "Buscó documentos sobre «salario»",
        "Consultó las publicaciones del 9 dic 2025",
        "Buscó «pesos» dentro de 2 documentos",
        f"Revisó el índice de «{title}»",
        "Leyó 2 pasajes",
        "Leyó un pasaje",
    ]


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        ({}, "Consultó la lista de publicaciones"),
        ({"date_from": "2025-01-02"}, "Consultó las publicaciones desde el 2 ene 2025"),
        ({"date_to": "2025-01-02"}, "Consultó las publicaciones hasta el 2 ene 2025"),
        (
            {"date_from": "2025-01-02", "date_to": "2025-02-03"},
            "Consultó las publicaciones del 2 ene 2025 al 3 feb 2025",
        ),
    ],
)
def test_a_listing_names_its_dates(dates, expected):
    assert said(tool("list_publications", **dates))[1] == [expected]


def test_a_day_is_kept_as_such_beside_its_sentence():
    call = tool("list_publications", date_from="2025-01-02", date_to="2025-02-03")
    log = ask([call, answer("2025-01-02", [])], limits=Limits(turns=2)).log
    (listed,), (began,) = log.of(EventKind.TOOL_COMPLETED), log.of(EventKind.AGENT_STARTED)
    assert listed["say"]["values"] == {"date_from": {"date": "2025-01-02"}, "date_to": {"date": "2025-02-03"}}
    assert began["say"]["values"] == {"as_of": {"date": AS_OF.isoformat()}}


def test_a_search_without_results_says_so():
    assert said(search("ornitorrinco"))[1] == ["Buscó documentos sobre «ornitorrinco» y no encontró ninguno"]


def test_what_people_write_is_never_taken_for_a_template():
    (done,) = said(search("{query} {0} {__class__} %s"))[1]
    assert done == "Buscó documentos sobre «{query} {0} {__class__} %s» y no encontró ninguno"


def _in_spanish(value):
    match value:
        case list():
            return "; ".join(item["text"] for item in value)
        case {"date": day}:
            return wording.day(date.fromisoformat(day))
        case {"text": text}:
            return text
    return value


def test_every_event_can_be_said_again_from_its_template():
    listing = tool("list_publications", date_from="2025-01-02", date_to="2025-02-03")
    steps = [listing, search(), search(limit=99), read(CHUNK), answer("Nada.", []), good_answer()]
    question = "Compara el salario mínimo de 2025, 2026 y el del numeral 5.2."
    for event in ask(steps, question=question, limits=Limits(turns=6)).log.events:
        say = event.payload["say"]
        values = {name: _in_spanish(value) for name, value in say["values"].items()}
        for part in ("message", "why"):
            assert (part in event.payload) == (part in say)
            if part in say:
                assert say[part].format(**values) == event.payload[part]


def test_a_refused_call_says_why():
    log = ask([search(limit=99), search(), read(CHUNK), good_answer()]).log
    refused = log.of(EventKind.TOOL_COMPLETED)[0]
    assert refused["message"].startswith("No se hizo la consulta: El valor de «limit» no sirve.")
    assert refused["error"] == {
        "code": "invalid_argument",
        "message": refused["error"]["message"],
        "field": "limit",
    }
    assert "arguments" not in refused


def test_a_tool_that_does_not_exist_is_not_named_in_the_log():
    log = ask([tool("rm -rf"), search(), read(CHUNK), good_answer()]).log
    assert "tool" not in log.of(EventKind.TOOL_COMPLETED)[0]


def test_the_start_tells_the_cutoff_and_who_answers():
    (started,) = ask([search(), read(CHUNK), good_answer()]).log.of(EventKind.AGENT_STARTED)
    assert started["message"] == f"Empieza la investigación con publicaciones hasta el {wording.day(AS_OF)}"
    assert started["provider"] == {"provider": "scripted", "model": "scripted", "generative": True}


@pytest.mark.parametrize(
    ("closing", "sentence"),
    [
        (Closing.LAST_TURN, "Es el último turno: hay que responder con lo leído."),
        (Closing.LITTLE_TIME, "Queda poco tiempo: hay que responder con lo leído."),
        (Closing.NO_CALLS, "Ya no quedan consultas: hay que responder con lo leído."),
    ],
)
def test_a_turn_that_must_answer_tells_why_and_what_is_missing(closing, sentence):
    missing = [wording.requirement(RequirementKind.YEAR, year) for year in ("2025", "2026")]
    payload = turn_started(8, Limits(), missing, closing).payload
    lacks = "Falta leer: un pasaje que hable de 2025; un pasaje que hable de 2026."
    assert payload["why"] == f"{sentence} {lacks}"
    assert [item["value"] for item in payload["say"]["values"]["missing"]] == ["2025", "2026"]
    assert turn_started(8, Limits(), missing).payload["why"] == lacks
    assert turn_started(8, Limits(), [], closing).payload["why"] == sentence
    assert "why" not in turn_started(8, Limits(), []).payload


def test_the_verification_counts_figures_and_says_what_is_missing():
    log = ask(
        [search(), read(CHUNK), good_answer()],
        question="Compara el salario mínimo de 2025 y 2026.",
        limits=Limits(turns=3),
    ).log
    (verified,) = log.of(EventKind.VERIFICATION_COMPLETED)
    checks = verified["verification"]
    counted = f"{checks['figures_found']} de {checks['figures_total']} cifras"
    assert verified["message"] == f"Verificación: {counted} encontradas en lo citado"
    assert checks["figures_found"] >= 1
    assert checks["missing"] == [{"kind": "year", "value": "2025", "text": "un pasaje que hable de 2025"}]
    assert checks["citations_read"] is True
    assert checks["coverage_met"] is False


def test_every_template_is_marked_with_named_values_only():
    named = [value for name, value in vars(wording).items() if name.isupper() and isinstance(value, str)]
    templates = [*named, *wording.REMARKS.values(), *wording.REQUIREMENTS.values()]
    assert len(templates) > 60
    for template in templates:
        fields = [field for _, field, _, _ in string.Formatter().parse(template) if field is not None]
        assert all(field.isidentifier() for field in fields)


@pytest.mark.parametrize("letter", ["x", "ñ", "😀", '"', "\x00", "\u2028"])
def test_the_longest_words_fit_into_every_event(letter):
    hostile = document(
        6002, letter * 3000, AS_OF, letter * 9000, institution=letter * 900, headings=[(letter * 900,) * 9]
    )
    steps = [
        search(letter * 400),
        tool("list_publications", institution=letter * 200),
        tool("get_document_outline", document_id=6002),
        tool("read_chunks", **{letter * 5000: 1}),
        read(hostile.chunk_id(0)),
        answer(letter * 9000, [letter * 900] * 50),
    ]
    log = ask(steps, corpus=FakeCorpus((hostile,)), limits=Limits(turns=len(steps))).log
    assert len(log.of(EventKind.TOOL_COMPLETED)) == 5
    for event in log.events:
        assert len(json.dumps(event.payload)) <= PAYLOAD_LIMIT
        sentences = [
            event.payload["message"],
            *(reason["text"] for reason in event.payload.get("reasons", [])),
        ]
        assert max(map(len, sentences)) <= 400
