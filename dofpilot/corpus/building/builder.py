"""Build a corpus directory from a tree of documents: all of it, or nothing that a reader can see."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from dofpilot.corpus.building import base as bases
from dofpilot.corpus.building.dictionaries import train
from dofpilot.corpus.building.parts import Parts
from dofpilot.corpus.building.report import BuildReport, Meter, OnProgress, Phase, Rejection
from dofpilot.corpus.building.storing import Totals
from dofpilot.corpus.building.survey import Outdated, Survey, survey
from dofpilot.corpus.building.target import check_target, publish, sync
from dofpilot.corpus.building.workers import available_cores, made
from dofpilot.corpus.building.workshop import Purpose, Workshop, claimed
from dofpilot.corpus.errors import BuildError, InvalidRequest
from dofpilot.corpus.files import LEXICAL, STORE, measure
from dofpilot.corpus.manifest import FORMAT, FileManifest, IndexManifest, Manifest
from dofpilot.corpus.search.fields import lexical_fingerprint
from dofpilot.corpus.sources.chunking import CHUNKER_VERSION
from dofpilot.corpus.text.analysis import ANALYSIS_VERSION

CHECKPOINT_BYTES = 256_000_000
"""Bytes of documents after which the work is saved: what an interruption costs at most."""

LONGEST_VERSION = 64
"""Characters."""


def build(
    source: Path,
    out: Path,
    *,
    version: str | None = None,
    jobs: int | None = None,
    update: bool = False,
    on_progress: OnProgress | None = None,
) -> BuildReport:
    """Read the documents under ``source`` into a corpus at ``out``, in place of the corpus there, if any.

    With ``update`` the corpus there keeps all it has, and the documents that it lacks are added; it is left
    alone when there are none. ``jobs`` processes do the work, as many as there are cores if not given; the
    result does not depend on their number. An interrupted build goes on where it last saved when it is asked
    for again.

    Files that cannot be documents are listed in the report with the reason. Raises ``BuildError`` when
    there is nothing to build or ``out`` is something else, lies inside ``source`` or around it, or cannot
    be written; then, as after any interruption, ``out`` is as it was. Raises ``InvalidRequest`` for ``jobs``
    and ``version``.
    """
    if version is not None:
        check_version(version)
    if jobs is not None and jobs < 1:
        raise InvalidRequest("jobs", "debe ser 1 o más")
    target = out.resolve()
    with _writing(target):
        check_target(target, source.resolve())
        with claimed(target) as workshop:
            base = bases.read_base(target) if update else None
            order = _Order(source, target, base, version, jobs or available_cores())
            return _Build(order, workshop, Meter(on_progress)).run()


def check_version(version: str) -> None:
    """Raise ``InvalidRequest`` for what people could not read or type again."""
    if not (version.strip() and len(version) <= LONGEST_VERSION and version.isprintable()):
        raise InvalidRequest("version", f"debe tener de 1 a {LONGEST_VERSION} caracteres que se vean")


@dataclass(frozen=True, slots=True)
class _Order:
    """What was asked for. ``base`` is the corpus to update."""

    source: Path
    target: Path
    base: Manifest | None
    version: str | None
    jobs: int

    @property
    def purpose(self) -> Purpose:
        return Purpose(
            source=str(self.source.resolve()),
            format=FORMAT,
            chunker=CHUNKER_VERSION,
            analysis=ANALYSIS_VERSION,
            base=self.base.fingerprint if self.base else "",
        )


class _Build:
    """One build at work in a workshop that it has claimed."""

    def __init__(self, order: _Order, workshop: Workshop, meter: Meter) -> None:
        self._order = order
        self._workshop = workshop
        self._meter = meter
        self._started = time.monotonic()

    def run(self) -> BuildReport:
        try:
            return self._attempt(self._resumed() or self._fresh())
        except Outdated:
            self._meter.restart()
            return self._attempt(self._fresh())

    def _resumed(self) -> Parts | None:
        """What an interrupted build with the same purpose left, if it can be gone on with."""
        if not self._workshop.resumes(self._order.purpose):
            return None
        # Whatever is wrong with it, the documents are all still there.
        with suppress(BuildError, sqlite3.DatabaseError):
            parts = Parts(self._workshop.path)
            if parts.agree():
                return parts
            parts.close()
        return None

    def _fresh(self) -> Parts:
        self._workshop.clear()
        if self._order.base:
            bases.copy_base(self._order.target, self._order.base, self._workshop.path)
        parts = Parts(self._workshop.path)
        parts.store.begin_update()
        return parts

    def _attempt(self, parts: Parts) -> BuildReport:
        with closing(parts):
            found = survey(self._order.source, parts.store, self._since(), self._meter)
            if found.is_empty:
                raise BuildError(f"«{self._order.source}» no contiene ningún documento (.md)")
            rejected = [*found.changed, *self._fill(parts, found)]
            if parts.store.added():
                return self._finish(parts, found, rejected)
        return self._nothing_new(found, rejected)

    def _since(self) -> tuple[float, float]:
        base = self._order.base
        return self._workshop.began, base.built_at.timestamp() if base else 0.0

    def _fill(self, parts: Parts, found: Survey) -> list[Rejection]:
        self._meter.enter(Phase.PREPARING)
        dictionaries = parts.store.dictionaries()
        if dictionaries is None:
            dictionaries = train(found.pending)
            parts.store.set_dictionaries(dictionaries)
        self._meter.enter(Phase.INDEXING)
        rejected, unsaved = list[Rejection](), 0
        with made(found.pending, dictionaries, self._order.jobs) as results:
            for file, result in results:
                if refused := result if isinstance(result, Rejection) else parts.add(result):
                    rejected.append(refused)
                else:
                    unsaved += file.size
                self._meter.done(file)
                if unsaved >= CHECKPOINT_BYTES:
                    self._save(parts)
                    unsaved = 0
        return rejected

    def _save(self, parts: Parts) -> None:
        parts.save()
        self._workshop.keep(self._order.purpose, parts.store.added())

    def _finish(self, parts: Parts, found: Survey, rejected: list[Rejection]) -> BuildReport:
        self._meter.enter(Phase.FINISHING)
        folder, target, base = self._workshop.path, self._order.target, self._order.base
        added = parts.store.added()
        fingerprint, totals = parts.finish()
        files = measure(folder, (STORE, LEXICAL), (target, base) if base else None)
        manifest = self._manifest(fingerprint, totals, files)
        report = self._report(manifest, found, rejected, added)
        report.write(folder)
        bases.carry_vectors(target, folder)
        sync(folder)
        # Last: a workshop that has one is whole, whatever happens to this process from here on.
        manifest.write(folder)
        sync(folder)
        self._workshop.release()
        leftover = publish(folder, target)
        return replace(report, leftover=str(leftover or ""))

    def _nothing_new(self, found: Survey, rejected: list[Rejection]) -> BuildReport:
        if not self._order.base:
            raise BuildError(f"ningún archivo sirve; el primero, «{rejected[0].path}»: {rejected[0].reason}")
        report = self._report(self._order.base, found, rejected, added=0)
        # Also when nothing was refused: what the last report says may be mended by now.
        report.write(self._order.target)
        return report

    def _manifest(self, fingerprint: str, totals: Totals, files: dict[str, FileManifest]) -> Manifest:
        return Manifest(
            format=FORMAT,
            version=self._order.version or f"dof-{totals.last:%Y%m%d}-{fingerprint[:8]}",
            chunker_version=CHUNKER_VERSION,
            fingerprint=fingerprint,
            documents=totals.documents,
            chunks=totals.chunks,
            source_bytes=totals.source_bytes,
            date_min=totals.first,
            date_max=totals.last,
            sample=totals.sample,
            # What changed in the tree since then, nobody has looked at.
            built_at=datetime.fromtimestamp(int(self._workshop.began), UTC),
            lexical=IndexManifest(fingerprint=lexical_fingerprint(fingerprint), chunks=totals.chunks),
            files=files,
        )

    def _report(
        self, manifest: Manifest, found: Survey, rejected: list[Rejection], added: int
    ) -> BuildReport:
        return BuildReport(
            version=manifest.version,
            fingerprint=manifest.fingerprint,
            documents=manifest.documents,
            chunks=manifest.chunks,
            source_bytes=manifest.source_bytes,
            disk_bytes=sum(file.size for file in manifest.files.values()),
            added=added,
            resumed=found.resumed,
            present=found.present,
            rejected=tuple(rejected),
            ignored=found.ignored,
            seconds=round(time.monotonic() - self._started, 3),
        )


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    """Name the target in whatever its disk refuses. Documents that cannot be read never get here."""
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BuildError(f"no se puede escribir «{target}»: {reason}") from error
