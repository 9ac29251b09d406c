"""``corpus.sqlite`` as all who read it open it: never written, nothing made beside it."""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dofpilot.corpus.errors import CorpusUnavailable, IntegrityError
from dofpilot.corpus.files import STORE

Value = int | str


def open_read_only(file: Path) -> sqlite3.Connection:
    """A connection for any thread, one at a time; raise ``CorpusUnavailable`` naming the file."""
    if not file.is_file():
        raise CorpusUnavailable(f"falta «{file}»")
    uri = f"file:{quote(str(file.resolve()))}?mode=ro"
    connection = None
    try:
        connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        connection.execute("PRAGMA query_only=ON")
        # The first statement that looks into the file.
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise CorpusUnavailable(f"no se puede leer «{file}»: {error}") from error
    return connection


def select(directory: Path, statement: str, values: Sequence[Value] = ()) -> Iterator[Any]:
    """The rows of one statement over the corpus in ``directory``, as they are read; on a connection of its
    own. Raise ``CorpusUnavailable`` for a database that is missing or damaged."""
    with closing(open_read_only(directory / STORE)) as connection:
        try:
            yield from connection.execute(statement, values)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise CorpusUnavailable(f"«{directory / STORE}» está dañado: {error}") from error


class Reader:
    """One connection behind a lock: any thread may ask, and waits for the statement before its own.

    Closed with ``close``, or as soon as nobody uses it any more.
    """

    def __init__(self, file: Path) -> None:
        """Raise ``CorpusUnavailable``."""
        self._connection = open_read_only(file)
        # A connection refers to itself, and would stay open until the cyclic garbage collector comes.
        weakref.finalize(self, self._connection.close)
        self._lock = threading.Lock()

    def rows(self, statement: str, values: Sequence[Value] = ()) -> list[Any]:
        """Raise ``CorpusUnavailable`` when it is closed and ``IntegrityError`` for damage."""
        try:
            with self._lock:
                return self._connection.execute(statement, values).fetchall()
        except sqlite3.ProgrammingError as error:
            raise CorpusUnavailable(f"el acervo está cerrado: {error}") from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # Damaged names reach Python inside SQLite's own message, which is then no UTF-8 either.
            raise IntegrityError(f"«{STORE}» está dañado: {error}") from error

    def close(self) -> None:
        with self._lock:
            self._connection.close()
