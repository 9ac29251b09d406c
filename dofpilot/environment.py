"""What dofpilot reads from environment variables, checked. A wrong value names its variable."""

from __future__ import annotations

import os
from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated

from django.core.exceptions import ImproperlyConfigured
from pydantic import AnyHttpUrl, Field, FilePath, RedisDsn, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from dofpilot.agent.errors import ConfigurationError
from dofpilot.agent.limits import Limits
from dofpilot.agent.prices import PriceError, PriceTable
from dofpilot.agent.providers.registry import ProviderName, ProviderSettings, validate
from dofpilot.agent.retrieval import RetrievalMode
from dofpilot.corpus.errors import InvalidRequest
from dofpilot.corpus.vectors.choosing import EmbedderChoice, EmbedderName, check_choice

BASE_DIR = Path(__file__).resolve().parent.parent

# Between dofpilot's own processes (runs.work.processes, runs.work.supervisor); nobody sets them by hand.
INTERNAL = frozenset({"DOFPILOT_LIFELINE", "DOFPILOT_WORKER"})

Seconds = Annotated[float, Field(gt=0, le=3600)]
Count = Annotated[int, Field(ge=1, le=1000)]


class Environment(BaseSettings):
    """Every variable that dofpilot reads, ``DOFPILOT_`` and the name in capitals (docs/settings.md)."""

    model_config = SettingsConfigDict(env_prefix="DOFPILOT_", extra="ignore", env_ignore_empty=True)

    debug: bool = False
    https: bool = False
    secret_key: str | None = Field(default=None, min_length=50)
    allowed_hosts: Annotated[list[str], NoDecode] = ["localhost", "127.0.0.1", "[::1]"]
    trusted_origins: Annotated[list[str], NoDecode] = []
    data_dir: Path = BASE_DIR / "var"
    corpus: Path | None = None
    host: IPv4Address = IPv4Address("127.0.0.1")
    port: int = Field(default=8000, ge=1, le=65535)
    revision: str | None = None
    database_url: str | None = Field(default=None, validation_alias="DATABASE_URL")
    redis_url: RedisDsn | None = Field(default=None, validation_alias="REDIS_URL")

    provider: ProviderName | None = None
    model: str | None = None
    api_key: str | None = Field(default=None, repr=False)
    base_url: AnyHttpUrl | None = None
    reasoning_effort: str | None = None
    provider_timeout: Seconds = 60
    provider_retries: int = Field(default=2, ge=0, le=10)
    script: FilePath | None = None
    transcript: FilePath | None = None
    prices: FilePath | None = None
    pace: float = Field(default=0.4, ge=0, le=10)

    retrieval: RetrievalMode = RetrievalMode.AUTO
    embeddings: EmbedderName | None = None
    embeddings_url: AnyHttpUrl | None = None
    embeddings_model: str | None = None
    embeddings_key: str | None = Field(default=None, repr=False)
    embeddings_query_prefix: str | None = None
    embeddings_passage_prefix: str | None = None

    turns: Count = 8
    tool_calls: Count = 8
    document_searches: Count = 3
    turn_seconds: Seconds = 90
    run_seconds: Seconds = 300
    revise_figures: bool = False

    model_concurrency: Count = 1
    probe_seconds: float = Field(default=30, ge=0, le=3600)
    web_connections: Count = 20
    queue_limit: Count = 20
    runs_per_hour: Count = 10
    lease_seconds: float = Field(default=30, ge=2, le=600)

    @field_validator("allowed_hosts", "trusted_origins", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return (
            [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value
        )


def _variable(location: tuple[int | str, ...]) -> str:
    name = str(location[0]) if location else "?"
    return name if name.isupper() else f"DOFPILOT_{name.upper()}"


def read() -> Environment:
    """This process's environment, or ``ImproperlyConfigured``."""
    known = {_variable((name,)) for name in Environment.model_fields} | INTERNAL
    unknown = sorted(name for name in os.environ if name.startswith("DOFPILOT_") and name not in known)
    if unknown:
        raise ImproperlyConfigured(f"{unknown[0]}: dofpilot no conoce esta variable (docs/settings.md)")
    try:
        return Environment()
    except ValidationError as error:
        # The rejected value is left out: it may be a secret.
        faults = "; ".join(f"{_variable(fault['loc'])}: {fault['msg']}" for fault in error.errors())
        raise ImproperlyConfigured(faults) from None


def provider(environment: Environment) -> ProviderSettings:
    default = ProviderName.OPENAI_RESPONSES if environment.api_key else ProviderName.EXTRACTIVE
    settings = ProviderSettings(
        name=environment.provider or default,
        model=environment.model,
        api_key=environment.api_key,
        base_url=str(environment.base_url) if environment.base_url else None,
        reasoning_effort=environment.reasoning_effort,
        timeout=environment.provider_timeout,
        retries=environment.provider_retries,
        script=environment.script,
        transcript=environment.transcript,
    )
    try:
        validate(settings)
    except ConfigurationError as error:
        raise ImproperlyConfigured(str(error)) from None
    return settings


def prices(environment: Environment) -> PriceTable | None:
    try:
        return PriceTable.load(environment.prices) if environment.prices else None
    except PriceError as error:
        raise ImproperlyConfigured(f"{_variable(('prices',))}: {error}") from None


def embeddings(environment: Environment) -> EmbedderChoice:
    choice = EmbedderChoice(
        name=environment.embeddings,
        url=str(environment.embeddings_url) if environment.embeddings_url else None,
        model=environment.embeddings_model,
        key=environment.embeddings_key,
        query_prefix=environment.embeddings_query_prefix,
        passage_prefix=environment.embeddings_passage_prefix,
    )
    try:
        check_choice(choice)
    except InvalidRequest as error:
        variable = _variable((f"embeddings_{error.field}",))
        raise ImproperlyConfigured(f"{variable}: {error.reason}") from None
    return choice


def limits(environment: Environment) -> Limits:
    return Limits(
        turns=environment.turns,
        tool_calls=environment.tool_calls,
        document_searches=environment.document_searches,
        turn_seconds=environment.turn_seconds,
        run_seconds=environment.run_seconds,
        revise_figures=environment.revise_figures,
    )
