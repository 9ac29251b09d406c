"""Acronyms that people write and the gazette spells out: issuing organs, taxes, indices."""

from __future__ import annotations

import re

from dofpilot.corpus.institutions import name_alternatives

_WORD = re.compile(r"[^\W\d_]{2,12}")
_LONG = 4
_OTHERS = {
    "ieps": "impuesto especial sobre producción y servicios",
    "inpc": "índice nacional de precios al consumidor",
    "isr": "impuesto sobre la renta",
    "iva": "impuesto al valor agregado",
    "pnd": "plan nacional de desarrollo",
    "rfc": "registro federal de contribuyentes",
    "tiie": "tasa de interés interbancaria de equilibrio",
    "udi": "unidad de inversión",
    "uam": "universidad autónoma metropolitana",
    "uma": "unidad de medida y actualización",
    "unam": "universidad nacional autónoma de méxico",
}


def spelled_out(text: str) -> tuple[str, ...]:
    """Full names of the acronyms in ``text``, in order of appearance, without repeats."""
    names = (_name(word) for word in _WORD.findall(text))
    return tuple(dict.fromkeys(name for name in names if name))


def _name(word: str) -> str | None:
    if not (word.isupper() or len(word) >= _LONG):
        return None  # «se» is a word, «SE» an acronym
    lowered = word.lower()
    if lowered in _OTHERS:
        return _OTHERS[lowered]
    name = name_alternatives(lowered)[0]
    return name if " " in name else None
