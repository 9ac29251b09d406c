"""What a whole conversation costs to send, and that its reader loses nothing (``make bench-agent``)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dofpilot.corpus.corpus import Corpus
from dofpilot.harness.cases import read_cases
from tests.benchmarks.agent import RATIO_GOAL, SAMPLE_QUESTIONS
from tests.benchmarks.agent_evidence import Kept, kept
from tests.benchmarks.agent_runs import Played, rounds
from tests.benchmarks.agent_sizes import Both, sent


@pytest.fixture(scope="module")
def corpus(sample_corpus: Path) -> Iterator[Corpus]:
    with Corpus.open(sample_corpus) as opened:
        yield opened


@pytest.fixture(scope="module")
def played(corpus: Corpus) -> list[Played]:
    return rounds(corpus, read_cases(SAMPLE_QUESTIONS)[::6], times=1)


def test_the_requests_of_a_run_take_half_of_what_the_full_rendering_would(played):
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
