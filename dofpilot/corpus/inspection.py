"""What a corpus directory holds, and whether it is still what was built: for people who look after one."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from dofpilot.corpus.building.report import REPORT, BuildReport
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.database import select
from dofpilot.corpus.errors import CorpusUnavailable, IntegrityError, InvalidRequest
from dofpilot.corpus.files import LEXICAL, VECTORS, verify_files
from dofpilot.corpus.manifest import Manifest, read_manifest
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT
from dofpilot.corpus.search.fields import lexical_fingerprint
from dofpilot.corpus.vectors.graph import intact
from dofpilot.corpus.vectors.manifest import MANIFEST as VECTORS_MANIFEST
from dofpilot.corpus.vectors.manifest import VectorManifest, owners_file, read_vector_manifest, vectors_file
from dofpilot.corpus.vectors.rows import content_fingerprint, map_rows

INSTITUTIONS = 10
_REPORT = TypeAdapter(BuildReport)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes on disk by part; ``vectors`` is 0 where there are none."""

    store: int
    lexical: int
    vectors: int

    @property
    def total(self) -> int:
        return self.store + self.lexical + self.vectors


@dataclass(frozen=True, slots=True)
class Contents:
    """Documents by year and by edition, and the ``INSTITUTIONS`` that publish most, most first."""

    years: dict[str, int]
    sections: dict[str, int]
    institutions: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Verified:
    """``damaged`` holds (passage or file, what is wrong with it) of the ``checked`` ones."""

    checked: int
    damaged: tuple[tuple[str, str], ...]

    @property
    def intact(self) -> int:
        return self.checked - len(self.damaged)


def sizes(directory: Path, manifest: Manifest) -> Sizes:
    """Of the vectors as they are on disk now: they grow after the build."""
    built = {name: file.size for name, file in manifest.files.items()}
    lexical = sum(size for name, size in built.items() if name.startswith(f"{LEXICAL}/"))
    vectors = sum(_size(file) for file in (directory / VECTORS).rglob("*"))
    return Sizes(sum(built.values()) - lexical, lexical, vectors)


def analysis_is_ours(manifest: Manifest) -> bool:
    """Whether the lexical index was made with the text analysis of this version of dofpilot."""
    return manifest.lexical.fingerprint == lexical_fingerprint(manifest.fingerprint)


def contents(directory: Path) -> Contents:
    """Raise ``CorpusUnavailable`` for a database that cannot be read."""
    years = "SELECT CAST(day / 10000 AS TEXT), count(*) FROM document GROUP BY 1 ORDER BY 1"
    editions = "SELECT CAST(section AS TEXT), count(*) FROM document GROUP BY 1 ORDER BY 2 DESC, 1"
    publish = "SELECT CAST(institution AS TEXT), count(*) FROM document GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?"
    return Contents(
        dict(select(directory, years)),
        dict(select(directory, editions)),
        tuple(select(directory, publish, [INSTITUTIONS])),
    )


def last_report(directory: Path) -> BuildReport | None:
    """What the last build said when it was done; ``None`` where that is missing or cannot be read."""
    try:
        return _REPORT.validate_json((directory / REPORT).read_bytes())
    except (OSError, ValidationError):
        return None


def verify_passages(corpus: Corpus, directory: Path, count: int, seed: str) -> Verified:
    """Read ``count`` random passages (all, if there are no more) against their hashes.

    The same ``seed`` takes the same passages of the same corpus. Raise ``CorpusUnavailable`` for a database
    that cannot be read.
    """
    chosen = _random_chunks(directory, count, seed)
    faults = ((chunk_id, _fault(corpus, chunk_id)) for chunk_id in chosen)
    return Verified(len(chosen), tuple((str(chunk_id), fault) for chunk_id, fault in faults if fault))


def verify_all_files(directory: Path, on_progress: Callable[[int, int], None]) -> Verified:
    """Read whole every file that the build left, and then those of the vectors.

    ``on_progress`` gets the bytes read and all bytes of the build's. Raise ``CorpusUnavailable`` for the
    manifest alone.
    """
    damaged = verify_files(directory, on_progress)
    built = [(name, "no es como se construyó") for name in damaged]
    checked, vectors = _verify_vectors(directory / VECTORS)
    return Verified(len(read_manifest(directory).files) + checked, (*built, *vectors))


def _verify_vectors(home: Path) -> tuple[int, list[tuple[str, str]]]:
    """How many files of the vectors there are, and those of them that are not as they were written."""
    if not (home / VECTORS_MANIFEST).exists():
        return 0, []
    try:
        manifest = read_vector_manifest(home)
    except CorpusUnavailable as error:
        return 1, [(f"{VECTORS}/{VECTORS_MANIFEST}", str(error))]
    faults = [(f"{VECTORS}/{name}", fault) for name, fault in _vector_faults(home, manifest)]
    if faults and _is_replaced(home, manifest):
        # embed_corpus deletes what its newest manifest does not name.
        return _verify_vectors(home)
    return 1 + len(manifest.files), faults


def _vector_faults(home: Path, manifest: VectorManifest) -> Iterator[tuple[str, str]]:
    codes, owners = vectors_file(manifest.generation), owners_file(manifest.generation)
    try:
        rows = map_rows(home, manifest)
    except CorpusUnavailable as error:
        yield owners if owners in str(error) else codes, str(error)
    else:
        # Its owners have a hash of their own, so what differs here is the vectors.
        if content_fingerprint(manifest.settings, rows).hexdigest() != manifest.fingerprint:
            yield codes, "no es como se escribió"
    if manifest.graph and intact(home, manifest) is None:
        yield manifest.graph.file, "falta, no mide lo que se escribió o no se puede abrir"


def _is_replaced(home: Path, manifest: VectorManifest) -> bool:
    try:
        return read_vector_manifest(home) != manifest
    except CorpusUnavailable:
        return False


def _random_chunks(directory: Path, count: int, seed: str) -> list[int]:
    """Chunk ids in order, each chunk as likely as any other."""
    # The bounds are for a damaged database, whose numbers may be anything.
    counted = f"min(max(CAST(chunks AS INTEGER), 0), {CHUNKS_PER_DOCUMENT})"
    documents = list(select(directory, f"SELECT document_id, {counted} FROM document ORDER BY 1"))  # noqa: S608
    ends = list(accumulate(chunks for _, chunks in documents))
    total = ends[-1] if ends else 0
    places = sorted(random.Random(seed).sample(range(total), min(count, total)))  # noqa: S311
    return [_chunk_at(place, documents, ends) for place in places]


def _chunk_at(place: int, documents: Sequence[tuple[int, int]], ends: Sequence[int]) -> int:
    """The id of a chunk by its place among all."""
    found = bisect_right(ends, place)
    document_id, chunks = documents[found]
    return document_id * CHUNKS_PER_DOCUMENT + place - (ends[found] - chunks)


def _fault(corpus: Corpus, chunk_id: int) -> str:
    try:
        corpus.read_chunks([chunk_id])
    except (IntegrityError, InvalidRequest) as error:
        return str(error)
    return ""


def _size(file: Path) -> int:
    try:
        return file.stat().st_size if file.is_file() else 0
    except FileNotFoundError:
        # Replaced by an embed_corpus at work.
        return 0
