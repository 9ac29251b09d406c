"""What the gazette spells out and people shorten."""

from __future__ import annotations

import pytest

from dofpilot.corpus.search.institutions import name_alternatives
from dofpilot.corpus.text.acronyms import spelled_out


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "¿Qué publicó la STPS sobre la UMA, y cuánto vale la UMA?",
            ("Secretaría del Trabajo y Previsión Social", "unidad de medida y actualización"),
        ),
        ("la tiie", ("tasa de interés interbancaria de equilibrio",)),
        ("se publica", ()),
        ("La SE publicó", ("Secretaría de Economía",)),
    ],
)
def test_acronyms_become_their_full_names(text, names):
    assert spelled_out(text) == names


def test_an_institution_that_is_asked_for_by_its_acronym_is_also_a_filter():
    assert spelled_out("UNAM") == ("Universidad Nacional Autónoma de México",)
    assert name_alternatives("UNAM") == ("universidad nacional autonoma de mexico",)
