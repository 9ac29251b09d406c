"""The live log: one step of a run, as the page, the status fragment and the stream show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from dofpilot.agent.events import EventKind
from dofpilot.corpus.text.shortening import shorten
from runs.models import Progress
from runs.presentation import formats, markdown
from runs.presentation.say import remark, sentence
from runs.public import public_step

SHOWN_AT_ONCE = 3


class Look(StrEnum):
    """What a step is about: its icon."""

    START = "start"
    THINK = "think"
    SEARCH = "search"
    OUTLINE = "outline"
    READ = "read"
    REVISE = "revise"
    CHECK = "check"


class StepState(StrEnum):
    RUNNING = "running"
    DONE = "done"
    REFUSED = "refused"
    REVISED = "revised"


LOOK_OF_TOOL = {"get_document_outline": Look.OUTLINE, "read_chunks": Look.READ}
LOOK_OF_KIND = {
    EventKind.AGENT_STARTED: Look.START,
    EventKind.MODEL_TURN_STARTED: Look.THINK,
    EventKind.ANSWER_REVISION_REQUESTED: Look.REVISE,
    EventKind.VERIFICATION_COMPLETED: Look.CHECK,
}


@dataclass(frozen=True, slots=True)
class Chip:
    """A document that a search found."""

    title: str
    full_title: str
    dateline: str
    url: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A passage as a step shows it; ``standing`` is ``found`` or ``read``."""

    standing: str
    heading: str
    title: str
    dateline: str
    text: SafeString


@dataclass(frozen=True, slots=True)
class Step:
    """``key`` is what a later event of the same step shares with it: the later one takes its place."""

    key: str
    sequence: int
    look: Look
    state: StepState
    at: datetime | None
    verb: str
    rest: str
    why: str
    documents: tuple[Chip, ...]
    passages: tuple[Excerpt, ...]
    headings: tuple[str, ...]
    reasons: tuple[str, ...]
    cut: str

    @property
    def first_documents(self) -> tuple[Chip, ...]:
        return self.documents[:SHOWN_AT_ONCE]

    @property
    def other_documents(self) -> tuple[Chip, ...]:
        return self.documents[SHOWN_AT_ONCE:]

    @property
    def first_passages(self) -> tuple[Excerpt, ...]:
        return self.passages[:SHOWN_AT_ONCE]

    @property
    def other_passages(self) -> tuple[Excerpt, ...]:
        return self.passages[SHOWN_AT_ONCE:]


Recorded = Progress | Mapping[str, Any]
"""A row, or its public form (``runs.public.public_step``)."""


def render_step(progress: Recorded, language: str) -> str:
    """The HTML of one step (an ``<li>``) in one language. It depends on nothing else: it can be cached."""
    with translation.override(language):
        return render_to_string("runs/_step.html", {"step": step_of(progress)})


def steps_of(progress: Iterable[Recorded]) -> list[Step]:
    """The log as it stands: each step once, where it began, in its latest state."""
    steps: dict[str, Step] = {}
    for row in progress:
        step = step_of(row)
        steps[step.key] = step
    return list(steps.values())


def step_of(progress: Recorded) -> Step:
    row = public_step(progress) if isinstance(progress, Progress) else progress
    payload: dict[str, Any] = row["payload"]
    kind = EventKind(row["kind"])
    verb, rest = _lead(sentence(payload, "message"), _state(kind, payload), kind)
    documents, passages = payload.get("documents", []), payload.get("passages", [])
    title = documents[0]["title"] if documents else ""
    return Step(
        key=_key(row, kind),
        sequence=row["sequence"],
        look=_look(kind, payload),
        state=_state(kind, payload),
        at=formats.moment(row["created_at"]),
        verb=verb,
        rest=rest,
        why=sentence(payload, "why"),
        documents=tuple(_chip(document) for document in documents),
        passages=tuple(_excerpt(passage) for passage in passages),
        headings=tuple(breadcrumb(path, title) for path in payload.get("headings", [])),
        # The sentence itself gives the first reason.
        reasons=tuple(remark(reason) for reason in payload.get("reasons", [])[1:]),
        cut=_cut(documents, passages, payload.get("totals", {})),
    )


def breadcrumb(path: Iterable[str], title: str) -> str:
    """A heading path in one line, from below the document's title, which the reader sees beside it."""
    parts = list(path)
    known = [place for place, part in enumerate(parts) if _is_same(part, title)]
    return " › ".join(parts[known[-1] + 1 :] if known else parts)


def _is_same(part: str, whole: str) -> bool:
    # In the log both may have been cut, with an ellipsis.
    start, other = part.rstrip("…").rstrip(), whole.rstrip("…").rstrip()
    return bool(start and other) and (other.startswith(start) or start.startswith(other))


def _key(row: Mapping[str, Any], kind: EventKind) -> str:
    number = row["payload"].get("step")
    if number is not None and kind in (EventKind.TOOL_STARTED, EventKind.TOOL_COMPLETED):
        return f"tool-{number}"
    return f"event-{row['sequence']}"


def _look(kind: EventKind, payload: Mapping[str, Any]) -> Look:
    return LOOK_OF_KIND.get(kind) or LOOK_OF_TOOL.get(payload.get("tool", ""), Look.SEARCH)


def _state(kind: EventKind, payload: Mapping[str, Any]) -> StepState:
    if payload.get("error"):
        return StepState.REFUSED
    if kind is EventKind.ANSWER_REVISION_REQUESTED:
        return StepState.REVISED
    running = (EventKind.TOOL_STARTED, EventKind.MODEL_TURN_STARTED)
    return StepState.RUNNING if kind in running else StepState.DONE


def _lead(message: str, state: StepState, kind: EventKind) -> tuple[str, str]:
    """The words to stress, and the rest: a verb at the start, or what stands before a colon."""
    judges = state in (StepState.REFUSED, StepState.REVISED) or kind is EventKind.VERIFICATION_COMPLETED
    mark = ":" if judges and ":" in message else " "
    first, mark, rest = message.partition(mark)
    return first + mark.strip(), rest.lstrip()


def _cut(documents: Sized, passages: Sized, totals: Mapping[str, int]) -> str:
    """How many came back, where the log shows only the first of them."""
    for shown, total in (
        (len(documents), totals.get("documents", 0)),
        (len(passages), totals.get("passages", 0)),
    ):
        if 0 < shown < total:
            return _("Se muestran {shown} de {total}.").format(shown=shown, total=total)
    return ""


def _chip(document: Mapping[str, Any]) -> Chip:
    title = str(document.get("title", ""))
    return Chip(
        title=shorten(title, formats.TITLE_LIMIT),
        full_title=title,
        dateline=formats.dateline(document.get("publication_date"), document.get("section")),
        url=str(document.get("official_url", "")),
    )


def _excerpt(passage: Mapping[str, Any]) -> Excerpt:
    return Excerpt(
        standing="read" if passage.get("standing") == "read" else "found",
        heading=breadcrumb(passage.get("heading_path", ()), passage.get("title", "")),
        title=str(passage.get("title", "")),
        dateline=formats.dateline(passage.get("publication_date"), passage.get("section")),
        text=markdown.render(str(passage.get("excerpt", ""))),
    )
