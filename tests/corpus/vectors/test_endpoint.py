"""Vectors from a server: what is sent, what is checked, and what is told when it fails."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from dofpilot.corpus.vectors.embedding import EmbeddingSettings, EmbeddingUnavailable
from dofpilot.corpus.vectors.endpoint import Endpoint, EndpointEmbedder
from tests.corpus.vectors.embedders import hashed
from tests.corpus.vectors.server import EmbeddingServer, embeddings

KEY = "sk-muy-secreta"


def embedder(server: EmbeddingServer, **more: object) -> EndpointEmbedder:
    given = {"model": "e5", "base_url": server.url, "api_key": KEY, "retries": 0, **more}
    return EndpointEmbedder(Endpoint(**given))


def test_passages_come_back_as_unit_rows_in_their_order(server):
    server.reply = lambda body: embeddings([[3.0 * len(text), 4.0 * len(text)] for text in body["input"]])
    rows = embedder(server, batch=2).embed_passages(["uno", "dos dos", "tres"])
    assert rows == pytest.approx(np.array([[0.6, 0.8]] * 3))
    assert [len(body["input"]) for body in server.received] == [2, 1]
    assert server.keys == [f"Bearer {KEY}"] * 2


def test_each_kind_of_text_gets_its_prefix(server):
    asking = embedder(server, query_prefix="query: ", passage_prefix="passage: ")
    asking.embed_passages(["agua"])
    asking.embed_query("¿agua?")
    assert server.texts == ["passage: agua", "query: ¿agua?"]
    assert asking.settings == EmbeddingSettings("endpoint", "e5", "query: ", "passage: ")


def test_the_index_and_not_the_order_of_a_reply_counts(server):
    def backwards(body):
        status, answer = embeddings([hashed(text) for text in body["input"]])
        return status, {**answer, "data": answer["data"][::-1]}

    server.reply = backwards
    rows = embedder(server).embed_passages(["uno", "dos"])
    assert rows == pytest.approx(np.array([hashed("uno"), hashed("dos")]), abs=1e-6)


def test_base64_is_understood_although_numbers_were_asked_for(server):
    packed = base64.b64encode(np.array([0.0, 2.0], dtype="<f4").tobytes()).decode()
    server.reply = lambda body: embeddings([packed])
    assert embedder(server).embed_query("hola").tolist() == [0.0, 1.0]
    assert server.received[0]["encoding_format"] == "float"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (embeddings([[1.0, 0.0]]), "se pidieron 2 vectores"),
        (embeddings([[1.0, 0.0]] * 3), "se pidieron 2 vectores"),
        (embeddings([[1.0, 0.0], [1.0]]), "distintas dimensiones"),
        (embeddings([[1.0, 0.0], [0.0, 0.0]]), "vector vacío"),
        (embeddings([[1.0, 0.0], [float("nan"), 1.0]]), "no son números"),
        (embeddings([[1.0, 0.0], "%%%"]), "base64"),
        (embeddings([[1.0, 0.0], "AAAA"]), "no son vectores"),
        (embeddings([[1.0, 0.0], None]), "no son vectores"),
        (embeddings([[1.0], ["uno"]]), "no son vectores"),
        (embeddings([[], []]), "llegó otra cosa"),
        ((200, {"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]}), "índices"),
        ((200, {"data": [{"embedding": [1.0]}, {"embedding": [1.0]}]}), "no son vectores"),
        ((200, {"error": {"message": "sin memoria"}}), "sin memoria"),
        ((200, [1, 2]), "no son vectores"),
        ((200, "<html>"), "no son vectores"),
        ((500, {"error": {"message": "se rompió"}}), "error 500"),
        ((401, {"error": {"message": f"la clave {KEY} no vale"}}), "error 401"),
    ],
)
def test_a_reply_that_is_no_use_is_told_without_the_key(server, reply, told):
    server.reply = lambda body: reply
    with pytest.raises(EmbeddingUnavailable) as failed:
        embedder(server).embed_passages(["uno", "dos"])
    assert told in str(failed.value)
    assert "«e5»" in str(failed.value)
    assert KEY not in str(failed.value)


def test_vectors_of_two_dimensions_in_two_batches_are_refused(server):
    server.reply = lambda body: embeddings([[1.0] * len(server.received)])
    with pytest.raises(EmbeddingUnavailable, match="distintas dimensiones"):
        embedder(server, batch=1).embed_passages(["uno", "dos"])


def test_passages_are_tried_again_and_a_query_is_not(server):
    def fails_first(body):
        return embeddings([[1.0]]) if len(server.received) > 1 else (503, {"error": {"message": "ocupado"}})

    server.reply = fails_first
    assert len(embedder(server, retries=2).embed_passages(["uno"])) == 1
    server.received.clear()
    with pytest.raises(EmbeddingUnavailable, match="error 503"):
        embedder(server, retries=2).embed_query("uno")
    assert len(server.received) == 1


def test_a_server_that_hangs_or_is_away_is_given_up(server):
    server.hold(0)
    with pytest.raises(EmbeddingUnavailable, match="no respondió a tiempo"):
        embedder(server, query_timeout=0.1).embed_query("hola")
    gone = EndpointEmbedder(Endpoint("e5", "http://127.0.0.1:9/v1", retries=0))
    with pytest.raises(EmbeddingUnavailable, match="no está al alcance"):
        gone.embed_query("hola")


def test_no_texts_ask_nothing(server):
    assert len(embedder(server).embed_passages([])) == 0
    assert server.received == []
