"""The files of a corpus as its build left them: sizes checked at every opening, contents on demand."""

from __future__ import annotations

import hashlib
from pathlib import Path

from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.manifest import FileManifest, Manifest, read_manifest


def measure(directory: Path) -> dict[str, FileManifest]:
    """Size and SHA-256 of every file under ``directory``, by relative path; locks hold nothing."""
    found = sorted(file for file in directory.rglob("*") if file.is_file() and file.suffix != ".lock")
    return {
        file.relative_to(directory).as_posix(): FileManifest(size=file.stat().st_size, sha256=_sha256(file))
        for file in found
    }


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
    return tuple(name for name, built in files.items() if not _is_intact(directory / name, built))


def _is_intact(file: Path, built: FileManifest) -> bool:
    try:
        return file.stat().st_size == built.size and _sha256(file) == built.sha256
    except OSError:
        return False


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
