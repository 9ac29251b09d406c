"""Questions that the sample corpus answers, offered to who has none in mind. They are asked in Spanish."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode


@dataclass(frozen=True, slots=True)
class Example:
    question: str
    hops: int

    @property
    def query(self) -> str:
        """The query string that fills the form with it."""
        return urlencode({"q": self.question, "hops": self.hops})


SAMPLE = (
    Example("¿Cuáles son los salarios mínimos que rigen en 2026?", 1),
    Example("¿Cuánto valía la UMA diaria en 2025 y cuánto vale en 2026?", 2),
    Example("¿Qué son los factores de riesgo psicosocial según la NOM-035-STPS-2018?", 1),
    Example("¿Cuándo entra en vigor la obligación de dar sillas con respaldo en el trabajo?", 1),
)
