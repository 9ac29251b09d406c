"""What the next corpus takes over from the one in its place."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dofpilot.corpus.errors import BuildError, CorpusUnavailable
from dofpilot.corpus.files import LEXICAL, STORE, VECTORS, is_intact
from dofpilot.corpus.manifest import MANIFEST, Manifest, read_manifest
from dofpilot.corpus.search.fields import lexical_fingerprint
from dofpilot.corpus.sources.chunking import CHUNKER_VERSION
from dofpilot.corpus.vectors.manifest import MANIFEST as VECTOR_MANIFEST
from dofpilot.corpus.vectors.manifest import VectorManifest, read_vector_manifest

_NO_LINKS = {errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP}
"""Where a file system has no links, or not between these places, or too many of one file."""


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
    names = [STORE, *(name for name in manifest.files if name.startswith(f"{LEXICAL}/"))]
    for name in names:
        built = manifest.files.get(name)
        if not built or not is_intact(target / name, built):
            raise BuildError(f"«{target / name}» está dañado o falta: constrúyelo de nuevo, sin --update")
    _copy(target / STORE, workshop / STORE)
    (workshop / LEXICAL).mkdir()
    for name in names[1:]:
        _link(target / name, workshop / name)


def carry_vectors(target: Path, workshop: Path) -> None:
    """Vectors outlive a build: they are tied to passages by their digests and only ever grow.

    ``embed_corpus`` may be at work on them: what comes along is what one manifest names, and that manifest.
    """
    source, place = target / VECTORS, workshop / VECTORS
    if source.is_symlink() or not (source / VECTOR_MANIFEST).is_file():
        shutil.rmtree(place, ignore_errors=True)
        return
    manifest = _vector_manifest(source)
    while not _carried(source, place, manifest):
        newer = _vector_manifest(source)
        if newer == manifest:
            # A file is lost, and not replaced. Whoever opens the rest says what is missing.
            return
        manifest = newer


def _vector_manifest(source: Path) -> VectorManifest | None:
    """``None`` for a damaged one."""
    try:
        return read_vector_manifest(source)
    except CorpusUnavailable:
        return None


def _carried(source: Path, place: Path, manifest: VectorManifest | None) -> bool:
    """Whether all that the manifest names was there. Of a damaged manifest's files, all are taken."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    names = manifest.files if manifest else [file.name for file in source.iterdir() if file.is_file()]
    missing = 0
    for name in names:
        try:
            _link(source / name, place / name)
        except FileNotFoundError:
            missing += 1
    if manifest:
        # Written and not linked: under that name there may be a later one by now.
        with _opened(place) as directory:
            manifest.write(directory)
    return not missing


@contextmanager
def _opened(directory: Path) -> Iterator[int]:
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield handle
    finally:
        os.close(handle)


def _link(source: Path, place: Path) -> None:
    try:
        place.hardlink_to(source)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _copy(source, place)


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
