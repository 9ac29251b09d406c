"""A finished run on a terminal."""

from __future__ import annotations

import io

from dofpilot.agent import wording
from dofpilot.agent.events import EventKind
from dofpilot.agent.outcome import RemarkCode
from dofpilot.agent.render import said
from runs.terminal import Terminal
from tests.pages.made import rejection, result, step


def printed(**changes):
    out = io.StringIO()
    Terminal(out).answer({"result": {**result(), **changes}})
    return out.getvalue()


def test_citations_are_numbered_as_on_the_page():
    text = printed()

    assert "315.04 pesos [1], antes de 278.80 pesos [2]." in text
    assert "[1] Resolución 5745677 (DOF 9 dic 2025 · matutina)" in text


def test_a_warning_is_printed_as_its_sentence_without_control_codes():
    warning = {"code": "of_tomorrow", "text": "Se llegó al límite.\x1b[31m", "values": {}}

    text = printed(answer=None, warnings=[warning])

    assert text == "Aviso: Se llegó al límite.\\x1b[31m\n"


def test_what_to_know_of_an_answer_is_printed_as_the_page_tells_it():
    dropped = said.remark(wording.remark(RemarkCode.DROPPED_CITATIONS, count=1))
    told = result(
        generative=True,
        answer={"premise_status": "false", "rejected_citations": [rejection("9", "unknown")]},
        warnings=[said.remark(wording.remark(RemarkCode.TURN_LIMIT)), dropped],
    )

    assert [line for line in printed(**told).splitlines() if line.startswith("Aviso")] == [
        "Aviso: La investigación llegó al límite de turnos.",
        "Aviso: Una cita del modelo no se tomó en cuenta: 1 a un pasaje que ninguna consulta devolvió.",
        "Aviso: Cifras que no aparecen en lo citado: 36.24 pesos.",
        "Aviso: Según el modelo, la pregunta parte de algo que lo citado no sostiene.",
    ]


def test_an_answer_that_needs_no_warning_has_none():
    told = result(generative=True)
    told["verification"]["figures"].pop()

    assert "Aviso" not in printed(**told)


def test_every_reason_of_a_revision_is_printed():
    reasons = [wording.remark(RemarkCode.NO_CITATIONS), wording.remark(RemarkCode.NO_TEXT)]
    out = io.StringIO()
    sent_back = step(
        EventKind.ANSWER_REVISION_REQUESTED,
        f"La respuesta se devolvió para corregirla: {reasons[0].text}",
        reasons=list(map(said.remark, reasons)),
    )
    Terminal(out).step(sent_back)

    assert [line.count(reason.text) for reason in reasons for line in out.getvalue().splitlines()] == [
        1,
        0,
        0,
        1,
    ]
