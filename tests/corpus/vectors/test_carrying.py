"""Vectors come along into the next corpus, although somebody may be adding to them meanwhile."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from dofpilot.corpus.building import base
from dofpilot.corpus.building.base import carry_vectors
from dofpilot.corpus.vectors import graph
from dofpilot.corpus.vectors.filling import embed
from dofpilot.corpus.vectors.manifest import read_vector_manifest
from tests.corpus.trees import snapshot
from tests.corpus.vectors.embedders import HashingEmbedder


@pytest.fixture
def embedded(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus with vectors and a graph."""
    monkeypatch.setattr(graph, "THRESHOLD", 5)
    embed(corpus, HashingEmbedder(), jobs=1)
    return corpus


@pytest.fixture
def workshop(tmp_path: Path) -> Path:
    (tmp_path / "workshop").mkdir()
    return tmp_path / "workshop"


def before_linking(monkeypatch: pytest.MonkeyPatch, end: str, act: Callable[[], None]) -> None:
    """``act`` once, when a file whose name ends so is about to be linked."""
    link, acts = base._link, iter([act])

    def late(source: Path, place: Path) -> None:
        if source.name.endswith(end) and (now := next(acts, None)):
            now()
        link(source, place)

    monkeypatch.setattr(base, "_link", late)


def graph_of(corpus: Path) -> Path:
    manifest = read_vector_manifest(corpus / "vectors")
    assert manifest.graph
    return corpus / "vectors" / manifest.graph.file


def test_what_the_manifest_names_comes_along_and_nothing_else(embedded, workshop):
    expected = snapshot(embedded / "vectors")
    (embedded / "vectors" / "index-1-3.usearch").write_bytes(b"left by a dead process")
    carry_vectors(embedded, workshop)
    assert snapshot(workshop / "vectors") == expected


@pytest.mark.parametrize("end", [".usearch", ".i8"])
def test_files_that_are_replaced_meanwhile_come_along_as_they_are_then(embedded, workshop, monkeypatch, end):
    def restart() -> None:
        embed(embedded, HashingEmbedder(model="otro"), jobs=1, restart=True)

    before_linking(monkeypatch, end, restart)
    carry_vectors(embedded, workshop)
    assert read_vector_manifest(workshop / "vectors").settings.model == "otro"
    assert snapshot(workshop / "vectors") == snapshot(embedded / "vectors")


def test_a_lost_graph_keeps_nothing_from_coming_along(embedded, workshop):
    graph_of(embedded).unlink()
    carry_vectors(embedded, workshop)
    assert snapshot(workshop / "vectors") == snapshot(embedded / "vectors")


def test_only_where_links_are_impossible_files_are_copied(embedded, workshop, monkeypatch):
    fault = OSError(errno.EXDEV, "Invalid cross-device link")

    def refuse(*_: object) -> None:
        raise fault

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    carry_vectors(embedded, workshop)
    assert snapshot(workshop / "vectors") == snapshot(embedded / "vectors")
    fault = OSError(errno.EIO, "Input/output error")
    with pytest.raises(OSError, match="Input/output"):
        carry_vectors(embedded, workshop)
