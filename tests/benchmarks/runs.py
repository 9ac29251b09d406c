"""How long people wait for the site itself: submit during a run, first step, a run's own time, stop.

``make bench-runs`` prints a table for docs/benchmarks.md. Load is bounded: 60 submits, one after the other.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dofpilot.corpus.building import builder
from tests import scripts
from tests.benchmarks.machine import machine, percentile
from tests.site import ROOT, Site
from tests.waiting import wait_for

SUBMITS = 60
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


def bench_start_and_stop(folder: Path, corpus: Path) -> dict[str, float]:
    """Seconds of the first start, of the second and of a stop; milliseconds from submit to ``started``."""
    site = Site(folder / "plain", DOFPILOT_CORPUS=str(corpus), DOFPILOT_RUNS_PER_HOUR="500")
    first, _ = timed(site.start)
    token = site.invitation
    stop, _ = timed(site.stop)
    second, _ = timed(site.start)
    waits = []
    for number in range(10):
        run = submit(site, token, f"b-{number}")
        ended = wait_for(lambda run=run: _ended(site, run, token))
        waits.append(ended["result"]["timing"]["waited_ms"])
    site.stop()
    return {
        "first": first / 1000,
        "second": second / 1000,
        "stop": stop / 1000,
        "started": percentile(waits, 0.5),
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


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="dofpilot-bench-") as name:
        folder = Path(name)
        corpus = folder / "corpus"
        builder.build(ROOT / "dofpilot" / "corpus" / "sample", corpus, version="muestra")
        submits = bench_submits(folder, corpus)
        times = bench_start_and_stop(folder, corpus)
        stored = bench_stored(folder, corpus)
    print(f"{machine()}\n")
    print("| what | figure |\n|---|---|")
    p50, p95 = percentile(submits, 0.5), percentile(submits, 0.95)
    print(f"| submit while a run is in progress, p50 / p95 of {SUBMITS} | {p50:.0f} / {p95:.0f} ms |")
    print(f"| submit to started, idle worker, median of 10 | {times['started']:.0f} ms |")
    for own, clock in zip(stored, ("", ", processor alone"), strict=True):
        what = f"a run outside provider and tools, p50 / p95 of {len(own)}{clock}"
        print(f"| {what} | {percentile(own, 0.5):.0f} / {percentile(own, 0.95):.0f} ms |")
    print(f"| first start to serving, with database and people | {times['first']:.1f} s |")
    print(f"| second start to serving | {times['second']:.1f} s |")
    print(f"| Ctrl-C to the end | {times['stop']:.1f} s |")


if __name__ == "__main__":
    main()
