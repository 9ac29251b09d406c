"""All settings, from environment variables. A wrong value stops the start and names the variable."""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from dofpilot import environment
from dofpilot.environment import BASE_DIR, Environment


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


def _database(given: Environment) -> dict[str, Any]:
    if given.database_url is None:
        return _sqlite(given.data_dir / "dofpilot.sqlite3")
    try:
        database = dict(dj_database_url.parse(given.database_url))
    except ValueError:
        raise ImproperlyConfigured("DATABASE_URL: not a database URL") from None
    engine = database["ENGINE"].rpartition(".")[2]
    if engine not in ("sqlite3", "postgresql"):
        raise ImproperlyConfigured(f"DATABASE_URL: dofpilot runs on SQLite and PostgreSQL, not on {engine}")
    return _sqlite(database["NAME"]) if engine == "sqlite3" else _postgresql(database)


def _postgresql(database: dict[str, Any]) -> dict[str, Any]:
    # A server that is gone without a word must be noticed: libpq alone waits for it for minutes.
    # As with SQLite, nobody waits for a lock without end, and nobody keeps one without working.
    limits = "-c lock_timeout=25s -c idle_in_transaction_session_timeout=60s"
    patience = {"connect_timeout": 5, "tcp_user_timeout": 15_000, "options": limits}
    return {**database, "CONN_HEALTH_CHECKS": True, "OPTIONS": {**patience, **database.get("OPTIONS", {})}}


def _sqlite(name: Path | str) -> dict[str, Any]:
    # IMMEDIATE with WAL: readers never wait, and a read-then-write transaction cannot fail half way
    # because another writer came first (it did in 45% of the cases with the deferred default).
    options = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 25,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
    return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(name), "OPTIONS": options}


env = environment.read()

DEBUG = env.debug
SECRET_KEY = env.secret_key or _secret_key(env.data_dir / "secret_key")
ALLOWED_HOSTS = env.allowed_hosts
CSRF_TRUSTED_ORIGINS = env.trusted_origins

# --- dofpilot ---------------------------------------------------------------------------------------
DATA_DIR = env.data_dir
CORPUS = env.corpus or env.data_dir / "corpus"
HOST, PORT = str(env.host), env.port
REVISION = env.revision
PROVIDER = environment.provider(env)
PRICES = environment.prices(env)
EMBEDDINGS = environment.embeddings(env)
RETRIEVAL = env.retrieval
LIMITS = environment.limits(env)
PACE = env.pace
MODEL_CONCURRENCY = env.model_concurrency
PROBE_SECONDS = env.probe_seconds
WEB_CONNECTIONS = env.web_connections
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
# A task is only a wake-up for ``runs.work.tasks``: the runs tables are the queue, and a task may be lost or
# come twice. What django-q2 would do by itself for the safety of tasks is left out.
_LONGEST_TASK = int(LIMITS.run_seconds + env.provider_timeout + 3 * LEASE_SECONDS) + 60
Q_CLUSTER = {
    "name": "dofpilot",
    # In the same database, so that a wake-up is committed or rolled back with its run.
    "orm": "default",
    # One machine alone can fill all places; how many are taken, the claims of all machines say.
    "workers": MODEL_CONCURRENCY,
    # Taken from the database ahead of time: the less, the fewer wake-ups a killed cluster takes with it.
    "queue_limit": 1,
    "bulk": 1,
    # The default of 0.2 s gives a median of 88 ms from a question to its start, this one 28.
    "poll": 0.05,
    # The last resort: a run ends by its own deadline, then the provider's last turn and the patience with a
    # database that is away (a lease for a step, one for the end, one for a locked file) may follow.
    "timeout": _LONGEST_TASK,
    # Counted from the moment a wake-up is taken: the one at work, the one in the queue and the one in the
    # pusher's hand come one after the other. Shorter, each would come again while it still waits.
    "retry": 4 * _LONGEST_TASK,
    # A failed wake-up is over: the sweep makes a new one if a run waits.
    "ack_failures": True,
    # Nothing is kept of a wake-up that worked, which also saves a write for each run.
    "save_limit": -1,
    # There are no scheduled tasks.
    "scheduler": False,
    "label": "Cola",
}
CHANNEL_LAYERS: dict[str, Any] = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
if REDIS_URL:
    # A push is a hint: neither worker nor web waits long for a Redis that does not answer.
    patience = {"socket_connect_timeout": 1, "socket_timeout": 1}
    CHANNEL_LAYERS["default"] = {
        # The pub/sub layer: the core layer breaks at about 100 streams with redis-py 8.
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [{"address": REDIS_URL, **patience}], "prefix": "dofpilot"},
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
