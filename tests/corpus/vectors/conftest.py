from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from dofpilot.corpus.building.builder import build
from tests.corpus.trees import write
from tests.corpus.vectors.server import EmbeddingServer

TEXT = "# LEY {code}\n\n" + "\n\n".join(
    f"Artículo {number}.- El sujeto {{code}} obligado número {number} presentará su aviso de {topic} ante "
    "la autoridad." + " Lo hará por escrito y en los plazos que marque el reglamento." * 9
    for number, topic in enumerate(("pesca", "minas", "aduanas", "salud", "bosques", "puertos"), start=1)
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Five documents of two or three passages each, on five days."""
    return make_corpus(tmp_path, range(1, 6))


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as running:
        yield running


def make_corpus(folder: Path, codes: range) -> Path:
    """The corpus of a tree to which ``codes`` are added; a later day for each higher code."""
    for code in codes:
        write(folder / "tree", code, TEXT.replace("{code}", str(code)), day=date(2025, 3, code))
    build(folder / "tree", folder / "acervo")
    return folder / "acervo"
