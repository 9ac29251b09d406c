"""Who calls the API in these tests."""

from __future__ import annotations

import channels.db
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


@pytest.fixture
def streams_stay_here(monkeypatch) -> None:
    """``async_to_sync`` brings a stream's reads to this thread, into this test's transaction, which would end
    with the connection: Channels closes one that is in a transaction, and PostgreSQL's does not come back."""
    monkeypatch.setattr(channels.db, "close_old_connections", lambda: None)
