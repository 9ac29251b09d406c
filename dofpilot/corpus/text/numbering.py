"""How Spanish law counts what it puts between two numbers: ``27 Bis``, ``15 Ter 1``."""

from __future__ import annotations

LATIN = r"(?:BIS|TER|QU[ÁA]TER|QUINQUIES|QUINTUS|SEXIES|SEPTIES|OCTIES|NONIES)"
"""A pattern for ``re.IGNORECASE``."""
