"""Recordings of the extractive provider over the sample corpus."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import Outcome
from dofpilot.agent.providers.extractive import Extractive
from dofpilot.agent.recording.entries import Operation
from dofpilot.agent.recording.operations import RETURNS
from dofpilot.agent.recording.recorder import Recorder
from dofpilot.agent.recording.replaying import replay, without_times
from dofpilot.agent.recording.transcript import Ending, Header, Transcript
from dofpilot.agent.render.public import public_result
from dofpilot.agent.render.trace import dumps, full, restored
from dofpilot.agent.runner import run
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.types import Filters, Strategy
from tests.agent.asking import Log
from tests.agent.recording.taping import through_a_file

SET = Path(__file__).parents[3] / "evaluation" / "sets" / "muestra.jsonl"
CASES = [json.loads(line) for line in SET.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def corpus(sample_corpus: Path) -> Iterator[Corpus]:
    with Corpus.open(sample_corpus) as opened:
        yield opened


def record(case: dict[str, Any], corpus: Corpus) -> tuple[Transcript, Log, Outcome]:
    question, as_of, hops = case["question"], date.fromisoformat(case["as_of"]), case["required_hops"]
    recorder, provider, log, limits = Recorder(), Extractive(), Log(), Limits()
    reader = recorder.reader(corpus)
    outcome = run(question, as_of, hops, provider, reader, limits, log, respond=recorder.respond)
    header = Header("1", question, as_of, hops, provider.identity, limits, Strategy.LEXICAL, None, {})
    ending = Ending(len(log.events), None, outcome.stop_reason)
    return Transcript(header, tuple(recorder.entries), ending), log, outcome


def told(log: Log, outcome: Outcome) -> str:
    return dumps([[event.payload for event in log.events], without_times(public_result(outcome))])


@pytest.mark.parametrize("case", CASES[::4], ids=lambda case: case["id"])
def test_an_extractive_run_is_the_same_again(case: dict[str, Any], corpus: Corpus) -> None:
    transcript, log, outcome = record(case, corpus)
    again = Log()
    assert told(again, replay(through_a_file(transcript), again)) == told(log, outcome)


def returns(corpus: Corpus) -> Iterator[tuple[Operation, Any]]:
    """What each operation returns for much of the sample."""
    publications, total = corpus.list_publications(Filters(), 500)
    yield Operation.LIST_PUBLICATIONS, (publications, total)
    for publication in publications:
        yield Operation.GET_DOCUMENT_OUTLINE, corpus.get_document_outline(publication.document_id)
    for case in CASES[::4]:
        found = corpus.search_documents(case["question"])
        documents = [hit.publication.document_id for hit in found]
        yield Operation.SEARCH_DOCUMENTS, found
        yield Operation.SEARCH_EVIDENCE, corpus.search_evidence(case["question"], documents)
        yield Operation.READ_CHUNKS, corpus.read_chunks([hit.best_chunk_id for hit in found], 2)


def test_what_the_corpus_returns_is_restored_exactly(corpus: Corpus) -> None:
    seen = set()
    for operation, value in returns(corpus):
        seen.add(operation)
        assert restored(RETURNS[operation], json.loads(dumps(full(value)))) == value
    assert seen == set(Operation)
