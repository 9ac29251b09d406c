"""Words and vectors together: what a corpus offers, how two orders become one, what holds without vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dofpilot.corpus.building.builder import build
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import InvalidRequest
from dofpilot.corpus.search import fusion, semantic
from dofpilot.corpus.types import Filters, Score, Strategy
from dofpilot.corpus.vectors.embedding import EmbeddingSettings, EmbeddingUnavailable, Vectors
from dofpilot.corpus.vectors.filling import embed
from tests.corpus.trees import write

TOLL, DOGS, RAIN, TAX = 31, 32, 33, 34
TEXTS = {
    TOLL: "## AVISO de cuotas\n\nEl peaje de la autopista es de cinco pesos.\n",
    DOGS: "## LEY de mascotas\n\nEl can andará con correa.\n",
    RAIN: "## INFORME del clima\n\nLa precipitación fue abundante.\n",
    TAX: "## LEY de impuestos\n\nLa autopista paga impuestos y más impuestos.\n",
}
MEANINGS = (("peaje", "caseta"), ("can", "perro"), ("precipitación", "lluvia"), ("impuestos", "gravamen"))


class Understanding:
    """Knows which words mean the same; ``fails`` once it is told to."""

    settings = EmbeddingSettings("prueba", "sentidos")

    def __init__(self) -> None:
        self.fails = False
        self.asked: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._vector(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        self.asked.append(text)
        if self.fails:
            raise EmbeddingUnavailable("el servidor de vectores no responde")
        return self._vector(text)

    def _vector(self, text: str) -> Vectors:
        words = text.lower().replace(".", " ").split()
        axes = [0.05 + sum(word in same for word in words) for same in MEANINGS]
        return np.array(axes, dtype=np.float32) / np.linalg.norm(axes)


@pytest.fixture
def embedder() -> Understanding:
    return Understanding()


@pytest.fixture
def out(tmp_path: Path, embedder: Understanding) -> Path:
    for code, text in TEXTS.items():
        write(tmp_path / "tree", code, text, day=date(2025, 1, code - 30))
    build(tmp_path / "tree", tmp_path / "out")
    embed(tmp_path / "out", embedder, jobs=1)
    return tmp_path / "out"


@pytest.fixture
def corpus(out: Path, embedder: Understanding) -> Iterator[Corpus]:
    with Corpus.open(out, embedder) as opened:
        yield opened


def ids(hits: Sequence) -> list[int]:  # type: ignore[type-arg]
    return [hit.publication.document_id for hit in hits]


def test_a_corpus_offers_what_its_vectors_allow(out: Path, corpus: Corpus) -> None:
    assert corpus.strategies == {Strategy.LEXICAL, Strategy.HYBRID, Strategy.VECTOR}
    assert corpus.vectors is not None
    assert (corpus.vectors.share, corpus.vectors.unusable) == (1.0, "")
    with Corpus.open(out) as unable:
        assert unable.strategies == {Strategy.LEXICAL}
        assert unable.vectors is not None
        assert "sentidos" in unable.vectors.unusable
        with pytest.raises(InvalidRequest, match="strategy"):
            unable.search_documents("caseta", strategy=Strategy.HYBRID)


def test_vectors_find_what_no_word_says(corpus: Corpus) -> None:
    assert ids(corpus.search_documents("perro", strategy=Strategy.VECTOR))[0] == DOGS
    assert ids(corpus.search_documents("perro", strategy=Strategy.HYBRID))[0] == DOGS
    assert ids(corpus.search_documents("perro")) == []


def test_both_sides_count_in_a_hybrid_score(corpus: Corpus) -> None:
    found = corpus.search_passages("caseta caseta de la autopista de impuestos", strategy=Strategy.HYBRID)
    assert ids(corpus.search_passages("caseta de la autopista de impuestos")) == [TAX, TOLL]
    assert ids(found)[:2] == [TOLL, TAX]
    toll = found[0].score
    assert toll.boosts["vector"] > 0
    assert toll.base > 0
    assert found[0].score.total >= found[1].score.total


def test_it_says_what_was_used(corpus: Corpus) -> None:
    how = corpus.search_documents("perro", strategy=Strategy.HYBRID).retrieval
    assert (how.asked, how.used, how.fallback, how.vector_share) == ("hybrid", "hybrid", "", 1.0)
    plain = corpus.search_documents("peaje").retrieval
    assert (plain.used, plain.vector_share) == ("lexical", 0.0)


@pytest.mark.parametrize("strategy", [Strategy.HYBRID, Strategy.VECTOR])
def test_without_the_vector_of_a_question_words_answer_and_it_is_told(
    corpus: Corpus, embedder: Understanding, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder.fails = True
    found = corpus.search_documents("peaje", strategy=strategy)
    assert ids(found) == [TOLL]
    assert found.retrieval.used is Strategy.LEXICAL
    assert found.retrieval.fallback == "el servidor de vectores no responde"
    assert found.retrieval.vector_share == 0.0
    embedder.fails = False
    monkeypatch.setattr(semantic, "PAUSE", 0.0)
    assert corpus.search_documents("peaje", strategy=strategy).retrieval.used is strategy


def test_an_embedder_that_failed_is_left_in_peace_for_a_while(
    corpus: Corpus, embedder: Understanding
) -> None:
    embedder.fails = True
    for question in ("peaje", "lluvia", "peaje de la autopista"):
        assert corpus.search_documents(question, strategy=Strategy.HYBRID).retrieval.fallback
    assert embedder.asked == ["peaje"]


def test_documents_found_without_vectors_are_those_of_a_lexical_search(
    corpus: Corpus, embedder: Understanding
) -> None:
    embedder.fails = True
    found = corpus.search_documents("autopista de impuestos", strategy=Strategy.HYBRID, limit=1)
    assert found.hits == corpus.search_documents("autopista de impuestos", limit=1).hits


def test_a_question_is_embedded_once(corpus: Corpus, embedder: Understanding) -> None:
    corpus.search_documents("perro", strategy=Strategy.HYBRID)
    corpus.search_evidence("perro", [DOGS, RAIN], strategy=Strategy.HYBRID)
    assert embedder.asked == ["perro"]


def test_limits_hold_for_both_sides(corpus: Corpus) -> None:
    early = Filters(as_of=date(2025, 1, 2))
    for strategy in (Strategy.HYBRID, Strategy.VECTOR):
        assert set(ids(corpus.search_documents("impuestos lluvia", early, strategy=strategy))) <= {TOLL, DOGS}
        evidence = corpus.search_evidence("impuestos lluvia", [RAIN], strategy=strategy)
        assert ids(evidence) == [RAIN]


def test_with_some_vectors_missing_they_only_reorder_what_words_find(
    tmp_path: Path, out: Path, embedder: Understanding
) -> None:
    write(tmp_path / "tree", 35, "## AVISO de casetas\n\nLa autopista tiene un perro.\n")
    build(tmp_path / "tree", out, update=True)
    with Corpus.open(out, embedder) as corpus:
        assert corpus.strategies == {Strategy.LEXICAL, Strategy.HYBRID}
        found = corpus.search_documents("caseta de la autopista", strategy=Strategy.HYBRID)
        assert set(ids(found)) == {TOLL, TAX, 35}
        assert found.retrieval.vector_share == pytest.approx(4 / 5)
        unmoved = corpus.search_documents("perro", strategy=Strategy.HYBRID)
        assert ids(unmoved) == [35]
        assert (unmoved.retrieval.used, unmoved.retrieval.vector_share) == (Strategy.LEXICAL, 0.0)
        assert "ninguno" in unmoved.retrieval.fallback


def test_damaged_vectors_cost_their_strategies_and_no_more(out: Path, embedder: Understanding) -> None:
    (out / "vectors" / "manifest.json").write_text("{")
    with Corpus.open(out, embedder) as corpus:
        assert corpus.strategies == {Strategy.LEXICAL}
        assert corpus.vectors is not None
        assert "manifest.json" in corpus.vectors.unusable
        assert ids(corpus.search_documents("peaje")) == [TOLL]


SCORES = st.dictionaries(st.integers(1, 30), st.floats(0.01, 99), max_size=12)
COSINES = st.dictionaries(st.integers(1, 30), st.floats(-1, 1), max_size=12)


@given(SCORES, COSINES, st.floats(0, 1), st.integers(1, 40))
def test_fusion_keeps_every_chunk_once_in_order_and_in_bounds(
    words: dict[int, float], cosines: dict[int, float], weight: float, limit: int
) -> None:
    hits = fusion.fuse({chunk: Score(total) for chunk, total in words.items()}, cosines, weight, limit)
    assert len({hit.chunk_id for hit in hits}) == len(hits) == min(limit, len({*words, *cosines}))
    totals = [hit.score.total for hit in hits]
    assert totals == sorted(totals, reverse=True)
    assert all(-1e-9 <= total <= 1 + 1e-3 for total in totals)


def test_the_rarer_the_terms_the_more_words_count() -> None:
    weights = [fusion.lexical_weight(rarity) for rarity in (0.0, 0.2, 0.4, 1.0)]
    assert weights == sorted(set(weights))
    assert 0 < weights[0] < weights[-1] < 1


def test_a_fused_total_is_the_weighted_sum_of_both_sides_by_score_and_by_place() -> None:
    words = {1: Score(6.0, {"norm": 2.0}), 2: Score(4.0)}
    first, second, third = fusion.fuse(words, {1: 0.5, 3: 0.9, 2: 0.7}, 0.6, 10)
    assert [hit.chunk_id for hit in (first, second, third)] == [1, 2, 3]
    places = [1, 10 / 11, 10 / 12]
    assert first.score == near_to(Score(0.45, {"norm": 0.15, "vector": 0.4 * (0 + places[2]) / 2}))
    assert second.score == near_to(
        Score(0.6 * (0.5 + places[1]) / 2, {"vector": 0.4 * (0.5 + places[1]) / 2})
    )
    assert third.score == near_to(Score(0.0, {"vector": 0.4}))


def near_to(score: Score) -> Score:
    return Score(
        pytest.approx(score.base, abs=1e-4),
        {name: pytest.approx(given, abs=1e-4) for name, given in score.boosts.items()},
    )
