"""The policy: list or search, search inside what was found, look up an article, read the best, answer."""

from __future__ import annotations

from typing import Any

from dofpilot.agent.conversation import Draft, Reply, ToolRequest, Turn
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.providers.extractive.articles import chunks_of_articles, outline_wanted
from dofpilot.agent.providers.extractive.asking import Form
from dofpilot.agent.providers.extractive.choosing import choose
from dofpilot.agent.providers.extractive.history import History, history
from dofpilot.agent.providers.extractive.judging import judge
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
# Where a publication says when it comes into force.
_BEGINNING = "transitorios entrará en vigor, comenzará a regir, será exigible"


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
        chosen = choose(scorer, known)
        return Reply(Draft(write(judge(scorer, chosen, known), chosen, known)))


def _next(planned: Plan, known: History, offered: set[str]) -> ToolRequest | None:
    """The first step of the plan that was not taken yet and whose tool is offered."""
    if known.calls >= CALLS:
        return None
    for step in (_listing, _search, _probe, _outline, _read):
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
    asked = {"query": search.query, **_dates(planned, search), "limit": _HITS}
    return ToolName.SEARCH_DOCUMENTS, asked | {"prefer_recent": planned.recent}


def _dates(planned: Plan, search: Search) -> dict[str, Any]:
    period = search.period
    return {
        "date_from": period.first if period else None,
        "date_to": period.last if period else None,
        "section": planned.section if period else None,
    }


def _probe(planned: Plan, known: History) -> _Asked:
    """The next search for evidence, as long as a call is left to read with."""
    probes, done = _probes(planned, known), len(known.probes)
    if done >= len(probes) or known.calls >= CALLS - READS:
        return None
    query, documents = probes[done]
    return ToolName.SEARCH_EVIDENCE, {
        "query": query[:QUERY_LENGTH],
        "document_ids": documents[:DOCUMENTS_AT_ONCE],
        "limit": _HITS,
    }


def _probes(planned: Plan, known: History) -> list[tuple[str, list[int]]]:
    """The whole question, then each facet; a beginning also among the transitory articles of the document
    that the searches put first."""
    meant = asked_for(known)
    documents = [publication.document_id for publication in meant] or known.documents()
    titles = " ".join(publication.title for publication in meant)
    queries = [f"{planned.subject} {titles}".strip(), *(facet.query for facet in planned.facets)]
    probes = [(query, documents) for query in dict.fromkeys(queries) if documents]
    if any(facet.asked.form is Form.START for facet in planned.facets):
        probes[1:1] = [(_BEGINNING, documents[:1])] if documents else []
    return probes


def _outline(planned: Plan, known: History) -> _Asked:
    law = outline_wanted(planned, known)
    return None if law is None else (ToolName.GET_DOCUMENT_OUTLINE, {"document_id": law})


def _read(planned: Plan, known: History) -> _Asked:
    """An answer that was sent back earns another reading."""
    if known.reads >= READS + known.revisions:
        return None
    chunks = to_read(known, chunks_of_articles(planned, known))
    return (ToolName.READ_CHUNKS, {"chunk_ids": chunks, "neighbor_window": 0}) if chunks else None
