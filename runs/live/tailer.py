"""One task per web process that notices new rows and hands them to the process's streams.

On SQLite it asks ``PRAGMA data_version``, which changes when another connection commits and costs
about three microseconds, so it can be asked often. Elsewhere it looks at the highest row ids.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import sqlite3
import uuid
from collections import defaultdict

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import Error, connection
from django.db.models import Max

from runs.live.messages import QUEUE_GROUP, Changed, changed, group_of
from runs.models import Progress, Transition

logger = logging.getLogger(__name__)

PERIOD = 0.05
PERIOD_ELSEWHERE = 0.25
PAUSE_AFTER_FAULT = 1.0


class Tailer:
    """Follows ``Progress`` and ``Transition`` by their ids. Start it inside a running event loop."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._steps_seen = self._changes_seen = 0

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
            except (Error, sqlite3.Error) as error:
                # A restarting database: streams read the record meanwhile at each heartbeat.
                logger.warning("tailer: %s", error)
                await asyncio.sleep(PAUSE_AFTER_FAULT)

    def _start_at_the_end(self) -> None:
        self._steps_seen = Progress.objects.aggregate(last=Max("id"))["last"] or 0
        self._changes_seen = Transition.objects.aggregate(last=Max("id"))["last"] or 0

    def _new_messages(self) -> list[tuple[str, Changed]]:
        steps = list(Progress.objects.filter(id__gt=self._steps_seen).order_by("id"))
        changes = list(Transition.objects.filter(id__gt=self._changes_seen).order_by("id"))
        self._steps_seen = max([self._steps_seen, *(step.id for step in steps)])
        self._changes_seen = max([self._changes_seen, *(change.id for change in changes)])
        return [*_about_steps(steps), *_about_changes(changes)]


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


tailer = Tailer()
