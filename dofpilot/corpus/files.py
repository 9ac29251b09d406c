"""The files of a corpus as its build left them: sizes checked at every opening, contents on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.manifest import FileManifest, Manifest, read_manifest

VECTORS = "vectors"
"""The directory in a corpus that has a manifest of its own, since it grows after the build."""

_HASHING_THREADS = 2


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


def verify_files(path: Path | str) -> tuple[str, ...]:
    """Read every file whole; the relative paths of those that are not as they were built, or not there.

    Takes as long as reading the whole corpus. Raises ``CorpusUnavailable`` for the manifest alone.
    """
    directory = Path(path)
    files = read_manifest(directory).files
    return tuple(name for name, built in files.items() if not is_intact(directory / name, built))


def is_intact(file: Path, built: FileManifest) -> bool:
    """Whether a file, read whole, is as it was built."""
    try:
        return file.stat().st_size == built.size and _sha256(file) == built.sha256
    except OSError:
        return False


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
