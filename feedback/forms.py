"""What people fill in about an answer; ``feedback.service`` has the last word."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from feedback.models import COMMENT_MAX, Rating, ReportedProblem
from feedback.service import COMMENT_UNSTORABLE, PROBLEMS_KNOWN, RATING_WANTED


class FeedbackForm(forms.Form):
    """Refuses in the service's words. The comment is measured there: a form counts a line break twice."""

    rating = forms.ChoiceField(
        label=_("¿Te sirvió?"),
        choices=Rating.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _(RATING_WANTED), "invalid_choice": _(RATING_WANTED)},
    )
    problems = forms.MultipleChoiceField(
        label=_("¿Qué problemas viste?"),
        choices=ReportedProblem.choices,
        widget=forms.CheckboxSelectMultiple,
        required=False,
        error_messages={"invalid_choice": _(PROBLEMS_KNOWN)},
    )
    comment = forms.CharField(
        label=_("Comentario"),
        widget=forms.Textarea(attrs={"rows": 4, "maxlength": COMMENT_MAX}),
        required=False,
        help_text=_("Opcional. Sin datos personales."),
        error_messages={"null_characters_not_allowed": _(COMMENT_UNSTORABLE)},
    )
