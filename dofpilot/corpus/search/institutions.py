"""Acronyms of the issuing organs, from ``data/institutions.json``."""

from __future__ import annotations

from dofpilot.corpus.errors import InvalidRequest
from dofpilot.corpus.text.folding import fold
from dofpilot.corpus.text.wordlists import names


def name_alternatives(institution: str) -> tuple[str, ...]:
    """Folded texts, one of which must occur in an organ's name; an acronym stands for its full names."""
    asked = " ".join(fold(institution).split())
    if not asked:
        raise InvalidRequest("institution", "está vacía")
    if not asked.isprintable():
        raise InvalidRequest("institution", "tiene caracteres que no son de ningún nombre")
    full = names("institutions").get(asked.replace(".", ""), [institution])
    return tuple(" ".join(fold(name).split()) for name in full)
