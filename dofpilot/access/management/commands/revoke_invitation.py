"""``manage.py revoke_invitation PREFIX``: end an invitation and its sessions."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dofpilot.access import invitations
from dofpilot.access.models import Invitation
from dofpilot.access.prepared import check_prepared


class Command(BaseCommand):
    help = "Revoca una invitación y cierra sus sesiones."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("prefix", help="los ocho caracteres que siguen a «dof_»")

    def handle(self, *args: Any, **options: Any) -> None:
        check_prepared()
        invitation = Invitation.objects.filter(prefix=options["prefix"]).first()
        if invitation is None:
            raise CommandError(f"No hay una invitación con el prefijo {options['prefix']}.")
        if not invitations.revoke(invitation):
            raise CommandError(f"La invitación {invitation} ya estaba revocada.")
        self.stdout.write(f"La invitación {invitation} quedó revocada y sus sesiones, cerradas.")
