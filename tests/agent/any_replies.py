"""Whatever a model may reply, as Hypothesis strategies over the small gazette."""

import json

from hypothesis import strategies as st

from dofpilot.agent.conversation import Draft, ToolRequest, Usage
from dofpilot.agent.errors import FailureCode
from tests.agent.fake_corpus import LATER, WAGES_2025, WAGES_2026

DOCUMENTS = [WAGES_2025, WAGES_2026, LATER]
# A search finds these two; the rest is unread, later than the cut-off, or nothing at all.
found = st.sampled_from([WAGES_2025.chunk_id(0), WAGES_2026.chunk_id(0)])
every = [item.chunk_id(index) for item in DOCUMENTS for index in range(len(item.texts))]
chunk_ids = st.one_of(found, found, st.sampled_from([*every, 0, -1, 12]))
document_ids = st.sampled_from([WAGES_2025.document_id, WAGES_2026.document_id, LATER.document_id, 7])
words = st.one_of(
    st.sampled_from(["salario", "mínimo 2026", "", "null", "¿?", "\ud800", "\x00"]), st.text(max_size=30)
)
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
    st.one_of(
        words,
        st.sampled_from(["315.04 pesos", "999.99 pesos"]),
        chunk_ids.map("[{}]".format),
        chunk_ids.map("[{}, 12]".format),
    ),
    min_size=1,
).map(" ".join)
finals = st.fixed_dictionaries(
    {
        "answer": texts,
        "citations": st.lists(st.one_of(chunk_ids, chunk_ids.map(str), odd), max_size=5),
        "premise_status": st.sampled_from(["supported", "supported", "false", "unclear", "maybe"]),
    }
).map(json.dumps)


def written(cited, amount, premise):
    """An answer as it should be, with an amount that the passages say or do not."""
    text = f"Son {amount} pesos {' '.join(map('[{}]'.format, cited))}."
    return json.dumps({"answer": text, "citations": cited, "premise_status": premise})


sound = st.builds(
    written,
    st.lists(found, min_size=1, max_size=2, unique=True),
    st.sampled_from(["315.04", "999.99"]),
    st.sampled_from(["supported", "supported", "false"]),
)
drafts = st.builds(
    Draft, st.one_of(finals, finals, finals.map("```json\n{}\n```".format), texts), st.booleans()
)
contents = st.sampled_from([tools, tools, drafts, sound.map(Draft)]).flatmap(lambda kind: kind)
counts = st.one_of(st.none(), st.integers(0, 10_000))
usages = st.one_of(st.just(Usage()), st.builds(Usage, counts, counts, counts, counts))
failures = st.sampled_from(list(FailureCode))

# Many runs start well, or hardly any would come to read and cite.
start = [
    ToolRequest("call", "search_documents", {"query": "salario"}),
    ToolRequest("call", "read_chunks", {"chunk_ids": [WAGES_2026.chunk_id(0), WAGES_2025.chunk_id(0)]}),
]
beginnings = st.sampled_from([start, start, start[:1], []])
