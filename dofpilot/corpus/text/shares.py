"""Shares of a whole, as people read them."""

from __future__ import annotations

import math


def percent(share: float) -> str:
    """``37.2`` of 0.3729: rounded down, so that what lacks anything never reads as 100."""
    return f"{rounded_down(share) * 100:.4g}"


def rounded_down(share: float) -> float:
    """A share with three decimals, below 1 as long as anything is missing."""
    return math.floor(share * 1000) / 1000
