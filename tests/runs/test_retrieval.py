"""How runs search: settled at admission, and told at the end as it really was."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dofpilot.agent.retrieval import UNTOLD
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import IntegrityError
from dofpilot.corpus.vectors.filling import embed
from runs import lifecycle
from runs.corpus_access import corpus
from runs.models import Run
from runs.public import public_run
from runs.work import execution
from tests import cast, scripts
from tests.corpus.vectors.embedders import HashingEmbedder
from tests.corpus.vectors.server import EmbeddingServer
from tests.runs.test_commands import QUESTION, stored_runs

MODEL = "palabras"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as running:
        yield running


@pytest.fixture
def vectors(site, server: EmbeddingServer, sample_corpus: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of a site whose corpus has vectors of the model that the server serves."""
    corpus = tmp_path / "con vectores"
    shutil.copytree(sample_corpus, corpus)
    embed(corpus, HashingEmbedder(provider="endpoint", model=MODEL), jobs=1)
    return {
        "DOFPILOT_CORPUS": str(corpus),
        "DOFPILOT_EMBEDDINGS": "endpoint",
        "DOFPILOT_EMBEDDINGS_URL": server.url,
        "DOFPILOT_EMBEDDINGS_MODEL": MODEL,
        **scripts.write(tmp_path / "script.json", scripts.WHOLE),
    }


