"""From sizes that were measured to one that was not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """``value = fixed + slope * size``."""

    fixed: float
    slope: float

    def at(self, size: float) -> float:
        return self.fixed + self.slope * size


@dataclass(frozen=True, slots=True)
class Power:
    """``value = factor * size ** exponent``."""

    factor: float
    exponent: float

    def at(self, size: float) -> float:
        return float(self.factor * size**self.exponent)


def line(sizes: Sequence[float], values: Sequence[float]) -> Line:
    """The least squares through at least two different sizes."""
    middle, height = sum(sizes) / len(sizes), sum(values) / len(values)
    spread = sum((size - middle) ** 2 for size in sizes)
    rise = sum((size - middle) * (value - height) for size, value in zip(sizes, values, strict=True))
    return Line(height - rise / spread * middle, rise / spread)


def power(sizes: Sequence[float], values: Sequence[float]) -> Power:
    """A line through the logarithms; everything above zero."""
    fitted = line(list(map(math.log, sizes)), list(map(math.log, values)))
    return Power(math.exp(fitted.fixed), fitted.slope)
