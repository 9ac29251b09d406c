"""What every request passes. Both are ``MiddlewareMixin`` classes, as Django's own are: under ASGI Django
runs ``process_request`` in its database thread, so neither the event loop nor an open stream waits."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import logout
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin

from dofpilot.access.current import INVITATION_KEY
from dofpilot.access.errors import refuse
from dofpilot.access.models import Invitation
from dofpilot.access.problems import ProblemCode

ADMIN = "/admin/"


class BodyLimitMiddleware(MiddlewareMixin):
    """Refuses bodies over ``PAGE_BODY_LIMIT`` bytes. The admin's longer forms have Django's own limit."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if request.path_info.startswith(ADMIN) or not _is_too_large(request):
            return None
        # LocaleMiddleware comes later.
        with translation.override(translation.get_language_from_request(request)):
            return refuse(request, ProblemCode.TOO_LARGE)


class InvitationMiddleware(MiddlewareMixin):
    """Sets ``request.invitation``; ends its session once it is revoked or expired or its person inactive."""

    def process_request(self, request: HttpRequest) -> None:
        request.invitation = None
        pk = request.session.get(INVITATION_KEY)
        if pk is None:
            return
        request.invitation = Invitation.objects.active().select_related("user").filter(pk=pk).first()
        if request.invitation is None:
            logout(request)


def _is_too_large(request: HttpRequest) -> bool:
    declared = request.META.get("CONTENT_LENGTH")
    if declared:
        return not declared.isdecimal() or int(declared) > settings.PAGE_BODY_LIMIT
    try:
        # A chunked body declares no length. It was received already; Django reads it up to its own limit.
        return len(request.body) > settings.PAGE_BODY_LIMIT
    except RequestDataTooBig:
        return True
