"""Signing in and out, and the page on privacy."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth import login, logout
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.views.decorators.http import require_POST, require_safe

from dofpilot.access.current import INVITATION_KEY
from dofpilot.access.forms import SignInForm
from dofpilot.access.responses import SeeOther
from dofpilot.agent.providers.registry import ProviderName, identity
from dofpilot.corpus.vectors.choosing import EmbedderName


class SignInView(LoginView):
    """Django's own view (safe ``next``, CSRF, no cache), with an invitation in place of a password."""

    form_class = SignInForm
    template_name = "access/login.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            return redirect(self.get_success_url())
        return super().get(request, *args, **kwargs)

    def form_valid(self, form: SignInForm) -> HttpResponse:
        login(self.request, form.get_user())
        self.request.session[INVITATION_KEY] = form.invitation.pk
        return SeeOther(self.get_success_url())

    def form_invalid(self, form: SignInForm) -> HttpResponse:
        context = self.get_context_data(form=form)
        return self.render_to_response(context, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return SeeOther(resolve_url(settings.LOGOUT_REDIRECT_URL))


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    told = {"generative": sends_to_a_model(), "recorded": repeats(), "vectors_elsewhere": asks_for_vectors()}
    return render(request, "access/privacy.html", told)


def sends_to_a_model() -> bool:
    """Whether questions and passages leave this site for a generative model."""
    return identity(settings.PROVIDER).generative and not repeats()


def repeats() -> bool:
    """Whether answers are those of recordings, and no model is asked."""
    return settings.PROVIDER.name is ProviderName.RECORDED


def asks_for_vectors() -> bool:
    """Whether what is searched for leaves this site to become a vector."""
    return settings.EMBEDDINGS.name is EmbedderName.ENDPOINT
