"""What a query names by number: articles, numerals, fractions, and norms (``NOM-035-STPS-2018``)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dofpilot.corpus.text.analysis import label_term
from dofpilot.corpus.text.numbering import LATIN

_NUMBER = rf"[0-9]{{1,4}}(?:[oº°](?![^\W_]))?\.?(?:[-–][a-z]\b)?(?:\s{{1,3}}{LATIN}\b(?:\s[0-9]{{1,2}}\b)?)?"
_NUMERAL = r"[0-9]{1,3}(?:\.[0-9]{1,3}){1,5}"
_ARTICLES = re.compile(
    rf"\bart(?:[íi]culo|\.)?s?\s{{1,3}}({_NUMBER}(?:(?:\s?,\s?|\s[ye]\s|\s?,\s[ye]\s){_NUMBER}){{0,15}})",
    re.IGNORECASE,
)
_EACH = re.compile(_NUMBER, re.IGNORECASE)
_NUMERALS = re.compile(rf"(?<![\w.,$/-]){_NUMERAL}(?![\w,/%-])")
_PARTS = re.compile(
    r"\b(fracci[óo]n(?:es)?|inciso|base|regla|apartado|cap[íi]tulo|t[íi]tulo|anexo)\s{1,3}([0-9ivxlcdm]{1,8}|[a-z])\b",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"(?=[^\s]{0,80}[0-9])[^\W_]{1,40}(?:[-–/][^\W_]{1,40}){1,8}")


def labels(query: str) -> Iterator[str]:
    """Terms of the labels that the query names by number: ``artículos 5 y 7``, ``numeral 5.2``."""
    for match in _ARTICLES.finditer(query):
        yield from (label_term(f"artículo {number}") for number in _EACH.findall(match[1]))
    yield from (label_term(match[0]) for match in _NUMERALS.finditer(query))


def phrases(query: str) -> Iterator[str]:
    """Texts that name a norm or a part of one, and are to be found as they are written."""
    yield from (match[0] for match in _IDENTIFIER.finditer(query))
    yield from (f"{match[1]} {match[2]}" for match in _PARTS.finditer(query))
