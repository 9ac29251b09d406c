"""One folding for all comparisons: accents, case and compatibility forms are not differences.

``año`` and ``ano`` are equal on purpose: many keyboards and much of the older gazette have no ``ñ``,
and a search that misses them costs more than the rare word that they confuse.
"""

from __future__ import annotations

import re
import unicodedata

_ACCENTED = "áàäâãåéèëêíìïîóòöôõúùüûñçÁÀÄÂÃÅÉÈËÊÍÌÏÎÓÒÖÔÕÚÙÜÛÑÇ"
_PLAIN = "aaaaaaeeeeiiiiooooouuuuncAAAAAAEEEEIIIIOOOOOUUUUNC"
# U+0130 is the only letter whose lower case is longer than itself: it would shift every later offset.
_IN_PLACE = str.maketrans(_ACCENTED + "\u0130\u00a0\u2009\u202f–—−‑", _PLAIN + "i   ----")

_MARKS = re.compile("[\u0300-\u034e\u0350-\u036f]+")
"""The combining marks of European languages, which leave little for the slow way."""
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def fold(text: str) -> str:
    """Text in lower case without accents; its length may change."""
    if text.isascii():
        return text.lower()
    # Twice: some capitals appear only after decomposition ("℃").
    decomposed = _MARKS.sub("", unicodedata.normalize("NFKD", text.lower()).lower())
    if decomposed.isascii():
        return decomposed
    return _NOT_ASCII.sub(lambda match: "" if unicodedata.combining(match[0]) else match[0], decomposed)


def fold_in_place(text: str) -> str:
    """Lower case without the accents of Spanish, with plain spaces and hyphens: as long as ``text``.

    Offsets hold in both. It folds less than ``fold`` does: compatibility forms stay.
    """
    return text.translate(_IN_PLACE).lower()
