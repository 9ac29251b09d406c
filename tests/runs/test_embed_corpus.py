"""The command that gives a corpus its vectors: what it says, and what it keeps when it is ended."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from dofpilot.corpus.building.builder import build
from dofpilot.corpus.manifest import read_manifest
from dofpilot.corpus.vectors.filling import EmbedProgress, Phase
from dofpilot.corpus.vectors.manifest import read_vector_manifest
from runs.management.commands.embed_corpus import progress_line, roughly
from tests.corpus.trees import write
from tests.corpus.vectors.server import EmbeddingServer
from tests.site import Site
from tests.waiting import wait_for

LAW = "# LEY {code}\n\n" + "\n\n".join(
    f"Artículo {number}.- " + "La autoridad resolverá lo que proceda en treinta días. " * 30
    for number in range(1, 5)
)
PASSES = 4
"""Requests that a server that is held answers: one to learn the dimension, three of passages."""


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as running:
        yield running


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for code in range(1, 13):
        write(tmp_path / "tree", code, LAW.replace("{code}", str(code)), day=date(2025, 3, code))
    build(tmp_path / "tree", tmp_path / "acervo")
    return tmp_path / "acervo"


@pytest.fixture
def machine(tmp_path: Path, server: EmbeddingServer) -> Site:
    """The command line with that server for its embeddings; no site is started."""
    return Site(
        tmp_path / "var",
        DOFPILOT_EMBEDDINGS="endpoint",
        DOFPILOT_EMBEDDINGS_URL=server.url,
        DOFPILOT_EMBEDDINGS_MODEL="modelo-e5",
    )


def rows_written(corpus: Path) -> int:
    file = corpus / "vectors" / "rows-1.bin"
    return file.stat().st_size if file.exists() else 0


def test_it_embeds_every_passage_and_then_has_nothing_left(machine, corpus, server):
    chunks = read_manifest(corpus).chunks
    done = machine.manage("embed_corpus", str(corpus))
    assert done.returncode == 0, done.stderr
    assert f"{chunks} de {chunks} pasajes" in done.stdout
    settings = read_vector_manifest(corpus / "vectors").settings
    assert (settings.model, settings.query_prefix) == ("modelo-e5", "query: ")
    assert all(text.startswith("passage: ") for text in server.texts)
    again = machine.manage("embed_corpus", str(corpus))
    assert "ninguno nuevo" in again.stdout
    assert "\x1b" not in done.stderr + again.stderr


def test_on_a_terminal_a_bar_tells_how_far_it_is(machine, corpus):
    written = machine.manage_on_terminal("embed_corpus", str(corpus), "--jobs", "1")
    chunks = read_manifest(corpus).chunks
    assert "━" in written
    assert f"{chunks} de {chunks} pasajes" in written


@pytest.mark.processes
def test_killed_at_any_moment_it_goes_on_where_it_was(machine, corpus, server):
    server.hold(PASSES)
    running = machine.begin("embed_corpus", str(corpus), "--jobs", "1")
    assert server.held.wait(60)
    wait_for(lambda: rows_written(corpus))
    running.kill()
    running.wait(10)
    asked = len(server.received)
    server.open()
    done = machine.manage("embed_corpus", str(corpus))
    assert done.returncode == 0, done.stderr
    resumed = read_vector_manifest(corpus / "vectors")
    assert resumed.chunks == resumed.chunks_total
    assert f"({resumed.chunks} nuevos)" not in done.stdout
    first_answers = {text for body in server.received[1:3] for text in body["input"]}
    assert not first_answers & {text for body in server.received[asked:] for text in body["input"]}
    whole = machine.manage("embed_corpus", str(corpus), "--restart")
    assert whole.returncode == 0, whole.stderr
    assert read_vector_manifest(corpus / "vectors").fingerprint == resumed.fingerprint


@pytest.mark.processes
def test_interrupted_it_keeps_what_it_has_and_says_how_to_go_on(machine, corpus, server):
    server.hold(PASSES)
    running = machine.begin("embed_corpus", str(corpus), "--jobs", "1")
    assert server.held.wait(60)
    running.send_signal(signal.SIGINT)
    wait_for(lambda: rows_written(corpus))
    server.open()
    assert running.wait(30) == 130
    stopped = read_vector_manifest(corpus / "vectors")
    assert 0 < stopped.chunks < stopped.chunks_total
    assert machine.manage("embed_corpus", str(corpus)).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "environment", "told"),
    [
        ([], {"DOFPILOT_EMBEDDINGS": "", "DOFPILOT_EMBEDDINGS_URL": "", "DOFPILOT_EMBEDDINGS_MODEL": ""},
         "DOFPILOT_EMBEDDINGS: falta"),
        ([], {"DOFPILOT_EMBEDDINGS_MODEL": "otro"}, "el modelo es «modelo-e5» y no «otro»"),
        (["--jobs", "0"], {}, "entre 1 y 256"),
        ([], {"DOFPILOT_EMBEDDINGS_URL": "http://127.0.0.1:9/v1"}, "no está al alcance"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(machine, corpus, server, arguments, environment, told):
    assert machine.manage("embed_corpus", str(corpus)).returncode == 0
    failed = machine.manage("embed_corpus", str(corpus), *arguments, **environment)
    assert failed.returncode != 0
    assert told in failed.stderr
    assert "Traceback" not in failed.stderr


def test_a_directory_that_is_no_corpus_is_named(machine, tmp_path):
    failed = machine.manage("embed_corpus", str(tmp_path / "nada"))
    assert "no existe el directorio del acervo" in failed.stderr


def test_the_line_of_progress_promises_nothing_that_it_does_not_know():
    now = EmbedProgress(1200, 6700, 50_000, 3_000_000, Phase.EMBEDDING)
    assert progress_line(now, None) == "1,200 de 6,700 pasajes · midiendo el ritmo"
    assert progress_line(now, 0.0) == "1,200 de 6,700 pasajes · 0 B/s · sin avance"
    assert progress_line(now, 2950.4) == "1,200 de 6,700 pasajes · 2,950 B/s · faltan cerca de 17 min"
    graph = EmbedProgress(6700, 6700, 3_000_000, 0, Phase.GRAPH)
    assert progress_line(graph, 2950.4) == "6,700 de 6,700 pasajes · organizando el índice"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (3, "menos de 1 min"),
        (61, "cerca de 1 min"),
        (3599, "cerca de 1 h"),
        (86_400, "cerca de 24 h"),
        (5_000_000, "cerca de 58 días"),
    ],
)
def test_a_long_wait_is_told_in_its_largest_unit(seconds, said):
    assert roughly(seconds) == said
