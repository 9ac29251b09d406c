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
chunk_ids = st.sampled_from(
    [item.chunk_id(index) for item in DOCUMENTS for index in range(len(item.texts))] + [0, -1, 12]
)
document_ids = st.sampled_from([item.document_id for item in DOCUMENTS] + [0, 7])
words = st.one_of(st.sampled_from(["salario", "mínimo 2026", "", "null", "¿?"]), st.text(max_size=30))
odd = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), words, st.lists(st.integers(), max_size=3)
)
days = st.one_of(st.dates().map(str), st.sampled_from(["null", "2026-04-24", "2026-05-01", "ayer"]))


def arguments(**expected):
    exact = st.fixed_dictionaries({}, optional=expected)
    spoiled = st.dictionaries(st.sampled_from([*expected, "extra"]), odd, max_size=3)
    either = st.one_of(exact, exact, spoiled)
    return st.one_of(either, either, either.map(json.dumps), either.map(json.dumps).map(json.dumps), words)


requests = st.one_of(
    st.tuples(
        st.just("search_documents"),
        arguments(query=st.just("salario"), date_from=days, date_to=days, limit=st.integers(0, 21)),
    ),
    st.tuples(st.just("list_publications"), arguments(date_from=days, date_to=days, institution=words)),
    st.tuples(
        st.just("search_evidence"),
        arguments(query=st.just("salario"), document_ids=st.lists(document_ids, max_size=3)),
    ),
    st.tuples(st.just("get_document_outline"), arguments(document_id=document_ids)),
    st.tuples(
        st.just("read_chunks"),
        arguments(chunk_ids=st.lists(chunk_ids, max_size=4), neighbor_window=st.integers(0, 3)),
    ),
    st.tuples(words, arguments(query=words)),
).map(lambda named: ToolRequest("call", *named))
texts = st.lists(st.one_of(words, chunk_ids.map("[{}]".format), chunk_ids.map("[{}, 12]".format))).map(
    " ".join
)
finals = st.fixed_dictionaries(
    {
        "answer": texts,
        "citations": st.lists(st.one_of(chunk_ids, chunk_ids.map(str), odd), max_size=5),
        "premise_status": st.sampled_from(["supported", "false", "unclear", "maybe"]),
    }
).map(json.dumps)
drafts = st.builds(Draft, st.one_of(finals, finals.map("```json\n{}\n```".format), texts), st.booleans())
failures = st.sampled_from(list(FailureCode)).map(lambda code: AgentFailure(code, "scripted"))
reply = st.one_of(requests, requests, requests, drafts, drafts, failures)
limits = st.builds(
    Limits, turns=st.integers(1, 8), tool_calls=st.integers(0, 8), document_searches=st.integers(0, 3)
)


@settings(max_examples=150, deadline=None)
@given(st.lists(reply, min_size=8, max_size=8), limits, st.integers(1, 3))
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
