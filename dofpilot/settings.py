"""All settings, from environment variables. A wrong value stops the start and names the variable."""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import suppress
from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated, Any

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from pydantic import AnyHttpUrl, Field, FilePath, RedisDsn, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from dofpilot.agent.errors import ConfigurationError
from dofpilot.agent.limits import Limits
from dofpilot.agent.providers.registry import ProviderName, ProviderSettings, validate
from dofpilot.agent.retrieval import RetrievalMode
from dofpilot.corpus.errors import InvalidRequest
from dofpilot.corpus.vectors.choosing import EmbedderChoice, EmbedderName, check_choice

BASE_DIR = Path(__file__).resolve().parent.parent

# Between dofpilot's own processes (runs.processes, runs.supervisor); nobody sets them by hand.
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


def _read_environment() -> Environment:
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


def _secret_key(path: Path) -> str:
    """The key kept beside the data. It is made whole and then linked, so that nobody reads half of one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            with tempfile.NamedTemporaryFile("w", dir=path.parent, encoding="ascii") as made:
                made.write(secrets.token_urlsafe(64))
                made.flush()
                with suppress(FileExistsError):
                    os.link(made.name, path)
        return path.read_text(encoding="ascii").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"DOFPILOT_DATA_DIR: {error}") from None


def _database(environment: Environment) -> dict[str, Any]:
    if environment.database_url is None:
        return _sqlite(environment.data_dir / "dofpilot.sqlite3")
    try:
        database = dict(dj_database_url.parse(environment.database_url))
    except ValueError:
        raise ImproperlyConfigured("DATABASE_URL: not a database URL") from None
    engine = database["ENGINE"].rpartition(".")[2]
    if engine not in ("sqlite3", "postgresql"):
        raise ImproperlyConfigured(f"DATABASE_URL: dofpilot runs on SQLite and PostgreSQL, not on {engine}")
    return _sqlite(database["NAME"]) if engine == "sqlite3" else database


def _sqlite(name: Path | str) -> dict[str, Any]:
    # IMMEDIATE with WAL: readers never wait, and a read-then-write transaction cannot fail half way
    # because another writer came first (it did in 45% of the cases with the deferred default).
    options = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 25,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
    return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(name), "OPTIONS": options}


def _provider(environment: Environment) -> ProviderSettings:
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
    )
    try:
        validate(settings)
    except ConfigurationError as error:
        raise ImproperlyConfigured(str(error)) from None
    return settings


def _embeddings(environment: Environment) -> EmbedderChoice:
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


env = _read_environment()

DEBUG = env.debug
SECRET_KEY = env.secret_key or _secret_key(env.data_dir / "secret_key")
ALLOWED_HOSTS = env.allowed_hosts
CSRF_TRUSTED_ORIGINS = env.trusted_origins

# --- dofpilot ---------------------------------------------------------------------------------------
DATA_DIR = env.data_dir
CORPUS = env.corpus or env.data_dir / "corpus"
HOST, PORT = str(env.host), env.port
REVISION = env.revision
PROVIDER = _provider(env)
EMBEDDINGS = _embeddings(env)
RETRIEVAL = env.retrieval
LIMITS = Limits(
    turns=env.turns,
    tool_calls=env.tool_calls,
    document_searches=env.document_searches,
    turn_seconds=env.turn_seconds,
    run_seconds=env.run_seconds,
)
PACE = env.pace
QUEUE_LIMIT = env.queue_limit
RUNS_PER_HOUR = env.runs_per_hour
LEASE_SECONDS = env.lease_seconds
REDIS_URL = str(env.redis_url) if env.redis_url else None
PAGE_BODY_LIMIT = 16 * 1024

# --- Django -----------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "daphne",
    "channels",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "django_q",
    "dofpilot.access",
    "runs",
    "feedback",
    "evaluation",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "dofpilot.access.middleware.BodyLimitMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "dofpilot.access.errors.ApiMethodMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "dofpilot.access.middleware.InvitationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "dofpilot.urls"
ASGI_APPLICATION = "dofpilot.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
DATABASES = {"default": _database(env)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "access.User"
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "es-mx"
LANGUAGES = [("es-mx", "Español"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "dofpilot" / "locale"]
TIME_ZONE = "America/Mexico_City"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = env.data_dir / "static"
STATICFILES_DIRS = [BASE_DIR / "dofpilot" / "static"]
# The hashed names of the manifest let browsers keep files for ever; they need ``collectstatic`` first.
_MANIFEST = "whitenoise.storage.CompressedManifestStaticFilesStorage"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage" if DEBUG else _MANIFEST
    },
}
WHITENOISE_USE_FINDERS = DEBUG

# --- safety (DESIGN §11) ----------------------------------------------------------------------------
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = env.https
SECURE_HSTS_SECONDS = 31_536_000 if env.https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = env.https
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.https else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024  # the admin's forms; pages and API stop at PAGE_BODY_LIMIT
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}

# --- queue (DESIGN §3, §5) --------------------------------------------------------------------------
# A task is only a wake-up for ``runs.tasks``: the runs tables are the queue. So a task may be lost or
# come twice, and ``retry`` only has to be longer than the longest run with those prefetched before it
# ((queue_limit + 2) x run), or django-q2 would deliver it again while it runs.
Q_CLUSTER = {
    "name": "dofpilot",
    "orm": "default",
    "workers": 1,
    "queue_limit": 1,
    "poll": 0.05,
    "timeout": int(LIMITS.run_seconds) + 60,
    "retry": 4 * (int(LIMITS.run_seconds) + 60),
    "max_attempts": 1,
    "ack_failures": True,
    "catch_up": False,
    "scheduler": False,
    "save_limit": 200,
    "label": "Cola",
}
CHANNEL_LAYERS: dict[str, Any] = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
if REDIS_URL:
    CHANNEL_LAYERS["default"] = {
        # The pub/sub layer: the core layer breaks at about 100 streams with redis-py 8.
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL], "prefix": "dofpilot"},
    }

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "INFO"},
    # The first two log client addresses, which the application must not keep.
    "loggers": {
        "daphne": {"level": "WARNING"},
        "django.channels.server": {"level": "WARNING"},
        "django-q": {"level": "WARNING"},
        # A line for each request to a model's server: thousands while a corpus is embedded.
        "httpx2": {"level": "WARNING"},
    },
}
