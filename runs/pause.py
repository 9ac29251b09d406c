"""Pausing new questions and letting them in again. The one writer of ``AdmissionChange``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from dofpilot.access.models import User
from runs.models import AdmissionChange
from runs.models.operation import REASON_MAX
from runs.requests import is_storable
from runs.serial import Turn, serialise


@dataclass(frozen=True, slots=True)
class Pause:
    """``since`` the first of its rows; ``reason`` and ``by`` are of the newest (``None``: the console)."""

    reason: str
    by: User | None
    since: datetime


def current() -> Pause | None:
    """The pause that holds now; ``None`` while new questions are let in."""
    latest = AdmissionChange.objects.select_related("changed_by").first()
    if latest is None or latest.is_open:
        return None
    # By id: a clock that was set back changes no order.
    opened = AdmissionChange.objects.filter(is_open=True).values_list("id", flat=True).first() or 0
    first = AdmissionChange.objects.filter(id__gt=opened).order_by("id")[0]
    return Pause(latest.reason, latest.changed_by, first.created_at)


def pause(reason: str, by: User | None) -> bool:
    """Let no new question in. False when it is paused for this reason already.

    Once it returns no question is admitted that had not seen it. Raises ``ValidationError`` for a ``reason``
    that says nothing or too much.
    """
    said = _checked(reason)
    with transaction.atomic():
        serialise(Turn.ADMISSION)
        now = current()
        if now is not None and now.reason == said:
            return False
        AdmissionChange.objects.create(is_open=False, reason=said, changed_by=by)
    return True


def resume(by: User | None) -> bool:
    """Let new questions in again. False when they are."""
    with transaction.atomic():
        serialise(Turn.ADMISSION)
        if current() is None:
            return False
        AdmissionChange.objects.create(is_open=True, changed_by=by)
    return True


def _checked(reason: str) -> str:
    said = " ".join(reason.split())
    if not said:
        raise ValidationError({"reason": _("Escribe el motivo: lo leerá quien quiera preguntar.")})
    if len(said) > REASON_MAX:
        raise ValidationError({"reason": _("El motivo admite hasta %d caracteres.") % REASON_MAX})
    if not is_storable(said):
        raise ValidationError({"reason": _("El motivo tiene caracteres que no se pueden mostrar.")})
    return said
