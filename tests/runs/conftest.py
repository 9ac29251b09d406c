"""Who calls the API in these tests."""

from __future__ import annotations

import pytest

from dofpilot.access import invitations
from dofpilot.access.models import User
from tests.runs.api_client import Api


@pytest.fixture
def ana(db) -> User:
    """Somebody with an invitation, who calls the API with it as ``ana.api``."""
    invitation, token = invitations.invite(label="ana", pseudonym="ana")
    invitation.user.api = Api(token)
    return invitation.user
