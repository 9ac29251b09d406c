"""One folding for all comparisons: accents, case and compatibility forms are not differences.

``año`` and ``ano`` are equal on purpose: many keyboards and much of the older gazette have no ``ñ``,
and a search that misses them costs more than the rare word that they confuse.
"""

from __future__ import annotations

import unicodedata


def fold(text: str) -> str:
    """Text in lower case without accents; its length may change."""
    if text.isascii():
        return text.lower()
    # Twice: some capitals appear only after decomposition ("℃").
    decomposed = unicodedata.normalize("NFKD", text.lower()).lower()
    return "".join(char for char in decomposed if not unicodedata.combining(char))
