"""The policy: list or search, search inside what was found, read the best, answer."""

from __future__ import annotations

from typing import Any

from dofpilot.agent.conversation import Draft, Reply, ToolRequest, Turn
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.providers.extractive.choosing import choose
from dofpilot.agent.providers.extractive.history import History, history
from dofpilot.agent.providers.extractive.listing import asked_for
from dofpilot.agent.providers.extractive.planning import Plan, Search, plan
from dofpilot.agent.providers.extractive.reading import to_read
from dofpilot.agent.providers.extractive.scoring import Scorer
from dofpilot.agent.providers.extractive.writing import write
from dofpilot.agent.tools.arguments import DOCUMENTS_AT_ONCE, QUERY_LENGTH, ToolName

# One of the eight turns is for the answer; a refused call costs a turn too.
CALLS = 7
READS = 2
_LISTED = 50
_HITS = 20


class Extractive:
    """A pure function of the turn: the same messages always give the same reply."""

    @property
    def identity(self) -> ProviderIdentity:
        return ProviderIdentity(provider="extractive", model="extractive-1", generative=False)

    def respond(self, turn: Turn) -> Reply:
        known = history(turn.messages)
        planned = plan(known.question)
        request = _next(planned, known, {spec.name for spec in turn.tools})
        if request is not None:
            return Reply(request)
        scorer = Scorer.of(planned, known)
        return Reply(Draft(write(scorer, choose(scorer, known), known)))


def _next(planned: Plan, known: History, offered: set[str]) -> ToolRequest | None:
    """The first step of the plan that was not taken yet and whose tool is offered."""
    if known.calls >= CALLS:
        return None
    for step in (_listing, _search, _probe, _read):
        asked = step(planned, known)
        if asked and asked[0] in offered:
            return ToolRequest(f"extractive-{known.calls + 1}", asked[0], asked[1])
    return None


_Asked = tuple[ToolName, dict[str, Any]] | None


def _listing(planned: Plan, known: History) -> _Asked:
    if planned.listing is None or known.listed is not None:
        return None
    arguments = _dates(planned, Search("", planned.listing)) | {"institution": None, "limit": _LISTED}
    return ToolName.LIST_PUBLICATIONS, arguments


def _search(planned: Plan, known: History) -> _Asked:
    if len(known.searches) >= len(planned.searches):
        return None
    search = planned.searches[len(known.searches)]
    return ToolName.SEARCH_DOCUMENTS, {"query": search.query, **_dates(planned, search), "limit": _HITS}


def _dates(planned: Plan, search: Search) -> dict[str, Any]:
    period = search.period
    return {
        "date_from": period.first if period else None,
        "date_to": period.last if period else None,
        "section": planned.section if period else None,
    }


def _probe(planned: Plan, known: History) -> _Asked:
    """One search for evidence per facet, as long as a call is left to read with."""
    done = len(known.probes)
    meant = asked_for(known)
    documents = [publication.document_id for publication in meant] or known.documents()
    titles = " ".join(publication.title for publication in meant)
    queries = list(dict.fromkeys([f"{planned.subject} {titles}".strip(), *planned.facets]))
    if done >= len(queries) or known.calls >= CALLS - READS or not documents:
        return None
    arguments = {
        "query": queries[done][:QUERY_LENGTH],
        "document_ids": documents[:DOCUMENTS_AT_ONCE],
        "limit": _HITS,
    }
    return ToolName.SEARCH_EVIDENCE, arguments


def _read(_planned: Plan, known: History) -> _Asked:
    """An answer that was sent back earns another reading."""
    chunks = to_read(known) if known.reads < READS + known.revisions else []
    return (ToolName.READ_CHUNKS, {"chunk_ids": chunks, "neighbor_window": 0}) if chunks else None
