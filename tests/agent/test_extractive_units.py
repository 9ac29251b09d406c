"""What can be quoted of a passage."""

from __future__ import annotations

import pytest

from dofpilot.agent.providers.extractive.units import units
from dofpilot.corpus.text.analysis import terms
from tests.agent.reading import passage


def quotes(text: str, asked: str = "") -> list[str]:
    return [quote for unit in units(passage(text), frozenset(terms(asked))) for quote in unit.quotes]


def test_a_unit_is_a_span_of_the_passage() -> None:
    source = passage("Primera frase de prueba, con su punto.\n\nSegunda frase de prueba, con el suyo.")
    assert [source.text[unit.start : unit.end] for unit in units(source)] == source.text.split("\n\n")


def test_a_long_paragraph_is_cut_at_its_sentences_but_not_at_abbreviations_or_numerals() -> None:
    long = "El Art. 5 y el inciso a. Uno de la fracción IV. Otra siguen juntos" + ", y más" * 45 + "."
    assert quotes(f"{long} La segunda frase va aparte.") == [long, "La segunda frase va aparte."]


def test_a_list_stays_with_the_words_that_open_it() -> None:
    text = (
        "El Sistema cuenta con los subsistemas:\n\nI. Demográfico;\n\n"
        "*Fracción reformada DOF 25-06-2018*\n\nII.- Económico."
    )
    assert quotes(text) == ["El Sistema cuenta con los subsistemas: I. Demográfico; II.- Económico."]
    assert units(passage(text))[0].is_list


def test_a_list_may_have_its_first_item_on_the_line_that_opens_it() -> None:
    opening = "La ley reconoce las especies: I.- La de nombre colectivo;"
    assert quotes(f"{opening}\n\nII.- La anónima.\n\nOtra frase que es distinta.") == [
        f"{opening} II.- La anónima.",
        "Otra frase que es distinta.",
    ]


def test_a_list_too_long_to_read_is_quoted_item_by_item() -> None:
    items = [f"{number}. {'Una obligación larga. ' * 8}".strip() for number in range(1, 9)]
    found = quotes("Son obligaciones del patrón:\n" + "\n".join(items))
    assert found == [f"Son obligaciones del patrón: […] {item}" for item in items]


def test_headings_notes_signatures_and_rules_of_tables_are_no_quotations() -> None:
    assert (
        quotes(
            "# TÍTULO DE LA NORMA OFICIAL\n> Texto escrito para probar\n|---|---|---|---|---|---|\n"
            "*Artículo reformado DOF 25-06-2018*\nCiudad de México, a 4 de marzo de 2024.\n"
            "La Secretaria, Fulana de Tal.- Rúbrica.\nAl margen un sello con el Escudo Nacional."
        )
        == []
    )


@pytest.mark.parametrize(
    "cited", ["[12345]", "[ 12345 ]", "[^12345]", "【12345】", "[chunk 12345]", "(pasaje 12345)", "[12, 13]"]
)
def test_what_would_read_as_a_citation_is_not_quoted(cited: str) -> None:
    assert quotes(f"Véase la nota {cited} al pie de esta página.") == []
    items = "\n".join(f"{number}. {'Una obligación larga. ' * 8}" for number in range(1, 9))
    assert quotes(f"Son obligaciones {cited} del patrón:\n{items}") == []
    assert quotes(f"| Área | Pesos {cited} |\n|---|---|\n| Norte de la capital | 440.87 |") == []


def test_a_quotation_loses_its_markdown_and_no_word() -> None:
    assert quotes("| **UMA** diaria | 117.31 | *pesos* de 2026 |") == ["UMA diaria: 117.31; pesos de 2026"]


def test_each_row_of_a_table_names_its_values_by_their_columns() -> None:
    table = (
        "| Área | Salario **2025** | Alza | |\n|---|---:|---|---|\n"
        "| ZSMG | 278.80 | 6.5% | a |\n| ZLFN | 419.88 | | b |\n| Suelta | 1.00 |"
    )
    (unit,) = units(passage(table))
    assert unit.quotes == (
        "ZSMG: Salario 2025 278.80; Alza 6.5%; a",
        "ZLFN: Salario 2025 419.88; b",
        "Suelta: 1.00",
    )
    assert unit.has_quantity


