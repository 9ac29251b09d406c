"""Why new questions are not let in now, in words, the same for page, API and command line."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dofpilot.access.problems import Problem, ProblemCode
from runs import pause, provider_health
from runs.presentation import formats
from runs.provider_health import TroubleKind
from runs.public import timestamp

_WORDS = {
    TroubleKind.SILENT: (
        gettext_lazy("El modelo no responde desde {when}."),
        gettext_lazy("Inténtalo en unos minutos."),
    ),
    TroubleKind.REFUSING: (
        gettext_lazy("El modelo rechaza las peticiones desde {when}."),
        gettext_lazy("Avisa a quien administra el sitio."),
    ),
    TroubleKind.BUSY: (
        gettext_lazy("El modelo recibe demasiadas peticiones desde {when}."),
        gettext_lazy("Espera unos minutos."),
    ),
}


@dataclass(frozen=True, slots=True)
class Closed:
    """``why`` and ``remedy`` are sentences, ``reason`` the words of who paused (empty otherwise)."""

    code: ProblemCode
    why: str
    remedy: str
    since: datetime
    reason: str = ""
    retry_after: int | None = None

    def problem(self) -> Problem:
        detail = " ".join((self.why, _("Tu pregunta no se guardó."), self.remedy))
        return Problem(503, self.code, detail, retry_after=self.retry_after)


def closed() -> Closed | None:
    """``None`` while new questions are let in."""
    return _paused() or _without_model()


def check() -> None:
    """Raise ``Problem`` while new questions are not let in."""
    if now := closed():
        raise now.problem()


def public() -> dict[str, Any]:
    """``{"open", "code", "message", "reason", "since"}``; all but the first ``None`` while it is open."""
    now = closed()
    if now is None:
        return {"open": True, "code": None, "message": None, "reason": None, "since": None}
    return {
        "open": False,
        "code": now.code.value,
        "message": now.why,
        "reason": now.reason or None,
        "since": timestamp(now.since),
    }


def _paused() -> Closed | None:
    now = pause.current()
    if now is None:
        return None
    why = _("Las preguntas nuevas están en pausa desde {when}: {reason}")
    told = why.format(when=formats.since(now.since), reason=_sentence(now.reason))
    return Closed(ProblemCode.ADMISSION_PAUSED, told, _("Vuelve más tarde."), now.since, now.reason)


def _without_model() -> Closed | None:
    now = provider_health.trouble()
    if now is None:
        return None
    why, remedy = _WORDS[now.kind]
    told = str(why).format(when=formats.since(now.since))
    code = ProblemCode.PROVIDER_UNAVAILABLE
    return Closed(code, told, str(remedy), now.since, retry_after=now.retry_after)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
