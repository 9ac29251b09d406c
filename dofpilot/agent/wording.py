"""Every sentence that the agent says about a run, as a template with named values.

Templates pass through ``gettext_noop`` so that message extraction finds them: an event carries the
template and its values beside the finished sentence, and a page may translate it (see ``events.py``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from dofpilot.agent.outcome import FaultCode, Remark, RemarkCode, Requirement, RequirementKind
from dofpilot.corpus.text.dates import MONTHS

ONLY_ONE = "único"
_FIELD = re.compile(r"\{(?P<name>\w+)\}")


def gettext_noop(message: str) -> str:
    """Mark a template for extraction; the agent itself speaks Spanish and translates nothing."""
    return message


@dataclass(frozen=True, slots=True)
class Sentence:
    """``values``: as those of a ``Remark``, a ``Remark``, or a day."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.template.format(**{name: _words(value) for name, value in self.values.items()})


def remark(code: RemarkCode | FaultCode, **values: Any) -> Remark:
    """The sentence for ``code``, finished with ``values``."""
    return Remark(code, str(Sentence(REMARKS[code], values)), values)


def requirement(kind: RequirementKind, value: str) -> Requirement:
    """A demand of the question, in words."""
    shown = _published(value) if kind is RequirementKind.PUBLICATION_DATE else value
    return Requirement(kind, value, demand(kind, value).format(value=shown))


def demand(kind: RequirementKind, value: str) -> str:
    """The template for a demand: a month is named in other words than a day, the only one in others than a
    numbered one."""
    if kind is RequirementKind.PUBLICATION_DATE and not _is_day(value):
        return PUBLISHED_IN_MONTH
    if kind is RequirementKind.TRANSITORY and value == ONLY_ONE:
        return ONLY_TRANSITORY
    return REQUIREMENTS[kind]


def named(kind: RequirementKind, value: str) -> Sentence | None:
    """The value of a demand where it is made of words, which another language has its own for."""
    for template in VALUES.get(kind, ()):
        pattern = _FIELD.sub(r"(?P<\g<name>>\\d+)", template)
        if said := re.fullmatch(pattern, value):
            return Sentence(template, said.groupdict())
    return None


def day(value: date) -> str:
    """``9 dic 2025``"""
    return f"{value.day} {MONTHS[value.month - 1][:3]} {value.year}"


def _published(value: str) -> str:
    """A day, or a month of a year, in the normal form of ``corpus.text.dates``."""
    if _is_day(value):
        return day(date.fromisoformat(value))
    year, month = map(int, value.split("-"))
    return f"{MONTHS[month - 1]} de {year}"


def _is_day(value: str) -> bool:
    return len(value) == len("2026-01-09")


def _words(value: Any) -> Any:
    match value:
        case Remark() | Requirement():
            return value.text
        case tuple():
            return "; ".join(str(_words(item)) for item in value)
        case date():
            return day(value)
    return value


# Steps: what is being done, what was done, and why.
STARTED = gettext_noop("Empieza la investigación con publicaciones hasta el {as_of}")
STARTED_EXTRACTIVE = gettext_noop(
    "Esta respuesta cita textualmente lo leído; no interviene un modelo generativo."
)
TURN = gettext_noop("Decide el siguiente paso (turno {turn} de {turns})")
TURN_ANSWER = gettext_noop("Prepara la respuesta con lo leído (turno {turn} de {turns})")
WHY_NO_CALLS = gettext_noop("Ya no quedan consultas: hay que responder con lo leído.")
WHY_LAST_TURN = gettext_noop("Es el último turno: hay que responder con lo leído.")
WHY_LITTLE_TIME = gettext_noop("Queda poco tiempo: hay que responder con lo leído.")
WHY_NO_CALLS_MISSING = gettext_noop(
    "Ya no quedan consultas: hay que responder con lo leído. Falta leer: {missing}."
)
WHY_LAST_TURN_MISSING = gettext_noop(
    "Es el último turno: hay que responder con lo leído. Falta leer: {missing}."
)
WHY_LITTLE_TIME_MISSING = gettext_noop(
    "Queda poco tiempo: hay que responder con lo leído. Falta leer: {missing}."
)
MISSING_PARTS = gettext_noop("Falta leer: {missing}.")

