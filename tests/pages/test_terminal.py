"""A finished run on a terminal."""

from __future__ import annotations

import io

from runs.terminal import Terminal
from tests.pages.made import result


def printed(**changes):
    out = io.StringIO()
    Terminal(out).answer({"result": {**result(), **changes}})
    return out.getvalue()


def test_citations_are_numbered_as_on_the_page():
    text = printed()

    assert "315.04 pesos [1], antes de 278.80 pesos [2]." in text
    assert "[1] Resolución 5745677 (DOF 9 dic 2025 · matutina)" in text


def test_a_warning_is_printed_as_its_sentence_without_control_codes():
    warning = {"code": "turn_limit", "text": "Se llegó al límite.\x1b[31m", "values": {}}

    text = printed(answer=None, warnings=[warning])

    assert text == "Aviso: Se llegó al límite.\\x1b[31m\n"
