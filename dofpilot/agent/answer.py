"""From a draft's text to an answer that names only what was read.

Models wrap JSON in fences and sentences, repeat it, or cut it; each spelling with one meaning is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator
from typing import Any, NamedTuple

from dofpilot.agent.outcome import Answer, PremiseStatus
from dofpilot.agent.tools.coercion import printable

OBJECTS_TRIED = 200
REJECTED_KEPT = 20
REJECTED_LENGTH = 40
_ID = r"-?[0-9]{1,19}"
# What models write for the one form that answers keep (``outcome.MARKER``).
_WRITTEN_MARKER = re.compile(
    rf"(?P<before>[ \t]*)\[\s*(?:chunk_id\s*[:=]?\s*)?(?P<ids>{_ID}(?:\s*[,;]\s*{_ID})*)\s*\]", re.IGNORECASE
)
_CUT_ANSWER = re.compile(r'"answer"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
_FENCE = re.compile(r"^```[a-z]*\s*|\s*```$", re.IGNORECASE)


class Final(NamedTuple):
    """The final answer as the model wrote it; ``structured`` is false for text that is no such JSON."""

    text: str
    citations: tuple[object, ...]
    premise_status: PremiseStatus
    structured: bool


def parse(text: str) -> Final:
    """The first JSON object in ``text`` that fits the answer's schema, else the text itself."""
    for candidate in _objects(text):
        if (final := _fitting(candidate)) is not None:
            return final
    return Final(_readable(text), (), PremiseStatus.UNCLEAR, structured=False)


def resolve(final: Final, read: Container[int]) -> Answer | None:
    """Keep citations and ``[chunk_id]`` markers of passages in ``read``; ``None`` when no text is left.

    A marker counts as a citation even where the list forgets it. Markers of other ids leave the text.
    """
    used: list[int] = []
    rejected: list[str] = []

    def replace(match: re.Match[str]) -> str:
        named = re.split(r"\s*[,;]\s*", match["ids"])
        kept, refused = _sorted_out(named, read)
        used.extend(kept)
        rejected.extend(refused)
        return match["before"] + "".join(f"[{chunk}]" for chunk in kept) if kept else ""

    text = _WRITTEN_MARKER.sub(replace, printable(final.text)).strip()
    listed, refused = _sorted_out(final.citations, read)
    if not text:
        return None
    names = dict.fromkeys(name[:REJECTED_LENGTH] for name in [*refused, *rejected])
    citations = tuple(dict.fromkeys([*used, *listed]))
    return Answer(text, citations, final.premise_status, tuple(names)[:REJECTED_KEPT])


def _objects(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder(strict=False)
    for opening, _ in zip(re.finditer(r"\{", text), range(OBJECTS_TRIED), strict=False):
        try:
            yield decoder.raw_decode(text, opening.start())[0]
        except (ValueError, RecursionError):
            continue


def _fitting(candidate: Any) -> Final | None:
    match candidate:
        case {"answer": str(answer), "citations": list(citations), "premise_status": str(status)}:
            if answer.strip() and status in list(PremiseStatus):
                return Final(answer, tuple(citations), PremiseStatus(status), structured=True)
    return None


def _readable(text: str) -> str:
    """What a person can read of text that is no complete answer object: its cut answer, or all of it."""
    if (cut := _CUT_ANSWER.search(text)) is None:
        return _FENCE.sub("", text.strip())
    try:
        return str(json.loads(f'"{cut[1]}"', strict=False))
    except ValueError:
        return cut[1]


def _sorted_out(named: Iterable[object], read: Container[int]) -> tuple[list[int], list[str]]:
    kept: list[int] = []
    rejected: list[str] = []
    for name in named:
        chunk_id = _identifier(name)
        if chunk_id is not None and chunk_id in read:
            kept.append(chunk_id)
        else:
            rejected.append(printable(str(name)))
    return kept, rejected


def _identifier(name: object) -> int | None:
    if isinstance(name, str) and re.fullmatch(_ID, name.strip()):
        return int(name)
    return name if isinstance(name, int) and not isinstance(name, bool) else None
