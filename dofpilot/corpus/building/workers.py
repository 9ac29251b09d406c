"""Documents made in other processes, taken in the order of the tree."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process

from dofpilot.corpus.blocks import BlockWriter, Dictionaries
from dofpilot.corpus.building.making import Made, make
from dofpilot.corpus.building.report import Rejection
from dofpilot.corpus.errors import BuildError
from dofpilot.corpus.sources.tree import Listing, SourceFile

WORTH_A_PROCESS = 4_000_000
"""Bytes of documents under which starting processes takes longer than the work."""

_BATCH_BYTES = 1_000_000
_BATCH_FILES = 256
_IN_FLIGHT_BYTES = 32_000_000
"""Of batches that were given out and not taken back; one batch may be larger and then travels alone."""

Result = tuple[SourceFile, Made | Rejection]


def available_cores() -> int:
    return len(os.sched_getaffinity(0))


@contextmanager
def made(listing: Listing, dictionaries: Dictionaries, jobs: int) -> Iterator[Iterator[Result]]:
    """Every file of the listing, in its order, made by ``jobs`` processes; by this one alone for 1.

    Raises ``BuildError`` when a process dies.
    """
    if jobs == 1 or listing.size < WORTH_A_PROCESS:
        writer = BlockWriter(dictionaries)
        yield ((file, make(file, writer)) for file in listing)
        return
    # A fork would copy the locks of threads that it does not copy: Tantivy's, and the progress bar's.
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (dictionaries,))
    try:
        with closing(_in_order(pool, _batches(listing))) as results:
            yield results
    finally:
        pool.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True)
class _Batch:
    files: list[SourceFile]
    size: int


def _batches(files: Iterable[SourceFile]) -> Iterator[_Batch]:
    batch, size = list[SourceFile](), 0
    for file in files:
        if batch and (size + file.size > _BATCH_BYTES or len(batch) == _BATCH_FILES):
            yield _Batch(batch, size)
            batch, size = [], 0
        batch.append(file)
        size += file.size
    if batch:
        yield _Batch(batch, size)


def _in_order(pool: ProcessPoolExecutor, batches: Iterator[_Batch]) -> Generator[Result, None, None]:
    waiting = deque[tuple[_Batch, "Future[list[Made | Rejection]]"]]()
    flying = 0
    try:
        for batch in batches:
            while waiting and flying + batch.size > _IN_FLIGHT_BYTES:
                flying -= waiting[0][0].size
                yield from _take(*waiting.popleft())
            with _uninterrupted():
                waiting.append((batch, pool.submit(_make_all, batch.files)))
            flying += batch.size
        while waiting:
            yield from _take(*waiting.popleft())
    except BrokenProcessPool as error:
        raise BuildError(
            "murió un proceso de la construcción (quizá por falta de memoria); "
            "repite la orden, con menos --jobs si vuelve a pasar: lo que ya estaba guardado se conserva"
        ) from error


def _take(batch: _Batch, future: Future[list[Made | Rejection]]) -> Iterator[Result]:
    yield from zip(batch.files, future.result(), strict=True)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """What is started here never gets a Ctrl-C, which goes to all processes of a terminal at once."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_writer: BlockWriter
"""Of this worker process."""


def _begin(dictionaries: Dictionaries) -> None:
    global _writer
    _writer = BlockWriter(dictionaries)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    """End with the build, even one that was killed: nobody else would end a worker that waits for work."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _make_all(files: list[SourceFile]) -> list[Made | Rejection]:
    return [make(file, _writer) for file in files]
