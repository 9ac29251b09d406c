"""Who may ask: people with an invitation, each a user without password (DESIGN §11)."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """Evaluators (no password, the user name is their pseudonym) and staff (with one)."""

    class Meta(AbstractUser.Meta):
        verbose_name = _("persona")
        verbose_name_plural = _("personas")


class InvitationState(models.TextChoices):
    """Derived, never stored. The first that applies, in the order revoked, expired, suspended, active."""

    ACTIVE = "active", _("activa")
    EXPIRED = "expired", _("vencida")
    REVOKED = "revoked", _("revocada")
    SUSPENDED = "suspended", _("persona desactivada")


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def active(self) -> InvitationQuerySet:
        return self.in_state(InvitationState.ACTIVE)

    def in_state(self, state: InvitationState) -> InvitationQuerySet:
        revoked = Q(revoked_at__isnull=False)
        expired = Q(expires_at__isnull=False, expires_at__lte=timezone.now())
        suspended = Q(user__is_active=False)
        return self.filter(
            {
                InvitationState.REVOKED: revoked,
                InvitationState.EXPIRED: expired & ~revoked,
                InvitationState.SUSPENDED: suspended & ~expired & ~revoked,
                InvitationState.ACTIVE: ~(suspended | expired | revoked),
            }[state]
        )


class Invitation(models.Model):
    """A token that signs one person in. The token itself is shown once and never stored."""

    user = models.ForeignKey(
        User, on_delete=models.PROTECT, related_name="invitations", verbose_name=_("persona")
    )
    label = models.CharField(_("etiqueta"), max_length=120, help_text=_("Para quién o para qué es."))
    prefix = models.CharField(_("prefijo"), max_length=12, unique=True, editable=False)
    token_hash = models.CharField(max_length=64, editable=False)
    runs_per_hour = models.PositiveSmallIntegerField(
        _("preguntas por hora"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=_("Vacío: el límite general."),
    )
    created_at = models.DateTimeField(_("creada"), default=timezone.now, editable=False)
    expires_at = models.DateTimeField(_("vence"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revocada"), null=True, blank=True, editable=False)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        verbose_name = _("invitación")
        verbose_name_plural = _("invitaciones")
        ordering = ("-created_at",)
        permissions = [("revoke_invitation", "Puede revocar invitaciones")]
        constraints = [
            models.CheckConstraint(
                condition=Q(runs_per_hour__isnull=True) | Q(runs_per_hour__gte=1),
                name="invitation_runs_per_hour_positive",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.label} ({self.prefix}…)"

    @property
    def state(self) -> InvitationState:
        if self.revoked_at is not None:
            return InvitationState.REVOKED
        if self.expires_at is not None and self.expires_at <= timezone.now():
            return InvitationState.EXPIRED
        return InvitationState.ACTIVE if self.user.is_active else InvitationState.SUSPENDED

    @property
    def is_active(self) -> bool:
        return self.state is InvitationState.ACTIVE
