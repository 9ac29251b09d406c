"""What people say of an answer (DESIGN §12): append-only, several per run."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MaxLengthValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from runs.models import Run

COMMENT_MAX = 2_000


class Rating(models.TextChoices):
    HELPFUL = "helpful", _("Me sirvió")
    PARTIALLY_HELPFUL = "partially_helpful", _("Me sirvió en parte")
    NOT_HELPFUL = "not_helpful", _("No me sirvió")


class ReportedProblem(models.TextChoices):
    INCORRECT_ANSWER = "incorrect_answer", _("La respuesta es incorrecta")
    MISSING_EVIDENCE = "missing_evidence", _("Faltan fuentes")
    BAD_CITATION = "bad_citation", _("Una cita no dice lo que se afirma")
    INCOMPLETE_COVERAGE = "incomplete_coverage", _("Responde solo una parte")
    CUTOFF_ERROR = "cutoff_error", _("No respeta la fecha de corte")
    HARD_TO_UNDERSTAND = "hard_to_understand", _("Cuesta entenderla")
    OTHER = "other", _("Otro problema")


class Feedback(models.Model):
    """One opinion on one run. Rows are only ever added; the database refuses the rest."""

    run = models.ForeignKey(
        Run, on_delete=models.PROTECT, related_name="feedback", verbose_name=_("investigación")
    )
    evaluator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="feedback", verbose_name=_("persona")
    )
    rating = models.CharField(_("valoración"), max_length=20, choices=Rating.choices)
    problems = models.JSONField(_("problemas"), default=list, blank=True)
    comment = models.TextField(_("comentario"), blank=True, validators=[MaxLengthValidator(COMMENT_MAX)])
    created_at = models.DateTimeField(_("cuándo"), default=timezone.now, db_index=True)

    class Meta:
        verbose_name = _("opinión")
        verbose_name_plural = _("opiniones")
        ordering = ("-created_at",)
        constraints = [
            models.CheckConstraint(
                condition=Q(rating__in=[rating.value for rating in Rating]), name="feedback_rating_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_rating_display()} · {self.run}"
