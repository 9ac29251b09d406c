"""From a draft's text to an answer that names only what was read.

Models wrap JSON in fences and sentences, repeat it, or cut it; each spelling with one meaning is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from dofpilot.agent.markers import clean, rewrite
from dofpilot.agent.outcome import Answer, FaultCode, PremiseStatus, Rejection, RejectionReason, Remark
from dofpilot.agent.tools.coercion import printable
from dofpilot.agent.unformatted import unformatted
from dofpilot.agent.wording import remark
from dofpilot.corpus.text.shortening import shorten

OBJECTS_TRIED = 200
REJECTED_KEPT = 20
REJECTED_LENGTH = 40
ANSWER_LENGTH = 20_000
"""Characters that an answer may have: judging it costs time for each of them, after the last deadline too."""
_DRAFT_LENGTH = 10 * ANSWER_LENGTH
_PREMISE_LENGTH = 40
_KEYS = ("answer", "citations", "premise_status")
# The braces of a formula open none.
_OPENS_OBJECT = re.compile(r'\{(?=\s*")')
_CUT_ANSWER = re.compile(r'"answer"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
_MACHINE_TEXT = re.compile(r'\{\s*["}]')
_CUT_MARKER = re.compile(r"\[[^\]\n]{0,60}$")
_FENCE = re.compile(r"^```[a-z]*\s*|```$", re.IGNORECASE)


class Final(NamedTuple):
    """The final answer as the model wrote it; ``faults`` (with a ``FaultCode`` each) keep it from being the
    object asked for. What is at fault is empty here, or ``UNCLEAR``."""

    text: str
    citations: tuple[object, ...]
    premise_status: PremiseStatus
    faults: tuple[Remark, ...]


def parse(text: str) -> Final:
    """The first JSON object in ``text`` that fits the answer's schema, else what a person can read of it.

    What an object with the longest answer can do without is not looked at.
    """
    text = text[:_DRAFT_LENGTH]
    unfit: list[dict[str, Any]] = []
    for candidate in chain(_objects(text), _objects(_decoded(text))):
        final = _final(candidate)
        if final.text.strip() and not final.faults:
            return final
        unfit.append(candidate)
    return _faulty(text, max(unfit, key=_likeness, default={}))


class Resolved(NamedTuple):
    """``answer`` is ``None`` when no text is left; ``cut``: there was more of it than ``ANSWER_LENGTH``."""

    answer: Answer | None
    cut: bool


def resolve(final: Final, read: Collection[int], known: Callable[[int], bool]) -> Resolved:
    """Keep citations and ``[chunk_id]`` markers of passages in ``read``, and no more text than is judged.

    ``known`` tells of an id whether any tool returned it. A marker counts as a citation even where the list
    forgets it. Markers of other ids leave the text (see ``markers``), and so do the signs of Markdown, which
    may have stood inside of a marker (see ``unformatted``).
    """
    sorting = _Sorting(read, known)
    written, too_long = _within_length(final.text.strip())
    # One marker of a span of passages becomes many.
    plain = unformatted(clean(printable(written)))
    text, grown = _within_length(rewrite(plain, sorting.keeps, sorting.knows, sorting.resembles).strip())
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

    read: Collection[int]
    known: Callable[[int], bool]
    used: dict[int, None] = field(default_factory=dict)
    rejected: dict[Rejection, None] = field(default_factory=dict)
    _lengths: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        self._lengths = frozenset(len(str(name)) for name in self.read)

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

    def resembles(self, name: int) -> bool:
        """Whether a number is as long as the ids of this run, give or take a digit."""
        return any(abs(len(str(name)) - length) <= 1 for length in self._lengths)

    def _reject(self, name: object, reason: RejectionReason) -> None:
        if len(self.rejected) < REJECTED_KEPT:
            self.rejected[Rejection(clean(printable(str(name)))[:REJECTED_LENGTH], reason)] = None


def _final(candidate: dict[str, Any]) -> Final:
    answer, citations = candidate.get("answer"), candidate.get("citations")
    return Final(
        answer if isinstance(answer, str) else "",
        tuple(citations) if isinstance(citations, list) else (),
        _premise(candidate) or PremiseStatus.UNCLEAR,
        tuple(_faults(candidate)),
    )


def _faults(candidate: dict[str, Any]) -> Iterator[Remark]:
    for key in _KEYS:
        if key not in candidate:
            yield remark(FaultCode.MISSING_KEY, key=key)
    if not isinstance(candidate.get("answer", ""), str):
        yield remark(FaultCode.ANSWER_NO_TEXT)
    if not isinstance(candidate.get("citations", []), list):
        yield remark(FaultCode.CITATIONS_NO_LIST)
    if "premise_status" in candidate and _premise(candidate) is None:
        status = candidate["premise_status"]
        written = status if isinstance(status, str) else json.dumps(status, ensure_ascii=False)
        yield remark(FaultCode.UNKNOWN_PREMISE, value=shorten(clean(printable(written)), _PREMISE_LENGTH))


def _premise(candidate: dict[str, Any]) -> PremiseStatus | None:
    match candidate.get("premise_status"):
        case str(status) if status.strip().lower() in list(PremiseStatus):
            return PremiseStatus(status.strip().lower())
        # The word without its quotes.
        case False:
            return PremiseStatus.FALSE
    return None


def _likeness(candidate: dict[str, Any]) -> tuple[bool, bool, bool]:
    """How much of an answer's object there is: the first with a text, else with its key, else with any."""
    text = _final(candidate).text.strip()
    return bool(text), "answer" in candidate, any(key in candidate for key in _KEYS)


def _faulty(text: str, closest: dict[str, Any]) -> Final:
    """What is left of a draft without a fitting object; ``closest`` is the most alike."""
    if "answer" in closest:
        return _final(closest)
    if (cut := _CUT_ANSWER.search(text)) is not None:
        return Final(_unescaped(cut[1]), (), PremiseStatus.UNCLEAR, (remark(FaultCode.BROKEN_OBJECT),))
    bare = _FENCE.sub("", text.strip()).rstrip()
    readable = "" if _MACHINE_TEXT.match(bare) else bare
    if any(key in closest for key in _KEYS):
        return _final(closest)._replace(text=readable)
    # Nothing at all is no fault of its form.
    faults = (remark(FaultCode.NO_OBJECT),) if bare else ()
    return Final(readable, (), PremiseStatus.UNCLEAR, faults)


def _decoded(text: str) -> str:
    """What a draft that was encoded twice says; nothing of another one."""
    bare = _FENCE.sub("", text.strip()).strip()
    try:
        said = json.loads(bare, strict=False) if bare.startswith('"') else ""
    except ValueError:
        return ""
    return str(said)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder(strict=False)
    for opening, _ in zip(_OPENS_OBJECT.finditer(text), range(OBJECTS_TRIED), strict=False):
        try:
            yield decoder.raw_decode(text, opening.start())[0]
        except (ValueError, RecursionError):
            continue


def _unescaped(written: str) -> str:
    """The answer of an object that was cut or broken, as far as it goes."""
    try:
        said = str(json.loads(f'"{written}"', strict=False))
    except ValueError:
        said = written
    return _CUT_MARKER.sub("", said).rstrip()
