"""The writer's side: with Redis it tells every web process after its commit; without, it says nothing."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from concurrent.futures import Future, ThreadPoolExecutor

from channels.layers import get_channel_layer
from django.conf import settings
from django.db import transaction
from redis import exceptions as redis

from runs.live.messages import QUEUE_GROUP, Changed, changed, group_of
from runs.models import Progress, Transition

logger = logging.getLogger(__name__)

# After a push that waited in vain, so long nothing is pushed: readers look at the record meanwhile.
REST_SECONDS = 10.0


def announce(row: Progress | Transition) -> None:
    """Push a row that is about to be committed, once it is."""
    if settings.REDIS_URL:
        # Robust: the row is committed, and no fault of a push may look like a failed write.
        transaction.on_commit(lambda: _tell(row), robust=True)


def _tell(row: Progress | Transition) -> None:
    if isinstance(row, Progress):
        _pusher.push(group_of(row.run_id), changed(row.run_id, steps=[row]))
        return
    message = changed(row.run_id, change=row)
    _pusher.push(group_of(row.run_id), message)
    _pusher.push(QUEUE_GROUP, message)


class _Pusher:
    """One thread that pushes in order, over one connection: no write waits for Redis.

    What is still to be pushed when a process ends in order is pushed before its end.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="push")
        self._runner = asyncio.Runner()
        self._again_at = 0.0

    def push(self, group: str, message: Changed) -> Future[None]:
        return self._thread.submit(self._send, group, message)

    def _send(self, group: str, message: Changed) -> None:
        if time.monotonic() < self._again_at:
            return
        try:
            self._try(group, message)
        except redis.TimeoutError as error:
            self._again_at = time.monotonic() + REST_SECONDS
            logger.warning("no push for %.0f s: %s", REST_SECONDS, error)
        except (redis.RedisError, OSError) as error:
            # The row is committed: a page that missed the push reads it at its next look at the record.
            logger.warning("no push to %s: %s", group, error)
        except Exception:
            # Nobody waits for this thread's results: what it does not say, nobody hears.
            logger.exception("no push to %s", group)

    def _try(self, group: str, message: Changed) -> None:
        try:
            self._runner.run(get_channel_layer().group_send(group, message))
        except redis.ConnectionError:
            # The connection may be an old one, and Redis there again.
            self._runner.run(get_channel_layer().group_send(group, message))


_pusher = _Pusher()


def _renew() -> None:
    """A forked process has no thread and no connection of its parent's."""
    global _pusher
    _pusher = _Pusher()


os.register_at_fork(after_in_child=_renew)
