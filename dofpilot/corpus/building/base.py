"""What the next corpus takes over from the one in its place."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from dofpilot.corpus.building.storing import STORE
from dofpilot.corpus.errors import BuildError, CorpusUnavailable
from dofpilot.corpus.files import VECTORS, is_intact
from dofpilot.corpus.manifest import MANIFEST, Manifest, read_manifest
from dofpilot.corpus.search.fields import LEXICAL, lexical_fingerprint
from dofpilot.corpus.sources.chunking import CHUNKER_VERSION


def read_base(target: Path) -> Manifest | None:
    """The corpus to update, if there is one; raise ``BuildError`` where it cannot be added to."""
    if not (target / MANIFEST).is_file():
        return None
    try:
        manifest = read_manifest(target)
    except CorpusUnavailable as error:
        raise BuildError(f"{error}. Constrúyelo de nuevo, sin --update") from error
    ours = (CHUNKER_VERSION, lexical_fingerprint(manifest.fingerprint))
    if (manifest.chunker_version, manifest.lexical.fingerprint) != ours:
        raise BuildError(
            f"«{target}» se construyó con otra versión de dofpilot, que corta o indiza de otro modo: "
            "constrúyelo de nuevo, sin --update"
        )
    return manifest


def copy_base(target: Path, manifest: Manifest, workshop: Path) -> None:
    """Begin the next corpus with the documents of this one; raise ``BuildError`` when it is damaged.

    Links do for the index: Tantivy writes no file twice, and its lists are replaced whole.
    """
    if not is_intact(target / STORE, manifest.files[STORE]):
        raise BuildError(f"«{target / STORE}» está dañado: constrúyelo de nuevo, sin --update")
    _copy(target / STORE, workshop / STORE)
    (workshop / LEXICAL).mkdir()
    for name in manifest.files:
        if name.startswith(f"{LEXICAL}/"):
            _link(target / name, workshop / name)


def carry_vectors(target: Path, workshop: Path) -> None:
    """Vectors outlive a build: they are tied to passages by their digests and only ever grow."""
    shutil.rmtree(workshop / VECTORS, ignore_errors=True)
    source = target / VECTORS
    if source.is_symlink() or not source.is_dir():
        return
    (workshop / VECTORS).mkdir()
    for file in source.iterdir():
        if file.is_file() and file.suffix != ".lock":
            _link(file, workshop / VECTORS / file.name)


def _link(source: Path, place: Path) -> None:
    try:
        place.hardlink_to(source)
    except OSError:
        _copy(source, place)  # not every file system has links


def _copy(source: Path, place: Path) -> None:
    """In the kernel, which shares the blocks where the file system can."""
    with source.open("rb") as reader, place.open("wb") as writer:
        left = os.fstat(reader.fileno()).st_size
        try:
            while left > 0 and (done := os.copy_file_range(reader.fileno(), writer.fileno(), left)):
                left -= done
        except OSError:
            reader.seek(0)
            writer.seek(0)
            shutil.copyfileobj(reader, writer, 1 << 20)
