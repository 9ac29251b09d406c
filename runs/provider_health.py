"""Whether the model can be asked now: by looks at its server, and by how the latest runs ended.

The one writer of ``ProviderHealth``. Both judgements are read from the database each time, so that they hold
for every process and over restarts.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from dofpilot.agent.errors import FailureCode
from dofpilot.agent.providers import probing
from runs.models import TERMINAL, Claim, ProviderHealth, ProviderState, Transition
from runs.public import timestamp

FRESH_PERIODS = 3
TRIPS_AFTER = 3
OPEN_FOR = timedelta(seconds=60)
# Among how many of the latest ends those of the present model are looked for.
LOOK_BACK = 30


class TroubleKind(StrEnum):
    SILENT = "silent"
    REFUSING = "refusing"
    BUSY = "busy"


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why no question is let in; ``retry_after`` in seconds."""

    kind: TroubleKind
    since: datetime
    retry_after: int


_BY_STATE = {
    ProviderState.UNAVAILABLE: TroubleKind.SILENT,
    ProviderState.REFUSED: TroubleKind.REFUSING,
}
_BY_FAILURE = {
    FailureCode.PROVIDER_UNAVAILABLE: TroubleKind.SILENT,
    FailureCode.PROVIDER_REFUSED: TroubleKind.REFUSING,
    FailureCode.RATE_LIMITED: TroubleKind.BUSY,
}
# Ends that say nothing of the model, good or bad.
_MUTE = (
    FailureCode.CANCELLED,
    FailureCode.INTERRUPTED,
    FailureCode.DEADLINE_EXCEEDED,
    FailureCode.CORPUS_UNAVAILABLE,
    FailureCode.INTERNAL_ERROR,
)


def probe() -> None:
    """Look at the model's server and store what was found; takes about 5 seconds at most.

    Raises nothing but ``django.db.Error``. A provider without a server is not looked at.
    """
    finding = probing.probe(settings.PROVIDER)
    if finding is not None:
        _store(probing.server_name(settings.PROVIDER), ProviderState(finding.state.value), finding.detail)


def has_server() -> bool:
    """Whether there is anything to be reached; quoting the gazette needs nobody."""
    return settings.PROVIDER.name in probing.WITH_SERVER


def last_look() -> ProviderHealth | None:
    """The last look at the present model's server, fresh or not."""
    if not has_server():
        return None
    return ProviderHealth.objects.filter(server=probing.server_name(settings.PROVIDER)).first()


def is_fresh(look: ProviderHealth) -> bool:
    """Whether it still tells something.

    One from the near future was made by a machine whose clock is ahead, from a far one before a clock was
    set back.
    """
    age = timezone.now() - look.checked_at
    return abs(age) < timedelta(seconds=FRESH_PERIODS * settings.PROBE_SECONDS)


def is_settled(look: ProviderHealth) -> bool:
    """One lost packet is no outage: it takes a second look. A refusal needs none."""
    return look.state != ProviderState.UNAVAILABLE or look.checked_at != look.since


def trouble() -> Trouble | None:
    """What keeps the present model from being asked; ``None`` when nothing is known to."""
    if not has_server():
        return None
    return _seen() or _suffered()


def public() -> dict[str, Any]:
    """``{"state", "checked_at"}``: as last seen, ``unknown`` when that is too long ago or never happened.

    Both ``None`` for a provider without a server.
    """
    if not has_server():
        return {"state": None, "checked_at": None}
    look = last_look()
    known = look is not None and is_fresh(look) and is_settled(look)
    return {
        "state": look.state if known else "unknown",
        "checked_at": timestamp(look.checked_at) if look else None,
    }


def _store(server: str, state: ProviderState, detail: str) -> None:
    with transaction.atomic():
        known = ProviderHealth.objects.select_for_update().filter(server=server).first()
        now = timezone.now()
        # After a gap it is not known what was meanwhile: the state begins anew.
        goes_on = known is not None and known.state == state and is_fresh(known)
        since = known.since if goes_on else now
        found = {"state": state, "detail": detail, "since": since, "checked_at": now}
        ProviderHealth.objects.update_or_create(server=server, defaults=found)


def _seen() -> Trouble | None:
    look = last_look()
    if look is None or not is_fresh(look) or not is_settled(look):
        return None
    kind = _BY_STATE.get(ProviderState(look.state))
    return kind and Trouble(kind, look.since, max(1, round(settings.PROBE_SECONDS)))


def _suffered() -> Trouble | None:
    """The circuit breaker: after some failures in a row nobody for a minute, then one run at a time until
    one comes through."""
    ends = _latest_ends()
    if len(ends) < TRIPS_AFTER or any(code not in _BY_FAILURE for code, _at in ends):
        return None
    code, last = ends[0]
    age = timezone.now() - last
    # An end in the future: a clock was set back, and nobody should wait until it catches up.
    rest = OPEN_FOR - age if timedelta(0) <= age < OPEN_FOR else timedelta(0)
    if not rest and not Claim.objects.exists():
        return None
    return Trouble(_BY_FAILURE[code], ends[-1][1], max(1, round(rest.total_seconds())) if rest else 30)


def _latest_ends() -> list[tuple[str, datetime]]:
    """The failure code (empty: succeeded) and the time of the latest ends of the present model, newest first.

    By id, which no clock changes.
    """
    ended = Transition.objects.filter(state__in=TERMINAL).exclude(failure__in=_MUTE).order_by("-id")
    told = ended.values_list("failure", "created_at", "run__provenance__provider", "run__provenance__model")
    wanted = (settings.PROVIDER.name.value, settings.PROVIDER.model)
    of_model = [(code, at) for code, at, *which in told[:LOOK_BACK] if tuple(which) == wanted]
    return of_model[:TRIPS_AFTER]
