"""One task per web process that notices new rows and hands them to the process's streams.

On SQLite it asks ``PRAGMA data_version``, which changes when another connection commits and costs
about three microseconds, so it can be asked often. Elsewhere it looks at the latest row ids.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import sqlite3
import uuid
from collections import defaultdict
from typing import Generic, TypeVar

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import Error, connection
from django.db.models import QuerySet

from runs.live.messages import QUEUE_GROUP, Changed, changed, group_of
from runs.models import Progress, Transition

logger = logging.getLogger(__name__)

PERIOD = 0.05
PERIOD_ELSEWHERE = 0.25
PAUSE_AFTER_FAULT = 1.0
# More rows than are written while one transaction of a run is being committed.
LOOK_BACK = 200

Row = TypeVar("Row", Progress, Transition)


class Tailer:
    """Follows ``Progress`` and ``Transition`` by their ids. Start it inside a running event loop."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._steps, self._changes = _Follower(Progress), _Follower(Transition)

    async def ensure_running(self) -> None:
        """Start following unless it does; rows committed after this returns are pushed."""
        if settings.REDIS_URL:
            return
        async with self._starting:
            if self._task is None or self._task.done():
                await database_sync_to_async(self._start_at_the_end)()
                # A context of its own: the task outlives the request that happened to come first.
                self._task = asyncio.create_task(self._follow(), context=contextvars.Context())

    async def _follow(self) -> None:
        watch = _Watch()
        while True:
            await asyncio.sleep(watch.period)
            try:
                if watch.changed():
                    for group, message in await database_sync_to_async(self._new_messages)():
                        await get_channel_layer().group_send(group, message)
            except Exception as error:
                # Mostly a restarting database; whatever it is, all streams of the process depend on this.
                logger.warning("tailer: %s", error, exc_info=not isinstance(error, (Error, sqlite3.Error)))
                watch.forget()
                await asyncio.sleep(PAUSE_AFTER_FAULT)

    def _start_at_the_end(self) -> None:
        for follower in (self._steps, self._changes):
            follower.start_at_the_end()

    def _new_messages(self) -> list[tuple[str, Changed]]:
        return [*_about_steps(self._steps.new()), *_about_changes(self._changes.new())]


class _Follower(Generic[Row]):
    """The rows of one table, each once, as they are committed.

    PostgreSQL gives an id before its row is committed, so a row may appear after others with greater ids:
    the latest ids are looked through again for those that were not there.
    """

    def __init__(self, model: type[Row]) -> None:
        self._model = model
        self._told: set[int] = set()

    def start_at_the_end(self) -> None:
        self._told = set(self._ids().order_by("-id")[:LOOK_BACK])

    def new(self) -> list[Row]:
        before = max(self._told, default=0)
        appeared = set(self._ids().filter(id__gt=before - LOOK_BACK)) - self._told
        if not appeared:
            return []
        rows = list(self._model.objects.filter(id__in=appeared).order_by("id"))
        # Only now: had that failed, they would not have been told.
        last = max(before, *appeared)
        self._told = {one for one in self._told | appeared if one > last - LOOK_BACK}
        return rows

    def _ids(self) -> QuerySet[Row, int]:
        return self._model.objects.order_by("id").values_list("id", flat=True)


def _about_steps(steps: list[Progress]) -> list[tuple[str, Changed]]:
    by_run: dict[uuid.UUID, list[Progress]] = defaultdict(list)
    for step in steps:
        by_run[step.run_id].append(step)
    return [(group_of(run_id), changed(run_id, steps=new)) for run_id, new in by_run.items()]


def _about_changes(changes: list[Transition]) -> list[tuple[str, Changed]]:
    messages = []
    for change in changes:
        message = changed(change.run_id, change=change)
        messages += [(group_of(change.run_id), message), (QUEUE_GROUP, message)]
    return messages


class _Watch:
    """Says cheaply whether it may be worth asking for new rows."""

    def __init__(self) -> None:
        self._sqlite: sqlite3.Connection | None = None
        self._version: int | None = None
        if connection.vendor == "sqlite":
            self._sqlite = sqlite3.connect(settings.DATABASES["default"]["NAME"])

    @property
    def period(self) -> float:
        return PERIOD if self._sqlite is not None else PERIOD_ELSEWHERE

    def changed(self) -> bool:
        if self._sqlite is None:
            return True
        version = self._sqlite.execute("PRAGMA data_version").fetchone()[0]
        before, self._version = self._version, version
        return version != before

    def forget(self) -> None:
        """What was said to have changed could not be read: say it again."""
        self._version = None


tailer = Tailer()
