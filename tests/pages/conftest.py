"""Who is signed in on the pages under test."""

from __future__ import annotations

import pytest
from django.test import Client

from dofpilot.access.models import User
from tests import cast


@pytest.fixture
def ana(db) -> User:
    return cast.asker("ana")


@pytest.fixture
def page(ana) -> Client:
    """The browser of ``ana``, in Spanish."""
    client = Client(headers={"accept-language": "es-mx"})
    client.force_login(ana)
    return client
