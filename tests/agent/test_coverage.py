"""Question -> what it demands -> which passage meets it."""

from __future__ import annotations

from datetime import date

import pytest

from dofpilot.agent.coverage import assess, requirements
from dofpilot.agent.figures import reading
from dofpilot.agent.figures.mentions import scan
from dofpilot.agent.outcome import RequirementKind
from tests.agent.reading import passage, publication

AS_OF = date(2026, 4, 24)


def demanded(question: str, hops: int = 1) -> list[tuple[str, str]]:
    return [(item.kind.value, item.value) for item in requirements(question, hops, AS_OF)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("¿Cómo cambió el salario de 2025 a 2026?", [("year", "2025"), ("year", "2026")]),
        ("Compara la UMA 2025 con la UMA 2026", [("year", "2025"), ("year", "2026")]),
        ("¿Qué diferencia hay entre 2024 y 2025?", [("year", "2024"), ("year", "2025")]),
        (
            "¿Qué pide la norma a centros de hasta 15, entre 16 y 50 y con más de 50 trabajadores?",
            [("range", "hasta 15"), ("range", "entre 16 y 50"), ("range", "más de 50")],
        ),
        ("¿Qué hace un centro de más de 50 trabajadores?", [("range", "más de 50")]),
        (
            "¿Cuáles son los valores diario, mensual y anual de la UMA?",
            [("periodicity", "diario"), ("periodicity", "mensual"), ("periodicity", "anual")],
        ),
        ("¿Qué exigen los numerales 8.3, 8.4 y 8.5?", [("numeral", n) for n in ("8.3", "8.4", "8.5")]),
        ("¿Qué dice el numeral 5.2?", [("numeral", "5.2")]),
        ("¿Qué define la NOM-035-STPS-2018?", [("norm", "NOM-035-STPS-2018")]),
        ("¿A quién aplica la nmx–r–025?", [("norm", "NMX-R-025")]),
        ("Ejes del Plan Nacional de Desarrollo 2025-2030", [("plan", "2025-2030")]),
        ("Los PND 2019-2024 y 2025-2030", [("plan", "2019-2024"), ("plan", "2025-2030")]),
        ("La ley publicada el 11 de diciembre de 2025", [("publication_date", "2025-12-11")]),
        ("¿Qué salió en el DOF del 9 de enero de 2026?", [("publication_date", "2026-01-09")]),
        ("¿Qué publicó la CONASAMI el 9 de diciembre de 2025?", [("publication_date", "2025-12-09")]),
        ("La ley publicada en diciembre de 2025", [("publication_date", "2025-12")]),
        ("En la edición matutina del 15 de abril de 2025", [("publication_date", "2025-04-15")]),
        ("¿Cuánto valía la UMA en 2024, 2025 y 2026?", [("year", y) for y in ("2024", "2025", "2026")]),
        ("La UMA de 2024 y de 2025", [("year", "2024"), ("year", "2025")]),
        ("La ley de 1970 y sus reformas de 2019 y 2021", [("year", "2019"), ("year", "2021")]),
        ("Más de 15 mil y hasta 20 mil pesos", [("range", "más de 15000"), ("range", "hasta 20000")]),
        ("¿Varió de diciembre de 2025 a enero de 2026?", [("year", "2025"), ("year", "2026")]),
        ("Obligaciones de 16 a 50 trabajadores", [("range", "entre 16 y 50")]),
        ("Centros con 16-50 trabajadores", [("range", "entre 16 y 50")]),
        ("Centros con menos de 16 empleados", [("range", "menos de 16")]),
        ("¿Qué hago si tengo hasta quince trabajadores?", [("range", "hasta 15")]),
        ("Con no más de quince personas", [("range", "hasta 15")]),
        ("Tengo 15 trabajadores o menos", [("range", "hasta 15")]),
        (
            "¿Qué pide entre dieciséis y cincuenta, y con 51 o más?",
            [("range", "entre 16 y 50"), ("range", "51 o más")],
        ),
        ("Municipios de más de 2,500 habitantes", [("range", "más de 2500")]),
        (
            "¿Cuánto vale la UMA por día, por mes y por año?",
            [("periodicity", "diario"), ("periodicity", "mensual"), ("periodicity", "anual")],
        ),
        ("La UMA diaria y la mensual", [("periodicity", "diario"), ("periodicity", "mensual")]),
        ("¿Qué exigen los puntos 8.3 a 8.5?", [("numeral", n) for n in ("8.3", "8.4", "8.5")]),
        ("Los numerales 5.2, del 5.6 al 5.8", [("numeral", n) for n in ("5.2", "5.6", "5.7", "5.8")]),
        ("Los numerales 5.2 al 7.4", [("numeral", "5.2"), ("numeral", "7.4")]),
        (
            "El segundo transitorio de la NOM-035 difirió el numeral 5.2: ¿qué obligación contiene?",
            [("numeral", "5.2"), ("norm", "NOM-035")],
        ),
        (
            "¿Qué exigen los numerales 8.3 y 8.4 citados por el segundo transitorio?",
            [("numeral", "8.3"), ("numeral", "8.4")],
        ),
        ("¿Qué numerales difirió el transitorio segundo?", [("transitory", "2")]),
        ("¿Qué dice el artículo vigésimo quinto transitorio?", [("transitory", "25")]),
        ("Texto del transitorio único", [("transitory", "único")]),
        ("¿Qué pide la NOM 035 STPS 2018?", [("norm", "NOM-035-STPS-2018")]),
        ("¿Qué pide la nom.035.stps.2018?", [("norm", "NOM-035-STPS-2018")]),
        ("¿Y la NOM035 en 2018?", [("norm", "NOM-035")]),
        ("El PROY-NOM-035-STPS-2016", [("norm", "PROY-NOM-035-STPS-2016")]),
        ("La NOM-EM-001-SE-2025", [("norm", "NOM-EM-001-SE-2025")]),
        ("El Plan Nacional de Desarrollo de 2025 a 2030", [("plan", "2025-2030")]),
        ("El PND 2025–2030 y sus ejes", [("plan", "2025-2030")]),
        ("El decreto del 11 de diciembre de 2025", [("publication_date", "2025-12-11")]),
        ("La reforma constitucional de abril de 2025", [("publication_date", "2025-04")]),
        ("La publicación de enero de 2026", [("publication_date", "2026-01")]),
        ("El aviso (DOF 09/01/2026)", [("publication_date", "2026-01-09")]),
        ("Lo publicado con fecha 1.º de enero de 2026", [("publication_date", "2026-01-01")]),
        ("¿Qué salió el día nueve de enero de dos mil veintiséis?", [("publication_date", "2026-01-09")]),
    ],
)
def test_it_finds_what_the_question_states(question: str, expected: list[tuple[str, str]]) -> None:
    assert demanded(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuál es el salario mínimo de 2026?",
        "¿Cómo cambió la ley en 2025?",
        "La ley de 2018 y el decreto de 2025",
        "¿Cómo cambió el monto fijado el 9 de enero de 2025 con el del 9 de enero de 2026?",
        "¿Puedo deducir hasta 15 por ciento?",
        "Tengo más de 20 años de servicio, ¿qué me toca?",
        "¿Hay multas de hasta 2026 pesos y de más de 2025 pesos?",
        "¿Cuándo se paga el aguinaldo anual?",
        "¿Qué dice el artículo 123?",
        "¿Qué método reprodujo el artículo 4?",
        "El ciclo escolar 2025-2026",
        "¿Cuál fue el tipo de cambio obtenido el 9 de agosto de 2006?",
        "Los valores publicados el 9 de enero",
        "¿Qué publicará el INEGI el 9 de mayo de 2026?",
        "¿Qué publicó el INEGI el 9 de mayo de 2026?",
        "¿Se publicó en 2024 o 2025?",
        "El tipo de cambio de la ley de 2018 y el decreto de 2025",
        "Varios decretos de 2024 sobre la ley de 2018",
        "¿Por qué necesita por lo menos cinco socios?",
        "¿Cuántos días al año me tocan?",
        "¿Qué informe anual salió en el Diario Oficial?",
        "Son 8 horas al día con un salario anual",
        "Trabajo de 9 a 14 horas",
        "Los días de 1 a 5 de enero de 2026 y de 8 a 9 de febrero de 2026",
        "¿Qué dicen los transitorios?",
        "El segundo transitorio se derogó: ¿desde cuándo?",
        "¿Qué cambia el ciclo escolar 2025-2026 del programa?",
        "El INPC de diciembre de 2025",
        "El aviso del INPC de diciembre de 2025",
        "La ley vigente a partir de enero de 2026",
        "¿Qué se publicó entre el 1 y el 5 de enero de 2026?",
        "¿Qué se publicó antes del 5 de enero de 2026?",
        "Subió 2.5 puntos porcentuales",
    ],
)
def test_it_demands_nothing_that_the_question_does_not_clearly_state(question: str) -> None:
    assert demanded(question) == []


