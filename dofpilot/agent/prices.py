"""What a model's tokens cost, from a file that whoever runs the site keeps.

``{"currency": "USD", "models": {"name": {"input": 1.25, "cached_input": 0.125, "output": 10}}}``, in that
currency for a million tokens: 0 to 1,000,000, with 12 decimals at most. Reasoning is part of the output and
costs the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from dofpilot.agent.conversation import Usage

TOKENS_PRICED = 1_000_000
_HIGHEST_PRICE = Decimal(1_000_000)
_DECIMALS = 12
_CURRENCY = re.compile("[A-Z]{3}")


class PriceError(ValueError):
    """A price file that cannot be used. The text names the file and the field to mend."""

    def __init__(self, path: Path, field: str, reason: str) -> None:
        super().__init__(f"{path}: {field}: {reason}" if field else f"{path}: {reason}")
        self.path = path
        self.field = field
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Price:
    """For a million tokens. ``cached_input`` is ``None`` where cached tokens cost what the others do."""

    currency: str
    input: Decimal
    output: Decimal
    cached_input: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Cost:
    amount: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class PriceTable:
    """``models``: prices by the model's name, exactly as it is asked for."""

    models: Mapping[str, Price]

    @classmethod
    def load(cls, path: Path) -> PriceTable:
        """Read a price file. Raise ``PriceError`` when there is none or a part of it is wrong."""
        table = _Checked(path, _json(path), "")
        table.only("currency", "models")
        currency = table.value.get("currency")
        if not isinstance(currency, str) or not _CURRENCY.fullmatch(currency):
            raise PriceError(path, "currency", "se esperan tres letras mayúsculas, como USD")
        return cls({name: _price(named, currency) for name, named in table.inside("models")})

    def of(self, model: str) -> Price | None:
        return self.models.get(model)


def cost(price: Price, *usages: Usage) -> Cost | None:
    """What one use costs, or several together; ``None`` as soon as a count that it needs is unknown.

    Give each turn's own usage: a sum hides the turn that told nothing.
    """
    amounts = [_amount(price, usage) for usage in usages]
    known = [amount for amount in amounts if amount is not None]
    return Cost(sum(known, Decimal(0)), price.currency) if len(known) == len(amounts) else None


def _amount(price: Price, usage: Usage) -> Decimal | None:
    read, written, cached = usage.input_tokens, usage.output_tokens, usage.cached_input_tokens
    if read is None or written is None:
        return None
    if price.cached_input is None:
        return (read * price.input + written * price.output) / TOKENS_PRICED
    if cached is None:
        return None
    fresh = read - cached
    return (fresh * price.input + cached * price.cached_input + written * price.output) / TOKENS_PRICED


def _price(table: _Checked, currency: str) -> Price:
    table.only("input", "cached_input", "output")
    cached = table.amount("cached_input") if "cached_input" in table.value else None
    return Price(currency, table.amount("input"), table.amount("output"), cached)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes(), parse_float=_number, parse_int=_number)
    except OSError as error:
        raise PriceError(path, "", error.strerror or "no se puede leer") from error
    except (ValueError, RecursionError) as error:
        raise PriceError(path, "", f"no es JSON: {error}") from error


def _number(text: str) -> Decimal | None:
    """``None`` for an exponent that no decimal number has, to be told by its field."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _is_price(value: Decimal) -> bool:
    exponent = value.as_tuple().exponent
    return isinstance(exponent, int) and exponent >= -_DECIMALS and 0 <= value <= _HIGHEST_PRICE


class _Checked:
    """An object of the file, and where in it it stands."""

    def __init__(self, path: Path, value: Any, field: str) -> None:
        if not isinstance(value, dict):
            raise PriceError(path, field, "se espera un objeto")
        self.path, self.value, self.field = path, value, field

    def only(self, *names: str) -> None:
        for name in self.value:
            if name not in names:
                raise PriceError(
                    self.path, self._at(name), f"nombre desconocido; se conocen {', '.join(names)}"
                )

    def inside(self, name: str) -> Iterable[tuple[str, _Checked]]:
        inner = _Checked(self.path, self.value.get(name), self._at(name))
        return [(key, _Checked(self.path, value, inner._at(key))) for key, value in inner.value.items()]

    def amount(self, name: str) -> Decimal:
        value = self.value.get(name)
        if not isinstance(value, Decimal) or not _is_price(value):
            reason = f"se espera un número de 0 a {_HIGHEST_PRICE:,}, con {_DECIMALS} decimales como máximo"
            raise PriceError(self.path, self._at(name), reason)
        return value

    def _at(self, name: str) -> str:
        return f"{self.field}.{name}" if self.field else name
