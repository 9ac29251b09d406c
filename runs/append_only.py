"""Rules that the database itself keeps, as migration operations for SQLite and PostgreSQL.

Each is a trigger, and what it refuses is an ``IntegrityError`` on both.

Django alters a table on SQLite by making it anew: its triggers go without a word, and those of other tables
that ask it stop the migration. One that alters such a table runs the rules' operations backwards before, and
forwards after.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

SQLITE = """
CREATE TRIGGER {name} BEFORE {action} ON {table} FOR EACH ROW WHEN {condition}
BEGIN SELECT RAISE(ABORT, '{message}'); END
"""
# PostgreSQL allows no subquery in WHEN, so the condition is in the function's body.
POSTGRESQL_FUNCTION = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF {condition} THEN
    RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN {row};
END $$
"""
POSTGRESQL_TRIGGER = """
CREATE TRIGGER {name} BEFORE {action} ON {table} FOR EACH {each} EXECUTE FUNCTION {name}()
"""


def refuse(
    table: str, action: str, message: str, condition: str = "TRUE", *, rule: str | None = None
) -> migrations.RunPython:
    """An operation after which ``action`` (UPDATE, DELETE or INSERT) on rows of ``table`` fails.

    ``condition`` limits the refusal to the rows for which this SQL holds (``NEW`` and ``OLD`` are the row);
    ``rule`` names it where a table refuses the same action for several reasons.
    """
    return _operation(
        _Trigger(f"{table}_refuses_{rule or action.lower()}", table, action, message, condition)
    )


def refuse_truncate(table: str, message: str) -> migrations.RunPython:
    """PostgreSQL's TRUNCATE of rows, which fires no trigger of theirs. SQLite has none."""
    condition = f"EXISTS (SELECT 1 FROM {table})"  # noqa: S608 - names of a migration
    name = f"{table}_refuses_truncate"
    return _operation(_Trigger(name, table, "TRUNCATE", message, condition), only="postgresql")


def refuse_replacing(table: str, message: str, *keys: tuple[str, ...]) -> migrations.RunPython:
    """SQLite's INSERT OR REPLACE, which deletes the row in its way and fires no trigger of DELETE.

    ``keys``: the columns of each unique key. The guard cannot tell REPLACE from IGNORE and refuses both.
    """
    # ``rowid`` is the integer primary key, or stands beside one that is no integer and can be given as well.
    same = " OR ".join(_same(key) for key in (("rowid",), *keys))
    condition = f"EXISTS (SELECT 1 FROM {table} AS kept WHERE {same})"  # noqa: S608 - names of a migration
    name = f"{table}_refuses_replacing"
    return _operation(_Trigger(name, table, "INSERT", message, condition), only="sqlite")


@dataclass(frozen=True, slots=True)
class _Trigger:
    name: str
    table: str
    action: str
    message: str
    condition: str = "TRUE"

    def creation(self, vendor: str) -> list[str]:
        words = {field: getattr(self, field) for field in self.__slots__}
        words["each"] = "STATEMENT" if self.action == "TRUNCATE" else "ROW"
        # To return nothing would let the statement pass and leave the row as it is.
        words["row"] = "OLD" if self.action == "DELETE" else "NEW"
        return [statement.format(**words) for statement in STATEMENTS[vendor]]

    def removal(self, vendor: str) -> list[str]:
        if vendor == "sqlite":
            return [f"DROP TRIGGER {self.name}"]
        return [f"DROP TRIGGER {self.name} ON {self.table}", f"DROP FUNCTION {self.name}()"]


STATEMENTS = {"sqlite": [SQLITE], "postgresql": [POSTGRESQL_FUNCTION, POSTGRESQL_TRIGGER]}


def _operation(trigger: _Trigger, only: str | None = None) -> migrations.RunPython:
    def install(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
        _execute(editor, trigger.creation)

    def remove(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
        _execute(editor, trigger.removal)

    def _execute(editor: BaseDatabaseSchemaEditor, statements: Callable[[str], list[str]]) -> None:
        vendor = editor.connection.vendor
        if only in (None, vendor):
            for statement in statements(vendor):
                editor.execute(statement)

    return migrations.RunPython(install, remove)


def _same(columns: tuple[str, ...]) -> str:
    return "(" + " AND ".join(f"kept.{column} = NEW.{column}" for column in columns) + ")"
