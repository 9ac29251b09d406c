"""What a run's tokens cost, at the price that stood in the site's table when its question came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.conf import settings

from dofpilot.agent.conversation import Usage
from dofpilot.agent.outcome import TurnSpent
from dofpilot.agent.prices import Price, cost
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.providers.registry import ProviderName

Captured = Mapping[str, str | None]


def captured_price(who: ProviderIdentity) -> dict[str, str | None] | None:
    """The price of a provider's model as provenance keeps it; ``None`` where the site's table has none, and
    for recordings, which nobody is paid for again."""
    price = settings.PRICES.of(who.model) if settings.PRICES else None
    if price is None or who.provider == ProviderName.RECORDED:
        return None
    cached = None if price.cached_input is None else _plain(price.cached_input)
    return {
        "currency": price.currency,
        "input": _plain(price.input),
        "cached_input": cached,
        "output": _plain(price.output),
    }


def with_cost(usage: dict[str, Any], turns: Sequence[TurnSpent], captured: Captured | None) -> dict[str, Any]:
    """``usage`` of a public run with its cost, ``{"amount": "0.0123", "currency": "USD", "complete": true}``.

    ``None`` without a price, and where a turn left out a count that it needs. What a turn or a request that
    told nothing at all may have cost is left out, and the cost is not ``complete``.
    """
    return {**usage, "cost": _cost([turn.usage for turn in turns], captured)}


def _cost(usages: Sequence[Usage], captured: Captured | None) -> dict[str, Any] | None:
    told = [usage for usage in usages if usage.told]
    spent = cost(_price(captured), *told) if captured and told else None
    if spent is None:
        return None
    complete = len(told) == len(usages) and not any(usage.partial for usage in told)
    return {"amount": _plain(spent.amount), "currency": spent.currency, "complete": complete}


def _price(captured: Captured) -> Price:
    cached = captured["cached_input"]
    return Price(
        currency=str(captured["currency"]),
        input=Decimal(str(captured["input"])),
        output=Decimal(str(captured["output"])),
        cached_input=None if cached is None else Decimal(cached),
    )


def _plain(amount: Decimal) -> str:
    """Without an exponent and without zeros that say nothing."""
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
