"""Rules that the database itself keeps, as migration operations for SQLite and PostgreSQL."""

from __future__ import annotations

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

SQLITE = """
CREATE TRIGGER {name} BEFORE {action} ON {table} FOR EACH ROW {when}
BEGIN SELECT RAISE(ABORT, '{message}'); END
"""
POSTGRESQL_FUNCTION = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation'; END $$
"""
POSTGRESQL_TRIGGER = """
CREATE TRIGGER {name} BEFORE {action} ON {table} FOR EACH ROW {when} EXECUTE FUNCTION {name}()
"""
# PostgreSQL allows no subquery in WHEN, so a rule with a condition becomes the body of its function.
POSTGRESQL_CONDITION = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF {condition} THEN
    RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$
"""


def refuse(table: str, action: str, message: str, condition: str | None = None) -> migrations.RunPython:
    """An operation after which ``action`` (UPDATE, DELETE or INSERT) on rows of ``table`` fails.

    ``condition`` limits the refusal to the rows for which this SQL holds (``NEW`` is the row).
    """
    name = f"{table}_refuses_{action.lower()}"
    words = {"name": name, "action": action, "table": table, "message": message}

    def install(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
        for statement in _statements(editor.connection.vendor, condition):
            editor.execute(statement.format(**words, condition=condition, when=""))

    def remove(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor == "sqlite":
            editor.execute(f"DROP TRIGGER {name}")
        else:
            editor.execute(f"DROP TRIGGER {name} ON {table}")
            editor.execute(f"DROP FUNCTION {name}()")

    return migrations.RunPython(install, remove)


def _statements(vendor: str, condition: str | None) -> list[str]:
    if vendor == "sqlite":
        return [SQLITE.replace("{when}", "WHEN {condition}") if condition else SQLITE]
    if vendor == "postgresql":
        return [POSTGRESQL_CONDITION if condition else POSTGRESQL_FUNCTION, POSTGRESQL_TRIGGER]
    raise NotImplementedError(f"dofpilot runs on SQLite and PostgreSQL, not on {vendor}")
