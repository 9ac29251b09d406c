"""What a whole conversation costs to send, and that its reader loses nothing (``make bench-agent``)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dofpilot.agent.runner import Clock
from dofpilot.corpus.corpus import Corpus
from dofpilot.harness.cases import read_cases
from tests.benchmarks.agent import RATIO_GOAL, SAMPLE_QUESTIONS, USUAL_HITS
from tests.benchmarks.agent_answers import Answers, Share, answers
from tests.benchmarks.agent_evidence import Kept, kept
from tests.benchmarks.agent_runs import Played, rounds
from tests.benchmarks.agent_sizes import Both, sent, with_hits

# Seconds; whole milliseconds, as times are told.
TICK = 0.125


@pytest.fixture(scope="module")
def corpus(sample_corpus: Path) -> Iterator[Corpus]:
    with Corpus.open(sample_corpus) as opened:
        yield opened


@pytest.fixture(scope="module")
def played(corpus: Corpus) -> list[Played]:
    return rounds(corpus, read_cases(SAMPLE_QUESTIONS)[::6], times=1)


@pytest.mark.parametrize("hits", [20, USUAL_HITS])
def test_the_results_in_a_run_take_half_of_their_full_rendering_or_less(played, hits):
    results = sum((sent(with_hits(run.turns, hits)).results for run in played), Both())
    assert results.compact.tokens <= results.full.tokens * RATIO_GOAL
    assert results.compact.bytes <= results.full.bytes * RATIO_GOAL


def test_whole_requests_with_the_baselines_lists_take_half_too(played):
    requests = sum((sent(run.turns).requests for run in played), Both())
    assert requests.compact.tokens <= requests.full.tokens * RATIO_GOAL
    assert requests.compact.bytes <= requests.full.bytes * RATIO_GOAL


def test_most_of_a_request_is_the_request_before(played):
    """Servers keep what they computed for a beginning that stays the same."""
    found = [sent(run.turns) for run in played]
    assert sum(one.new_tokens for one in found) < sum(one.requests.compact.tokens for one in found) / 2


def test_every_id_and_every_passage_is_in_what_the_model_reads(played, corpus):
    total = sum((kept(run, corpus) for run in played), Kept())
    assert total.read > len(played)
    assert total.named > 10 * len(played)
    assert total.lost == 0


def test_the_benchmark_counts_what_the_baseline_answers(played):
    found = answers(played)
    assert found.closed == found.hops_met == Share(len(played), len(played))
    assert found.refused.of + found.declined.of == found.cites_gold.of == len(played)
    (cited, *_) = [run for run in played if answers([run]).cites_gold.met]
    elsewhere = cited.case.model_copy(update={"gold_documents": ()})
    assert answers([replace(cited, case=elsewhere)]).cites_gold == Share(0, 1)
    silent = replace(
        cited.outcome, answer=replace(cited.outcome.answer, text="No encontré eso.", citations=())
    )
    assert answers([replace(cited, outcome=silent)]) == Answers(
        Share(1, 1), Share(0, 1), Share(1, 1), Share(1, 1), Share(0, 0)
    )


def ticking() -> Clock:
    """A clock that goes on by one tick whenever it is looked at."""
    return map(TICK.__mul__, itertools.count()).__next__


def test_a_recorded_run_answers_the_same_and_its_time_in_the_corpus_is_told_apart(corpus, played):
    case = played[0].case
    (recorded,) = rounds(corpus, [case], times=1, clock=ticking(), recorded=True)
    assert recorded.outcome.answer == played[0].outcome.answer
    assert recorded.corpus_ms == 1000 * TICK * recorded.outcome.tool_calls
    (alone,) = rounds(corpus, [case], times=1, clock=ticking())
    assert alone.corpus_ms == recorded.corpus_ms
    assert alone.outside_ms < recorded.outside_ms
