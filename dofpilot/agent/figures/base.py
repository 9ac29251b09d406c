"""What a figure is, wherever it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dofpilot.agent.outcome import FigureKind


@dataclass(frozen=True, slots=True)
class Mention:
    """A figure as some text says it: offsets in that text, and its normal form.

    Amounts, percentages and numbers are plain decimals (``1234.5``), shares fractions (``3/4``); dates as in
    ``corpus.text.dates``; norms in upper case with hyphens; provisions ``78``, ``76 bis``, ``8.3``,
    ``único``, ``fracción 21``, ``transitorio 2``. ``unit`` is an amount's currency, or tells ``%`` from
    percentage points (``pp``); empty where it is not said.
    """

    kind: FigureKind
    value: str
    start: int
    end: int
    unit: str = ""


Finder = Callable[[str], Iterator[Mention]]
"""Reads text that was folded in place."""