def test_a_publication_of_the_cutoffs_own_day_is_demanded() -> None:
    assert demanded("El decreto publicado el 24 de abril de 2026") == [("publication_date", "2026-04-24")]
    assert demanded("El decreto publicado el 25 de abril de 2026") == []


def test_no_norm_has_so_long_a_name() -> None:
    parts = "-ABC" * 13
    assert demanded(f"¿Qué pide la NOM{parts}-2018?") == [("norm", f"NOM{parts}-2018")]
    assert demanded(f"¿Qué pide la NOM{parts}-20189?") == []


@pytest.mark.parametrize(("hops", "expected"), [(1, []), (2, [("hops", "2")]), (5, [("hops", "5")])])
def test_it_demands_documents_only_from_two_on(hops: int, expected: list[tuple[str, str]]) -> None:
    assert demanded("¿Qué dice la ley?", hops) == expected


def test_it_says_each_thing_once_and_in_spanish() -> None:
    found = requirements("¿Cómo cambió de 2025 a 2026 la NOM-035, la NOM-035?", 2, AS_OF)
    assert [item.text for item in found] == [
        "un pasaje que hable de 2025",
        "un pasaje que hable de 2026",
        "un pasaje de la norma NOM-035",
        "el mínimo de 2 documentos distintos",
    ]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("¿Qué dice el decreto publicado el 9 de enero de 2026?", "una publicación del 9 ene 2026"),
        ("¿Qué dice el decreto de enero de 2026?", "una publicación de enero de 2026"),
    ],
)
def test_it_says_the_day_of_a_publication_or_its_month(question: str, said: str) -> None:
    assert [item.text for item in requirements(question, 1, AS_OF)] == [said]


