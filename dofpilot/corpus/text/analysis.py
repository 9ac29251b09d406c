"""How Spanish text becomes index terms, the same for passages and for what people type.

Accents fall before anything is compared, so ``AÑO``, ``año`` and ``ano`` are one term. Figures stay whole
(``1,234.50``, ``5.2``), ordinals lose their mark (``3o.`` is ``3``), and ``330-A`` is one term.
"""

from __future__ import annotations

import re
from functools import lru_cache

import tantivy

from dofpilot.corpus.text.folding import fold
from dofpilot.corpus.text.wordlists import words

ANALYSIS_VERSION = "dofpilot-analysis-3"

WORD = re.compile(
    r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?(?![0-9])|[0-9]+(?:\.[0-9]+)+|[0-9]+[-–][a-zA-Z](?![^\W_])"
    "|[^\\W_](?:[^\\W_]|[\u0300-\u036f\u00ad])*"
)
"""A word or a figure in text that was not folded; accents may stand by themselves, hyphens may be soft."""

_LONGEST = 64
_MARKS = " .,;:-()*\"'«»“”¿?¡!|#[]…–—"
_MOST_PIECES = 400_000
_ORDINAL = re.compile(r"([0-9]+)(?:o|a|er|ro|do|ra|da)")
_STEMMER = (
    tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).filter(tantivy.Filter.stemmer("spanish")).build()
)

STOP_WORDS = words("stop_words")


def terms(text: str) -> list[str]:
    """Index terms of a text, in order."""
    return [found for word in WORD.findall(text) if (found := term(word))]


def analyse(text: str) -> str:
    """The same terms, separated by spaces; many times faster, since pieces of text come again and again."""
    return " ".join(filter(None, map(_joined.__getitem__, text.split())))


def label_term(label: str) -> str:
    """One term for a whole label, ``Artículo 37``: looked for as two words it would be found everywhere."""
    return "_".join(terms(label))


class _Joined(dict[str, str]):
    """Terms of the pieces met so far, joined: faster than a cache that keeps the order of its use."""

    def __missing__(self, piece: str) -> str:
        if len(self) >= _MOST_PIECES:
            self.clear()
        bare = piece.strip(_MARKS)
        # Most pieces are one word with marks around it, and need no search for words.
        joined = self[piece] = term(bare) if bare.isalpha() else " ".join(terms(piece))
        return joined


_joined = _Joined()


@lru_cache(maxsize=1 << 17)
def piece_terms(piece: str) -> tuple[str, ...]:
    """Terms of a piece of text between white space, which no word or figure spans."""
    return tuple(terms(piece))


@lru_cache(maxsize=1 << 18)
def term(word: str) -> str:
    """The term of one match of ``WORD``; empty for a stop word."""
    if word[0] in "0123456789" and not word.isalnum():
        return word.lower().replace(",", "").replace("-", "").replace("–", "")[:_LONGEST]
    folded = fold(word)
    if not folded.isalnum():
        folded = "".join(filter(str.isalnum, folded))
    folded = folded[:_LONGEST]
    if not folded or folded in STOP_WORDS:
        return ""
    # 3a is the third, 3A is not; but capitals make 3O of 3o.
    ordinal = None if word[-1] == "A" else _ORDINAL.fullmatch(folded)
    return ordinal[1] if ordinal else _stem(folded)


def _stem(folded: str) -> str:
    stem = fold(_STEMMER.analyze(folded)[0])
    # Short words keep their plural there: "días" must meet "día", "años" "año".
    return stem[:-1] if len(stem) > 3 and stem[-1] == "s" and stem[-2] in "aeiou" else stem
