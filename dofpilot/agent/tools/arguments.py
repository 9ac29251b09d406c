"""What each tool may be asked, as strict models. Their descriptions are part of what a model reads."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from dofpilot.agent.tools import coercion
from dofpilot.agent.tools.errors import CallRefused, RefusalCode
from dofpilot.corpus.types import Section

CHUNKS_AT_ONCE = 6
DOCUMENTS_AT_ONCE = 20
QUERY_LENGTH = 400


class ToolName(StrEnum):
    LIST_PUBLICATIONS = "list_publications"
    SEARCH_DOCUMENTS = "search_documents"
    SEARCH_EVIDENCE = "search_evidence"
    GET_DOCUMENT_OUTLINE = "get_document_outline"
    READ_CHUNKS = "read_chunks"


# Bounds come before the validator that reads spellings, or the JSON schema would lose them.
_EXACT = BeforeValidator(coercion.exact_integer)
_YES_OR_NO = BeforeValidator(coercion.truth_value)
Identifier = Annotated[int, Field(ge=1, le=coercion.LARGEST_ID), _EXACT]
Day = Annotated[date, BeforeValidator(coercion.iso_date)]
Query = Annotated[
    str,
    Field(
        min_length=2,
        max_length=QUERY_LENGTH,
        description="Palabras que buscar, en español: de 2 a 400 caracteres.",
    ),
    BeforeValidator(coercion.clean_text),
]
DateFrom = Annotated[
    Day | None, Field(description="Primera fecha de publicación, AAAA-MM-DD; null si no importa.")
]
DateTo = Annotated[
    Day | None,
    Field(description="Última fecha de publicación, AAAA-MM-DD, no posterior al corte; null si no importa."),
]
Edition = Annotated[
    Annotated[Section, BeforeValidator(coercion.section_code)] | None,
    Field(description="Edición del día: MAT (matutina), VES (vespertina) o EXT; null si no importa."),
]


class ToolArguments(BaseModel):
    """Unknown names are refused; pages and events show ``public()``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def optional_names(cls) -> frozenset[str]:
        return frozenset(name for name, field in cls.model_fields.items() if not field.is_required())

    def public(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_none=True)


class DateRange(ToolArguments):
    date_from: DateFrom = None
    date_to: DateTo = None
    section: Edition = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.date_from and self.date_to and self.date_from > self.date_to:
            raise PydanticCustomError("date_order", "date_from is later than date_to")
        return self


class ListPublications(DateRange):
    """Lista publicaciones por fecha, edición o institución, con su título. Sirve cuando la pregunta
    nombra un día, un mes o quién publica. No devuelve texto que pueda citarse."""

    institution: Annotated[
        Annotated[str, Field(min_length=2, max_length=200), BeforeValidator(coercion.clean_text)] | None,
        Field(description="Nombre de la institución que publica, o parte de él; null si no importa."),
    ] = None
    limit: Annotated[int, Field(ge=1, le=50, description="Cuántas publicaciones: de 1 a 50."), _EXACT] = 20


class SearchDocuments(DateRange):
    """Busca qué publicaciones podrían contener la respuesta. Devuelve documentos con su mejor lugar,
    no texto que pueda citarse. Se permiten pocas búsquedas: usa palabras del tema, no la pregunta."""

    query: Query
    limit: Annotated[int, Field(ge=1, le=20, description="Cuántos documentos: de 1 a 20."), _EXACT] = 10
    prefer_recent: Annotated[
        bool,
        Field(
            strict=True,
            description="true da prioridad a lo más reciente, si se pregunta por lo vigente o lo último.",
        ),
        _YES_OR_NO,
    ] = False


class SearchEvidence(ToolArguments):
    """Busca pasajes dentro de documentos ya encontrados. Devuelve fragmentos que hay que leer
    completos con read_chunks antes de citarlos."""

    query: Query
    document_ids: Annotated[
        list[Identifier],
        Field(
            min_length=1,
            max_length=DOCUMENTS_AT_ONCE,
            description="De 1 a 20 document_id devueltos por otra herramienta.",
        ),
        BeforeValidator(coercion.integer_list),
    ]
    limit: Annotated[int, Field(ge=1, le=20, description="Cuántos fragmentos: de 1 a 20."), _EXACT] = 10


class GetDocumentOutline(ToolArguments):
    """Muestra los encabezados de un documento ya encontrado y qué pasajes hay bajo cada uno."""

    document_id: Annotated[Identifier, Field(description="Un document_id devuelto por otra herramienta.")]


class ReadChunks(ToolArguments):
    """Lee pasajes completos. Solo lo que se lee aquí puede citarse en la respuesta."""

    chunk_ids: Annotated[
        list[Identifier],
        Field(
            min_length=1,
            max_length=CHUNKS_AT_ONCE,
            description="De 1 a 6 chunk_id devueltos por otra herramienta.",
        ),
        BeforeValidator(coercion.integer_list),
    ]
    neighbor_window: Annotated[
        int,
        Field(ge=0, le=2, description="Cuántos pasajes vecinos leer a cada lado: 0, 1 o 2."),
        _EXACT,
    ] = 0


ARGUMENTS: dict[ToolName, type[ToolArguments]] = {
    ToolName.LIST_PUBLICATIONS: ListPublications,
    ToolName.SEARCH_DOCUMENTS: SearchDocuments,
    ToolName.SEARCH_EVIDENCE: SearchEvidence,
    ToolName.GET_DOCUMENT_OUTLINE: GetDocumentOutline,
    ToolName.READ_CHUNKS: ReadChunks,
}


def parse(tool: ToolName, raw: Mapping[str, Any] | str) -> ToolArguments:
    """Validated arguments, or ``CallRefused`` with a sentence that tells how to correct the call."""
    model = ARGUMENTS[tool]
    value = coercion.decoded(raw)
    if not isinstance(value, Mapping):
        raise CallRefused(
            RefusalCode.NOT_AN_OBJECT,
            f"Los argumentos deben ser un objeto JSON completo con: {_names(model)}.",
        )
    try:
        return model.model_validate(coercion.without_absent(value, model.optional_names()))
    except ValidationError as error:
        raise _refusal(model, error) from error


def _names(model: type[ToolArguments]) -> str:
    return ", ".join(model.model_fields)


def _refusal(model: type[ToolArguments], error: ValidationError) -> CallRefused:
    first = error.errors(include_url=False, include_input=False)[0]
    field = coercion.printable(str(first["loc"][0]))[:80] if first["loc"] else None
    if first["type"] == "extra_forbidden":
        message = f"El argumento «{field}» no existe. Usa solo: {_names(model)}."
        return CallRefused(RefusalCode.UNKNOWN_ARGUMENT, message, field)
    if first["type"] == "date_order":
        message = "«date_from» no puede ser posterior a «date_to»."
        return CallRefused(RefusalCode.INVALID_ARGUMENT, message, "date_from")
    expected = model.model_fields[str(field)].description or ""
    if first["type"] == "missing":
        return CallRefused(RefusalCode.MISSING_ARGUMENT, f"Falta el argumento «{field}». {expected}", field)
    message = f"El valor de «{field}» no sirve. Se espera: {expected}"
    return CallRefused(RefusalCode.INVALID_ARGUMENT, message, field)
