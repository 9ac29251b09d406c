"""Commands that need the database say so before they touch it."""

from __future__ import annotations

from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def check_prepared() -> None:
    """Raise ``CommandError`` unless every migration was applied."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise CommandError("La base de datos no está preparada. Primero: make up (o manage.py migrate)")
