"""Rows as they are written: what is kept of a file left in the middle, and how exact they are."""

from __future__ import annotations

import numpy as np
import pytest

from dofpilot.corpus.vectors.rows import OWNER, Rows, cosines, quantised, starts_of, whole_rows

WHOLE = [(7, 1, 0, 3), (7, 1, 1, 3), (7, 1, 2, 3), (8, 2, 0, 1), (9, 3, 0, 2), (9, 3, 1, 2)]


def rows_of(owners: list[tuple[int, ...]], blank: int | None = None) -> Rows:
    codes = np.ones((len(owners), 4), dtype=np.int8)
    if blank is not None:
        codes[blank] = 0
    return Rows(np.array(owners, dtype=OWNER), codes)


@pytest.mark.parametrize(("written", "kept"), [(0, 0), (1, 0), (2, 0), (3, 3), (4, 4), (5, 4), (6, 6)])
def test_a_chunk_is_kept_when_all_its_windows_are_there(written, kept):
    assert whole_rows(rows_of(WHOLE[:written])) == kept


@pytest.mark.parametrize(("blank", "kept"), [(0, 0), (2, 0), (3, 3), (5, 4)])
def test_rows_end_where_a_vector_is_nothing_but_zeros(blank, kept):
    assert whole_rows(rows_of(WHOLE, blank)) == kept


@pytest.mark.parametrize("damaged", [(8, 2, 1, 1), (8, 2, 0, 0), (8, 2, 0, 2), (0, 0, 0, 0)])
def test_rows_end_where_an_owner_makes_no_sense(damaged):
    owners = [*WHOLE[:3], damaged, *WHOLE[4:]]
    assert whole_rows(rows_of(owners)) == 3
    with pytest.raises(ValueError, match="pasaje"):
        starts_of(rows_of(owners).owners)


def test_the_first_rows_of_chunks_are_found():
    assert starts_of(rows_of(WHOLE).owners).tolist() == [0, 3, 4]
    assert starts_of(rows_of([]).owners).tolist() == []


def test_int8_keeps_a_similarity_to_three_places():
    random = np.random.default_rng(1)
    vectors = random.standard_normal((500, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    query = vectors[0] + vectors[1]
    found = cosines(quantised(vectors), quantised(query))
    assert found == pytest.approx(vectors @ query / np.linalg.norm(query), abs=3e-3)
    assert found.dtype == np.float32
