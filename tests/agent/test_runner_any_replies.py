"""Whatever a model replies, a run ends within its limits and shows only what was read."""

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from dofpilot.agent.conversation import Draft, ToolRequest
from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.events import PAYLOAD_LIMIT, EventKind
from dofpilot.agent.limits import Limits
from dofpilot.agent.providers.scripted import ScriptedProvider
from dofpilot.agent.render.public import public_result
from dofpilot.agent.runner import run
from tests.agent.asking import AS_OF, QUESTION, Log
from tests.agent.fake_corpus import LATER, WAGES_2025, WAGES_2026, gazette

DOCUMENTS = [WAGES_2025, WAGES_2026, LATER]
# A search finds these two; the rest is unread, later than the cut-off, or nothing at all.
found = st.sampled_from([WAGES_2025.chunk_id(0), WAGES_2026.chunk_id(0)])
every = [item.chunk_id(index) for item in DOCUMENTS for index in range(len(item.texts))]
chunk_ids = st.one_of(found, found, st.sampled_from([*every, 0, -1, 12]))
document_ids = st.sampled_from([WAGES_2025.document_id, WAGES_2026.document_id, LATER.document_id, 7])
words = st.one_of(st.sampled_from(["salario", "mínimo 2026", "", "null", "¿?"]), st.text(max_size=30))
odd = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), words, st.lists(st.integers(), max_size=3)
)
days = st.one_of(st.dates().map(str), st.sampled_from(["null", "2026-04-24", "2026-05-01", "ayer"]))


def arguments(required, **optional):
    """Mostly what the tool expects; else spoiled, or encoded once or twice, or no arguments at all."""
    exact = st.fixed_dictionaries(required, optional=optional)
    spoiled = st.dictionaries(st.sampled_from([*required, *optional, "extra"]), odd, max_size=3)
    encoded = exact.map(json.dumps)
    return st.one_of(exact, exact, exact, encoded, encoded.map(json.dumps), spoiled, words)


def requests(name, required, **optional):
    return st.builds(ToolRequest, st.just("call"), st.just(name), arguments(required, **optional))


salary = {"query": st.just("salario")}
searches = requests("search_documents", salary, date_from=days, date_to=days, limit=st.integers(0, 21))
reads = requests(
    "read_chunks",
    {"chunk_ids": st.lists(chunk_ids, min_size=1, max_size=3)},
    neighbor_window=st.integers(0, 3),
)
tools = st.one_of(
    searches,
    reads,
    requests("list_publications", {}, date_from=days, date_to=days, institution=words),
    requests("search_evidence", salary | {"document_ids": st.lists(document_ids, max_size=3)}),
    requests("get_document_outline", {"document_id": document_ids}),
    st.builds(ToolRequest, st.just("call"), words, arguments({"query": words})),
)
texts = st.lists(
    st.one_of(words, chunk_ids.map("[{}]".format), chunk_ids.map("[{}, 12]".format)), min_size=1
).map(" ".join)
finals = st.fixed_dictionaries(
    {
        "answer": texts,
        "citations": st.lists(st.one_of(chunk_ids, chunk_ids.map(str), odd), max_size=5),
        "premise_status": st.sampled_from(["supported", "supported", "false", "unclear", "maybe"]),
    }
).map(json.dumps)
drafts = st.builds(
    Draft, st.one_of(finals, finals, finals.map("```json\n{}\n```".format), texts), st.booleans()
)
failures = st.sampled_from(list(FailureCode)).map(lambda code: AgentFailure(code, "scripted"))
# Many runs start well, or hardly any would come to read and cite.
start = [
    ToolRequest("call", "search_documents", {"query": "salario"}),
    ToolRequest("call", "read_chunks", {"chunk_ids": [WAGES_2026.chunk_id(0)]}),
]
beginnings = st.sampled_from([start, start[:1], []])
# Not ``one_of``: it would count every tool as one choice among as many, and drafts would be rare.
kinds = st.sampled_from([tools] * 6 + [drafts] * 6 + [failures])
replies = st.tuples(beginnings, st.lists(kinds.flatmap(lambda kind: kind), min_size=8, max_size=8)).map(
    lambda parts: [*parts[0], *parts[1]]
)
limits = st.builds(
    Limits,
    turns=st.sampled_from([8, 6, 3, 1]),
    tool_calls=st.sampled_from([8, 8, 3, 0]),
    document_searches=st.sampled_from([3, 1, 0]),
)


@settings(max_examples=100, deadline=None)
@given(replies, limits, st.integers(1, 2))
def test_any_replies_end_in_an_outcome_or_a_failure_within_the_limits(replies, limits, hops):
    provider, log, corpus = ScriptedProvider(replies), Log(), gazette()
    try:
        outcome = run(QUESTION, AS_OF, hops, provider, corpus, limits, log)
    except AgentFailure:
        assert EventKind.VERIFICATION_COMPLETED not in log.kinds
        return
    finally:
        assert len(provider.turns) <= limits.turns
        assert len(corpus.calls) <= limits.turns
        assert all(len(json.dumps(event.payload).encode()) <= PAYLOAD_LIMIT for event in log.events)
    assert outcome.tool_calls <= limits.tool_calls
    assert log.kinds.count(EventKind.VERIFICATION_COMPLETED) == 1
    assert log.kinds[-1] is EventKind.VERIFICATION_COMPLETED
    shown_as_read = {
        passage["chunk_id"]
        for payload in log.of(EventKind.TOOL_COMPLETED)
        for passage in payload.get("passages", [])
        if passage["standing"] == "read"
    }
    result = public_result(outcome)
    json.dumps(result, ensure_ascii=False).encode()
    assert {passage["chunk_id"] for passage in result["evidence"]} == shown_as_read
    assert result["verification"]["cutoff"]["respected"]
    if result["answer"]:
        cited = set(result["answer"]["citations"])
        assert cited <= shown_as_read
        assert {int(marker) for marker in re.findall(r"\[(-?\d+)\]", result["answer"]["text"])} <= cited