LISTING = gettext_noop("Consulta la lista de publicaciones")
LISTING_FROM = gettext_noop("Consulta las publicaciones desde el {date_from}")
LISTING_TO = gettext_noop("Consulta las publicaciones hasta el {date_to}")
LISTING_BETWEEN = gettext_noop("Consulta las publicaciones del {date_from} al {date_to}")
LISTING_DAY = gettext_noop("Consulta las publicaciones del {date_from}")
LISTED = gettext_noop("Consultó la lista de publicaciones")
LISTED_FROM = gettext_noop("Consultó las publicaciones desde el {date_from}")
LISTED_TO = gettext_noop("Consultó las publicaciones hasta el {date_to}")
LISTED_BETWEEN = gettext_noop("Consultó las publicaciones del {date_from} al {date_to}")
LISTED_DAY = gettext_noop("Consultó las publicaciones del {date_from}")
WHY_LIST = gettext_noop("La fecha o la institución indican qué publicaciones conviene revisar.")

SEARCHING = gettext_noop("Busca documentos sobre «{query}»")
SEARCHED = gettext_noop("Buscó documentos sobre «{query}»")
SEARCHED_NOTHING = gettext_noop("Buscó documentos sobre «{query}» y no encontró ninguno")
WHY_SEARCH = gettext_noop("Primero hay que saber qué publicaciones podrían contener la respuesta.")

LOCATING = gettext_noop("Busca «{query}» dentro de {documents} documentos")
LOCATING_ONE = gettext_noop("Busca «{query}» dentro de un documento")
LOCATED = gettext_noop("Buscó «{query}» dentro de {documents} documentos")
LOCATED_ONE = gettext_noop("Buscó «{query}» dentro de un documento")
LOCATED_NOTHING = gettext_noop("Buscó «{query}» dentro de lo encontrado, sin resultados")
WHY_LOCATE = gettext_noop("Hay que ubicar en qué parte de esos documentos puede estar la respuesta.")

# How a search was done, said after what it did.
CORRECTED = gettext_noop("También se buscó «{meant}» por «{typed}»")
RECENT_FIRST = gettext_noop("Se dio prioridad a lo más reciente")
NO_VECTORS = gettext_noop("No se pudieron comparar vectores: se buscó solo por palabras")
SOME_VECTORS = gettext_noop("Solo parte de los pasajes del acervo tiene vectores ({percent} %)")

OUTLINING = gettext_noop("Revisa el índice de «{title}»")
OUTLINED = gettext_noop("Revisó el índice de «{title}»")
WHY_OUTLINE = gettext_noop("Los encabezados muestran qué partes conviene leer.")

READING = gettext_noop("Lee {passages} pasajes")
READING_ONE = gettext_noop("Lee un pasaje")
READ = gettext_noop("Leyó {passages} pasajes")
READ_ONE = gettext_noop("Leyó un pasaje")
WHY_READ = gettext_noop("Solo lo que se lee puede citarse.")

REFUSED = gettext_noop("No se hizo la consulta: {reason}")
WHY_REFUSED = gettext_noop("Cada consulta se comprueba antes de hacerla; esta se puede corregir.")

REVISION = gettext_noop("La respuesta se devolvió para corregirla: {reason}")
WHY_REVISION = gettext_noop(
    "Una respuesta se acepta solo si los pasajes que cita se leyeron y cubren la pregunta."
)

VERIFIED = gettext_noop("Verificación: {found} de {total} cifras encontradas en lo citado")
VERIFIED_ONE = gettext_noop("Verificación: {found} de 1 cifra encontrada en lo citado")
VERIFIED_NO_FIGURES = gettext_noop("Verificación: la respuesta no contiene cifras por comprobar")
VERIFIED_NO_ANSWER = gettext_noop("Verificación: no hay respuesta por comprobar")
WHY_VERIFIED = gettext_noop("Cada cifra de la respuesta se busca en los pasajes que cita.")

