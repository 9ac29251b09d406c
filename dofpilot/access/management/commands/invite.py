"""``manage.py invite``: make an invitation and print its token, once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from dofpilot.access import invitations
from dofpilot.access.prepared import check_prepared


class Command(BaseCommand):
    help = "Crea una invitación y muestra su clave una sola vez."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--label", required=True, help="para quién o para qué es")
        parser.add_argument("--pseudonym", help="seudónimo de la persona; si falta, se genera")
        parser.add_argument(
            "--again",
            action="store_true",
            help="clave nueva para quien ya tiene ese seudónimo y perdió la suya; las anteriores se revocan",
        )
        parser.add_argument("--expires-days", type=int, metavar="DÍAS", help="vence en tantos días")
        parser.add_argument("--per-hour", type=int, metavar="N", help="preguntas por hora")

    def handle(self, *args: Any, **options: Any) -> None:
        check_prepared()
        days = options["expires_days"]
        try:
            invitation, token = invitations.invite(
                options["label"],
                pseudonym=options["pseudonym"],
                expires_at=None if days is None else timezone.now() + timedelta(days=days),
                runs_per_hour=options["per_hour"],
                again=options["again"],
            )
        except ValidationError as error:
            raise CommandError(_explain(error)) from None
        except OverflowError:
            raise CommandError("--expires-days: son demasiados días") from None
        self.stdout.write(f"Invitación de {invitation.user} ({invitation.label}). No se volverá a mostrar:")
        self.stdout.write(token)


OPTIONS = {"expires_at": "--expires-days", "runs_per_hour": "--per-hour"}


def _explain(error: ValidationError) -> str:
    return "\n".join(
        f"{OPTIONS.get(field, f'--{field}')}: {' '.join(messages)}"
        for field, messages in error.message_dict.items()
    )