def test_a_row_of_a_table_too_long_to_quote_still_has_its_columns() -> None:
    rows = "\n".join(f"| Oficio {number} {'y labores afines ' * 3}| {number}.50 |" for number in range(20))
    found = quotes(f"| Oficio | Pesos diarios |\n|---|---|\n{rows}", "oficio 19")
    assert found[-1] == f"Oficio 19 {'y labores afines ' * 3}".strip() + ": Pesos diarios 19.50"


def test_a_column_without_a_name_of_its_own_is_not_named() -> None:
    table = "| Concepto | Dato |\n|---|---|\n| Plazo de ejecución | 210 días naturales |"
    assert quotes(table) == ["Plazo de ejecución: 210 días naturales"]


def test_only_the_rows_that_say_what_is_asked_are_quoted_and_three_at_most() -> None:
    rows = "".join(f"| Obra {number} | {number} metros |\n" for number in range(1, 6))
    table = f"| Concepto | Dato |\n|---|---|\n{rows}| Plazo de ejecución | 210 días naturales |"
    assert quotes(table, "plazo de ejecución") == ["Plazo de ejecución: 210 días naturales"]
    assert quotes(table, "obras") == ["Obra 1: 1 metros", "Obra 2: 2 metros", "Obra 3: 3 metros"]
    assert len(quotes(table)) == 3


@pytest.mark.parametrize(
    "left_out",
    ["Artículo 132.- Son obligaciones de los patrones: ...", "**Artículo 133 Bis de la Ley.-** …"],
)
def test_what_a_decree_leaves_out_is_no_quotation(left_out: str) -> None:
    assert quotes(left_out) == []


def test_a_table_whose_header_is_elsewhere_is_quoted_by_its_cells() -> None:
    assert quotes(
        "| Soldadura de autógena | 350.11 | 440.87 |\n| Sastrería a domicilio | 351.22 | 441.98 |"
    ) == [
        "Soldadura de autógena: 350.11; 440.87",
        "Sastrería a domicilio: 351.22; 441.98",
    ]


def test_it_knows_a_reason_from_an_order() -> None:
    reason, order = units(passage("CUARTO. Que el salario alcanzó su meta.\nCUARTO. El salario será mayor."))
    assert (reason.is_recital, order.is_recital) == (True, False)


def test_the_ground_of_a_publication_is_no_order_either() -> None:
    (ground,) = units(passage("El Consejo, con apoyo en los artículos 94 y 570, emite esta Resolución."))
    assert ground.is_recital


def test_it_knows_to_which_article_each_sentence_belongs() -> None:
    article = "**Artículo 76.-** Las vacaciones, según el artículo 9.\n\nY crecen hasta llegar a veinte."
    text = f"Fin del anterior, que sigue aquí.\n\n{article}"
    source = passage(text, headings=("LEY", "Artículo 75 – Artículo 76"))
    assert [unit.article for unit in units(source)] == ["75", "76", "76"]


def test_dates_are_terms_in_the_form_of_figures() -> None:
    (unit,) = units(passage("Última reforma publicada DOF 14-06-2024."))
    assert "2024-06-14" in unit.terms


def test_a_table_says_only_the_rows_that_it_would_be_quoted_by() -> None:
    rows = "".join(f"| Obra {number} | {number} metros |\n" for number in range(1, 6))
    table = f"| Concepto | Dato |\n|---|---|\n{rows}| Plazo de ejecución | 210 días naturales |"
    (unit,) = units(passage(table), frozenset(terms("plazo de ejecución")))
    assert not unit.terms & set(terms("Obra metros"))


def test_every_row_of_a_table_has_the_header_of_its_own_table() -> None:
    tables = (
        "| Oficio | Pesos |\n|---|---|\n| Sastrería fina | 1.00 |",
        "| Zona | Cuota |\n|---|---|\n| Tula | 2.00 |",
    )
    assert quotes("\n\n".join(tables)) == ["Sastrería fina: Pesos 1.00", "Tula: Cuota 2.00"]
