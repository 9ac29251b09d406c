"""Questions about what an institution published on a day: which of the listed documents are meant."""

from __future__ import annotations

from dofpilot.agent.providers.extractive.history import History
from dofpilot.agent.providers.extractive.planning import query_of
from dofpilot.corpus.text.analysis import terms
from dofpilot.corpus.types import Publication

_FEWEST = 3


def asked_for(known: History) -> list[Publication]:
    """Listed documents of the institution that the question names, closest title first.

    Empty when nothing was listed or no institution is named: then the question is about a subject.
    """
    asked = frozenset(terms(query_of(known.question.text, spell_out=True)))
    shared = {
        publication.document_id: len(asked.intersection(terms(publication.institution)))
        for publication in known.listed or ()
    }
    most = max(shared.values(), default=0)
    if not most:
        return []
    meant = [publication for publication in known.listed or () if shared[publication.document_id] == most]
    meant.sort(key=lambda publication: -len(asked.intersection(terms(publication.title))))
    return meant[: max(_FEWEST, known.question.required_hops)]
