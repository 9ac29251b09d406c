"""What of a tree has still to be made, and what an earlier build did already."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dofpilot.corpus import names
from dofpilot.corpus.building.report import Meter, Rejection
from dofpilot.corpus.building.storing import Stored, StoreWriter
from dofpilot.corpus.errors import BadFile, BadName, BuildError
from dofpilot.corpus.sources import tree
from dofpilot.corpus.sources.tree import Listing, SourceFile

_CLOCK_STEP = 2.0
"""Seconds by which a file's date may be coarser than the clock."""


class Outdated(Exception):
    """Files that an interrupted build has read are not what they were: it must start afresh."""


@dataclass(slots=True)
class Survey:
    """``pending`` is to be made; ``present`` counts the files that the corpus to update already has."""

    pending: Listing
    resumed: int = 0
    present: int = 0
    ignored: int = 0
    changed: list[Rejection] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.pending or self.resumed or self.present or self.changed)


def survey(source: Path, store: StoreWriter, since: tuple[float, float], meter: Meter) -> Survey:
    """Walk the tree and set aside what the store has.

    ``since`` says when the build that goes on, and the build of the corpus to update, began to read (seconds
    since the epoch): a file of the same size that was written later is compared by its content. Raises
    ``Outdated``, and ``BuildError`` for a tree that cannot be walked.
    """
    found, is_empty = Survey(Listing(source)), store.is_empty
    for file in _candidates(source, found):
        stored = None if is_empty else _find(file, store)
        if stored is None:
            found.pending.add(file)
            meter.found(file)
        elif _is_same(file, stored, since[0] if stored.added else since[1]):
            _set_aside(file, stored, found, meter)
        elif not stored.added:
            found.changed.append(Rejection(file.path, _explain(file, stored)))
    if found.resumed < store.added():
        # A file that this build has read is another one now, or gone.
        raise Outdated
    return found


def _candidates(source: Path, found: Survey) -> Iterator[SourceFile]:
    if not source.is_dir():
        raise BuildError(f"no existe el directorio «{source}»")
    for file in tree.walk(source):
        if file.is_candidate:
            yield file
        else:
            found.ignored += 1


def _find(file: SourceFile, store: StoreWriter) -> Stored | None:
    try:
        stored = store.find(names.parse(file.path).document_id)
    except BadName:
        return None
    return stored if stored and stored.path == file.path else None


def _is_same(file: SourceFile, stored: Stored, since: float) -> bool:
    if file.kind != tree.Kind.FILE or file.size != stored.size:
        return False
    if file.modified < since - _CLOCK_STEP:
        return True
    try:
        return hashlib.sha256(tree.read(file)).digest() == stored.file_digest
    except BadFile:
        return False


def _set_aside(file: SourceFile, stored: Stored, found: Survey, meter: Meter) -> None:
    if stored.added:
        found.resumed += 1
        meter.resumed(file)
    else:
        found.present += 1


def _explain(file: SourceFile, stored: Stored) -> str:
    if file.kind != tree.Kind.FILE:
        return f"ya está en el acervo, que se queda como estaba, y ahora {file.kind.value}"
    sizes = f"{stored.size} bytes antes, {file.size} ahora"
    how = "otro contenido" if stored.size == file.size else f"otro contenido ({sizes})"
    return f"ya está en el acervo con {how}; se queda como estaba: para cambiarlo, construye sin --update"
