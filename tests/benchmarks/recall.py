"""How much of the evidence a single search finds, without a model.

``python -m tests.benchmarks.recall TREE QUESTIONS`` builds a corpus from ``TREE`` (or opens ``--corpus DIR``)
and prints Markdown tables. ``evaluate`` gives the same figures to whoever tunes the search.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from dofpilot.corpus import names
from dofpilot.corpus.building import builder
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.text.quotes import locate
from dofpilot.corpus.types import Filters, Passage, Strategy
from dofpilot.corpus.vectors.choosing import make_embedder
from dofpilot.corpus.vectors.embedding import Embedder
from dofpilot.harness.cases import Answerability, Case, Category, GoldDocument, read_cases
from tests.benchmarks.machine import machine
from tests.benchmarks.mistakes import mistyped, without_accents

DEPTHS = (5, 10, 20, 50)
SEEDS = ("1", "2", "3")
"""Slips are random: each question is mistyped in this many ways, and all of them count."""

Change = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Gold:
    """Something that a search should find; ``rank`` counts from 1, ``None`` is not among the first 50."""

    case_id: str
    category: Category
    half: int
    sought: str
    rank: int | None


@dataclass(frozen=True, slots=True)
class Recall:
    """``quotes`` against the passages of ``search_passages``, ``documents`` against ``search_documents``."""

    quotes: tuple[Gold, ...] = ()
    documents: tuple[Gold, ...] = ()

    def evidence_at(self, depth: int) -> float:
        """Share of the gold quotes that one of the first ``depth`` passages contains."""
        return _share(self.quotes, depth)

    def documents_at(self, depth: int) -> float:
        return _share(self.documents, depth)

    def only(self, category: Category | None = None, half: int | None = None) -> Recall:
        """The part of one category, of one half (0: first, third, ... question of the file), or of both."""

        def belongs(gold: Gold) -> bool:
            return category in (None, gold.category) and half in (None, gold.half)

        return Recall(tuple(filter(belongs, self.quotes)), tuple(filter(belongs, self.documents)))

    def __add__(self, other: Recall) -> Recall:
        return Recall(self.quotes + other.quotes, self.documents + other.documents)


class Judge:
    """Says whether a passage contains a quote; remembers, since many searches find the same passages."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], bool] = {}

    def contains(self, passage: Passage, quote: str) -> bool:
        key = (passage.text, quote)
        if key not in self._known:
            self._known[key] = locate(quote, passage.text) is not None
        return self._known[key]


def evaluate(
    corpus: Corpus,
    cases: Sequence[Case],
    strategy: Strategy = Strategy.LEXICAL,
    *,
    change: Change = str,
    judge: Judge | None = None,
) -> Recall:
    """Search once per answerable case, with its question as ``change`` leaves it and its cut-off.

    ``cases`` is a whole file in its order: a case's half is its place there. One ``judge`` for several
    evaluations spares most of their work. Raises ``CorpusUnavailable`` where a search was done another way
    than asked: its figures would be those of that way.
    """
    judge = judge or Judge()
    found = Recall()
    for place, case in enumerate(cases):
        if case.answerability is Answerability.ANSWERABLE:
            found += _search(corpus, case, place % 2, strategy, change(case.question), judge)
    return found


def evaluate_mistyped(
    corpus: Corpus, cases: Sequence[Case], strategy: Strategy = Strategy.LEXICAL, judge: Judge | None = None
) -> Recall:
    """All the ways of mistyping together; their shares are means over the seeds."""
    judge = judge or Judge()
    found = Recall()
    for seed in SEEDS:
        change = _slips(seed)
        found += evaluate(corpus, cases, strategy, change=change, judge=judge)
    return found


def waits(corpus: Corpus, cases: Sequence[Case], strategy: Strategy) -> list[float]:
    """Milliseconds of each case's search for ten passages."""
    times = []
    # The vector of a question asked before is remembered; marks of its own make it a new one.
    marks = "?" * (1 + list(Strategy).index(strategy))
    for case in cases:
        question = case.question + marks
        start = time.perf_counter()
        corpus.search_passages(question, Filters(as_of=case.as_of), 10, strategy)
        times.append((time.perf_counter() - start) * 1000)
    return times


def _slips(seed: str) -> Change:
    return lambda question: mistyped(question, seed)