def asked(site, environment: dict[str, str]) -> tuple[dict[str, Any], str]:
    """The public run, and what was written beside it."""
    done = site.manage("ask", QUESTION, "--as-of", "2026-04-24", "--json", **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def warnings(run: dict[str, Any]) -> list[str]:
    return [warning["code"] for warning in run["result"]["warnings"]]


def how(run: dict[str, Any]) -> tuple[bool, str, bool | None]:
    """Whether vectors could be used, how the run was to search, and whether it used them."""
    told = run["provenance"]
    return told["vector_available"], told["retrieval_mode"], told["vector_used"]


def searches(told: dict[str, Any]) -> tuple[bool | None, int | None, int | None, float | None]:
    names = ("vector_used", "searches_by_vectors", "searches_fallen_back", "smallest_vector_share")
    return tuple(told["provenance"][name] for name in names)


def failing_after(server: EmbeddingServer, answered: int) -> None:
    reply = server.reply

    def fails(body: dict[str, Any]) -> tuple[int, Any]:
        fault = (500, {"error": {"message": "se quedó sin memoria"}})
        return reply(body) if len(server.received) <= answered else fault

    server.reply = fails


def test_where_there_are_vectors_a_run_uses_them(site, vectors, server):
    run, _ = asked(site, vectors)
    assert how(run) == (True, "hybrid", True)
    told = run["provenance"]
    assert (told["vector_complete"], told["vector_model"]) == (1.0, MODEL)
    assert len(told["vector_fingerprint"]) > 10
    assert warnings(run) == []
    assert searches(run) == (True, 2, 0, 1.0)
    assert len(server.received) == 2


def test_an_embedding_server_that_fails_half_way_leaves_a_run_that_goes_on_by_words(site, vectors, server):
    failing_after(server, 1)
    run, written = asked(site, vectors)
    assert run["status"] == "succeeded"
    assert warnings(run) == ["words_alone"]
    assert run["result"]["warnings"][0]["values"] == {"count": 1, "total": 2}
    assert how(run) == (True, "hybrid", True)
    assert searches(run) == (True, 1, 1, 1.0)
    assert written.count("No se pudieron comparar vectores: se buscó solo por palabras") == 1
    assert "se quedó sin memoria" in written
    assert "se quedó sin memoria" not in json.dumps(run, ensure_ascii=False)


def test_vectors_that_were_there_and_never_compared_were_not_used(site, vectors, server):
    failing_after(server, 0)
    run, _ = asked(site, vectors)
    assert how(run) == (True, "hybrid", False)
    assert searches(run) == (False, 0, 2, None)
    assert run["result"]["warnings"][0]["values"] == {"count": 2, "total": 2}


def test_without_vectors_or_without_a_wish_for_them_a_run_goes_by_words(site, vectors, server):
    run, _ = asked(site, {**vectors, "DOFPILOT_RETRIEVAL": "lexical"})
    assert how(run) == (True, "lexical", False)
    run, _ = asked(site, {})
    assert how(run) == (False, "lexical", False)
    told = run["provenance"]
    assert (told["vector_complete"], told["vector_fingerprint"], told["vector_model"]) == (0.0, None, None)
    assert server.received == []


def test_an_index_that_is_not_whole_yet_is_used_and_told(site, vectors, server):
    corpus = Path(vectors["DOFPILOT_CORPUS"])
    batches = iter(range(7))
    shutil.rmtree(corpus / "vectors")
    embed(
        corpus,
        HashingEmbedder(provider="endpoint", model=MODEL),
        jobs=1,
        is_stopped=lambda: next(batches, None) is None,
    )
    run, written = asked(site, vectors)
    assert how(run) == (True, "hybrid", True)
    share = run["provenance"]["vector_complete"]
    _, by_vectors, fallen_back, smallest = searches(run)
    # What a search finds may be all without vectors.
    assert by_vectors + fallen_back == 2
    assert 0 < share == smallest < 1
    assert warnings(run)[-1] == "partial_vectors"
    assert run["result"]["warnings"][-1]["values"] == {"percent": f"{share * 100:g}"}
    assert written.count("Solo parte de los pasajes del acervo tiene vectores") == by_vectors > 0
    refused = site.manage("ask", QUESTION, **{**vectors, "DOFPILOT_RETRIEVAL": "vector"})
    assert "DOFPILOT_RETRIEVAL: el acervo no ofrece «vector»: faltan los vectores" in refused.stderr


def test_vectors_of_another_model_are_not_available(site, vectors, server):
    run, _ = asked(site, {**vectors, "DOFPILOT_EMBEDDINGS_MODEL": "otro"})
    assert how(run) == (False, "lexical", False)
    assert run["provenance"]["vector_model"] == MODEL
    refused = site.manage(
        "ask", QUESTION, **{**vectors, "DOFPILOT_EMBEDDINGS_MODEL": "otro", "DOFPILOT_RETRIEVAL": "hybrid"}
    )
    assert refused.returncode == 1
    assert "DOFPILOT_RETRIEVAL: el acervo no ofrece «hybrid»" in refused.stderr
    assert "«otro»" in refused.stderr


@pytest.mark.parametrize("command", [["ask", QUESTION], ["up"]])
def test_a_fixed_mode_that_the_corpus_does_not_offer_is_refused_by_name(site, command):
    refused = site.manage(*command, DOFPILOT_RETRIEVAL="hybrid")
    assert refused.returncode == 1
    assert "DOFPILOT_RETRIEVAL: el acervo no ofrece «hybrid»: no tiene vectores" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert stored_runs(site) == 0


def waiting(who, mode: str, setting: str = "hybrid") -> Run:
    run = Run(
        evaluator=who,
        client_request_id=mode,
        question=QUESTION,
        as_of=cast.AS_OF,
        required_hops=1,
        provenance={
            **cast.PROVENANCE,
            **UNTOLD,
            "retrieval_setting": setting,
            "retrieval_mode": mode,
            "corpus_fingerprint": "otra",
        },
    )
    lifecycle.create(run)
    return run


def answered(run: Run) -> dict[str, Any]:
    assert execution.run_next()
    return public_run(Run.objects.get(pk=run.pk))


@pytest.mark.django_db
def test_whether_vectors_were_used_is_not_known_before_the_end(loaded_corpus):
    run = waiting(cast.asker(), "lexical")
    assert searches(public_run(run)) == (None, None, None, None)
    told = answered(run)
    assert told["status"] == "succeeded"
    assert searches(told) == (False, 0, 0, None)


@pytest.mark.django_db
def test_a_planned_mode_that_went_with_its_corpus_fails_the_run(loaded_corpus):
    told = answered(waiting(cast.asker(), "hybrid"))
    assert (told["status"], told["error"]["code"]) == ("failed", "corpus_unavailable")
    assert told["provenance"]["vector_used"] is None


@pytest.mark.django_db
def test_where_the_mode_was_left_open_a_run_goes_on_by_words_and_says_so(loaded_corpus, caplog):
    told = answered(waiting(cast.asker(), "hybrid", setting="auto"))
    assert told["status"] == "succeeded"
    assert "vectors_gone" in warnings(told)
    assert how(told) == (False, "lexical", False)
    assert "does not offer «hybrid»" in caplog.text


@pytest.mark.django_db
def test_the_corpus_that_was_really_used_is_told_and_what_was_captured_is_kept(loaded_corpus):
    run = waiting(cast.asker(), "lexical")
    told = answered(run)["provenance"]
    assert told["corpus_fingerprint"] == corpus().manifest.fingerprint
    assert told["corpus_version"] == corpus().manifest.version
    assert Run.objects.get(pk=run.pk).provenance["corpus_fingerprint"] == "otra"


@pytest.mark.django_db
def test_a_run_that_fails_after_its_searches_tells_of_them(loaded_corpus, monkeypatch):
    def broken(*arguments: object, **options: object) -> object:
        raise IntegrityError("el pasaje 1 no coincide con su huella")

    monkeypatch.setattr(Corpus, "read_chunks", broken)
    told = answered(waiting(cast.asker(), "lexical"))
    assert (told["status"], told["error"]["code"]) == ("failed", "corpus_unavailable")
    assert searches(told) == (False, 0, 0, None)
    assert told["provenance"]["corpus_fingerprint"] == corpus().manifest.fingerprint
