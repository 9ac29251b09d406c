"""From a draft's text to an answer that names only what was read.

Models wrap JSON in fences and sentences, repeat it, or cut it; each spelling with one meaning is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dofpilot.agent.markers import clean, rewrite
from dofpilot.agent.outcome import Answer, PremiseStatus, Rejection, RejectionReason
from dofpilot.agent.tools.coercion import printable

OBJECTS_TRIED = 200
REJECTED_KEPT = 20
REJECTED_LENGTH = 40
ANSWER_LENGTH = 20_000
"""Characters that an answer may have: judging it costs time for each of them, after the last deadline too."""
_DRAFT_LENGTH = 10 * ANSWER_LENGTH
_CUT_ANSWER = re.compile(r'"answer"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
_CUT_MARKER = re.compile(r"\[[^\]\n]{0,60}$")
_FENCE = re.compile(r"^```[a-z]*\s*|```$", re.IGNORECASE)


class Final(NamedTuple):
    """The final answer as the model wrote it; ``structured`` is false for text that is no such JSON."""

    text: str
    citations: tuple[object, ...]
    premise_status: PremiseStatus
    structured: bool


def parse(text: str) -> Final:
    """The first JSON object in ``text`` that fits the answer's schema, else the text itself.

    What an object with the longest answer can do without is not looked at.
    """
    text = text[:_DRAFT_LENGTH]
    for candidate in _objects(text):
        if (final := _fitting(candidate)) is not None:
            return final
    return Final(_readable(text), (), PremiseStatus.UNCLEAR, structured=False)


class Resolved(NamedTuple):
    """``answer`` is ``None`` when no text is left; ``cut``: there was more of it than ``ANSWER_LENGTH``."""

    answer: Answer | None
    cut: bool


def resolve(final: Final, read: Container[int], known: Callable[[int], bool]) -> Resolved:
    """Keep citations and ``[chunk_id]`` markers of passages in ``read``, and no more text than is judged.

    ``known`` tells of an id whether any tool returned it. A marker counts as a citation even where the list
    forgets it. Markers of other ids leave the text (see ``markers``).
    """
    sorting = _Sorting(read, known)
    written, too_long = _within_length(final.text.strip())
    # One marker of a span of passages becomes many.
    text, grown = _within_length(rewrite(clean(printable(written)), sorting.keeps, sorting.knows).strip())
    if not text:
        return Resolved(None, too_long)
    sorting.listed(final.citations)
    answer = Answer(text, tuple(sorting.used), final.premise_status, tuple(sorting.rejected))
    return Resolved(answer, too_long or grown)


def _within_length(text: str) -> tuple[str, bool]:
    """The text, or as much of it as an answer may have, and whether that is less."""
    if len(text) <= ANSWER_LENGTH:
        return text, False
    return _CUT_MARKER.sub("", text[:ANSWER_LENGTH]).rstrip(), True


@dataclass(slots=True)
class _Sorting:
    """``used`` holds the ids that count, in order of use; ``rejected`` the first of the others, with why."""

    read: Container[int]
    known: Callable[[int], bool]
    used: dict[int, None] = field(default_factory=dict)
    rejected: dict[Rejection, None] = field(default_factory=dict)

    def listed(self, citations: Iterable[object]) -> None:
        seen: set[object] = set()
        for name in citations:
            if isinstance(name, int) and not isinstance(name, bool) and name in seen:
                self._reject(name, RejectionReason.REPEATED)
            elif self.keeps(name):
                seen.add(name)

    def keeps(self, name: object) -> bool:
        """The schema asks for numbers: a number as text is a fault that the model can mend."""
        if not isinstance(name, int) or isinstance(name, bool) or name < 1:
            self._reject(name, RejectionReason.INVALID)
        elif name not in self.read:
            self._reject(name, RejectionReason.NOT_READ if self.knows(name) else RejectionReason.UNKNOWN)
        else:
            self.used[name] = None
            return True
        return False

    def knows(self, name: int) -> bool:
        return name in self.read or self.known(name)

    def _reject(self, name: object, reason: RejectionReason) -> None:
        if len(self.rejected) < REJECTED_KEPT:
            self.rejected[Rejection(clean(printable(str(name)))[:REJECTED_LENGTH], reason)] = None


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
            named = status.strip().lower()
            if answer.strip() and named in list(PremiseStatus):
                return Final(answer, tuple(citations), PremiseStatus(named), structured=True)
    return None


def _readable(text: str) -> str:
    """What a person can read of text that is no complete answer object: its cut answer, or all of it."""
    if (cut := _CUT_ANSWER.search(text)) is None:
        return _FENCE.sub("", text.strip()).rstrip()
    try:
        said = str(json.loads(f'"{cut[1]}"', strict=False))
    except ValueError:
        said = cut[1]
    return _CUT_MARKER.sub("", said).rstrip()
