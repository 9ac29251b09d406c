"""That a model loses nothing it could answer with by reading results compactly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dofpilot.agent.conversation import ToolReturn
from dofpilot.agent.render.model import Told, for_model
from dofpilot.agent.render.trace import full
from dofpilot.agent.tools.results import DocumentsFound, EvidenceFound, ReadPassages, ToolResult
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.text.quotes import locate
from dofpilot.corpus.types import DocumentHit, EvidenceHit
from tests.benchmarks.agent_runs import Played

_IDS = frozenset({"document_id", "chunk_id", "best_chunk_id", "first_chunk_id", "last_chunk_id"})


@dataclass(frozen=True, slots=True)
class Kept:
    """``named``: ids that the results have and the lines for the model must have; ``read``: passages whose
    words they must have. ``lost``: those that they lack. ``gold``: hits whose passage holds a gold quote,
    with the share of its words that heading and snippet show in full and in the model's lines, summed up."""

    named: int = 0
    read: int = 0
    lost: int = 0
    gold: int = 0
    gold_full: float = 0.0
    gold_compact: float = 0.0

    def __add__(self, more: Kept) -> Kept:
        return Kept(*(getattr(self, name) + getattr(more, name) for name in self.__slots__))


def kept(played: Played, corpus: Corpus) -> Kept:
    quotes = [evidence.quote for document in played.case.gold_documents for evidence in document.evidence]
    told = Told()
    total, everything = Kept(), ""
    for message in played.turns[-1].messages:
        if isinstance(message, ToolReturn):
            everything = f"{everything}\n{for_model(message.result, told)}"
            total += _ids(message.result, everything) + _texts(message.result, everything)
            total += _gold(message.result, quotes, corpus)
    return total


def _ids(result: ToolResult, everything: str) -> Kept:
    wanted = {str(number) for number in _numbers(full(result))}
    return Kept(named=len(wanted), lost=len(wanted - set(re.findall(r"\d+", everything))))


def _numbers(rendered: Any) -> Iterator[int]:
    """Every id in a full rendering."""
    match rendered:
        case dict():
            for key, value in rendered.items():
                yield from [value] if key in _IDS else _numbers(value)
        case list():
            for item in rendered:
                yield from _numbers(item)


def _texts(result: ToolResult, everything: str) -> Kept:
    if not isinstance(result, ReadPassages):
        return Kept()
    said = f" {' '.join(_words(everything))} "
    lost = sum(f" {' '.join(_words(passage.text))} " not in said for passage in result.passages)
    return Kept(read=len(result.passages), lost=lost)


def _gold(result: ToolResult, quotes: Iterable[str], corpus: Corpus) -> Kept:
    if not isinstance(result, DocumentsFound | EvidenceFound):
        return Kept()
    total, lines = Kept(), for_model(result, Told()).splitlines()
    for hit in result.hits:
        (passage,) = corpus.read_chunks([_chunk(hit)])
        whole = " ".join((*hit.heading_path[-2:], hit.snippet))
        shown = next(line for line in lines if line.lstrip().startswith(f"{passage.chunk_id} |"))
        for quote in quotes:
            if locate(quote, passage.text):
                total += Kept(gold=1, gold_full=_share(quote, whole), gold_compact=_share(quote, shown))
    return total


def _chunk(hit: DocumentHit | EvidenceHit) -> int:
    return hit.best_chunk_id if isinstance(hit, DocumentHit) else hit.chunk_id


def _share(quote: str, shown: str) -> float:
    wanted = set(_words(quote))
    return len(wanted & set(_words(shown))) / len(wanted)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