def meets(question: str, text: str, *, title: str = "AVISO", day: date = date(2025, 12, 9)) -> set[str]:
    """Values of what the question demands and a passage of that text meets."""
    required = requirements(question, 1, AS_OF)
    source = passage(text, document=publication(title=title, day=day))
    missing = assess(required, [source], [1], question).missing
    return {item.value for item in required if item not in missing}


@pytest.mark.parametrize(
    ("question", "text", "met"),
    [
        ("¿Cómo cambió de 2025 a 2026?", "Desde el 1o. de enero de 2026 rige", {"2026"}),
        ("¿Cómo cambió de 2025 a 2026?", "la NOM-035-STPS-2025 y el folio 20261", set()),
        ("de hasta 15, entre 16 y 50", "De dieciséis a cincuenta trabajadores", {"entre 16 y 50"}),
        ("de hasta 15, más de 50", "Con 51 o más trabajadores", {"más de 50"}),
        ("de hasta 15, más de 50", "Con 15 trabajadores o menos", {"hasta 15"}),
        ("valores diario y mensual", "vale 117.31 pesos diarios", {"diario"}),
        ("los numerales 5.2 y 5.3", "5.2 Identificar los factores", {"5.2"}),
        ("el numeral 5.2", "**5.2** Identificar los factores", {"5.2"}),
        ("el numeral 5.2", "entrarán en vigor los numerales 5.2 y 5.3", set()),
        ("el numeral 5.2", "5.20 Otra cosa", set()),
        ("la NOM-035", "según la NOM-035-STPS-2018", {"NOM-035"}),
        ("la NOM-035-STPS-2018", "según la NOM-035", set()),
        ("la NOM-03", "según la NOM-035-STPS-2018", set()),
        ("el Plan Nacional 2025-2030", "el Plan 2025–2030", {"2025-2030"}),
        ("el Plan Nacional 2025-2030", "el Plan 2019-2024", set()),
        ("la ley publicada el 11 de diciembre de 2025", "publicada el 11-12-2025", {"2025-12-11"}),
        ("la ley publicada el 11 de diciembre de 2025", "publicada ayer", set()),
        ("con menos de 16 trabajadores", "hasta quince trabajadores", {"menos de 16"}),
        ("con hasta 15 trabajadores", "entre 16 y 50 trabajadores", set()),
        ("de 16 a 50 trabajadores", "16 o más y 50 o menos", {"entre 16 y 50"}),
        ("de 16 a 50 trabajadores", "16 o más trabajadores", set()),
        ("la UMA diaria y la anual", "el valor diario es 117.31", {"diario"}),
        (
            "por día y por mes",
            "El valor mensual se obtiene de multiplicar el diario por 30.4",
            {"diario", "mensual"},
        ),
        (
            "por día y por mes",
            "El valor mensual se obtiene según el artículo 4, y el diario, en 2 días",
            set(),
        ),
        ("por día y por mes", "El valor mensual sube un 5 por ciento", {"mensual"}),
        ("por día y por mes", "el mensual es 3,566.22", {"mensual"}),
        ("la UMA diaria y la mensual", "publíquese en el Diario Oficial", set()),
        ("el numeral 8.4", "cumpla con el 8.5. 8.4 El Programa deberá contener", {"8.4"}),
        ("el numeral 8.4", "conforme al inciso. 8.4 y demás", set()),
        ("el transitorio segundo", "SEGUNDO.- Lo dispuesto entrará en vigor", {"2"}),
        ("el transitorio segundo", "según el artículo segundo transitorio", {"2"}),
        ("el transitorio segundo", "PRIMERO.- La Norma entrará en vigor. El segundo párrafo", set()),
        ("la NOM 035 STPS 2018", "según la NOM-035-STPS-2018", {"NOM-035-STPS-2018"}),
        ("la NOM-035", "según la NOM-EM-035-STPS-2018", set()),
        ("el PROY-NOM-035-STPS-2016", "según la NOM-035-STPS-2016", set()),
        ("el PND 2025-2030", "el plan para 2025 a 2030", {"2025-2030"}),
        ("la reforma de abril de 2025", "reforma del 15 de abril de 2025", {"2025-04"}),
        ("la reforma de abril de 2025", "reforma de abril de 2024", set()),
    ],
)
def test_a_passage_meets_what_its_text_says(question: str, text: str, met: set[str]) -> None:
    assert meets(question, text) == met