# Why a draft is not accepted, as people and the model read it, and what to know about a kept answer.
REMARKS: dict[RemarkCode | FaultCode, str] = {
    RemarkCode.NO_TEXT: gettext_noop("La respuesta llegó vacía."),
    RemarkCode.NOT_JSON: gettext_noop("La respuesta no tiene la forma pedida: {fault}."),
    FaultCode.NO_OBJECT: gettext_noop("falta el objeto JSON con «answer», «citations» y «premise_status»"),
    FaultCode.BROKEN_OBJECT: gettext_noop("el objeto JSON está mal escrito o incompleto"),
    FaultCode.MISSING_KEY: gettext_noop("falta «{key}»"),
    FaultCode.ANSWER_NO_TEXT: gettext_noop("«answer» no es un texto"),
    FaultCode.CITATIONS_NO_LIST: gettext_noop("«citations» no es una lista"),
    FaultCode.UNKNOWN_PREMISE: gettext_noop(
        "«premise_status» dice «{value}» y debe ser «supported», «false» o «unclear»"
    ),
    RemarkCode.CUT: gettext_noop(
        "La respuesta se cortó por el límite de longitud; hay que escribirla más breve."
    ),
    RemarkCode.NO_CITATIONS: gettext_noop("La respuesta no cita ningún pasaje leído."),
    RemarkCode.UNREAD_CITATIONS: gettext_noop("Hay citas de pasajes que no se leyeron: {ids}."),
    RemarkCode.INVALID_CITATIONS: gettext_noop("Hay citas que no son el número de un pasaje: {ids}."),
    RemarkCode.FEW_DOCUMENTS: gettext_noop(
        "La respuesta cita {cited} de los {required} documentos distintos que se piden."
    ),
    RemarkCode.NOT_COVERED: gettext_noop("Falta {requirement}."),
    RemarkCode.NO_CORRECTION: gettext_noop(
        "Si la pregunta parte de algo falso, hay que decir, con su cita, qué es lo cierto."
    ),
    RemarkCode.FIGURES_NOT_FOUND: gettext_noop(
        "La respuesta da cifras que no aparecen en ningún pasaje citado: {figures}."
    ),
    RemarkCode.TURN_LIMIT: gettext_noop("La investigación llegó al límite de turnos."),
    RemarkCode.TOOL_LIMIT: gettext_noop("La investigación llegó al límite de consultas."),
    RemarkCode.TIME_LIMIT: gettext_noop("La investigación llegó al límite de tiempo."),
    RemarkCode.NO_ANSWER: gettext_noop("No se llegó a redactar una respuesta."),
    RemarkCode.INCOMPLETE: gettext_noop(
        "Respuesta incompleta: falta {requirement}. La conservamos para revisarla."
    ),
    RemarkCode.FALSE_PREMISE: gettext_noop(
        "Nada de lo citado cubre esto: {requirement}. "
        "La respuesta sostiene que la pregunta parte de algo que no es así."
    ),
    RemarkCode.DROPPED_CITATIONS: gettext_noop(
        "Citas descartadas porque no nombran un pasaje leído: {count}."
    ),
    RemarkCode.PAST_CUTOFF: gettext_noop(
        "Alguna consulta devolvió publicaciones posteriores a la fecha de corte."
    ),
    RemarkCode.WORDS_ALONE: gettext_noop(
        "Búsquedas hechas solo por palabras, porque no se pudieron comparar vectores: {count} de {total}."
    ),
    RemarkCode.PARTIAL_VECTORS: gettext_noop(
        "El índice vectorial está incompleto: solo parte de los pasajes tiene vectores ({percent} %)."
    ),
    RemarkCode.VECTORS_GONE: gettext_noop(
        "El acervo dejó de ofrecer la búsqueda por vectores: se buscó solo por palabras."
    ),
}

# What a question demands; each fits after «falta».
REQUIREMENTS = {
    RequirementKind.YEAR: gettext_noop("un pasaje que hable de {value}"),
    RequirementKind.RANGE: gettext_noop("un pasaje que trate el caso «{value}»"),
    RequirementKind.PERIODICITY: gettext_noop("el valor {value}"),
    RequirementKind.NUMERAL: gettext_noop("el texto del numeral {value}"),
    RequirementKind.TRANSITORY: gettext_noop("el texto del transitorio {value}"),
    RequirementKind.NORM: gettext_noop("un pasaje de la norma {value}"),
    RequirementKind.PLAN: gettext_noop("un pasaje del plan {value}"),
    RequirementKind.PUBLICATION_DATE: gettext_noop("una publicación del {value}"),
    RequirementKind.HOPS: gettext_noop("el mínimo de {value} documentos distintos"),
}
PUBLISHED_IN_MONTH = gettext_noop("una publicación de {value}")
ONLY_TRANSITORY = gettext_noop("el texto del transitorio único")
# Values that are said in words, as ``coverage`` names them.
VALUES = {
    RequirementKind.PERIODICITY: (
        gettext_noop("diario"),
        gettext_noop("semanal"),
        gettext_noop("quincenal"),
        gettext_noop("mensual"),
        gettext_noop("bimestral"),
        gettext_noop("trimestral"),
        gettext_noop("semestral"),
        gettext_noop("anual"),
    ),
    RequirementKind.RANGE: (
        gettext_noop("entre {low} y {high}"),
        gettext_noop("hasta {high}"),
        gettext_noop("{low} o más"),
        gettext_noop("más de {low}"),
        gettext_noop("menos de {high}"),
    ),
}
