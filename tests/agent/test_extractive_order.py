"""The extractive provider: which of its quotations comes first."""

from __future__ import annotations

from datetime import date

from tests.agent.fake_corpus import FakeCorpus, document
from tests.agent.quoting import answer, paper, quotations


def test_the_best_quotation_comes_first() -> None:
    order = document(
        6004,
        "ACUERDO de recibos de salario",
        date(2026, 2, 2),
        "Primero. El recibo de salario lleva fecha y firma de quien lo da.\n\n"
        "Segundo. El recibo de salario se entrega cada quince días a quien trabaja.",
    )
    text = answer("¿Cada cuántos días se entrega el recibo de salario?", corpus=FakeCorpus((order,)))
    assert quotations(text)[0].startswith("Segundo.")


def test_of_several_publications_only_the_one_that_is_meant_tells_its_beginning() -> None:
    veda = document(
        6009,
        "ACUERDO de veda del pulpo",
        date(2024, 3, 12),
        "PRIMERO. Se prohíbe la captura de pulpo rojo en el litoral.",
        "ÚNICO. El Acuerdo comienza a regir el 16 de marzo de 2024.",
    )
    market = document(
        6010,
        "ACUERDO de horarios",
        date(2024, 5, 2),
        "PRIMERO. El mercado de pulpo abre a las nueve horas.\n\n"
        "ÚNICO. El Acuerdo comienza a regir el 1 de mayo de 2024.",
    )
    text = answer("¿Desde cuándo rige la veda del pulpo rojo?", corpus=FakeCorpus((veda, market)))
    assert quotations(text)[0].startswith("ÚNICO. El Acuerdo comienza a regir el 16 de marzo de 2024.")
    assert "1 de mayo" not in text


def test_an_article_asked_for_comes_before_what_says_more_of_the_question() -> None:
    law = document(
        6011,
        "LEY de pagos",
        date(2020, 1, 2),
        "Artículo 7. El pago del salario mínimo general se hace cada semana.\n\n"
        "Artículo 8. Se entrega en el lugar donde se labora.",
    )
    question = "¿Qué dice el artículo 8 sobre el pago del salario mínimo general?"
    assert quotations(answer(question, corpus=FakeCorpus((law,))))[0].startswith("Artículo 8.")


def test_the_chapter_that_is_about_the_question_comes_before_one_about_others() -> None:
    law = document(
        6012,
        "LEY de labores",
        date(2020, 1, 2),
        "Artículo 179. Los menores disfrutan de vacaciones de dieciocho días.",
        "Artículo 76. Las personas disfrutan de vacaciones de doce días.",
        headings=[("LEY", "TITULO V. Labor de los menores"), ("LEY", "CAPITULO IV. Vacaciones")],
    )
    text = answer("¿Cuántos días de vacaciones hay?", corpus=FakeCorpus((law,)))
    assert quotations(text)[0].startswith("Artículo 76.")


def test_the_document_named_comes_before_another_that_says_as_much() -> None:
    papers = FakeCorpus(
        (
            document(6023, "ACUERDO de riesgos", date(2020, 1, 2), "Los riesgos se evalúan cada dos meses."),
            document(
                6024, "NORMA NOM-035-STPS-2018", date(2018, 1, 2), "Los riesgos se evalúan cada dos años."
            ),
        )
    )
    text = answer("¿Cómo se evalúan los riesgos según la NOM-035-STPS-2018?", corpus=papers)
    assert text.startswith("En «NORMA NOM-035-STPS-2018»")


def test_a_list_comes_first_where_a_list_is_asked_for() -> None:
    rules = paper(
        "REGLAS del padrón",
        "Regla 1. Los requisitos del padrón de calzado se cumplen siempre.\n\n"
        "Regla 2. Son requisitos del padrón: a) Tener domicilio; b) Pagar la cuota.",
    )
    assert quotations(answer("¿Qué requisitos tiene el padrón de calzado?", corpus=rules))[0].startswith(
        "Regla 2."
    )


def test_a_beginning_comes_first_where_it_is_asked_for() -> None:
    order = paper(
        "ACUERDO de veda",
        "PRIMERO. Se prohíbe la captura de pulpo rojo del litoral de Yucatán.\n\n"
        "ÚNICO. Este instrumento comienza a regir el 16 de marzo de 2020.",
    )
    text = answer("¿Desde cuándo está prohibida la captura de pulpo rojo de Yucatán?", corpus=order)
    assert quotations(text)[0].startswith("ÚNICO.")


def test_a_sentence_of_the_form_asked_for_comes_before_one_that_says_as_much() -> None:
    law = paper(
        "LEY de encargos",
        "El encargo del rector dura lo que diga el artículo 5 de la ley.\n\n"
        "El encargo del rector de la escuela dura cuatro años completos.",
    )
    assert "cuatro años" in quotations(answer("¿Cuánto dura el encargo del rector?", corpus=law))[0]


def test_a_sentence_with_the_figure_leads_one_of_its_document_that_says_more_without_it() -> None:
    law = paper(
        "LEY de ventas",
        "La póliza de garantía de la licuadora dirá la duración de la garantía y la tienda que la da.\n\n"
        "La garantía de toda venta nunca será inferior a noventa días contados desde la entrega.",
    )
    text = answer("¿Cuánto dura la garantía de la licuadora?", corpus=law)
    assert ["noventa" in quote for quote in quotations(text)] == [True, False]
