"""Write small source trees in the gazette's path scheme."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path

from dofpilot.corpus.building.builder import build
from dofpilot.corpus.corpus import Corpus

DAY = date(2025, 12, 9)
LAW = "# PODER LEGISLATIVO\n\n## LEY DE PRUEBA\n\nArtículo 1.- Nadie pagará peaje.\n"


def path_of(code: int, day: date = DAY, section: str = "MAT", number: int = 1) -> str:
    folder = f"{day:%Y}/{day:%m}/{day:%d%m%Y}/{section}"
    return f"{folder}/{number:03}_DOF_{day:%Y%m%d}_{section}_{code}.md"


def write(
    tree: Path, code: int, text: str | bytes, day: date = DAY, section: str = "MAT", number: int = 1
) -> Path:
    """Put one document where its code, date, edition and number say; return the file."""
    return write_at(tree, path_of(code, day, section, number), text)


def write_at(tree: Path, path: str, text: str | bytes) -> Path:
    file = tree / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def corpus_of(folder: Path, texts: Iterable[str]) -> Corpus:
    """An open corpus of texts published on one day, with codes 1, 2, ..."""
    for code, text in enumerate(texts, start=1):
        write(folder / "tree", code, text, number=code)
    build(folder / "tree", folder / "out")
    return Corpus.open(folder / "out")


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
