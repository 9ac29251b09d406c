"""How long a submit takes while many people follow a run."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.fleets import scene
from tests.benchmarks.reporting_runs import Row, milliseconds
from tests.faults.scene import Asked, Scene
from tests.waiting import wait_for

STREAMS, SUBMITS = 200, 100


def measure(folder: Path, corpus: Path) -> list[Row]:
    """Everybody's first question, one after the other, beside the streams of a run that is at work."""
    with scene(folder / "streams", corpus, people=SUBMITS + 1) as made:
        made.provider.hold(2)
        followed = made.ask(0)
        made.wait_for_turn(followed, 2)
        with _streams(made, followed):
            times = [_submit(made, person) for person in range(1, SUBMITS + 1)]
        made.provider.release()
    what = f"submit with {STREAMS} streams open and a run at work, p50 / p95 of {SUBMITS}"
    return [(what, milliseconds(times), "p95 50 ms")]


def _submit(made: Scene, person: int) -> float:
    began = time.perf_counter()
    made.ask(person)
    return (time.perf_counter() - began) * 1000


@contextmanager
def _streams(made: Scene, followed: Asked) -> Iterator[None]:
    """All of them open, and read in a thread of their own."""
    loop, opened = asyncio.new_event_loop(), []
    port = made.fleet.web[0].port
    head = f"GET /api/v1/runs/{followed.run_id}/events HTTP/1.1\r\nHost: localhost\r\n"
    head += f"Authorization: Bearer {followed.token}\r\n\r\n"

    async def follow() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head.encode())
        await reader.readuntil(b"id: 1\n")
        opened.append(writer)
        while await reader.read(65536):
            pass

    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    # Kept: a loop refers to its tasks weakly, and so does a connection to its reader.
    following = [asyncio.run_coroutine_threadsafe(follow(), loop) for _ in range(STREAMS)]
    wait_for(lambda: len(opened) == STREAMS, 60)
    try:
        yield
        assert not any(one.done() for one in following)
    finally:
        asyncio.run_coroutine_threadsafe(_end_all_others(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


async def _end_all_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for one in others:
        one.cancel()
    await asyncio.gather(*others, return_exceptions=True)
