"""The files of a corpus as its build left them: sizes checked at every opening, contents on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.manifest import FileManifest, Manifest, read_manifest

STORE = "corpus.sqlite"
"""Documents and their text."""

LEXICAL = "lexical"
"""The directory of the full-text index."""

VECTORS = "vectors"
"""The directory in a corpus that has a manifest of its own, since it grows after the build."""

_HASHING_THREADS = 2
_BLOCK = 1 << 22


def measure(
    directory: Path, parts: Iterable[str], known: tuple[Path, Manifest] | None = None
) -> dict[str, FileManifest]:
    """Size and SHA-256 of every file in the given parts of a corpus, by relative path; locks hold nothing.

    Files that are links to those of another, ``known`` corpus are not read again.
    """
    found = (file for part in parts for file in [directory / part, *(directory / part).rglob("*")])
    names = sorted(
        file.relative_to(directory).as_posix() for file in found if file.is_file() and file.suffix != ".lock"
    )
    with ThreadPoolExecutor(_HASHING_THREADS) as pool:
        return dict(zip(names, pool.map(lambda name: _measured(directory, name, known), names), strict=True))


def _measured(directory: Path, name: str, known: tuple[Path, Manifest] | None) -> FileManifest:
    file = directory / name
    if known and name in known[1].files and file.samefile(known[0] / name):
        return known[1].files[name]
    return FileManifest(size=file.stat().st_size, sha256=_sha256(file))


def check_sizes(directory: Path, manifest: Manifest) -> None:
    """Raise ``CorpusUnavailable`` for a file that is missing, cut short or grown.

    To read past the end of a mapped file kills the process, so this comes before anything is mapped.
    """
    for name, built in manifest.files.items():
        try:
            size = (directory / name).stat().st_size
        except OSError as error:
            raise CorpusUnavailable(f"no se puede leer «{directory / name}»: {error.strerror}") from error
        if size != built.size:
            raise CorpusUnavailable(
                f"«{directory / name}» está dañado: mide {size} bytes y se construyó con {built.size}"
            )


def verify_files(
    path: Path | str, on_progress: Callable[[int, int], None] = lambda done, total: None
) -> tuple[str, ...]:
    """Read every file whole; the relative paths of those that are not as they were built, or not there.

    Takes as long as reading the whole corpus; ``on_progress`` gets the bytes read so far and all bytes.
    Raises ``CorpusUnavailable`` for the manifest alone.
    """
    directory = Path(path)
    files = read_manifest(directory).files
    total, done, damaged = sum(built.size for built in files.values()), 0, list[str]()
    for name, built in files.items():
        digest = hashlib.sha256()
        # One file may be most of a corpus, so progress is told inside it.
        for block in _blocks(directory / name):
            digest.update(block)
            done += len(block)
            on_progress(done, total)
        if digest.hexdigest() != built.sha256:
            damaged.append(name)
    return tuple(damaged)


def _blocks(file: Path) -> Iterator[bytes]:
    """The content of a file, or what can be read of it."""
    with suppress(OSError), file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            yield block


def is_intact(file: Path, built: FileManifest) -> bool:
    """Whether a file, read whole, is as it was built."""
    try:
        return file.stat().st_size == built.size and _sha256(file) == built.sha256
    except OSError:
        return False


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
