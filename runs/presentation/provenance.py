"""Under what conditions a run was asked, as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dofpilot.agent.retrieval import RetrievalMode
from dofpilot.corpus.text.shares import percent

LABELS = {
    "dofpilot_version": gettext_lazy("Versión de dofpilot"),
    "git_revision": gettext_lazy("Revisión del código"),
    "git_dirty": gettext_lazy("Código con cambios sin registrar"),
    "corpus_version": gettext_lazy("Versión del acervo"),
    "corpus_fingerprint": gettext_lazy("Huella del acervo"),
    "corpus_documents": gettext_lazy("Documentos del acervo"),
    "corpus_sample": gettext_lazy("Acervo de muestra"),
    "chunker_version": gettext_lazy("Versión de la división en pasajes"),
    "vector_available": gettext_lazy("Índice vectorial disponible"),
    "vector_complete": gettext_lazy("Parte de los pasajes con vectores"),
    "vector_fingerprint": gettext_lazy("Huella del índice vectorial"),
    "vector_model": gettext_lazy("Modelo de los vectores"),
    "vector_used": gettext_lazy("Índice vectorial usado"),
    "searches_by_vectors": gettext_lazy("Búsquedas con vectores"),
    "searches_fallen_back": gettext_lazy("Búsquedas que se quedaron sin vectores"),
    "smallest_vector_share": gettext_lazy("Menor parte de los pasajes con vectores en una búsqueda"),
    "retrieval_setting": gettext_lazy("Forma de búsqueda pedida"),
    "retrieval_mode": gettext_lazy("Forma de búsqueda"),
    "provider": gettext_lazy("Proveedor"),
    "model": gettext_lazy("Modelo"),
    "generative": gettext_lazy("Modelo generativo"),
    "reasoning_effort": gettext_lazy("Esfuerzo de razonamiento"),
    "pace_seconds": gettext_lazy("Pausa antes de cada paso (segundos)"),
    "prompt_hash": gettext_lazy("Huella de las instrucciones"),
    "openai_version": gettext_lazy("Versión de la biblioteca openai"),
    "limits.turns": gettext_lazy("Límite de turnos"),
    "limits.tool_calls": gettext_lazy("Límite de consultas"),
    "limits.document_searches": gettext_lazy("Límite de búsquedas de documentos"),
    "limits.turn_seconds": gettext_lazy("Segundos por turno"),
    "limits.run_seconds": gettext_lazy("Segundos en total"),
    "limits.revise_figures": gettext_lazy("Devolver una vez la respuesta con cifras no encontradas"),
    "price": gettext_lazy("Precio del modelo"),
    "price.currency": gettext_lazy("Moneda del precio"),
    "price.input": gettext_lazy("Precio de un millón de tokens de entrada"),
    "price.cached_input": gettext_lazy("Precio de un millón de tokens de entrada en caché"),
    "price.output": gettext_lazy("Precio de un millón de tokens de salida"),
}

SHARES = frozenset({"vector_complete", "smallest_vector_share"})
MODE_KEYS = frozenset({"retrieval_setting", "retrieval_mode"})
MODES: dict[object, Any] = {
    RetrievalMode.AUTO: gettext_lazy("automática"),
    RetrievalMode.LEXICAL: gettext_lazy("léxica"),
    RetrievalMode.VECTOR: gettext_lazy("vectorial"),
    RetrievalMode.HYBRID: gettext_lazy("híbrida"),
}


def provenance_rows(provenance: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(label, value) of each key in its stored order; a key without a label shows its own name."""
    return [(str(LABELS.get(key, key)), _value(key, value)) for key, value in _flat(provenance)]


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _value(key: str, value: object) -> str:
    if value is None:
        return "—"
    if key in SHARES and isinstance(value, int | float):
        return _("{percent} %").format(percent=percent(value))
    if key in MODE_KEYS and value in MODES:
        return str(MODES[value])
    if isinstance(value, bool):
        return _("sí") if value else _("no")
    return str(value)
