"""The writer's side: with Redis it tells every web process after its commit; without, it says nothing."""

from __future__ import annotations

import logging
import time

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import transaction
from redis import exceptions as redis

from runs.live.messages import QUEUE_GROUP, Changed, changed, group_of
from runs.models import Progress, Transition

logger = logging.getLogger(__name__)

# After a push that waited in vain, so long nothing is pushed: readers look at the record meanwhile, and a
# run does not wait for each of its steps again.
REST_SECONDS = 10.0


def announce(row: Progress | Transition) -> None:
    """Push a row that is about to be committed, once it is."""
    if settings.REDIS_URL:
        # Robust: the row is committed, and no fault of a push may look like a failed write.
        transaction.on_commit(lambda: _send(row), robust=True)


class _Pushing:
    """Whether a push is worth trying, by this process's own clock."""

    def __init__(self) -> None:
        self._again_at = 0.0

    def rests(self) -> bool:
        return time.monotonic() < self._again_at

    def rest(self) -> None:
        self._again_at = time.monotonic() + REST_SECONDS


_pushing = _Pushing()


def _send(row: Progress | Transition) -> None:
    if isinstance(row, Progress):
        _send_to(group_of(row.run_id), changed(row.run_id, steps=[row]))
        return
    message = changed(row.run_id, change=row)
    _send_to(group_of(row.run_id), message)
    _send_to(QUEUE_GROUP, message)


def _send_to(group: str, message: Changed) -> None:
    if _pushing.rests():
        return
    try:
        async_to_sync(get_channel_layer().group_send)(group, message)
    except (redis.RedisError, OSError) as error:
        if isinstance(error, redis.TimeoutError):
            _pushing.rest()
        # The row is committed: a page that missed the push reads it at its next look at the record.
        logger.warning("no push to %s: %s", group, error)
