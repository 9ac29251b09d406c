"""Figures in an answer: what counts as one, its normal form, and where a cited passage says it."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dofpilot.agent.figures import check, scan
from dofpilot.agent.outcome import Figure, FigureKind, FigureStatus
from tests.agent.reading import passage, publication

AMOUNT, PERCENTAGE, DATE = FigureKind.AMOUNT, FigureKind.PERCENTAGE, FigureKind.DATE
NORM, ARTICLE, NUMBER = FigureKind.NORM, FigureKind.ARTICLE, FigureKind.NUMBER


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("$1,234.50", AMOUNT, "1234.5"),
        ("315.04 pesos", AMOUNT, "315.04"),
        ("$440.87 M.N.", AMOUNT, "440.87"),
        ("cuatrocientos cuarenta pesos 87/100 M.N.", AMOUNT, "440.87"),
        ("30 mil millones de pesos", AMOUNT, "30000000000"),
        ("dos millones de dólares", AMOUNT, "2000000"),
        ("13.0%", PERCENTAGE, "13"),
        ("0.28 por ciento", PERCENTAGE, "0.28"),
        ("veintiuno por ciento", PERCENTAGE, "21"),
        ("seis punto cinco por ciento", PERCENTAGE, "6.5"),
        ("cien por ciento", PERCENTAGE, "100"),
        ("1º de enero de 2026", DATE, "2026-01-01"),
        ("1o. de enero de 2026", DATE, "2026-01-01"),
        ("primero de enero del año 2026", DATE, "2026-01-01"),
        ("2026-01-01", DATE, "2026-01-01"),
        ("9 dic 2025", DATE, "2025-12-09"),
        ("21-06-2018", DATE, "2018-06-21"),
        ("nueve de diciembre de dos mil veinticinco", DATE, "2025-12-09"),
        ("diciembre de 2025", DATE, "2025-12"),
        ("9 de enero", DATE, "--01-09"),
        ("NOM-035-STPS-2018", NORM, "NOM-035-STPS-2018"),
        ("PROY-NMX-R-025", NORM, "PROY-NMX-R-025"),
        ("artículo 78", ARTICLE, "78"),
        ("Art. 4o", ARTICLE, "4"),
        ("artículo 76 Bis", ARTICLE, "76 bis"),
        ("numeral 8.3", ARTICLE, "8.3"),
        ("doce", NUMBER, "12"),
        ("noventa", NUMBER, "90"),
        ("ciento ochenta y cinco", NUMBER, "185"),
        ("seiscientas cuarenta y cinco", NUMBER, "645"),
        ("tres millones doscientos mil", NUMBER, "3200000"),
        ("22,224", NUMBER, "22224"),
        ("42,794.64", NUMBER, "42794.64"),
    ],
)
def test_it_reads_each_way_of_writing_a_figure(text: str, kind: FigureKind, value: str) -> None:
    sentence = f"Según consta, {text}, y así."
    (mention,) = scan(sentence)
    assert (mention.kind, mention.value) == (kind, value)
    assert sentence[mention.start : mention.end] == text


@pytest.mark.parametrize(
    "text",
    [
        "Rige en todo el país [577553300008].",
        "Según [1] [2] y https://dof.gob.mx/nota?codigo=123",
        "1. Primero\n2) Segundo\n- 3. Tercero",
        "una obligación, un pasaje y uno más",
        "el dióxido CO2 y la clave H1N1",
        "por ciento",
        "la fracción c) y el inciso d), según el artículo mi casa",
        "un civil vil, la mitad y las terceras partes, en un cuarto",
        "- «3. Cuando el cálculo arroje menos»",
        "«4.- Se otorga un anticipo»",
        "Son obligaciones: 1. Avisar; 2. Pagar. 3) Guardar los recibos.",
        "la junta será a las 10:00 o a las 9:30:15 horas",
        "la licitación LO-16-B00-016B00988-N-47-2025 y el oficio SAT/47/2025",
        "el teléfono 55-1234-5678",
    ],
)
def test_it_takes_nothing_else_for_a_figure(text: str) -> None:
    assert scan(text) == ()
    assert check(text, []) == ()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("El total es: 15. Después se paga.", ["15"]),
        ("Son 117.31/día y el plan 2025-2030 de veinte-treinta días", ["117.31", "2025", "2030", "20", "30"]),
        ("«15 días» y «3.5 veces»", ["15", "3.5"]),
        ("el artículo 76-A", ["76-a"]),
        ("Según el art. 78. El patrón paga; ver Arts. 9. Los demás", ["78", "9"]),
        ("Duró 30. Y costó 20) más", ["30", "20"]),
    ],
)
def test_what_only_looks_like_numbering_or_an_identifier_is_a_figure(text: str, values: list[str]) -> None:
    assert [item.value for item in scan(text)] == values


def test_a_list_of_articles_is_one_figure_each() -> None:
    text = "Se reforman los artículos 19, fracción XXI; 71, primer párrafo; y 78, y los numerales 8.3 y 8.4."
    assert [item.value for item in scan(text)] == ["19", "fracción 21", "71", "78", "8.3", "8.4"]
    assert {item.kind for item in scan(text)} == {ARTICLE}


def test_bold_between_a_number_and_its_unit_makes_no_difference() -> None:
    assert [(item.kind, item.value) for item in scan("**315.04** pesos, **13.0** %")] == [
        (AMOUNT, "315.04"),
        (PERCENTAGE, "13"),
    ]


def test_numbers_that_make_no_number_are_left_alone() -> None:
    assert scan("dos tres") == ()
    assert scan("mil " * 3000) == ()
    assert scan("dos millones tres millones") == ()
    assert [item.value for item in scan("dos y tres")] == ["2", "3"]


def only(answer: str, *texts: str) -> Figure:
    (figure,) = check(answer, [passage(text, place) for place, text in enumerate(texts, start=1)])
    return figure


@pytest.mark.parametrize(
    ("answer", "source", "words"),
    [
        ("Rige desde 2026-01-01", "a partir del 1º de enero de 2026.", "1º de enero de 2026"),
        ("Son 12 días", "doce días de vacaciones", "doce"),
        ("Son noventa días", "un plazo de 90 días", "90"),
        ("Vale $1,234.50", "| 2026 | 1,234.50 |", "1,234.50"),
        (
            "Vale 440.87 pesos",
            "cuatrocientos cuarenta pesos 87/100 M.N.",
            "cuatrocientos cuarenta pesos 87/100 M.N.",
        ),
        ("Subió 13 por ciento", "un aumento de 13.0%", "13.0%"),
        ("El artículo 78", "Artículo 78.- Los trabajadores", "Artículo 78"),
        ("El numeral 8.3", "8.3 Las medidas", "8.3"),
        ("La NOM-035", "la NOM-035-STPS-2018", "NOM-035-STPS-2018"),
        ("En 2026", "el 1 de enero de 2026", "1 de enero de 2026"),
        ("En enero de 2026", "el 9 de enero de 2026", "9 de enero de 2026"),
        ("El 9 de enero", "el 9 de enero de 2026", "9 de enero de 2026"),
        ("El 5 de enero de 2026", "los días 5 y 6 de enero de 2026", "5"),
        ("Rige desde el 1 de enero de 2023", "en vigor el 1.° de enero de 2023", "1.° de enero de 2023"),
        ("La NOM 035", "la NOM-035-STPS-2018", "NOM-035-STPS-2018"),
        ("La NOM-35-2018", "la NOM-035-STPS-2018", "NOM-035-STPS-2018"),
        ("Del 5 al 10 por ciento", "de un 5% a un 10%", "5%"),
        ("El artículo 33", "los artículos 2 (fracciones XIII y LI), 27, 31 y 33", "33"),
        ("La fracción VI", "V. Una cosa, y\n\nVI. Omitan presentar avisos", "VI"),
        ("La fracción II", "I. Doce días; II.- Otra cosa", "II"),
        ("La fracción III", "las fracciones I, III y X del artículo", "III"),
        ("El segundo transitorio", "TRANSITORIOS\n\nPrimero.- Hoy.\n\nSegundo.- Mañana.", "Segundo"),
        ("El transitorio 2", "el artículo segundo transitorio", "artículo segundo transitorio"),
        ("Pagó 1/3", "la tercera parte de la deuda", "la tercera parte"),
        ("Son 2.5 millones", "la suma de 2,500,000 pesos", "2,500,000 pesos"),
        ("Son 315.04 pesos", "la cuota de 315.04", "315.04"),
        ("Son $315.04", "315.04 euros", "315.04 euros"),
        ("Son US$100", "100 euros, 100 dólares", "100 dólares"),
        ("Son 100 dólares", "el pago de USD 100", "USD 100"),
        ("Son 100 pesos", "$100.00 M.N.", "$100.00 M.N."),
        ("Bajó 5 %", "una variación de -5.0 %", "-5.0 %"),
        ("Varió -5 %", "una variación de -5.0 %", "-5.0 %"),
        ("Bajó 0.5", "| -0.5 |", "-0.5"),
        ("Fueron 20 puntos porcentuales", "20 %, 20 puntos porcentuales", "20 puntos porcentuales"),
        ("Mide 48,661.703 m²", "cuarenta mil, en total 48 661.703 m²", "48 661.703"),
    ],
)
def test_it_finds_a_figure_where_a_passage_says_it_in_another_form(
    answer: str, source: str, words: str
) -> None:
    figure = check(answer, [passage("Nada que ver.", 1), passage(source, 2)])[0]
    assert (figure.status, figure.chunk_id) == (FigureStatus.FOUND, 2)
    assert source[figure.chunk_start : figure.chunk_end] == words
    assert answer[figure.start : figure.end] == figure.text


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("Vale $315.05", "315.04 pesos"),
        ("Subió 13%", "trece días"),
        ("Son 13 días", "13%"),
        ("El artículo 78", "78 trabajadores"),
        ("El artículo 78", "el artículo 78 bis"),
        ("El numeral 8.3", "8.30 Otras medidas y 8.3.1 más"),
        ("La NOM-035-STPS-2018", "la NOM-035"),
        ("Rige desde el 1 de enero de 2026", "en enero de 2026"),
        ("Rige desde el 1 de enero de 2026", "el 1 de enero de 2025"),
        ("En 2026", "folio 20260"),
        ("La NOM-035", "la NOM-EM-035-STPS-2018 y el PROY-NOM-035-STPS-2016"),
        ("La NOM-035-STPS-2014", "la NOM-035-STPS-2018"),
        ("La NOM-STPS-2018", "la NOM-035-STPS-2018"),
        ("La fracción VI", "V. Una cosa. VII. Otra, y vi que sí"),
        ("El segundo transitorio", "SEGUNDO.- Se ocupa el inmueble"),
        ("El artículo 5", "los artículos 2 y 4, 5 días después"),
        ("Pagó 1/3", "la tercera parte contratante"),
        ("Subió 5 puntos porcentuales", "cinco veces"),
        ("Son 315.04 euros", "315.04 pesos"),
        ("Son 100 dólares", "100 pesos"),
        ("Son US$100", "$100.00 M.N."),
        ("Son €100", "cien dólares"),
        ("Son 500 mdp", "500 millones de dólares"),
        ("Varió -5 %", "una variación de 5 %"),
        ("Subió 20 %", "20 puntos porcentuales"),
        ("Subió 20 puntos porcentuales", "20 %"),
        ("Son 5 pesos", "5 por ciento"),
    ],
)
def test_it_marks_what_no_cited_passage_says(answer: str, source: str) -> None:
    figure = only(answer, source)
    assert figure.status is FigureStatus.NOT_FOUND
    assert (figure.chunk_id, figure.chunk_start, figure.chunk_end) == (None, None, None)


def test_it_looks_first_in_the_passage_cited_next() -> None:
    answer = "Son 12 días [2]. Antes eran 12 horas [1]."
    read = [passage("doce horas", 1), passage("doce días", 2)]
    assert [figure.chunk_id for figure in check(answer, read)] == [2, 1]


def test_a_title_or_heading_counts_without_a_place_in_the_text() -> None:
    norm = publication(title="NORMA Oficial Mexicana NOM-035-STPS-2018")
    figures = check(
        "La NOM-035-STPS-2018, artículo 5", [passage("Objetivo", document=norm, headings=("Artículo 5",))]
    )
    assert [(figure.chunk_id, figure.chunk_start) for figure in figures] == [(1, None), (1, None)]


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("En «AVISO» (DOF 9 dic 2025)", FigureStatus.FOUND),
        ("La declaratoria salió el 9 de diciembre de 2025", FigureStatus.FOUND),
        ("El decreto de expropiación del 9 de diciembre", FigureStatus.FOUND),
        ("La reforma de diciembre de 2025", FigureStatus.FOUND),
        ("Entró en vigor el 9 de diciembre de 2025", FigureStatus.NOT_FOUND),
        ("La ley rige desde el 9 de diciembre de 2025", FigureStatus.NOT_FOUND),
        ("El decreto del 10 de diciembre de 2025", FigureStatus.NOT_FOUND),
    ],
)
def test_a_publication_date_counts_only_where_the_answer_calls_it_so(
    answer: str, status: FigureStatus
) -> None:
    (figure,) = check(answer, [passage("Texto", document=publication(day=date(2025, 12, 9)))])
    assert (figure.status, figure.chunk_start) == (status, None)


def test_an_answer_without_figures_gives_none() -> None:
    assert check("No se encontró.", [passage("En 2026")]) == ()


@pytest.mark.parametrize(
    "answer",
    [
        "No encontré «9,000 pesos» en lo que leí.",
        "No se encontró el valor de 2027.",
        "No se han localizado los de 2027, 2028 y 2029.",
        "El decreto no menciona los 9,000.50 pesos: nada más.",
        "No fue posible hallar el artículo 99",
    ],
)
def test_what_an_answer_says_that_it_did_not_find_is_no_figure(answer: str) -> None:
    assert check(answer, [passage("Texto")]) == ()


def test_it_is_one_where_a_passage_says_it() -> None:
    assert only("No encontré los 12 pesos.", "Son 12 pesos").status is FigureStatus.FOUND


@pytest.mark.parametrize(
    "answer",
    [
        "No encontré otro valor que 315.04.",
        "No se encontró más que 315.04.",
        "No encontré el anterior, y hoy vale 315.04.",
        "No encontré el anterior y el nuevo vale 315.04.",
        "No encontré el anterior: vale 315.04.",
        "No encontré el anterior; vale 315.04.",
        "No encontré el anterior. Vale 315.04.",
        "Con 315.04 no se menciona el anterior.",
        "Se encontró 315.04.",
        "No es 315.04.",
    ],
)
def test_what_it_says_beside_that_is_looked_up(answer: str) -> None:
    assert only(answer, "Texto").value == "315.04"


def test_the_first_of_two_shares_has_the_unit_of_the_second() -> None:
    figures = check("Subió del 3 al 4 %", [passage("del 3 al 4 puntos porcentuales")])
    assert [figure.status for figure in figures] == [FigureStatus.NOT_FOUND] * 2


def test_an_amount_is_never_said_by_a_percentage() -> None:
    assert only("Son $5", "5 %").status is FigureStatus.NOT_FOUND


def test_a_day_that_stands_before_itself_is_none() -> None:
    assert [item.kind for item in scan("los días 6 y 6 de enero de 2026")] == [NUMBER, DATE]


@given(st.text(alphabet="123.,$% 4o-°ºde enuniopsº\n[]()Aáñ/"))
def test_offsets_hold_in_any_text_and_figures_never_overlap(text: str) -> None:
    end = 0
    for mention in scan(text):
        assert end <= mention.start < mention.end <= len(text)
        end = mention.end


@pytest.mark.parametrize("joined", [" y 6 de enero de 2026", " al 10 por ciento", " pesos", "%"])
def test_a_number_of_any_length_can_be_read(joined: str) -> None:
    assert scan("9" * 5000 + joined)


def test_a_figure_is_found_in_the_passage_that_is_cited_after_it() -> None:
    passages = [passage("Son 12 pesos", chunk_id=number) for number in (1, 2)]
    figures = check("Son 12 [2]. Son 12 [1]. Son 12 [2]. Son 12.", passages)
    assert [figure.chunk_id for figure in figures] == [2, 1, 2, 1]


@pytest.mark.parametrize(
    ("said", "figure"), [("12 pesos, 12 pesos", "12"), ("I. Los\nII. Las\nI. Unos", "fracción I")]
)
def test_the_place_is_the_first_that_says_it(said: str, figure: str) -> None:
    (found,) = check(f"Dice {figure} [1].", [passage(said)])
    assert found.chunk_start == 0


def test_a_publication_date_may_stand_some_words_after_the_name_of_the_gazette() -> None:
    source = [passage("Texto.", document=publication(day=date(2025, 12, 9)))]
    (found,) = check("Está en el Diario Oficial, en la edición de la mañana, 9 de diciembre de 2025.", source)
    assert found.status is FigureStatus.FOUND
