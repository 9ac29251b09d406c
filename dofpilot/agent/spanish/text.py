"""Spanish text made comparable without moving a character: folded offsets hold in the original."""

from __future__ import annotations

_ACCENTED = "áàäâãåéèëêíìïîóòöôõúùüûñçÁÀÄÂÃÅÉÈËÊÍÌÏÎÓÒÖÔÕÚÙÜÛÑÇ"
_PLAIN = "aaaaaaeeeeiiiiooooouuuuncAAAAAAEEEEIIIIOOOOOUUUUNC"
# U+0130 is the only letter whose lower case is longer than itself: it would shift every later offset.
_FOLDING = str.maketrans(_ACCENTED + "\u0130\u00a0\u2009\u202f–—−‑", _PLAIN + "i   ----")


def fold(text: str) -> str:
    """Lower case without accents, with plain spaces and hyphens; as long as ``text``."""
    return text.translate(_FOLDING).lower()
