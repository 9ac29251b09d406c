"""Acronyms of the issuing organs, from ``data/institutions.json``."""

from __future__ import annotations

import json
from functools import cache

from dofpilot.corpus.errors import InvalidRequest
from dofpilot.corpus.folding import fold
from dofpilot.corpus.wordlists import DATA


@cache
def _acronyms() -> dict[str, list[str]]:
    loaded: dict[str, list[str]] = json.loads((DATA / "institutions.json").read_text(encoding="utf-8"))
    return loaded


def name_alternatives(institution: str) -> tuple[str, ...]:
    """Folded texts, one of which must occur in an organ's name; an acronym stands for its full names."""
    asked = " ".join(fold(institution).split())
    if not asked:
        raise InvalidRequest("institution", "está vacía")
    names = _acronyms().get(asked.replace(".", ""), [institution])
    return tuple(" ".join(fold(name).split()) for name in names)
