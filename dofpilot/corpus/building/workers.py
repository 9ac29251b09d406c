"""Documents made in other processes, taken in the order of the tree."""

from __future__ import annotations

import os
import pickle
import signal
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from queue import SimpleQueue

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

    Raises ``BuildError`` when a process dies or cannot be started.
    """
    if jobs == 1 or listing.size < WORTH_A_PROCESS:
        writer = BlockWriter(dictionaries)
        yield ((file, make(file, writer)) for file in listing)
        return
    crew = _Crew(min(jobs, len(listing)))
    try:
        crew.start(dictionaries)
        with closing(_in_order(crew, _batches(listing))) as results:
            yield results
    finally:
        crew.end()


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


def _in_order(crew: _Crew, batches: Iterator[_Batch]) -> Generator[Result, None, None]:
    waiting = deque[tuple[_Batch, "Future[list[Made | Rejection]]"]]()
    flying = 0
    for batch in batches:
        while waiting and flying + batch.size > _IN_FLIGHT_BYTES:
            flying -= waiting[0][0].size
            yield from _take(*waiting.popleft())
        waiting.append((batch, crew.give(batch)))
        flying += batch.size
    while waiting:
        yield from _take(*waiting.popleft())


def _take(batch: _Batch, future: Future[list[Made | Rejection]]) -> Iterator[Result]:
    yield from zip(batch.files, future.result(), strict=True)


class _Crew:
    """Processes, each at the other end of a channel, and the threads of this process that talk to them.

    Whatever can wait for a process waits in a thread, and ends when the process does: nobody else has the
    other end. A pool of the standard library waits for ever for a process that dies while others start.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._workers: list[_Worker] = []
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        # One more than processes: it has a batch at hand for the first of them that is free.
        self._threads = ThreadPoolExecutor(size + 1)

    def start(self, dictionaries: Dictionaries) -> None:
        try:
            self._start_workers()
        except OSError as error:
            raise BuildError(
                f"no se pueden iniciar {self._size} procesos ({error.strerror}); "
                "repite la orden con menos --jobs"
            ) from error
        for worker in self._workers:
            self._threads.submit(self._greet, worker, dictionaries)

    def give(self, batch: _Batch) -> Future[list[Made | Rejection]]:
        return self._threads.submit(self._ask, batch)

    def end(self) -> None:
        """Workers hold nothing that is worth a goodbye."""
        for worker in self._workers:
            worker.process.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.process.join()
            worker.channel.close()

    def _start_workers(self) -> None:
        # It lets signals through when it starts: not while they are held back for the workers.
        resource_tracker.ensure_running()
        with _uninterrupted():
            for _ in range(self._size):
                self._workers.append(_Worker())

    def _greet(self, worker: _Worker, dictionaries: Dictionaries) -> None:
        try:
            worker.channel.send(dictionaries)
        finally:
            # Also one that died: whoever gives it work finds out.
            self._idle.put(worker)

    def _ask(self, batch: _Batch) -> list[Made | Rejection]:
        worker = self._idle.get()
        try:
            worker.channel.send(batch.files)
            answer = worker.channel.recv_bytes()
        except (EOFError, OSError) as error:
            raise BuildError(
                "murió un proceso de la construcción (quizá por falta de memoria); "
                "repite la orden, con menos --jobs si vuelve a pasar: lo que ya estaba guardado se conserva"
            ) from error
        finally:
            self._idle.put(worker)
        # Not before the worker has its next batch.
        results: list[Made | Rejection] = pickle.loads(answer)  # noqa: S301
        return results


class _Worker:
    def __init__(self) -> None:
        # A fork would copy the locks of threads that it does not copy: Tantivy's, and the progress bar's.
        context = get_context("spawn")
        self.channel, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        try:
            # All that is written here fits in a pipe: a process that dies at once must not be waited for.
            self.process.start()
        finally:
            theirs.close()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """What is started here never gets a Ctrl-C, which goes to all processes of a terminal at once."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(channel: Connection) -> None:
    """Until the build ends, however it does."""
    with suppress(EOFError, OSError):
        writer = BlockWriter(channel.recv())
        while True:
            channel.send([make(file, writer) for file in channel.recv()])
