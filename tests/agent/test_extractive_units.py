"""What can be quoted of a passage."""

from __future__ import annotations

from dofpilot.agent.providers.extractive.units import units
from tests.agent.reading import passage


def quotes(text: str) -> list[str]:
    return [unit.quote for unit in units(passage(text))]


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
    (quote,) = quotes(text)
    assert quote.startswith("El Sistema cuenta con los subsistemas: I. Demográfico;")
    assert quote.endswith("II.- Económico.")
    assert units(passage(text))[0].is_list


def test_a_list_too_long_to_read_is_quoted_item_by_item() -> None:
    items = [f"{number}. {'Una obligación larga. ' * 8}".strip() for number in range(1, 9)]
    assert len(quotes("Son obligaciones del patrón:\n" + "\n".join(items))) == 8


def test_headings_notes_signatures_and_rules_of_tables_are_no_quotations() -> None:
    assert (
        quotes(
            "# TÍTULO DE LA NORMA OFICIAL\n> Texto escrito para probar\n|---|---|---|---|---|---|\n"
            "*Artículo reformado DOF 25-06-2018*\nCiudad de México, a 4 de marzo de 2024.\n"
            "La Secretaria, Fulana de Tal.- Rúbrica.\nAl margen un sello con el Escudo Nacional."
        )
        == []
    )


def test_a_bracketed_number_is_not_quoted_because_it_would_read_as_a_citation() -> None:
    assert quotes("Véase la nota [12345] al pie de esta página.") == []


def test_a_quotation_loses_its_markdown_and_no_word() -> None:
    assert quotes("| **UMA** diaria | 117.31 | *pesos* de 2026 |") == ["UMA diaria · 117.31 · pesos de 2026"]


def test_a_table_is_quoted_with_its_header() -> None:
    table = "| Periodo | Valor en pesos |\n|---|---:|\n| Diario | 113.14 |\n| Mensual | 3,439.46 |"
    (unit,) = units(passage(table))
    assert unit.quote == "Periodo · Valor en pesos; Diario · 113.14; Mensual · 3,439.46"
    assert unit.has_quantity


def test_it_knows_a_reason_from_an_order() -> None:
    reason, order = units(passage("CUARTO. Que el salario alcanzó su meta.\nCUARTO. El salario será mayor."))
    assert (reason.is_recital, order.is_recital) == (True, False)
