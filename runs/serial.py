"""Transactions that decide by what they count, one after the other."""

from __future__ import annotations

from enum import IntEnum

from django.db import connection


class Turn(IntEnum):
    """Who waits for whom. The numbers only name these locks among PostgreSQL's advisory ones."""

    ADMISSION = 0x646F_6670
    CLAIMING = 0x646F_6671


def serialise(turn: Turn) -> None:
    """Wait until no other transaction is in this ``turn``, and keep it to this one's end.

    SQLite's IMMEDIATE transactions already come one after the other; PostgreSQL's would let two count the
    same rows at once.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [turn])
