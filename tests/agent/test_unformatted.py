"""The signs of Markdown leave an answer's text; nothing else does."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dofpilot.agent.unformatted import unformatted

SIGNS = re.compile(r"[-#*_= \t\n]")


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("# Valores\nSon tres.", "Valores\nSon tres."),
        ("### Valores de 2026 ###", "Valores de 2026"),
        ("## **Diario**", "Diario"),
        ("Valores\n======\nSon tres.", "Valores\n\nSon tres."),
        ("Uno.\n\n---\n\nDos.", "Uno.\n\n\n\nDos."),
        ("- **Diario**: $117.31 [7]", "- Diario: $117.31 [7]"),
        ("* **Diario:** $117.31 [7]", "* Diario: $117.31 [7]"),
        ("1. __Diario__ [7]", "1. Diario [7]"),
        ("El **valor [7]** y *el otro* [8].", "El valor [7] y el otro [8]."),
        ("Es ***muy*** alto.", "Es muy alto."),
        ("**Vale *mucho* hoy**", "Vale mucho hoy"),
        ("_**Diario**_ y **_anual_**", "Diario y anual"),
        ("«*Ley*», (**LFT**), ¿**cuánto**?", "«Ley», (LFT), ¿cuánto?"),
        ("**$117.31**/**$3,566.22**", "$117.31/$3,566.22"),
        ("Según el **artículo 7**, *fracción II*.", "Según el artículo 7, fracción II."),
        ("[**7**]", "[7]"),
    ],
)
def test_signs_of_headings_bold_and_italics_leave_the_text(written: str, left: str):
    assert unformatted(written) == left


@pytest.mark.parametrize(
    "text",
    [
        "- Diario: 117.31 [7]\n* Mensual: 3,566.22 [8]\n+ Anual",
        "| **Año** | # |\n|---|---|\n| 2026 | *117.31* |",
        "278.80* y 315.04*, (*) y (**), 5 * 3 * 2, 5*3*2",
        "*Cifra preliminar. **Cifra definitiva.",
        "chunk_id, premise_status, __init, https://example.org/_a_/b_c",
        "#7, C#, # y n.º 5 #",
        "-5 grados, -- y ____",
        "**sin cerrar",
        "**uno* y *dos**, ****",
        "Uno\\*dos\n    # cuatro blancos",
    ],
)
def test_what_may_mean_something_else_stays(text: str):
    assert unformatted(text) == text


@given(st.text(alphabet="*_#-=|[7] \n\ta1.,()«»"))
def test_nothing_but_signs_ever_leaves(text: str):
    left = unformatted(text)
    assert SIGNS.sub("", left) == SIGNS.sub("", text)
    assert left.count("\n") == text.count("\n")
