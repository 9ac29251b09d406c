"""The extractive provider: what it quotes."""

from __future__ import annotations

from datetime import date

from tests.agent.fake_corpus import WAGES_2025, WAGES_2026, FakeCorpus, document, gazette
from tests.agent.quoting import WAGE, answer, quotations, researched


def test_it_quotes_what_answers_with_its_document_and_date() -> None:
    text = answer(WAGE)
    assert (
        f"«PRIMERO. En 2026 el salario mínimo general es de 315.04 pesos diarios.» [{WAGES_2026.chunk_id(0)}]"
        in text
    )
    assert "En «RESOLUCIÓN que fija los salarios mínimos que rigen en 2026» (DOF 9 dic 2025):" in text


def test_every_quotation_is_in_the_passage_it_cites_and_was_read() -> None:
    outcome, _ = researched("¿Cómo cambió el salario mínimo de 2025 a 2026?", hops=2)
    assert outcome.answer is not None
    texts = {passage.chunk_id: passage.text for passage in outcome.passages}
    found = quotations(outcome.answer.text)
    assert len(found) >= 2
    for line in found:
        quote, chunk = line.removesuffix("]").split("» [")
        assert quote in texts[int(chunk)]
    assert outcome.answer.rejected_citations == ()


def test_it_reads_and_cites_as_many_documents_as_are_asked_for() -> None:
    weak = document(
        6002, "CIRCULAR sobre recibos", date(2020, 1, 2), "El recibo dirá el salario de cada semana."
    )
    outcome, _ = researched("¿Qué resoluciones fijan el salario mínimo?", hops=3, corpus=gazette(weak))
    assert outcome.verification.hops_met
    cited = {use.publication.document_id for use in outcome.documents if use.cited}
    assert cited == {WAGES_2025.document_id, WAGES_2026.document_id, weak.document_id}


def test_it_quotes_a_passage_that_the_question_demands_even_where_others_match_better() -> None:
    norm = document(
        6003, "NORMA de recibos", date(2020, 1, 2), "5.2 Anotar la fecha en el recibo de salario."
    )
    question = "¿Cuál es el salario mínimo general en pesos diarios en 2026 según el numeral 5.2?"
    outcome, _ = researched(question, corpus=gazette(norm))
    assert outcome.coverage.complete
    assert outcome.answer is not None
    assert norm.chunk_id(0) in outcome.answer.citations


def test_an_abbreviation_stands_for_the_name_that_the_publication_gave_it() -> None:
    resolution = document(
        6005,
        "RESOLUCIÓN de montos",
        date(2026, 2, 2),
        "PRIMERO. Rige la Zona del Ingreso Básico General (ZIBG) y la Zona Franca (ZF).\n\n"
        "SEGUNDO. En la ZF se pagan 440.87 pesos de ingreso.\n\n"
        "TERCERO. En la ZIBG se pagan 315.04 pesos.",
    )
    text = answer("¿Cuánto se paga de ingreso básico general?", corpus=FakeCorpus((resolution,)))
    assert quotations(text)[0].startswith("TERCERO.")


def test_two_sentences_of_one_passage_that_answer_as_well_are_both_quoted() -> None:
    law = document(
        6013,
        "LEY de labores",
        date(2020, 1, 2),
        "El periodo de vacaciones será de doce días.\n\nEl periodo de vacaciones crece dos días al año.",
    )
    assert len(quotations(answer("¿Cuántos días de vacaciones hay?", corpus=FakeCorpus((law,))))) == 2


def test_an_acronym_is_known_by_the_initials_of_a_title() -> None:
    law = document(
        6014,
        "LEY DE LA UNIVERSIDAD NACIONAL AUTÓNOMA DEL TRÓPICO",
        date(2020, 1, 2),
        "El rector durará en su encargo cuatro años.",
    )
    text = answer("¿Cuánto tiempo dura el rector de la UNAT?", corpus=FakeCorpus((law,)))
    assert text.startswith("En «LEY DE LA UNIVERSIDAD")


def test_each_institution_named_is_answered_from_its_own_publication() -> None:
    papers = FakeCorpus(
        tuple(
            document(number, title, date(2020, 1, 2), text, institution=title)
            for number, title, text in (
                (6021, "PROCURADURÍA FEDERAL DEL CONSUMIDOR", "La Procuraduría cierra el 2 de abril."),
                (
                    6022,
                    "INSTITUTO MEXICANO DE LA PROPIEDAD INDUSTRIAL",
                    "El Instituto cierra el 30 de marzo.",
                ),
            )
        )
    )
    text = answer("¿Qué día cierra PROFECO y qué día cierra IMPI?", corpus=papers, hops=2)
    assert [quote.split("»")[0] for quote in quotations(text)] == [
        "La Procuraduría cierra el 2 de abril.",
        "El Instituto cierra el 30 de marzo.",
    ]


def test_for_a_days_publications_it_quotes_each_document_of_the_institution() -> None:
    day = date(2026, 1, 9)
    papers = [
        document(
            7001,
            "ÍNDICE nacional de precios",
            day,
            "El índice de precios fue de 141.",
            institution="INSTITUTO NACIONAL DE ESTADÍSTICA Y GEOGRAFÍA",
        ),
        document(
            7002,
            "UNIDAD de medida",
            day,
            "La unidad de medida vale 117.31.",
            institution="INSTITUTO NACIONAL DE ESTADÍSTICA Y GEOGRAFÍA",
        ),
        document(
            7003, "TIPO de cambio", day, "El tipo de cambio es de 17.73.", institution="BANCO DE MÉXICO"
        ),
    ]
    text = answer("¿Qué publicó el INEGI el 9 de enero de 2026?", corpus=FakeCorpus(tuple(papers)), hops=2)
    assert "141" in text
    assert "117.31" in text
    assert "17.73" not in text
