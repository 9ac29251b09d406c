"""How long a reader waits, told by a process of its own: opening and memory are the reader's alone.

``python -m tests.benchmarks.searching CORPUS DOCUMENTS SEED QUERIES`` prints JSON for the benchmark.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from itertools import cycle, islice
from pathlib import Path
from typing import TypeVar

from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.types import Filters
from tests.benchmarks.gazette import LAST_DAY, Gazette
from tests.benchmarks.questions import Query, queries
from tests.benchmarks.watching import memory, watch
from tests.site import ROOT

FOUND, READ = 10, 5
_FILTERS = Filters(as_of=LAST_DAY)

Result = TypeVar("Result")


@dataclass
class Waits:
    """Milliseconds by operation, on the clock and of processor; ``kinds`` are the clock's by kind of query.

    ``answered`` says per kind whether ``search_documents`` had the query's own document among the first ten.
    """

    operations: dict[str, list[float]] = field(default_factory=dict)
    processor: dict[str, list[float]] = field(default_factory=dict)
    kinds: dict[str, list[float]] = field(default_factory=dict)
    answered: dict[str, list[bool]] = field(default_factory=dict)


@dataclass
class Reading:
    """``cold`` begins with none of the corpus in memory, ``warm`` follows with other queries. Bytes, ms."""

    chunks: int
    opening: float
    memory_opened: int
    memory_own: int
    memory_whole: int
    cold: Waits
    warm: Waits


def measure(path: Path, gazette: Gazette, count: int) -> Reading:
    """``count`` queries of each half, none asked twice."""
    asked = list(queries(gazette, 2 * count))
    chunks = cycle(_some_chunks(path, gazette, 2 * count * READ))
    _forget(path)
    start = time.perf_counter()
    with Corpus.open(path) as corpus:
        opening = (time.perf_counter() - start) * 1000
        opened = memory(os.getpid()).own
        cold, warm = (_ask(corpus, half, chunks) for half in (asked[:count], asked[count:]))
        now = memory(os.getpid())
        return Reading(corpus.manifest.chunks, opening, opened, now.own, now.whole, cold, warm)


def _ask(corpus: Corpus, asked: Sequence[Query], chunks: Iterator[int]) -> Waits:
    waits = Waits()
    for query in asked:
        documents = _timed(
            waits,
            "search_documents",
            lambda query=query: corpus.search_documents(query.text, _FILTERS, FOUND),
        )
        ids = [hit.publication.document_id for hit in documents]
        waits.kinds.setdefault(query.kind, []).append(waits.operations["search_documents"][-1])
        waits.answered.setdefault(query.kind, []).append(query.place.document_id in ids)
        for name, work in _others(corpus, query, ids, list(islice(chunks, READ))).items():
            _timed(waits, name, work)
    return waits


def _others(
    corpus: Corpus, query: Query, ids: list[int], chunks: list[int]
) -> dict[str, Callable[[], object]]:
    day = query.place.day
    of_day = Filters(date_from=day, date_to=day)
    of_month = Filters(date_from=day, date_to=day + timedelta(days=30))
    of_year = Filters(date_from=day, date_to=day + timedelta(days=365))
    within = ids or [query.place.document_id]
    return {
        "search_evidence": lambda: corpus.search_evidence(query.text, within, _FILTERS, FOUND),
        "read_chunks of five": lambda: corpus.read_chunks(chunks),
        "list_publications, a day": lambda: corpus.list_publications(of_day),
        "list_publications, a month": lambda: corpus.list_publications(of_month),
        "list_publications, an institution's year": lambda: corpus.list_publications(
            of_year, institution=query.institution
        ),
    }


def _some_chunks(path: Path, gazette: Gazette, count: int) -> list[int]:
    """A passage of each of ``count`` random documents, or of all of them."""
    chance = random.Random("chunks")
    places = chance.sample(gazette.places, min(len(gazette.places), count))
    with Corpus.open(path) as corpus:
        outlines = (corpus.get_document_outline(place.document_id).entries for place in places)
        return [chance.randint(entries[0].first_chunk_id, entries[-1].last_chunk_id) for entries in outlines]


def _forget(path: Path) -> None:
    """Ask the system to drop the corpus from its page cache; a request, which is why «cold» is cold-ish."""
    for file in path.rglob("*"):
        if file.is_file():
            with file.open("rb") as stream:
                os.fsync(stream.fileno())
                os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _timed(waits: Waits, name: str, work: Callable[[], Result]) -> Result:
    clock, processor = time.perf_counter(), time.process_time()
    result = work()
    waits.operations.setdefault(name, []).append((time.perf_counter() - clock) * 1000)
    waits.processor.setdefault(name, []).append((time.process_time() - processor) * 1000)
    return result


def measured(path: Path, documents: int, seed: int, count: int) -> Reading:
    """As ``measure``, in another process."""
    module = "tests.benchmarks.searching"
    run = watch([sys.executable, "-m", module, path, str(documents), str(seed), str(count)], ROOT)
    told = json.loads(run.output)
    return Reading(**told | {"cold": Waits(**told["cold"]), "warm": Waits(**told["warm"])})


if __name__ == "__main__":
    corpus_path, *numbers = sys.argv[1:]
    size, chosen_seed, times = map(int, numbers)
    print(json.dumps(asdict(measure(Path(corpus_path), Gazette.of(size, chosen_seed), times))))
