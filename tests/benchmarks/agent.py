"""What a run costs besides the model, and what a model must beat: ``make bench-agent`` prints tables for
docs/benchmarks.md.

The extractive baseline answers the questions of the sample, and with TREE and QUESTIONS those on real
documents. Its conversations are then rendered as a model would be sent them: compactly, and with all that
the trace holds. Everything it writes is in a temporary directory.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from dofpilot.corpus.building import builder
from dofpilot.corpus.corpus import Corpus
from dofpilot.harness.cases import read_cases
from tests.benchmarks.agent_answers import answered, answers
from tests.benchmarks.agent_evidence import Kept, kept
from tests.benchmarks.agent_runs import Played, rounds
from tests.benchmarks.agent_sizes import Both, Sent, sent, with_hits
from tests.benchmarks.machine import machine, percentile
from tests.benchmarks.reporting import table
from tests.site import ROOT

SAMPLE = ROOT / "dofpilot" / "corpus" / "sample"
SAMPLE_QUESTIONS = ROOT / "evaluation" / "sets" / "muestra.jsonl"
ROUNDS = 3
OUTSIDE_GOAL_MS = 20
# Of the runs, those that cite a passage with a gold quote.
GOLD_GOAL, REAL_GOLD_GOAL = 0.8, 0.6
USUAL_HITS = 10
RATIO_GOAL = 0.5


def measured(tree: Path, questions: Path, gold_goal: float) -> Iterator[str]:
    """Markdown, table by table."""
    cases = read_cases(questions)
    with tempfile.TemporaryDirectory(prefix="dofpilot-bench-") as name:
        builder.build(tree, Path(name) / "corpus")
        with Corpus.open(Path(name) / "corpus") as corpus:
            played = rounds(corpus, cases, ROUNDS)
            once = played[: len(cases)]
            yield f"{len(cases)} questions over {corpus.manifest.chunks:,} passages:"
            yield sizes(
                [sent(run.turns) for run in once], [sent(with_hits(run.turns, USUAL_HITS)) for run in once]
            )
            yield evidence(sum((kept(run, corpus) for run in once), Kept()))
            yield answered(answers(once), gold_goal)
            # The provider thinks in a thread of its own, so the second clock counts the runner and the tools.
            processor = rounds(corpus, cases, ROUNDS, time.thread_time)
            recorded = rounds(corpus, cases, ROUNDS, recorded=True)
            both = rounds(corpus, cases, ROUNDS, time.thread_time, recorded=True)
            yield times(played, processor, recorded, both)


def sizes(found: Sequence[Sent], usual: Sequence[Sent]) -> str:
    """``usual`` are the same conversations with lists as long as a tool gives unless asked for more."""
    requests = sum((one.requests for one in found), Both())
    tools = sorted({tool for one in found for tool in one.once})
    rows = [
        _row("requests of all turns", requests, len(found)),
        _row("results in them", sum((one.results for one in found), Both()), len(found)),
        _row(
            f"requests, had lists {USUAL_HITS} hits",
            sum((one.requests for one in usual), Both()),
            len(found),
        ),
        _row("results in those", sum((one.results for one in usual), Both()), len(found)),
        *(_row(f"results of `{tool}`, sent once", _of(found, tool), len(found)) for tool in tools),
        ("goal, results", "", "", f"{RATIO_GOAL:.2f}", "", "", f"{RATIO_GOAL:.2f}"),
    ]
    header = ("per question, mean", "bytes", "in full", "share", "tokens", "in full", "share")
    cached = 1 - sum(one.new_tokens for one in found) / requests.compact.tokens
    return (
        f"{table(header, rows)}\n\nThe results of the question that saves least take {_most(found):.2f} of "
        f"the tokens, had lists {USUAL_HITS} hits {_most(usual):.2f}. {cached:.0%} of the tokens sent stood "
        "at the same place in the request before."
    )


def _most(found: Sequence[Sent]) -> float:
    """The largest share that the results of one question take."""
    return max(one.results.compact.tokens / one.results.full.tokens for one in found)


def _of(found: Sequence[Sent], tool: str) -> Both:
    return sum((one.once.get(tool, Both()) for one in found), Both())


def _row(name: str, both: Both, questions: int) -> tuple[str, ...]:
    compact, full = both.compact, both.full
    return (
        name,
        f"{compact.bytes / questions:,.0f}",
        f"{full.bytes / questions:,.0f}",
        f"{compact.bytes / full.bytes:.2f}",
        f"{compact.tokens / questions:,.0f}",
        f"{full.tokens / questions:,.0f}",
        f"{compact.tokens / full.tokens:.2f}",
    )


def evidence(total: Kept) -> str:
    whole, shown = total.gold_full / total.gold, total.gold_compact / total.gold
    return (
        f"Of {total.named:,} ids and {total.read:,} passages in results, {total.lost} are not in what the "
        f"model reads. {total.gold} hits lie on a gold quote: the search's snippets show {whole:.2f} of its "
        f"words, the model's {shown:.2f}."
    )


def times(
    played: Sequence[Played],
    processor: Sequence[Played],
    recorded: Sequence[Played],
    recorded_processor: Sequence[Played],
) -> str:
    """``processor``: as many runs by their own thread's clock, which stands while others have the machine."""
    parts: dict[str, list[float]] = {
        "outside, the agent alone": [run.outside_ms for run in played],
        "outside, the agent alone, processor": [run.outside_ms for run in processor],
        "outside, recorded": [run.outside_ms for run in recorded],
        "outside, recorded, processor": [run.outside_ms for run in recorded_processor],
        "provider `extractive`": [run.outcome.timing.provider_ms for run in played],
        "corpus": [run.corpus_ms for run in played],
        "all": [run.outcome.timing.worked_ms for run in played],
    }
    rows = [
        (name, *(f"{value:.0f}" for value in (percentile(found, 0.5), percentile(found, 0.95), max(found))))
        for name, found in parts.items()
    ]
    rows.append(("goal, outside", "", f"{OUTSIDE_GOAL_MS}", ""))
    return table((f"ms per run, {len(played)} runs", "p50", "p95", "max"), rows)


def _blocks(options: argparse.Namespace) -> Iterator[str]:
    yield from measured(SAMPLE, SAMPLE_QUESTIONS, GOLD_GOAL)
    if options.tree and options.questions:
        yield from measured(options.tree, options.questions, REAL_GOLD_GOAL)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.agent", description=__doc__)
    parser.add_argument("tree", nargs="?", type=Path, help="real documents")
    parser.add_argument("questions", nargs="?", type=Path, help="a set of questions on them, JSONL")
    print(f"{machine()}\n")
    for block in _blocks(parser.parse_args()):
        print(f"{block}\n", flush=True)


if __name__ == "__main__":
    main()
