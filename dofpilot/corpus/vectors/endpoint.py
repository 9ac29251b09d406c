"""Any server that speaks OpenAI's ``/v1/embeddings``."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dofpilot.corpus.vectors.embedding import EmbeddingSettings, EmbeddingUnavailable, Vectors, unit_rows
from dofpilot.corpus.vectors.windows import tidy

if TYPE_CHECKING:
    import openai

NAME = "endpoint"
# A local server wants no key, but the client refuses to start without one.
_NO_KEY = "not-needed"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How to reach a server. Times in seconds for one request; ``batch`` in texts for one request.

    A query has a person waiting and a search that does without vectors: it is given up early and not
    tried again. Passages are nobody's wait.
    """

    model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    query_prefix: str = ""
    passage_prefix: str = ""
    query_timeout: float = 3.0
    passage_timeout: float = 60.0
    retries: int = 4
    batch: int = 32


class EndpointEmbedder:
    """The client is made at the first text: to import it takes a second."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    @property
    def settings(self) -> EmbeddingSettings:
        to = self._endpoint
        return EmbeddingSettings(NAME, to.model, to.query_prefix, to.passage_prefix)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, 0), dtype=np.float32)
        to = self._endpoint
        sent = [to.passage_prefix + tidy(text) for text in texts]
        batches = [sent[start : start + to.batch] for start in range(0, len(sent), to.batch)]
        rows = [self._ask(batch, to.passage_timeout, to.retries) for batch in batches]
        if len({part.shape[1] for part in rows}) > 1:
            raise EmbeddingUnavailable(self._said("da vectores de distintas dimensiones"))
        return np.concatenate(rows)

    def embed_query(self, text: str) -> Vectors:
        to = self._endpoint
        vector: Vectors = self._ask([to.query_prefix + tidy(text)], to.query_timeout, 0)[0]
        return vector

    @cached_property
    def _client(self) -> openai.OpenAI:
        import openai

        to = self._endpoint
        return openai.OpenAI(api_key=to.api_key or _NO_KEY, base_url=to.base_url, max_retries=0)

    def _ask(self, texts: list[str], timeout: float, retries: int) -> Vectors:
        import openai

        try:
            client = self._client.with_options(timeout=timeout, max_retries=retries)
            # The raw reply: the client's own reading takes lists of numbers for base64 or fails on them.
            reply = client.embeddings.with_raw_response.create(
                model=self._endpoint.model, input=texts, encoding_format="float"
            )
            return unit_rows(_vectors(reply.http_response.json()), len(texts))
        except openai.APIError as error:
            raise EmbeddingUnavailable(self._said(_reason(error))) from None
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise EmbeddingUnavailable(self._said(f"respondió algo que no son vectores ({error})")) from None
        except EmbeddingUnavailable as error:
            raise EmbeddingUnavailable(self._said(f"no sirve: {error}")) from None

    def _said(self, what: str) -> str:
        """Servers like to repeat the key that they refuse, so it is taken out."""
        text = f"el servidor de vectores (modelo «{self._endpoint.model}») {what}"
        key = self._endpoint.api_key
        return (text.replace(key, "***") if key else text)[:500]


def _vectors(body: Any) -> Vectors:
    """The vectors of a reply, by their ``index``; servers need not keep the order of what they were asked."""
    if not isinstance(body, dict) or not isinstance(body.get("data"), list):
        raise ValueError(_error_in(body))
    entries = sorted(body["data"], key=lambda entry: int(entry["index"]))
    if [entry["index"] for entry in entries] != list(range(len(entries))):
        raise ValueError("los índices de sus vectores no son 0, 1, 2…")
    rows = [_numbers(entry["embedding"]) for entry in entries]
    if len({len(row) for row in rows}) > 1:
        raise ValueError("sus vectores tienen distintas dimensiones")
    return np.array(rows, dtype=np.float32)


def _numbers(embedding: Any) -> Any:
    """A list of numbers as it was asked for, or the base64 that some servers give whatever is asked."""
    if not isinstance(embedding, str):
        return embedding
    try:
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
    except binascii.Error:
        raise ValueError("un vector en base64 está dañado") from None


def _error_in(body: Any) -> str:
    error = body.get("error") if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return f"dice: {message}" if message else "falta «data»"


def _reason(error: openai.APIError) -> str:
    import openai

    if isinstance(error, openai.APITimeoutError):
        return "no respondió a tiempo"
    if isinstance(error, openai.APIConnectionError):
        return "no está al alcance"
    status = getattr(error, "status_code", None)
    return f"respondió con un error {status}: {error.message}" if status else f"falló: {error.message}"