def test_a_title_and_a_publication_date_count_too() -> None:
    assert meets("la NOM-035", "Objetivo", title="NORMA NOM-035-STPS-2018") == {"NOM-035"}
    assert meets("la ley publicada el 9 de diciembre de 2025", "Texto") == {"2025-12-09"}
    assert meets("la ley publicada en diciembre de 2025", "Texto") == {"2025-12"}
    assert meets("la ley publicada en enero de 2026", "Texto") == set()


def test_only_cited_passages_count() -> None:
    required = requirements("¿Qué define la NOM-035?", 1, AS_OF)
    read = [passage("La NOM-035-STPS-2018", 1), passage("Otra cosa", 2)]
    assert assess(required, read, [1], "").complete
    assert not assess(required, read, [2], "").complete
    assert not assess(required, read, [], "").complete


def test_a_period_must_be_named_in_the_answer() -> None:
    required = requirements("Los valores diario y mensual", 1, AS_OF)
    source = [passage("117.31 pesos por día y 3,566.22 pesos mensuales")]
    assert assess(required, source, [1], "La UMA diaria es 117.31 y la mensual 3,566.22.").complete
    missing = assess(required, source, [1], "Es de 117.31 al día.").missing
    assert [item.value for item in missing] == ["mensual"]


def test_each_requirement_names_the_passages_that_meet_it() -> None:
    required = requirements("¿Cómo cambió la NOM-035 de 2025 a 2026, en 5.2?", 2, AS_OF)
    first, second = publication(1, title="NOM-035-STPS-2018"), publication(2)
    read = [
        passage("En 2025 rige", 1, document=first),
        passage("En 2025 y 2026", 2, document=second),
        passage("Nada", 3, document=second),
    ]
    met = assess(required, read, [1, 2, 3], "De 2025 a 2026").met_by
    assert dict(zip([item.value for item in required], met, strict=True)) == {
        "2025": (1, 2),
        "2026": (2,),
        "NOM-035": (1,),
        "2": (1, 2, 3),
    }


