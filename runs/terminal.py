"""A run on a terminal: a live line while a step works, one printed line for each that is done."""

from __future__ import annotations

import re
import time
import unicodedata
from types import TracebackType
from typing import IO, Any

from rich.console import Console
from rich.text import Text

from dofpilot.agent.events import Event, EventKind
from dofpilot.agent.outcome import MARKER
from runs.models import Run
from runs.presentation.answer import numbering
from runs.presentation.caveats import caveats
from runs.presentation.formats import dateline, short_date

DOCUMENTS_SHOWN = 5
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
LIVE = (EventKind.MODEL_TURN_STARTED, EventKind.TOOL_STARTED)


class Terminal:
    """Plain lines when the output is no terminal. Text from documents never reaches it as control codes."""

    def __init__(self, stream: IO[str]) -> None:
        self._console = Console(file=stream, highlight=False, markup=False, soft_wrap=True)
        self._status = self._console.status("Investigando")
        self._start = time.monotonic()

    def __enter__(self) -> Terminal:
        self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._status.stop()

    def step(self, event: Event) -> None:
        """Print a step that is done; what only begins is the live line, which a pipe does not have."""
        message = harmless(event.payload["message"])
        if event.kind in LIVE:
            self._status.update(Text(message))
            return
        self._console.print(Text.assemble((f"{time.monotonic() - self._start:6.1f} s  ", "dim"), message))
        # The sentence itself gives the first reason.
        for reason in event.payload.get("reasons", [])[1:]:
            self._print(f"          · {reason['text']}", "dim")
        documents = event.payload.get("documents", [])
        for document in documents[:DOCUMENTS_SHOWN]:
            self._print(f"          · {_document_line(document)}", "dim")
        if len(documents) > DOCUMENTS_SHOWN:
            self._print(f"          · … y {len(documents) - DOCUMENTS_SHOWN} más", "dim")

    def waiting(self) -> None:
        """All places are taken: said once where there is no live line."""
        self._print("Todos los lugares están ocupados; tu pregunta espera a que se libere uno.", "dim")
        self._status.update("Espera un lugar")

    def asked(self, run: Run) -> None:
        """What names the run to other commands, and the cut-off that may have been filled in."""
        self._status.update("Investigando")
        # A wait for a place is no part of the work.
        self._start = time.monotonic()
        self._print(f"Investigación {run.pk}, con publicaciones hasta el {short_date(run.as_of)}", "dim")

    def answer(self, shown: dict[str, Any]) -> None:
        """The answer with sources numbered as on the page, and what to know before relying on it."""
        result = shown["result"]
        if answer := result["answer"]:
            numbers = numbering(answer["text"], answer["citations"])
            self._print(f"\n{_with_numbers(answer['text'], numbers)}\n")
            self._sources(numbers, result["evidence"])
        for caveat in caveats(result):
            self._print(f"Aviso: {caveat}", "yellow")

    def _sources(self, numbers: dict[int, int], evidence: list[dict[str, Any]]) -> None:
        passages = {passage["chunk_id"]: passage for passage in evidence}
        for chunk_id, number in numbers.items():
            passage = passages[chunk_id]
            self._print(f"[{number}] {_document_line(passage)}", "bold")
            self._print(f"    {' › '.join(passage['heading_path'])}")
            self._print(f"    {passage['official_url']}", "dim")

    def _print(self, text: str, style: str = "") -> None:
        self._console.print(Text(harmless(text, keep="\n\t"), style))


def _with_numbers(text: str, numbers: dict[int, int]) -> str:
    def number(mark: re.Match[str]) -> str:
        found = numbers.get(int(mark["chunk_id"]))
        return f" [{found}]" if found else ""

    return MARKER.sub(number, text)


def _document_line(document: dict[str, Any]) -> str:
    return f"{document['title']} (DOF {dateline(document['publication_date'], document['section'])})"


def harmless(text: str, keep: str = "") -> str:
    """Control codes as escapes, but for those to ``keep``: a terminal obeys them, and texts may hold them.

    So are the marks that turn the direction of writing: they make a line read as what it does not say.

    Bytes of a file name that are no UTF-8 too, which could not be written at all.
    """
    return "".join(_escaped(char) if _is_obeyed(char) and char not in keep else char for char in text)


def _is_obeyed(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cs") or char in _TURNING


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
