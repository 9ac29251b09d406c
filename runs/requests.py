"""What a run accepts, defined once for the page, the API and the command line."""

from __future__ import annotations

import unicodedata
import uuid
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Annotated, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from dofpilot.agent.tools.coercion import exact_integer, iso_date
from runs.corpus_access import default_cutoff
from runs.models import HOPS_MAX, HOPS_MIN, QUESTION_MAX, QUESTION_MIN

FAULTS = {
    "question": gettext_noop("Escribe una pregunta de entre 3 y 2,000 caracteres."),
    "as_of": gettext_noop("Escribe una fecha que exista, como 2026-04-24."),
    "required_hops": gettext_noop("El número de documentos va de 1 a 5."),
    "client_request_id": gettext_noop("Usa de 1 a 128 letras, cifras, puntos, guiones o dos puntos."),
}
UNKNOWN = gettext_noop("Este campo no se acepta.")
BODY = "body"
NO_OBJECT = gettext_noop("Envía un objeto JSON.")
LINE_BREAKS = "\n\r\t"


class InvalidInput(ValueError):
    """``errors`` maps each field at fault to a sentence in the reader's language."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(f"{field}: {message}" for field, message in errors.items()))
        self.errors = errors


def is_storable(text: str) -> bool:
    """Without control characters other than line breaks and tabs, and without halves of characters.

    PostgreSQL stores no NUL and no encoding holds a lone surrogate: refused at the door, not half way.
    """
    return not any(unicodedata.category(char) in ("Cc", "Cs") and char not in LINE_BREAKS for char in text)


def _storable(text: str) -> str:
    if not is_storable(text):
        raise ValueError("control characters")
    return text


def _says_something(text: str) -> str:
    # Invisible characters alone would take a place in the queue and a call of the provider.
    if not any(char.isalnum() for char in text):
        raise ValueError("no letter and no digit")
    return text


def _trimmed(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


class RunRequest(BaseModel):
    """Exactly the four fields that a run accepts (DESIGN §10); any other is refused by name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: Annotated[
        str,
        BeforeValidator(_trimmed),
        AfterValidator(_storable),
        AfterValidator(_says_something),
        Field(min_length=QUESTION_MIN, max_length=QUESTION_MAX),
    ]
    as_of: Annotated[date, BeforeValidator(iso_date)] = Field(default_factory=default_cutoff)
    # A form sends digits as text; strict, because ``2.0`` is no count of documents.
    required_hops: Annotated[
        int, BeforeValidator(exact_integer), Field(ge=HOPS_MIN, le=HOPS_MAX, strict=True)
    ] = 1
    client_request_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9._:-]{1,128}$")] = Field(
        default_factory=lambda: str(uuid.uuid4())
    )


def parse(data: Mapping[str, Any]) -> RunRequest:
    """Validate a request; raises ``InvalidInput`` with a sentence for each field at fault."""
    try:
        return RunRequest.model_validate(dict(data))
    except ValidationError as error:
        raise InvalidInput(explain(error.errors(include_url=False), FAULTS)) from None


def explain(faults: Iterable[Mapping[str, Any]], sentences: Mapping[str, str]) -> dict[str, str]:
    """Field -> sentence in the reader's language, from pydantic's errors; ``body`` when no field is named.

    ``sentences`` has one for each field that is accepted; any other is named as it was sent.
    """
    told: dict[str, str] = {}
    for fault in faults:
        field = str(fault["loc"][0]) if fault["loc"] else BODY
        unknown = fault["type"] == "extra_forbidden"
        told[field] = _(UNKNOWN) if unknown else _(sentences[field])
    return told
