"""Build a corpus directory from a tree of documents: all of it, or nothing."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

from dofpilot.corpus import names
from dofpilot.corpus.building.exchange import replace_directory
from dofpilot.corpus.building.indexing import LexicalWriter
from dofpilot.corpus.building.report import BuildReport, Phase, Progress, Rejection
from dofpilot.corpus.building.storing import STORE, StoreWriter
from dofpilot.corpus.digests import corpus_fingerprint
from dofpilot.corpus.errors import BadName, BuildError
from dofpilot.corpus.files import measure
from dofpilot.corpus.manifest import FORMAT, MANIFEST, FileManifest, IndexManifest, Manifest
from dofpilot.corpus.search.fields import LEXICAL, lexical_fingerprint
from dofpilot.corpus.sources import tree
from dofpilot.corpus.sources.chunking import CHUNKER_VERSION
from dofpilot.corpus.sources.documents import BadFile, Document, prepare
from dofpilot.corpus.sources.entries import index_entry
from dofpilot.corpus.sources.tree import SourceFile

OnProgress = Callable[[Progress], None]


def build(
    source: Path, out: Path, *, version: str | None = None, on_progress: OnProgress | None = None
) -> BuildReport:
    """Read the documents under ``source`` into a corpus at ``out``, in place of the corpus there, if any.

    Files that cannot be documents are listed in the report with the reason. Raises ``BuildError`` when
    there is nothing to build or ``out`` is something else, lies inside ``source`` or around it, or cannot
    be written; then, as after any interruption, ``out`` is as it was.
    """
    started = time.monotonic()
    target = out.resolve()
    with _writing(target):
        _check_target(target, source.resolve())
    progress = _Meter(on_progress)
    found = _scan(source, progress)
    files = [file for file in found if file.is_candidate]
    if not files:
        raise BuildError(f"«{source}» no contiene ningún documento (.md)")
    with _writing(target), _workshop(target) as workshop:
        tally = _fill(workshop, files, progress)
        progress.enter(Phase.FINISHING)
        manifest = tally.manifest(version, measure(workshop))
        report = tally.report(manifest, ignored=len(found) - len(files), seconds=time.monotonic() - started)
        manifest.write(workshop)
        report.write(workshop)
        _sync(workshop)
        _publish(workshop, target)
    return report


@dataclass
class _Meter:
    on_progress: OnProgress | None
    total_documents: int = 0
    total_bytes: int = 0
    done_documents: int = 0
    done_bytes: int = 0
    phase: Phase = Phase.SCANNING

    def found(self, file: SourceFile) -> None:
        self.total_documents += 1
        self.total_bytes += file.size
        self._tell()

    def done(self, file: SourceFile) -> None:
        self.done_documents += 1
        self.done_bytes += file.size
        self._tell()

    def enter(self, phase: Phase) -> None:
        self.phase = phase
        self._tell()

    def _tell(self) -> None:
        if self.on_progress:
            totals = (self.done_documents, self.total_documents, self.done_bytes, self.total_bytes)
            self.on_progress(Progress(*totals, self.phase))


@dataclass
class _Tally:
    """What has gone into the corpus so far, and what has not."""

    chunks: int = 0
    source_bytes: int = 0
    sample: bool = True
    fingerprint: str = ""
    days: list[date] = field(default_factory=list)
    paths: dict[int, str] = field(default_factory=dict)
    rejected: list[Rejection] = field(default_factory=list)

    def count(self, document: Document) -> None:
        day = document.name.publication_date
        self.days = [min([day, *self.days]), max([day, *self.days])]
        self.paths[document.name.document_id] = document.name.path
        self.chunks += len(document.chunks)
        self.source_bytes += document.size
        self.sample = self.sample and document.sample

    def manifest(self, version: str | None, files: dict[str, FileManifest]) -> Manifest:
        first, last = self.days
        return Manifest(
            format=FORMAT,
            version=version or f"dof-{last:%Y%m%d}-{self.fingerprint[:8]}",
            chunker_version=CHUNKER_VERSION,
            fingerprint=self.fingerprint,
            documents=len(self.paths),
            chunks=self.chunks,
            source_bytes=self.source_bytes,
            date_min=first,
            date_max=last,
            sample=self.sample,
            built_at=datetime.now(UTC).isoformat(timespec="seconds"),
            lexical=IndexManifest(fingerprint=lexical_fingerprint(self.fingerprint), chunks=self.chunks),
            files=files,
        )

    def report(self, manifest: Manifest, ignored: int, seconds: float) -> BuildReport:
        return BuildReport(
            version=manifest.version,
            fingerprint=manifest.fingerprint,
            documents=manifest.documents,
            chunks=manifest.chunks,
            source_bytes=manifest.source_bytes,
            rejected=tuple(self.rejected),
            ignored=ignored,
            seconds=round(seconds, 3),
        )


def _scan(source: Path, progress: _Meter) -> list[SourceFile]:
    if not source.is_dir():
        raise BuildError(f"no existe el directorio «{source}»")
    found = []
    for file in tree.walk(source):
        found.append(file)
        if file.is_candidate:
            progress.found(file)
    return found


def _fill(workshop: Path, files: list[SourceFile], progress: _Meter) -> _Tally:
    progress.enter(Phase.INDEXING)
    tally = _Tally()
    with closing(StoreWriter(workshop / STORE)) as store:
        lexical = LexicalWriter(workshop / LEXICAL)
        for file in files:
            try:
                document = _load(file, tally)
            except (BadName, BadFile) as error:
                tally.rejected.append(Rejection(file.path, str(error)))
            else:
                store.add(document)
                lexical.add(index_entry(document))
                tally.count(document)
            progress.done(file)
        if not tally.paths:
            first = tally.rejected[0]
            raise BuildError(f"ningún archivo sirve; el primero, «{first.path}»: {first.reason}")
        lexical.finish()
        tally.fingerprint = corpus_fingerprint(CHUNKER_VERSION, store.files())
        store.finish(tally.fingerprint)
    return tally


def _load(file: SourceFile, tally: _Tally) -> Document:
    tree.check_kind(file)
    name = names.parse(file.path)
    if taken := tally.paths.get(name.document_id):
        raise BadFile(f"el código {name.document_id} ya es de «{taken}»")
    return prepare(name, tree.read(file))


def _check_target(target: Path, source: Path) -> None:
    if target.is_relative_to(source) or source.is_relative_to(target):
        raise BuildError(f"«{target}» y «{source}» están uno dentro del otro; el acervo va en otra carpeta")
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not ((target / MANIFEST).is_file() and (target / STORE).is_file()):
        raise BuildError(f"«{target}» existe y no es un acervo; no se reemplaza")


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    """Name the target in whatever its disk refuses. Documents that cannot be read never get here."""
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BuildError(f"no se puede escribir «{target}»: {reason}") from error


@contextmanager
def _workshop(target: Path) -> Iterator[Path]:
    """A directory beside the target that is this build's alone, empty, and gone afterwards."""
    workshop = target.with_name(f".{target.name}.building")
    workshop.mkdir(parents=True, exist_ok=True)
    # What is there may be a link, and a build clears its workshop.
    handle = os.open(workshop, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _claim(handle, target)
        try:
            # What a killed build left behind.
            for leftover in list(workshop.iterdir()):
                is_folder = leftover.is_dir() and not leftover.is_symlink()
                shutil.rmtree(leftover) if is_folder else leftover.unlink()
            yield workshop
        finally:
            shutil.rmtree(workshop, ignore_errors=True)
    finally:
        os.close(handle)


def _claim(handle: int, target: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BuildError(f"otra construcción de «{target}» está en curso") from None


def _sync(directory: Path) -> None:
    for path in [*directory.rglob("*"), directory]:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _publish(workshop: Path, target: Path) -> None:
    displaced = replace_directory(workshop, target)
    handle = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    if displaced:
        shutil.rmtree(displaced)
