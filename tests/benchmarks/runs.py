"""How long people wait for the site itself, and what it keeps under load and faults.

``make bench-runs`` prints a table for docs/benchmarks.md; ``BENCH="--only steps streams"`` a part of it. Load
is bounded: the largest part is a thousand questions of twenty people.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dofpilot.corpus.building import builder
from tests import scripts
from tests.benchmarks import runs_kills, runs_steps, runs_stops, runs_streams
from tests.benchmarks.machine import machine
from tests.benchmarks.reporting_runs import Row, milliseconds
from tests.databases import SERVER
from tests.site import ROOT, Site
from tests.waiting import wait_for

SUBMITS, STARTS = 60, 60
DATABASE = "PostgreSQL" if SERVER else "SQLite"
QUESTION = {"question": "¿Cuál es el salario mínimo general de 2026?", "as_of": "2026-04-24"}


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Milliseconds, and what ``work`` returned."""
    start = time.perf_counter()
    result = work()
    return (time.perf_counter() - start) * 1000, result


def invite(site: Site, count: int) -> list[str]:
    code = (
        "from dofpilot.access.invitations import invite\n"
        f"for number in range({count}): print(invite(label=f'bench {{number}}')[1])"
    )
    return [
        word for word in site.manage("shell", "-v", "0", "-c", code).stdout.split() if word.startswith("dof_")
    ]


def submit(site: Site, token: str, request_id: str = "bench") -> dict[str, Any]:
    answer = site.api("POST", "/runs", {**QUESTION, "client_request_id": request_id}, token)
    assert answer.status == 201, answer.body
    return answer.body


def bench_submits(folder: Path, corpus: Path) -> list[float]:
    """One run holds the worker; each submit is another person's first question."""
    chosen = scripts.write(folder / "script.json", [{"wait_for_file": str(folder / "never")}])
    site = Site(folder / "held", DOFPILOT_CORPUS=str(corpus), DOFPILOT_QUEUE_LIMIT="500", **chosen).start()
    try:
        tokens = invite(site, SUBMITS + 1)
        working = submit(site, tokens[0])
        wait_for(
            lambda: site.api("GET", f"/runs/{working['run_id']}", token=tokens[0]).body["status"] == "started"
        )
        return [timed(lambda token=token: submit(site, token))[0] for token in tokens[1:]]
    finally:
        site.stop()


def bench_start_and_stop(folder: Path, corpus: Path) -> dict[str, Any]:
    """Seconds of the first start, of the second and of a stop; milliseconds of each wait for ``started``."""
    site = Site(folder / "plain", DOFPILOT_CORPUS=str(corpus), DOFPILOT_RUNS_PER_HOUR="500")
    first, _ = timed(site.start)
    token = site.invitation
    stop, _ = timed(site.stop)
    second, _ = timed(site.start)
    waits = []
    for number in range(STARTS):
        run = submit(site, token, f"b-{number}")
        ended = wait_for(lambda run=run: _ended(site, run, token))
        waits.append(ended["result"]["timing"]["waited_ms"])
    site.stop()
    return {
        "first": first / 1000,
        "second": second / 1000,
        "stop": stop / 1000,
        "waits": waits,
    }


def bench_stored(folder: Path, corpus: Path) -> tuple[list[float], list[float]]:
    """Milliseconds of each run outside its provider and its tools, by the wall and by the processor."""
    site = Site(folder / "stored", DOFPILOT_CORPUS=str(corpus), DOFPILOT_PROVIDER="extractive")
    code = "from tests.benchmarks import runs_stored; runs_stored.measure()"
    for command in (["migrate", "-v", "0"], ["shell", "-v", "0", "-c", code]):
        done = site.manage(*command)
        assert done.returncode == 0, done.stderr
    wall, processor = json.loads(done.stdout)
    return wall, processor


def _ended(site: Site, run: dict[str, Any], token: str) -> dict[str, Any] | None:
    shown = site.api("GET", f"/runs/{run['run_id']}", token=token).body
    return shown if shown["status"] == "succeeded" else None


def bench_waits(folder: Path, corpus: Path) -> list[Row]:
    """What one person waits for on one machine."""
    submits, times = bench_submits(folder, corpus), {}
    times = bench_start_and_stop(folder, corpus)
    return [
        (f"submit while a run is in progress, p50 / p95 of {SUBMITS}", milliseconds(submits), "p95 100 ms"),
        (
            f"submit to started, idle worker, p50 / p95 of {STARTS}",
            milliseconds(times["waits"]),
            "p95 150 ms",
        ),
        ("first start to serving, with database and people", f"{times['first']:.1f} s", ""),
        ("second start to serving", f"{times['second']:.1f} s", "5 s"),
        ("Ctrl-C to the end", f"{times['stop']:.1f} s", "10 s"),
    ]


def bench_own(folder: Path, corpus: Path) -> list[Row]:
    """What a run takes of its own."""
    what = "a run outside provider and tools, p50 / p95 of"
    wall, processor = bench_stored(folder, corpus)
    return [
        (f"{what} {len(wall)}", milliseconds(wall), "p95 20 ms"),
        (f"{what} {len(processor)}, processor alone", milliseconds(processor), ""),
    ]


PARTS = {
    "waits": bench_waits,
    "own": bench_own,
    "steps": runs_steps.measure,
    "streams": runs_streams.measure,
    "stops": runs_stops.measure,
    "kills": runs_kills.measure,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS, nargs="+", default=list(PARTS))
    only = parser.parse_args().only
    # As it comes: the whole takes minutes.
    print(f"{machine()}, {DATABASE}\n\n| what | figure | goal |\n|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="dofpilot-bench-") as name:
        corpus = Path(name) / "corpus"
        builder.build(ROOT / "dofpilot" / "corpus" / "sample", corpus, version="muestra")
        for part in only:
            for row in PARTS[part](Path(name), corpus):
                print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
