"""Providers by name, made from settings that were checked first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from dofpilot.agent.errors import ConfigurationError
from dofpilot.agent.providers.base import Provider, ProviderIdentity

if TYPE_CHECKING:
    from dofpilot.agent.providers.openai_wire import Connection
    from dofpilot.agent.providers.recorded import RecordedProvider


class ProviderName(StrEnum):
    EXTRACTIVE = "extractive"
    OPENAI_RESPONSES = "openai-responses"
    OPENAI_CHAT = "openai-chat"
    SCRIPTED = "scripted"
    RECORDED = "recorded"


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """``timeout`` in seconds for one HTTP request; ``retries`` on top of the first attempt."""

    name: ProviderName
    model: str | None = None
    api_key: str | None = field(default=None, repr=False)
    base_url: str | None = None
    reasoning_effort: str | None = None
    timeout: float = 60.0
    retries: int = 2
    script: Path | None = None
    transcript: Path | None = None


def validate(settings: ProviderSettings) -> None:
    """Raise ``ConfigurationError`` naming the variable to mend.

    Every command begins with it, so it imports no provider and of a recording looks at the first line only;
    what is damaged behind that is told by ``make_provider``.
    """
    generative = settings.name in (ProviderName.OPENAI_RESPONSES, ProviderName.OPENAI_CHAT)
    local_server = settings.name is ProviderName.OPENAI_CHAT and settings.base_url
    if generative and not settings.model:
        raise ConfigurationError(
            "DOFPILOT_MODEL", f"el proveedor «{settings.name}» necesita el nombre de un modelo"
        )
    if generative and not settings.api_key and not local_server:
        raise ConfigurationError("DOFPILOT_API_KEY", f"el proveedor «{settings.name}» necesita una clave")
    if settings.name is ProviderName.SCRIPTED:
        _script(settings)
    if settings.name is ProviderName.RECORDED:
        _check_transcript(settings)


def make_provider(settings: ProviderSettings) -> Provider:
    """The provider that the settings describe, checked first.

    Each is imported when it is asked for: the clients of some take a second to load.
    """
    validate(settings)
    match settings.name:
        case ProviderName.EXTRACTIVE:
            from dofpilot.agent.providers.extractive import Extractive

            return Extractive()
        case ProviderName.OPENAI_RESPONSES:
            from dofpilot.agent.providers.openai_responses import OpenAIResponses

            return OpenAIResponses(_connection(settings))
        case ProviderName.OPENAI_CHAT:
            from dofpilot.agent.providers.openai_chat import OpenAIChat

            return OpenAIChat(_connection(settings))
        case ProviderName.SCRIPTED:
            from dofpilot.agent.providers.scripted import ScriptedProvider

            return ScriptedProvider.from_file(_script(settings))
        case ProviderName.RECORDED:
            return _recorded(settings)


@cache
def identity(settings: ProviderSettings) -> ProviderIdentity:
    """Who the chosen provider says it is. Asked once: making a client costs more than a page may take."""
    return make_provider(settings).identity


def _script(settings: ProviderSettings) -> Path:
    if settings.script is None:
        raise ConfigurationError("DOFPILOT_SCRIPT", "el proveedor «scripted» necesita la ruta de un guion")
    return settings.script


def _check_transcript(settings: ProviderSettings) -> None:
    from dofpilot.agent.recording.transcript import check_beginning

    path = _transcript(settings)
    with _naming(path):
        check_beginning(path)


def _recorded(settings: ProviderSettings) -> RecordedProvider:
    path = _transcript(settings)
    with _naming(path):
        state = path.stat()
        return _read_recorded(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=1)
def _read_recorded(path: Path, _modified: int, _size: int) -> RecordedProvider:
    """One serves all runs until its file changes: reading takes a second for twenty megabytes."""
    from dofpilot.agent.providers.recorded import RecordedProvider
    from dofpilot.agent.recording.transcript import load

    return RecordedProvider(load(path))


def _transcript(settings: ProviderSettings) -> Path:
    if settings.transcript is None:
        raise ConfigurationError(
            "DOFPILOT_TRANSCRIPT", "el proveedor «recorded» necesita la ruta de una grabación"
        )
    return settings.transcript


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    from dofpilot.agent.recording.transcript import TranscriptError

    try:
        yield
    except OSError as error:
        reason = f"no se puede leer «{path}»: {error.strerror}"
        raise ConfigurationError("DOFPILOT_TRANSCRIPT", reason) from error
    except TranscriptError as error:
        reason = f"«{path}» no es una grabación: {error}"
        raise ConfigurationError("DOFPILOT_TRANSCRIPT", reason) from error


def _connection(settings: ProviderSettings) -> Connection:
    from dofpilot.agent.providers.openai_wire import Connection

    return Connection(
        model=settings.model or "",
        api_key=settings.api_key,
        base_url=settings.base_url,
        timeout=settings.timeout,
        max_retries=settings.retries,
        reasoning_effort=settings.reasoning_effort,
    )
