"""A gazette to measure with: ``python -m tests.benchmarks.gazette OUT --documents N --seed S``.

Documents in Spanish with the sizes, shapes, words and numbers of the real ones, composed here from word
lists: no sentence is anyone's. The same seed gives the same bytes, in however many processes.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import repeat
from pathlib import Path

from tests.benchmarks.documents import LAW, Composed, compose, kind_of

FIRST_DAY, LAST_DAY = date(1999, 1, 4), date(2026, 4, 24)
_LATER_DAYS = 21
_SECTIONS = ("MAT", "VES", "EXT")
_SECTION_WEIGHTS = (92, 6, 2)
_FIRST_CODE = 4_900_000
_BATCH = 250


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document stands in the gazette; ``index`` counts from 0 by day, edition and number."""

    index: int
    day: date
    section: str
    number: int

    @property
    def document_id(self) -> int:
        return _FIRST_CODE + self.index

    @property
    def path(self) -> str:
        folder = f"{self.day:%Y}/{self.day:%m}/{self.day:%d%m%Y}/{self.section}"
        return f"{folder}/{self.number:03}_DOF_{self.day:%Y%m%d}_{self.section}_{self.document_id}.md"


@dataclass(frozen=True)
class Gazette:
    """All its documents, each composed when asked for."""

    seed: int
    places: tuple[Place, ...]

    @classmethod
    def of(cls, documents: int, seed: int = 1) -> Gazette:
        chance = random.Random(f"places:{seed}")
        return cls(seed, tuple(_places(documents, chance, _workdays(FIRST_DAY, LAST_DAY))))

    def later(self, documents: int) -> Gazette:
        """What is published in the three weeks after its last day."""
        chance = random.Random(f"later:{self.seed}")
        days = _workdays(LAST_DAY + timedelta(days=1), LAST_DAY + timedelta(days=_LATER_DAYS))
        return Gazette(self.seed, tuple(_places(documents, chance, days, first=len(self.places))))

    def document(self, place: Place) -> Composed:
        return compose(self._chance(place), place.day)

    def laws(self) -> tuple[Place, ...]:
        return tuple(place for place in self.places if kind_of(self._chance(place)) == LAW)

    def _chance(self, place: Place) -> random.Random:
        return random.Random(f"{self.seed}:{place.index}")

    def write(self, out: Path, processes: int | None = None) -> int:
        """Write the tree under ``out``; return its bytes. Progress goes to stderr."""
        starts = range(0, len(self.places), _BATCH)
        batches = [Gazette(self.seed, self.places[start : start + _BATCH]) for start in starts]
        written = 0
        with ProcessPoolExecutor(processes) as pool:
            for done, size in enumerate(pool.map(_write, batches, repeat(out)), start=1):
                written += size
                print(f"\r{done / len(batches):4.0%}  {written / 1e6:,.0f} MB", end="", file=sys.stderr)
        print(file=sys.stderr)
        return written


def _write(batch: Gazette, out: Path) -> int:
    written = 0
    for place in batch.places:
        content = batch.document(place).text.encode()
        file = out / place.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        written += len(content)
    return written


def _places(documents: int, chance: random.Random, days: Sequence[date], first: int = 0) -> Iterator[Place]:
    chosen = zip(
        chance.choices(days, k=documents),
        chance.choices(range(len(_SECTIONS)), _SECTION_WEIGHTS, k=documents),
        strict=True,
    )
    numbers: Counter[tuple[date, int]] = Counter()
    for index, (day, section) in enumerate(sorted(chosen), start=first):
        numbers[day, section] += 1
        yield Place(index, day, _SECTIONS[section], numbers[day, section])


def _workdays(first: date, last: date) -> list[date]:
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    return [day for day in days if day.weekday() < 5]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.gazette", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, help="all cores unless told otherwise")
    options = parser.parse_args()
    Gazette.of(options.documents, options.seed).write(options.out, options.processes)


if __name__ == "__main__":
    main()
