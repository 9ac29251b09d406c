"""A question's life as rows (DESIGN §5). Only ``runs.lifecycle`` writes them.

``Run``, ``Transition``, ``Progress`` and ``TranscriptEntry`` are never changed once written; the database
refuses it too.
``Claim`` is the queue: one row for each active run, gone when the run ends.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.core.validators import MaxLengthValidator, MinLengthValidator
from django.db import models
from django.db.models import OuterRef, Q, Subquery
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from dofpilot.agent.errors import FailureCode
from dofpilot.agent.events import EventKind

QUESTION_MIN, QUESTION_MAX = 3, 2_000
HOPS_MIN, HOPS_MAX = 1, 5


class State(models.TextChoices):
    QUEUED = "queued", _("en la cola")
    STARTED = "started", _("investigando")
    SUCCEEDED = "succeeded", _("terminada")
    FAILED = "failed", _("no terminada")


TERMINAL = frozenset({State.SUCCEEDED, State.FAILED})


class RunQuerySet(models.QuerySet["Run"]):
    def with_state(self) -> RunQuerySet:
        """Annotate ``state``, ``started_at``, ``completed_at`` and ``failure`` (code, or empty)."""
        latest = Transition.objects.filter(run=OuterRef("pk")).order_by("-sequence")
        started = latest.filter(state=State.STARTED)
        ended = latest.filter(state__in=TERMINAL)
        return self.annotate(
            state=Subquery(latest.values("state")[:1]),
            started_at=Subquery(started.values("created_at")[:1]),
            completed_at=Subquery(ended.values("created_at")[:1]),
            failure=Subquery(ended.values("failure")[:1]),
        )


class Run(models.Model):
    """One question, as it was asked and under what conditions. Immutable."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    evaluator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="runs", verbose_name=_("persona")
    )
    client_request_id = models.CharField(_("identificador del cliente"), max_length=128)
    question = models.TextField(
        _("pregunta"), validators=[MinLengthValidator(QUESTION_MIN), MaxLengthValidator(QUESTION_MAX)]
    )
    as_of = models.DateField(_("fecha de corte"))
    required_hops = models.PositiveSmallIntegerField(_("documentos requeridos"), default=1)
    provenance = models.JSONField(_("procedencia"))
    created_at = models.DateTimeField(_("creada"), default=timezone.now, db_index=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        verbose_name = _("investigación")
        verbose_name_plural = _("investigaciones")
        ordering = ("-created_at",)
        constraints = [
            models.UniqueConstraint(
                fields=("evaluator", "client_request_id"), name="run_once_per_client_request"
            ),
            models.CheckConstraint(
                condition=Q(required_hops__gte=HOPS_MIN, required_hops__lte=HOPS_MAX),
                name="run_hops_in_range",
            ),
        ]

    def __str__(self) -> str:
        return self.question if len(self.question) <= 80 else f"{self.question[:79]}…"


class Transition(models.Model):
    """One change of a run's state. The rules of order are the database's own (see constraints)."""

    run = models.ForeignKey(
        Run, on_delete=models.PROTECT, related_name="transitions", verbose_name=_("investigación")
    )
    sequence = models.PositiveSmallIntegerField(_("orden"))
    state = models.CharField(_("estado"), max_length=10, choices=State.choices)
    failure = models.CharField(
        _("código"),
        max_length=24,
        blank=True,
        default="",
        choices=[(code.value, code.value) for code in FailureCode],
    )
    payload = models.JSONField(_("contenido"), default=dict)
    created_at = models.DateTimeField(_("cuándo"), default=timezone.now)

    class Meta:
        verbose_name = _("cambio de estado")
        verbose_name_plural = _("cambios de estado")
        ordering = ("run", "sequence")
        constraints = [
            models.UniqueConstraint(fields=("run", "sequence"), name="transition_sequence_once"),
            models.UniqueConstraint(
                fields=("run",),
                condition=Q(state__in=("succeeded", "failed")),
                name="transition_one_terminal",
            ),
            models.CheckConstraint(
                condition=Q(state="queued", sequence=1)
                | Q(state="started", sequence=2)
                | Q(state="succeeded", sequence=3)
                | Q(state="failed", sequence__in=(2, 3)),
                name="transition_state_fits_sequence",
            ),
            models.CheckConstraint(
                condition=Q(state="failed", failure__in=[code.value for code in FailureCode])
                | (~Q(state="failed") & Q(failure="")),
                name="transition_failure_has_a_known_code",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.sequence} {self.state}"


class Progress(models.Model):
    """One observable step of a run, as published. ``id`` grows with time: the tailer follows it."""

    run = models.ForeignKey(
        Run, on_delete=models.PROTECT, related_name="progress", verbose_name=_("investigación")
    )
    sequence = models.PositiveIntegerField(_("orden"))
    kind = models.CharField(
        _("tipo"), max_length=32, choices=[(kind.value, kind.value) for kind in EventKind]
    )
    payload = models.JSONField(_("contenido"))
    created_at = models.DateTimeField(_("cuándo"), default=timezone.now)

    class Meta:
        verbose_name = _("paso")
        verbose_name_plural = _("pasos")
        ordering = ("run", "sequence")
        constraints = [
            models.UniqueConstraint(fields=("run", "sequence"), name="progress_sequence_once"),
            models.CheckConstraint(
                condition=Q(kind__in=[kind.value for kind in EventKind]), name="progress_kind_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.sequence} {self.kind}"


class TranscriptEntry(models.Model):
    """What a run's two outside worlds, provider and corpus, gave it, piece by piece: private.

    No page, API, admin or log shows it (``manage.py transcript`` does, to who has the database). ``body`` is
    a piece of one compressed stream (``runs.transcripts``): it needs all the pieces before it.
    """

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="transcript")
    sequence = models.PositiveIntegerField()
    body = models.BinaryField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        # No permission may let anybody look at it in the admin.
        default_permissions = ()
        ordering = ("run", "sequence")
        constraints = [
            models.UniqueConstraint(fields=("run", "sequence"), name="transcript_sequence_once"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.sequence}"


class Claim(models.Model):
    """The place of an active run in the queue, and who works on it.

    Oldest ``id`` first. ``token`` is empty while the run waits; a worker writes only while its own token
    stands here. ``cancel_requested_at`` asks the worker to stop at its next step.
    """

    run = models.OneToOneField(
        Run, on_delete=models.PROTECT, related_name="claim", verbose_name=_("investigación")
    )
    evaluator = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="claim", verbose_name=_("persona")
    )
    worker = models.CharField(_("trabajador"), max_length=200, blank=True)
    token = models.UUIDField(_("ficha"), null=True, blank=True)
    heartbeat_at = models.DateTimeField(_("última señal"), null=True, blank=True)
    cancel_requested_at = models.DateTimeField(_("cancelación pedida"), null=True, blank=True)

    class Meta:
        verbose_name = _("lugar en la cola")
        verbose_name_plural = _("lugares en la cola")
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.run_id} {self.worker or '-'}"
