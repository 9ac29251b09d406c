"""The corpus at the size of the gazette: ``make bench-corpus`` prints tables for docs/benchmarks.md.

Generated documents are built, brought up to date and searched at each size; recall and hybrid search need
real documents and questions on them (TREE and QUESTIONS). Everything it writes is in a temporary directory.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from dofpilot.corpus.building import builder
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.types import Strategy
from dofpilot.harness.cases import read_cases
from tests.benchmarks import recall, reporting
from tests.benchmarks.building import Built, build
from tests.benchmarks.gazette import Gazette
from tests.benchmarks.machine import machine
from tests.benchmarks.searching import Reading, measured
from tests.site import ROOT

SIZES = (5_000, 20_000)
QUERIES = 400
_UPDATE_SHARE = 100
"""One new document for so many old ones: at 20,000 about what two weeks bring to the whole gazette."""


class Part(StrEnum):
    BUILD = "build"
    UPDATE = "update"
    SEARCH = "search"
    RECALL = "recall"
    HYBRID = "hybrid"


GENERATED = frozenset({Part.BUILD, Part.UPDATE, Part.SEARCH})
"""The parts that work on generated documents; the others on real ones."""


@dataclass(frozen=True, slots=True)
class Measured:
    """All about one size; ``None`` is what was not asked for."""

    built: Built
    updated: Built | None
    reading: Reading | None


def measure(documents: int, seed: int, parts: frozenset[Part], options: tuple[str, ...]) -> Measured:
    with tempfile.TemporaryDirectory(prefix="dofpilot-bench-") as name:
        folder, gazette = Path(name), Gazette.of(documents, seed)
        _say(f"{documents:,} documents: writing and building")
        built = build(gazette, folder, options)
        _say(f"{documents:,} documents: built in {built.run.seconds:.1f} s")
        reading = updated = None
        if Part.SEARCH in parts:
            _say(f"{documents:,} documents: searching")
            reading = measured(folder / "corpus", documents, seed, QUERIES)
        if Part.UPDATE in parts:
            _say(f"{documents:,} documents: bringing up to date")
            later = gazette.later(max(1, documents // _UPDATE_SHARE))
            updated = build(later, folder, (*options, "--update"))
        return Measured(built, updated, reading)


def generated(options: argparse.Namespace, parts: frozenset[Part]) -> Iterator[str]:
    """Markdown, table by table."""
    jobs = ("--jobs", str(options.jobs)) if options.jobs else ()
    found = [measure(size, options.seed, parts, jobs) for size in sorted(options.documents)]
    yield reporting.builds([size.built for size in found])
    yield reporting.parts(found[-1].built)
    if updates := [size.updated for size in found if size.updated]:
        yield reporting.updates(updates)
    if readings := [size.reading for size in found if size.reading]:
        yield reporting.searches(readings)
        yield reporting.readers(readings)
        yield reporting.kinds(readings[-1])
    if len(found) > 1:
        yield reporting.projection([size.built for size in found], readings)


def real(options: argparse.Namespace, parts: frozenset[Part]) -> Iterator[str]:
    if not (options.tree and options.questions):
        yield "Recall and hybrid search are left out: they need TREE=folder and QUESTIONS=set.jsonl."
        return
    cases = read_cases(options.questions)
    with _corpus(options) as path, Corpus.open(path, recall.chosen_embedder()) as corpus:
        offered = [strategy for strategy in Strategy if strategy in corpus.strategies]
        if Part.HYBRID in parts and Strategy.HYBRID not in offered:
            yield "Hybrid search is left out: it needs --corpus DIR with vectors, or --embed."
        wanted = offered if Part.HYBRID in parts else [Strategy.LEXICAL]
        yield f"{len(cases)} questions over {corpus.manifest.chunks:,} passages:"
        yield recall.tables(corpus, cases, wanted)
        yield reporting.strategies({strategy: recall.waits(corpus, cases, strategy) for strategy in wanted})


@contextmanager
def _corpus(options: argparse.Namespace) -> Iterator[Path]:
    """The one given, or one of the tree, with vectors where they are asked for."""
    with tempfile.TemporaryDirectory(prefix="dofpilot-bench-") as folder:
        path = options.corpus or Path(folder) / "corpus"
        if not options.corpus:
            builder.build(options.tree, path)
        if options.embed:
            subprocess.run([sys.executable, ROOT / "manage.py", "embed_corpus", path], check=True)
        yield path


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.corpus", description=__doc__)
    parser.add_argument("tree", nargs="?", type=Path, help="real documents")
    parser.add_argument("questions", nargs="?", type=Path, help="a set of questions on them, JSONL")
    parser.add_argument("--documents", type=_sizes, default=SIZES, help="sizes, as in 5000,20000,80000")
    parser.add_argument("--only", type=_parts, default=frozenset(Part), help=f"some of {','.join(Part)}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, help="processes of a build; its own choice unless told otherwise")
    parser.add_argument("--corpus", type=Path, help="a corpus of the real documents that is there already")
    parser.add_argument("--embed", action="store_true", help="make its vectors first, which takes long")
    return parser.parse_args(arguments)


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def _parts(text: str) -> frozenset[Part]:
    return frozenset(map(Part, text.split(",")))


def main() -> None:
    options = _parse(None)
    # Ended from outside, it still takes its temporary directories along.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    print(f"{machine()}\n")
    try:
        for block in _blocks(options):
            print(f"{block}\n", flush=True)
    except subprocess.CalledProcessError as error:
        sys.exit(f"«{' '.join(map(str, error.cmd))}» ended with {error.returncode}")


def _blocks(options: argparse.Namespace) -> Iterator[str]:
    if wanted := options.only & GENERATED:
        yield from generated(options, wanted)
    if wanted := options.only - GENERATED:
        yield from real(options, wanted)


if __name__ == "__main__":
    main()
