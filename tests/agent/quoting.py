"""Asking the extractive provider about a gazette of a few documents."""

from __future__ import annotations

from datetime import date
from typing import Any

from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import Outcome
from dofpilot.agent.providers.extractive import Extractive
from dofpilot.agent.runner import run
from tests.agent.asking import Log
from tests.agent.fake_corpus import FakeCorpus, document, gazette

AS_OF = date(2026, 4, 24)
WAGE = "¿Cuál es el salario mínimo general en 2026?"


def researched(text: str, *, hops: int = 1, corpus: FakeCorpus | None = None) -> tuple[Outcome, Log]:
    log = Log()
    return run(text, AS_OF, hops, Extractive(), corpus or gazette(), Limits(), log), log


def answer(text: str, **more: Any) -> str:
    outcome, _ = researched(text, **more)
    assert outcome.answer is not None
    return outcome.answer.text


def quotations(text: str) -> list[str]:
    return [line.removeprefix("- «") for line in text.splitlines() if line.startswith("- «")]


def paper(title: str, *texts: str, day: date = date(2020, 1, 2)) -> FakeCorpus:
    return FakeCorpus((document(6020, title, day, *texts),))
