"""What the question demands of its sources, each with the sources that meet it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runs.presentation.say import requirement


@dataclass(frozen=True, slots=True)
class Demand:
    """``sources`` are numbers of the answer's sources; none where nothing that is cited meets it."""

    text: str
    sources: tuple[int, ...]


def demands(coverage: Mapping[str, Any], numbers: Mapping[int, int]) -> list[Demand]:
    """``coverage`` of the public run, in its order; ``numbers`` are those of the answer's sources."""
    return [
        Demand(requirement(item), tuple(sorted(numbers[chunk] for chunk in item["chunk_ids"])))
        for item in coverage["required"]
    ]
