"""Filters of the admin's list of runs; state and failure are annotations of ``with_state``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from dofpilot.agent.errors import FailureCode
from dofpilot.agent.providers.registry import ProviderName
from runs.models import Run, State


class ChoiceFilter(admin.SimpleListFilter):
    """Filters by ``lookup`` with one value out of a closed vocabulary; other values are ignored."""

    lookup: str
    choices_shown: Sequence[tuple[str, Any]]

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, Any]]:
        return self.choices_shown

    def queryset(self, request: HttpRequest, queryset: QuerySet[Run]) -> QuerySet[Run]:
        known = self.value() in dict(self.choices_shown)
        return queryset.filter(**{self.lookup: self.value()}) if known else queryset


class StateFilter(ChoiceFilter):
    title = _("estado")
    parameter_name = lookup = "state"
    choices_shown = State.choices


class FailureFilter(ChoiceFilter):
    title = _("código de fallo")
    parameter_name = lookup = "failure"
    choices_shown = tuple((code.value, code.value) for code in FailureCode)


class ProviderFilter(ChoiceFilter):
    title = _("proveedor")
    parameter_name = "provider"
    lookup = "provenance__provider"
    choices_shown = tuple((name.value, name.value) for name in ProviderName)
