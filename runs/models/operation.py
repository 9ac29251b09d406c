"""How the site works now: whether it takes questions, who works, whether the model can be reached.

Nothing of a question's life depends on these rows: lost ones come back by themselves.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

REASON_MAX = 300


class AdmissionChange(models.Model):
    """New questions were paused or let in again; the newest row says how it is. Only ``runs.pause`` writes.

    Append-only, and refused to be changed or deleted by the database.
    """

    is_open = models.BooleanField(_("se aceptan preguntas"))
    reason = models.CharField(_("motivo"), max_length=REASON_MAX, blank=True)
    # Nobody: from the command line.
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("quién"),
    )
    created_at = models.DateTimeField(_("cuándo"), default=timezone.now)

    class Meta:
        verbose_name = _("pausa o reanudación")
        verbose_name_plural = _("pausas y reanudaciones")
        ordering = ("-id",)
        permissions = [("pause_admission", _("Puede pausar y reanudar las preguntas nuevas"))]
        constraints = [
            models.CheckConstraint(
                condition=Q(is_open=True) | ~Q(reason=""), name="admission_pause_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return str(_("se aceptan") if self.is_open else self.reason)


class Worker(models.Model):
    """A supervisor and when it was last seen. Only ``runs.presence`` writes."""

    name = models.CharField(_("nombre"), max_length=200, unique=True)
    started_at = models.DateTimeField(_("desde"))
    seen_at = models.DateTimeField(_("última señal"))

    class Meta:
        verbose_name = _("trabajador")
        verbose_name_plural = _("trabajadores")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class ProviderState(models.TextChoices):
    AVAILABLE = "available", _("responde")
    UNAVAILABLE = "unavailable", _("no responde")
    REFUSED = "refused", _("rechaza las peticiones")


class ProviderHealth(models.Model):
    """What the last look at a model's server found. Only ``runs.provider_health`` writes.

    ``server`` names provider, model and address without their secrets; ``detail`` is for staff.
    """

    server = models.CharField(_("servidor"), max_length=500, unique=True)
    state = models.CharField(_("estado"), max_length=12, choices=ProviderState.choices)
    detail = models.CharField(_("detalle"), max_length=500, blank=True)
    since = models.DateTimeField(_("desde"))
    checked_at = models.DateTimeField(_("comprobado"))

    class Meta:
        verbose_name = _("estado del modelo")
        verbose_name_plural = _("estado de los modelos")
        ordering = ("server",)
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=ProviderState.values), name="provider_health_state_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.server}: {self.state}"
