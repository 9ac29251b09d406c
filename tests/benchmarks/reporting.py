"""Measurements of the corpus as Markdown, each beside the goal for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tests.benchmarks.building import Built
from tests.benchmarks.growth import line, power
from tests.benchmarks.machine import percentile
from tests.benchmarks.searching import Reading

GOALS = {"search_documents": "10", "search_evidence": "10", "read_chunks of five": "5"}
"""Milliseconds of the 95th percentile at 180,000 passages."""

GAZETTE_PASSAGES, GAZETTE_BYTES = 6.7e6, 31.5 * 2**30
_MB, _GB = 1e6, 1e9


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def builds(found: Sequence[Built]) -> str:
    header = (
        *("documents", "source", "passages", "wall", "CPU", "MB/s", "peak memory, all processes"),
        "bytes on disk per source byte",
    )
    goal = ("goal: 20,000", "about 400 MB", "", "40 s", "", "", "1,000 MB", "0.50")
    return table(header, [*map(_build, found), goal])


def _build(built: Built) -> tuple[str, ...]:
    run = built.run
    return (
        f"{built.documents:,}",
        f"{built.source_bytes / _MB:,.0f} MB",
        f"{built.chunks:,}",
        f"{run.seconds:.1f} s",
        f"{run.cpu_seconds:.1f} s",
        f"{built.source_bytes / _MB / run.seconds:.1f}",
        f"{run.peak.whole / _MB:,.0f} MB ({run.peak.own / _MB:,.0f} without files)",
        f"{built.bytes_per_byte:.2f}",
    )


def parts(built: Built) -> str:
    rows = [
        (f"`{name}`", f"{size / _MB:,.1f} MB", f"{size / built.source_bytes:.3f}")
        for name, size in built.parts.items()
    ]
    return table((f"part of {built.documents:,} documents", "on disk", "bytes per source byte"), rows)


def updates(found: Sequence[Built]) -> str:
    rows = [
        (
            f"{built.documents:,}",
            f"{built.read_bytes / _MB:,.1f} MB",
            f"{built.run.seconds:.1f} s",
            f"{built.run.peak.whole / _MB:,.0f} MB",
            f"{built.bytes_per_byte:.2f}",
        )
        for built in found
    ]
    return table(("`--update` to", "new", "wall", "peak memory", "bytes on disk per source byte"), rows)


def searches(found: Sequence[Reading]) -> str:
    """Every operation at every size, cold and warm."""
    header = ("ms: p50 / p95 / max", "passages", "cold", "warm", "warm, processor alone", "goal p95")
    rows = [
        (
            name,
            f"{reading.chunks:,}",
            spread(reading.cold.operations[name]),
            spread(reading.warm.operations[name]),
            spread(reading.warm.processor[name]),
            GOALS.get(name, ""),
        )
        for name in found[0].warm.operations
        for reading in found
    ]
    return table(header, rows)


def readers(found: Sequence[Reading]) -> str:
    rows = [
        (
            f"{reading.chunks:,}",
            f"{reading.opening:.0f} ms",
            f"{reading.memory_opened / _MB:,.0f} MB",
            f"{reading.memory_own / _MB:,.0f} MB",
            f"{reading.memory_whole / _MB:,.0f} MB",
        )
        for reading in found
    ]
    header = ("passages", "opening", "memory once open", "after all searches", "with mapped files")
    return table(header, rows)


def kinds(reading: Reading) -> str:
    waits = reading.warm
    rows = [
        (kind, str(len(times)), spread(times), f"{sum(waits.answered[kind]) / len(times):.2f}")
        for kind, times in waits.kinds.items()
    ]
    header = ("`search_documents` for", "queries", "ms: p50 / p95 / max", "own document in ten")
    return table(header, rows)


def strategies(waits: Mapping[str, list[float]]) -> str:
    rows = [(strategy, str(len(times)), spread(times)) for strategy, times in waits.items()]
    return table(("`search_passages`, ten", "questions", "ms: p50 / p95 / max"), rows)


def projection(found: Sequence[Built], readings: Sequence[Reading]) -> str:
    """Two ways to read what was measured at the size of the gazette; the truth may lie outside both."""
    sizes = [built.source_bytes for built in found]
    rows = [
        _projected("build, min", GAZETTE_BYTES, sizes, [built.run.seconds / 60 for built in found]),
        _projected("on disk, GB", GAZETTE_BYTES, sizes, [sum(built.parts.values()) / _GB for built in found]),
        _projected("peak memory, GB", GAZETTE_BYTES, sizes, [built.run.peak.whole / _GB for built in found]),
    ]
    for name in GOALS if readings else ():
        waits = [percentile(reading.warm.operations[name], 0.95) for reading in readings]
        chunks = [reading.chunks for reading in readings]
        rows.append(_projected(f"{name}, p95, ms", GAZETTE_PASSAGES, chunks, waits))
    header = ("at 31.5 GiB, 6.7 million passages", "by a straight line", "by a power law", "its exponent")
    times = GAZETTE_BYTES / sizes[-1]
    note = f"Both fitted to {len(found)} sizes, the largest of them {times:,.0f} times smaller: a guess."
    return f"{table(header, rows)}\n\n{note}"


def _projected(
    name: str, size: float, sizes: Sequence[float], values: Sequence[float]
) -> tuple[str, str, str, str]:
    straight, curved = line(sizes, values), power(sizes, values)
    return name, f"{straight.at(size):,.1f}", f"{curved.at(size):,.1f}", f"{curved.exponent:.2f}"


def spread(times: list[float]) -> str:
    return f"{percentile(times, 0.5):.1f} / {percentile(times, 0.95):.1f} / {max(times):.1f}"
