"""Each way of writing a figure, a line each: what is read and its normal form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dofpilot.agent.figures import scan
from dofpilot.agent.outcome import FigureKind

AMOUNT, PERCENTAGE, DATE = FigureKind.AMOUNT, FigureKind.PERCENTAGE, FigureKind.DATE
NORM, ARTICLE, NUMBER = FigureKind.NORM, FigureKind.ARTICLE, FigureKind.NUMBER


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("1'234,567.89 pesos", AMOUNT, "1234567.89"),
        ("1 234 567 pesos", AMOUNT, "1234567"),
        ("1\u2009234\u2009567", NUMBER, "1234567"),
        ("12\u00a0500.50 pesos", AMOUNT, "12500.5"),
        ("1’234’567", NUMBER, "1234567"),
        ("1.234.567,50 euros", AMOUNT, "1234567.5"),
        ("1.234,50 pesos", AMOUNT, "1234.5"),
        ("1.234.567", NUMBER, "1234567"),
        ("1.234", NUMBER, "1.234"),
        ("2.5 millones", NUMBER, "2500000"),
        ("3 mil 500 pesos", AMOUNT, "3500"),
        ("2 millones 500 mil", NUMBER, "2500000"),
        ("500 mdp", AMOUNT, "500000000"),
        ("$500 mdp", AMOUNT, "500000000"),
        ("USD 500", AMOUNT, "500"),
        ("€1,200", AMOUNT, "1200"),
        ("US$100", AMOUNT, "100"),
        ("$.50", AMOUNT, "0.5"),
        ("medio millón de pesos", AMOUNT, "500000"),
        ("3 millones y medio", NUMBER, "3500000"),
        ("tres millones y medio de pesos", AMOUNT, "3500000"),
        ("tres y medio millones", NUMBER, "3500000"),
        ("medio millón", NUMBER, "500000"),
        ("doce y medio por ciento", PERCENTAGE, "12.5"),
        ("12 y medio por ciento", PERCENTAGE, "12.5"),
        (".5%", PERCENTAGE, "0.5"),
        (".25 por ciento", PERCENTAGE, "0.25"),
        ("-5 %", PERCENTAGE, "-5"),
        ("-0.5", NUMBER, "-0.5"),
        ("-$500.00", AMOUNT, "-500"),
        ("01-01-26", DATE, "2026-01-01"),
        ("31/12/99", DATE, "1999-12-31"),
        ("enero 1, 2026", DATE, "2026-01-01"),
        ("diciembre 15 de 2025", DATE, "2025-12-15"),
        ("diez pesos 50/100 M.N.", AMOUNT, "10.5"),
        ("cinco pesos con cincuenta centavos", AMOUNT, "5.5"),
        ("cinco pesos con 5 centavos", AMOUNT, "5.05"),
        ("40 moneda nacional", AMOUNT, "40"),
        ("21 por ciento", PERCENTAGE, "21"),
        ("13,5 %", PERCENTAGE, "13.5"),
        ("0.5 puntos porcentuales", PERCENTAGE, "0.5"),
        ("un punto porcentual", PERCENTAGE, "1"),
        ("seis punto cero cinco por ciento", PERCENTAGE, "6.05"),
        ("cuarenta y ocho punto setecientos tres", NUMBER, "48.703"),
        ("1.º de enero de 2026", DATE, "2026-01-01"),
        ("1.° de enero de 2026", DATE, "2026-01-01"),
        ("1ero de enero de 2026", DATE, "2026-01-01"),
        ("primero de enero de dos mil veintiséis", DATE, "2026-01-01"),
        ("18-agosto-2006", DATE, "2006-08-18"),
        ("9/dic/2025", DATE, "2025-12-09"),
        ("21.06.2018", DATE, "2018-06-21"),
        ("1.º", NUMBER, "1"),
        ("tres cuartas partes", NUMBER, "3/4"),
        ("dos terceras partes", NUMBER, "2/3"),
        ("1/3", NUMBER, "1/3"),
        ("2/4", NUMBER, "1/2"),
        ("NOM 035 STPS 2018", NORM, "NOM-035-STPS-2018"),
        ("NOM.035.STPS.2018", NORM, "NOM-035-STPS-2018"),
        ("NOM035", NORM, "NOM-035"),
        ("nom 035", NORM, "NOM-035"),
        ("PROY NOM-035-STPS-2016", NORM, "PROY-NOM-035-STPS-2016"),
        ("NOM-EM-001-SE-2025", NORM, "NOM-EM-001-SE-2025"),
        ("NOM-051-SCFI/SSA1-2010", NORM, "NOM-051-SCFI/SSA1-2010"),
        ("NMX R 025 SCFI 2015", NORM, "NMX-R-025-SCFI-2015"),
        ("artículo 27 Bis", ARTICLE, "27 bis"),
        ("artículo 27 Bis 1", ARTICLE, "27 bis 1"),
        ("artículo 4o", ARTICLE, "4"),
        ("artículo 4.º", ARTICLE, "4"),
        ("artículo IV", ARTICLE, "4"),
        ("Artículo Tercero", ARTICLE, "3"),
        ("Artículo Único", ARTICLE, "único"),
        ("artículo cuarto bis", ARTICLE, "4 bis"),
        ("fracción XXI", ARTICLE, "fracción 21"),
        ("fracción XXIX-Y", ARTICLE, "fracción 29-y"),
        ("Transitorio Segundo", ARTICLE, "transitorio 2"),
        ("artículo segundo transitorio", ARTICLE, "transitorio 2"),
        ("transitorio Vigésimo Quinto", ARTICLE, "transitorio 25"),
        ("décimo cuarto transitorio", ARTICLE, "transitorio 14"),
        ("2o. transitorio", ARTICLE, "transitorio 2"),
        ("transitorio único", ARTICLE, "transitorio único"),
    ],
)
def test_a_figure_has_one_normal_form(text: str, kind: FigureKind, value: str) -> None:
    sentence = f"Según consta: {text}; y así."
    (mention,) = scan(sentence)
    assert (mention.kind, mention.value) == (kind, value)
    assert sentence[mention.start : mention.end].removesuffix(".") == text.removesuffix(".")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("de 16 a 50 trabajadores", [(NUMBER, "16"), (NUMBER, "50")]),
        ("los artículos 16 a 50", [(ARTICLE, "16"), (ARTICLE, "50")]),
        ("los artículos 5 o 6 y el 5 por ciento", [(ARTICLE, "5"), (ARTICLE, "6"), (PERCENTAGE, "5")]),
        ("según el artículo 78, 12 días", [(ARTICLE, "78"), (NUMBER, "12")]),
        ("el artículo 5, 1,500 pesos", [(ARTICLE, "5"), (AMOUNT, "1500")]),
        ("según el artículo 4, 2026 será", [(ARTICLE, "4"), (NUMBER, "2026")]),
        (
            "art. 54, fracción III, en relación con el 53",
            [(ARTICLE, "54"), (ARTICLE, "fracción 3"), (ARTICLE, "53")],
        ),
        (
            "los artículos 2 (fracciones XIII y LI), 27 y 28",
            [(ARTICLE, value) for value in ("2", "fracción 13", "fracción 51", "27", "28")],
        ),
        (
            "los numerales 5.1, del 5.3 al 5.8 y 7.1",
            [(ARTICLE, value) for value in ("5.1", "5.3", "5.8", "7.1")],
        ),
        ("los transitorios segundo y tercero", [(ARTICLE, "transitorio 2"), (ARTICLE, "transitorio 3")]),
        (
            "los artículos segundo y tercero transitorios",
            [(ARTICLE, "transitorio 2"), (ARTICLE, "transitorio 3")],
        ),
        ("del diez al cien por ciento", [(PERCENTAGE, "10"), (PERCENTAGE, "100")]),
        ("entre 5 y 10%", [(PERCENTAGE, "5"), (PERCENTAGE, "10")]),
        ("en 2025 y 5% más", [(NUMBER, "2025"), (PERCENTAGE, "5")]),
        ("los días 5, 6 y 7 de enero de 2026", [(DATE, f"2026-01-0{day}") for day in (5, 6, 7)]),
        ("del 1o. al 15 de febrero", [(DATE, "--02-01"), (DATE, "--02-15")]),
        ("son 40 y 9 de enero", [(NUMBER, "40"), (DATE, "--01-09")]),
        ("3 y noviembre de 2026", [(NUMBER, "3"), (DATE, "2026-11")]),
        ("la fracción II, 4 del grupo", [(ARTICLE, "fracción 2"), (NUMBER, "4")]),
        ("la NOM-035 en 2018 y la NOM. 5", [(NORM, "NOM-035"), (NUMBER, "2018"), (NUMBER, "5")]),
        ("un tercio de la multa y la mitad del plazo", [(NUMBER, "1/3"), (NUMBER, "1/2")]),
        ("de un doce por ciento", [(PERCENTAGE, "12")]),
        ("un doce y medio por ciento", [(PERCENTAGE, "12.5")]),
        ("un millón y un mil", [(NUMBER, "1000000"), (NUMBER, "1000")]),
        ("el aumento —5 % este año— y de 3-5 %", [(PERCENTAGE, "5"), (NUMBER, "3"), (PERCENTAGE, "5")]),
        ("de 16 -50 y\n-5 días", [(NUMBER, "16"), (NUMBER, "50"), (NUMBER, "5")]),
        ("Concepto......5.00 y el No.5", [(NUMBER, "5"), (NUMBER, "5")]),
        ("enero 1, 2,026 pesos", [(NUMBER, "1"), (AMOUNT, "2026")]),
        ("el código 20-13-30", []),
        ("1.5 veces la UMA y quinientas veces", [(NUMBER, "1.5"), (NUMBER, "500")]),
    ],
)
def test_what_stands_beside_a_figure_tells_what_it_is(text: str, found: list[tuple[FigureKind, str]]) -> None:
    assert [(item.kind, item.value) for item in scan(text)] == found


WORDS = """
    artículo artículos fracción fracciones transitorio transitorios segundo vigésimo quinto único
    bis A XXI I iv y o a al del el de la en relación con , ; . ( ) [7] 4 76-A 8.3 1º 2026 enero un
    dos mil millones punto cero pesos $1,234.50 M.N. 87/100 1/3 % por ciento puntos porcentuales
    tercera parte mitad NOM-035 NOM 035 STPS
"""


@given(st.lists(st.sampled_from(WORDS.split()), max_size=16).map(" ".join))
def test_figures_never_overlap_and_stand_where_they_say(text: str) -> None:
    end = 0
    for mention in scan(text):
        assert end <= mention.start < mention.end <= len(text)
        assert mention.value
        assert text[mention.start : mention.end].strip() == text[mention.start : mention.end]
        end = mention.end
