"""The people of the tests, and what they do most."""

from __future__ import annotations

import datetime

from django.contrib.auth.models import Permission

from dofpilot.access import invitations
from dofpilot.access.models import User
from dofpilot.agent.errors import FailureCode
from dofpilot.agent.events import Event, EventKind
from runs import lifecycle
from runs.models import Run

AS_OF = datetime.date(2026, 4, 24)
PROVENANCE = {
    "provider": "extractive",
    "model": "extractive-1",
    "generative": False,
    "git_revision": "0" * 40,
    "retrieval_mode": "lexical",
}


def asker(name: str = "ana") -> User:
    """Somebody with an invitation, who asks."""
    invitation, _token = invitations.invite(label=name, pseudonym=name)
    return invitation.user


def curator(name: str = "carmen") -> User:
    """Staff who may look at runs and feedback, and no more."""
    user = User.objects.create_user(name, password="una clave larga", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    return user


def manager(name: str = "marta") -> User:
    """Who manages the site and may do everything."""
    return User.objects.create_superuser(name, password="una clave larga")


def waiting_run(who: User, question: str = "¿Qué dice la norma?", request_id: str | None = None) -> Run:
    run = Run(
        evaluator=who,
        client_request_id=request_id or f"t-{Run.objects.count()}",
        question=question,
        as_of=AS_OF,
        required_hops=1,
        provenance=PROVENANCE,
    )
    lifecycle.create(run)
    return run


def finished_run(who: User, result: dict[str, object], **asked: str) -> Run:
    lease = lifecycle.claim(waiting_run(who, **asked), "test")
    lifecycle.append(
        lease, Event(EventKind.AGENT_STARTED, {"message": "Empieza la investigación", "why": ""})
    )
    lifecycle.succeed(lease, result)
    return lease.run


def failed_run(who: User, code: FailureCode = FailureCode.PROVIDER_UNAVAILABLE, **asked: str) -> Run:
    lease = lifecycle.claim(waiting_run(who, **asked), "test")
    lifecycle.fail(lease, code)
    return lease.run