def _search(corpus: Corpus, case: Case, half: int, strategy: Strategy, question: str, judge: Judge) -> Recall:
    filters = Filters(as_of=case.as_of)
    hits = corpus.search_passages(question, filters, max(DEPTHS), strategy)
    if hits.retrieval.used is not strategy:
        raise CorpusUnavailable(f"{strategy} became {hits.retrieval.used}: {hits.retrieval.fallback}")
    passages = corpus.read_chunks([hit.chunk_id for hit in hits]) if hits else ()
    documents = corpus.search_documents(question, filters, max(DEPTHS), strategy)
    ids = [hit.publication.document_id for hit in documents]

    def gold(sought: str, matches: Iterable[bool]) -> Gold:
        return Gold(case.id, case.category, half, sought, _first(matches))

    return Recall(
        tuple(
            gold(quote, (judge.contains(passage, quote) for passage in passages))
            for quote in _quotes(case.gold_documents)
        ),
        tuple(gold(wanted.relpath, (_code(wanted) == id_ for id_ in ids)) for wanted in case.gold_documents),
    )


def _quotes(documents: Iterable[GoldDocument]) -> Iterator[str]:
    return (evidence.quote for document in documents for evidence in document.evidence)


def _code(document: GoldDocument) -> int:
    return names.parse(document.relpath).document_id


def _first(matches: Iterable[bool]) -> int | None:
    return next((rank for rank, match in enumerate(matches, start=1) if match), None)


def _share(golds: Sequence[Gold], depth: int) -> float:
    found = sum(gold.rank is not None and gold.rank <= depth for gold in golds)
    return found / len(golds) if golds else 0.0


def tables(corpus: Corpus, cases: Sequence[Case], strategies: Iterable[Strategy]) -> str:
    """Markdown: each strategy on the questions as they are and as people mistype them, then its parts."""
    header = "| | quotes | " + " | ".join(f"@{depth}" for depth in DEPTHS) + " | documents @10 |"
    lines = [header, "|---" * (len(DEPTHS) + 3) + "|"]
    for strategy in strategies:
        lines += _rows(corpus, cases, strategy)
    return "\n".join(lines)


def _rows(corpus: Corpus, cases: Sequence[Case], strategy: Strategy) -> Iterator[str]:
    judge = Judge()
    clean = evaluate(corpus, cases, strategy, judge=judge)
    yield _row(f"**{strategy}**", clean)
    yield _row(
        f"{strategy}, without accents",
        evaluate(corpus, cases, strategy, change=without_accents, judge=judge),
    )
    yield _row(f"{strategy}, mistyped", evaluate_mistyped(corpus, cases, strategy, judge=judge))
    for half, name in enumerate(("odd", "even")):
        yield _row(f"{strategy}, {name} questions", clean.only(half=half))
    for category in Category:
        if (part := clean.only(category)).quotes:
            yield _row(f"{strategy}, {category}", part)


def _row(name: str, found: Recall) -> str:
    shares = " | ".join(f"{found.evidence_at(depth):.2f}" for depth in DEPTHS)
    return f"| {name} | {len(found.quotes)} | {shares} | {found.documents_at(10):.2f} |"


@contextmanager
def opened(tree: Path, corpus: Path | None) -> Iterator[Corpus]:
    """The corpus at ``corpus``, or one built from ``tree`` that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="dofpilot-bench-") as folder:
        if corpus is None:
            corpus = Path(folder) / "corpus"
            builder.build(tree, corpus)
        with Corpus.open(corpus, chosen_embedder()) as open_corpus:
            yield open_corpus


def chosen_embedder() -> Embedder | None:
    """What ``DOFPILOT_EMBEDDINGS`` and its companions say, as for the site."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dofpilot.settings")
    return make_embedder(settings.EMBEDDINGS)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.recall", description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--corpus", type=Path, help="an existing corpus of the tree, with or without vectors")
    parser.add_argument("--strategy", type=Strategy, action="append", choices=list(Strategy))
    options = parser.parse_args()
    cases = read_cases(options.questions)
    with opened(options.tree, options.corpus) as corpus:
        offered = [strategy for strategy in Strategy if strategy in corpus.strategies]
        if missing := set(options.strategy or ()).difference(offered):
            parser.error(f"this corpus does not offer {', '.join(sorted(missing))}")
        print(f"{machine()}\n")
        print(f"{len(cases)} questions over {corpus.manifest.chunks} passages\n")
        print(tables(corpus, cases, options.strategy or offered))


if __name__ == "__main__":
    main()
