"""Responses that Django has no name for."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpResponseRedirect


class SeeOther(HttpResponseRedirect):
    """After a write: the browser is to GET the other page, whatever the method was."""

    status_code = HTTPStatus.SEE_OTHER
