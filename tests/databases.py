"""A site's own database, read and written by its tests on SQLite and PostgreSQL alike."""

from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

import psycopg

from tests.services import create_database

SERVER = os.environ.get("DATABASE_URL", "")
"""The PostgreSQL server of these tests, if they run on one: each site gets a database of its own there."""

LOGS = ("runs_transition", "runs_progress", "runs_claim")


class Database(Protocol):
    url: str
    """For ``DATABASE_URL``."""
    name: str

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Committed rows; ``%s`` for values, UUIDs as 32 hexadecimal digits."""

    def execute(self, sql: str, *values: Any) -> None: ...

    def locked(self) -> Any:
        """A context in which nobody else can write what a run consists of."""


class SQLite:
    def __init__(self, path: Path) -> None:
        self.url = f"sqlite:///{path}"
        self.name, self._path = path.name, path

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with closing(self._connect()) as database:
            return database.execute(sql.replace("%s", "?"), values).fetchall()

    def execute(self, sql: str, *values: Any) -> None:
        with closing(self._connect()) as database:
            database.execute(sql.replace("%s", "?"), values)

    @contextmanager
    def locked(self) -> Iterator[None]:
        with closing(self._connect()) as database:
            database.execute("BEGIN IMMEDIATE")
            yield
            database.execute("ROLLBACK")

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=30, isolation_level=None)


class PostgreSQL:
    def __init__(self, url: str) -> None:
        self.url, self.name = url, url.rpartition("/")[2]

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url, autocommit=True) as database:
            return [tuple(map(_plain, row)) for row in database.execute(sql, values).fetchall()]

    def execute(self, sql: str, *values: Any) -> None:
        with psycopg.connect(self.url, autocommit=True) as database:
            database.execute(sql, values)

    @contextmanager
    def locked(self) -> Iterator[None]:
        with psycopg.connect(self.url) as database:
            database.execute(f"LOCK TABLE {', '.join(LOGS)} IN ACCESS EXCLUSIVE MODE")
            yield
            database.rollback()


def new_database(folder: Path, template: str | None) -> Database:
    """For one site with its data in ``folder``: where the tests' environment says."""
    if not SERVER:
        return SQLite(folder / "dofpilot.sqlite3")
    return PostgreSQL(create_database(SERVER, f"site_{uuid.uuid4().hex}", template))


def _plain(value: Any) -> Any:
    return value.hex if isinstance(value, uuid.UUID) else value
