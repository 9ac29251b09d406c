"""What it takes to build a corpus, and to bring it up to date."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from dofpilot.corpus.manifest import read_manifest
from tests.benchmarks.gazette import Gazette
from tests.benchmarks.watching import Watched, watch
from tests.site import ROOT


@dataclass(frozen=True, slots=True)
class Built:
    """``parts`` is bytes on disk by the file or folder at the top of the corpus; ``read_bytes`` went in."""

    documents: int
    chunks: int
    read_bytes: int
    source_bytes: int
    parts: dict[str, int]
    run: Watched

    @property
    def bytes_per_byte(self) -> float:
        return sum(self.parts.values()) / self.source_bytes


def build(gazette: Gazette, folder: Path, options: tuple[str, ...] = ()) -> Built:
    """Write the documents to ``tree`` in ``folder`` and build ``corpus`` there from all that is in it."""
    tree, corpus = folder / "tree", folder / "corpus"
    written = gazette.write(tree)
    command = [sys.executable, ROOT / "manage.py", "build_corpus", tree, corpus, *options]
    run = watch(command, ROOT)
    manifest = read_manifest(corpus)
    parts = {entry.name: _bytes(entry) for entry in sorted(corpus.iterdir())}
    return Built(manifest.documents, manifest.chunks, written, manifest.source_bytes, parts, run)


def _bytes(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_blocks * 512 for file in files if file.is_file())
