"""What a run accepts, defined once for the page, the API and the command line."""

from __future__ import annotations

import unicodedata
import uuid
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from runs.models import HOPS_MAX, HOPS_MIN, QUESTION_MAX, QUESTION_MIN

FAULTS = {
    "question": gettext_noop(
        "Escribe una pregunta de entre 3 y 2,000 caracteres, sin caracteres de control."
    ),
    "as_of": gettext_noop("Escribe una fecha que exista, como 2026-04-24."),
    "required_hops": gettext_noop("El número de documentos va de 1 a 5."),
    "client_request_id": gettext_noop("Usa de 1 a 128 letras, cifras, puntos, guiones o dos puntos."),
}
UNKNOWN = gettext_noop("Este campo no se acepta.")
LINE_BREAKS = "\n\r\t"


class InvalidInput(ValueError):
    """``errors`` maps each field at fault to a sentence in the reader's language."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(f"{field}: {message}" for field, message in errors.items()))
        self.errors = errors


def _storable(text: str) -> str:
    # PostgreSQL stores no NUL and no encoding holds a lone surrogate: refused here, not half way.
    if any(unicodedata.category(char) in ("Cc", "Cs") and char not in LINE_BREAKS for char in text):
        raise ValueError("control characters")
    return text


def _trimmed(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


def _iso_date(value: object) -> object:
    # Only ISO dates: pydantic alone would take a number for seconds since 1970.
    if isinstance(value, str):
        return date.fromisoformat(value.strip())
    if type(value) is not date:
        raise ValueError("not a date")
    return value


def _whole_number(value: object) -> object:
    # A form sends digits as text; ``True`` and ``2.0`` are no counts of documents.
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        return int(value)
    if type(value) is not int:
        raise ValueError("not a whole number")
    return value


class RunRequest(BaseModel):
    """Exactly the four fields that a run accepts (DESIGN §10); any other is refused by name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: Annotated[
        str,
        BeforeValidator(_trimmed),
        AfterValidator(_storable),
        Field(min_length=QUESTION_MIN, max_length=QUESTION_MAX),
    ]
    as_of: Annotated[date, BeforeValidator(_iso_date)] = Field(default_factory=timezone.localdate)
    required_hops: Annotated[int, BeforeValidator(_whole_number), Field(ge=HOPS_MIN, le=HOPS_MAX)] = 1
    client_request_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9._:-]{1,128}$")] = Field(
        default_factory=lambda: str(uuid.uuid4())
    )


def parse(data: Mapping[str, Any]) -> RunRequest:
    """Validate a request; raises ``InvalidInput`` with a sentence for each field at fault."""
    try:
        return RunRequest.model_validate(dict(data))
    except ValidationError as error:
        raise InvalidInput(explain(error)) from None


def explain(error: ValidationError) -> dict[str, str]:
    """Field -> sentence, translated; an unknown field is named as it was sent."""
    faults: dict[str, str] = {}
    for fault in error.errors(include_context=False, include_input=False, include_url=False):
        field = str(fault["loc"][0]) if fault["loc"] else "body"
        faults[field] = _(FAULTS.get(field, UNKNOWN))
    return faults
