"""What a run used up, as tables of its page: tokens, cost, and where the time went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from runs.presentation import formats

Usage = Mapping[str, Any]
Row = tuple[str, str]


@dataclass(frozen=True, slots=True)
class TurnRow:
    number: int
    input_tokens: str
    output_tokens: str
    provider: str
    tools: str


@dataclass(frozen=True, slots=True)
class Spending:
    """``rows`` are totals with their names. ``counted``: the provider told tokens of some turn."""

    rows: list[Row]
    turns: list[TurnRow]
    counted: bool


def spending(usage: Usage) -> Spending:
    """``usage`` of a public run, whether it succeeded or failed."""
    turns = usage["per_turn"]
    return Spending(
        rows=[*_tokens(usage), *_cost(usage), *_counts(usage), *_times(turns)],
        turns=[_turn(turn) for turn in turns],
        counted=any(turn["input_tokens"] is not None for turn in turns),
    )


def _tokens(usage: Usage) -> Iterator[Row]:
    if usage["input_tokens"] is not None:
        cached = usage["cached_input_tokens"]
        part = _("{n}, de ellos {part} en caché del proveedor")
        yield _("Tokens de entrada"), _with_part(usage["input_tokens"], cached, part)
    if usage["output_tokens"] is not None:
        part = _("{n}, de ellos {part} de razonamiento")
        yield _("Tokens de salida"), _with_part(usage["output_tokens"], usage["reasoning_tokens"], part)


def _with_part(total: int, part: int | None, words: str) -> str:
    return words.format(n=_number(total), part=_number(part)) if part else _number(total)


def _cost(usage: Usage) -> Iterator[Row]:
    if cost := usage["cost"]:
        words = "{amount} {currency}" if cost["complete"] else _("al menos {amount} {currency}")
        yield _("Costo"), words.format(**cost)


def _counts(usage: Usage) -> Iterator[Row]:
    yield _("Turnos"), _number(usage["turns"])
    yield _("Consultas"), _number(usage["tool_calls"])


def _times(turns: list[Mapping[str, Any]]) -> Iterator[Row]:
    yield _("Tiempo esperando al proveedor"), formats.exact(sum(turn["provider_ms"] for turn in turns))
    yield _("Tiempo en las consultas"), formats.exact(sum(turn["tools_ms"] for turn in turns))


def _turn(turn: Mapping[str, Any]) -> TurnRow:
    return TurnRow(
        number=turn["turn"],
        input_tokens=_number(turn["input_tokens"]),
        output_tokens=_number(turn["output_tokens"]),
        provider=formats.exact(turn["provider_ms"]),
        tools=formats.exact(turn["tools_ms"]),
    )


def _number(count: int | None) -> str:
    return "—" if count is None else str(number_format(count, force_grouping=True))