def test_what_is_missing_is_met_by_none() -> None:
    required = requirements("¿Cómo cambió de 2025 a 2026?", 1, AS_OF)
    assert assess(required, [passage("En 2025")], [1], "2025, 2026").met_by == ((1,), ())


def test_an_answer_that_names_no_year_keeps_the_order_of_the_question() -> None:
    required = requirements("¿Cómo cambió de 2025 a 2026?", 1, AS_OF)
    source = [passage("En 2025 fue 278.80; en 2026 es 315.04.")]
    assert assess(required, source, [1], "Pasó de 278.80 a 315.04.").complete
    assert not assess(required, [passage("Es 315.04 en 2026.")], [1], "Pasó de 278.80 a 315.04.").complete


def test_a_compared_year_must_be_named_in_the_answer() -> None:
    required = requirements("¿Cómo cambió de 2025 a 2026?", 1, AS_OF)
    source = [passage("En 2025 fue 278.80; en 2026 es 315.04.")]
    assert assess(required, source, [1], "Pasó de 278.80 en 2025 a 315.04 en 2026.").complete
    missing = assess(required, source, [1], "En 2026 es 315.04.").missing
    assert [item.value for item in missing] == ["2025"]


def test_documents_are_counted_not_passages() -> None:
    required = requirements("¿Qué dice la ley?", 2, AS_OF)
    same, other = publication(1), publication(2)
    read = [passage("a", 1, document=same), passage("b", 2, document=same), passage("c", 3, document=other)]
    assert [item.kind for item in assess(required, read, [1, 2], "").missing] == [RequirementKind.HOPS]
    assert assess(required, read, [2, 3], "").complete


def test_without_requirements_coverage_is_complete() -> None:
    assert assess((), [], [], "").complete


def test_a_passage_is_read_for_figures_only_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(reading, "scan", lambda text: seen.append(text) or scan(text))
    source = passage("Un texto que no leyó nadie: NOM-001-SEDE-2012.")
    required = requirements("¿Qué piden la NOM-001-SEDE-2012 y la NOM-002-STPS-2010?", 1, AS_OF)
    for _ in range(3):
        assess(required, [source], [source.chunk_id], "")
    assert seen.count(source.text) == 1
