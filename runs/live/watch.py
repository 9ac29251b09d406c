"""One task per web process that asks whether Redis answers.

A stream that waits for a push learns nothing of a Redis that is gone: the layer makes it wait on. While
Redis is away, streams are told to read the record instead.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from contextlib import suppress

from django.conf import settings
from redis import asyncio as redis
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

PERIOD = 2.0
PATIENCE = 1.0


class RedisWatch:
    """Start it inside a running event loop; without ``REDIS_URL`` there is nothing to watch."""

    def __init__(self) -> None:
        self.is_away = False
        self._task: asyncio.Task[None] | None = None
        self._gone: asyncio.Future[None] | None = None

    def ensure_running(self) -> None:
        if settings.REDIS_URL and (self._task is None or self._task.done()):
            # A context of its own: the task outlives the request that happened to come first.
            self._task = asyncio.get_running_loop().create_task(self._follow(), context=contextvars.Context())

    def gone(self) -> asyncio.Future[None]:
        """Done once Redis stops to answer; the same for all who wait."""
        loop = asyncio.get_running_loop()
        if self._gone is None or self._gone.get_loop() is not loop:
            self._gone = loop.create_future()
        return self._gone

    def note(self, answers: bool) -> None:
        """What the latest look found."""
        before, self.is_away = self.is_away, not answers
        if self.is_away == before:
            return
        logger.warning("Redis does not answer, streams read the record" if self.is_away else "Redis is back")
        gone, self._gone = self._gone, None
        if self.is_away and gone is not None:
            gone.set_result(None)

    async def _follow(self) -> None:
        timeouts = {"socket_timeout": PATIENCE, "socket_connect_timeout": PATIENCE}
        client = redis.Redis.from_url(settings.REDIS_URL, **timeouts)
        while True:
            self.note(await _answers(client))
            await asyncio.sleep(PERIOD)


async def _answers(client: redis.Redis) -> bool:
    with suppress(RedisError, OSError):
        return bool(await client.ping())
    return False


watch = RedisWatch()
