"""Whether a question was asked in another language than the gazette's."""

from __future__ import annotations

import re
from collections.abc import Collection

from dofpilot.agent.providers.extractive.naming import content
from dofpilot.corpus.search.query import question_terms
from dofpilot.corpus.text.analysis import STOP_WORDS, WORD, term
from dofpilot.corpus.text.folding import fold

_FOREIGN = frozenset(
    {
        *("what", "which", "who", "when", "where", "why", "how", "much", "many", "is", "are", "was", "were"),
        *("does", "did", "do", "can", "could", "should", "must", "will", "would", "have", "has", "the", "an"),
        *("of", "to", "in", "on", "for", "from", "by", "at", "and", "or", "with", "there", "this", "that"),
        *("my", "your", "his", "their", "you", "they", "it", "if", "not", "any", "tell", "give"),
        *("quel", "quelle", "quels", "quelles", "combien", "quand", "comment", "pourquoi", "qui", "quoi"),
        *("est", "sont", "dans", "pour", "avec", "des", "du", "au", "aux", "et", "ou", "je", "il"),
        *("nous", "vous", "mon", "ma", "mes", "une", "ce", "cette", "ces", "selon", "faut"),
    }
)
# Both languages write them, so they tell nothing.
_SHARED = frozenset(
    {"a", "me", "no", "la", "les", "le", "un", "en", "es", "son", "tu", "te", "se", "he", "de", "que", "sans"}
)
# Spellings that Spanish has in words it has borrowed alone.
_UNLIKE_SPANISH = re.compile(r"[wk]|[stpg]h|ss|tt|ff|pp|mm|ee|oo|[bcfghmpqtv]$", re.IGNORECASE)


def is_foreign(question: str, known: Collection[str] = ()) -> bool:
    """Whether most function words of ``question`` are English or French; where it has none of either sort,
    whether no word of it is among the terms ``known`` and some word is not spelled as Spanish words are."""
    words = [fold(word) for word in WORD.findall(question)]
    foreign = sum(word in _FOREIGN for word in words)
    spanish = sum(word not in _SHARED and _is_function_word(word) for word in words)
    if foreign or spanish:
        return foreign > spanish
    said = content(question)
    unknown = len(said) > 1 and not any(term(word) in known for word in said)
    return unknown and any(map(_UNLIKE_SPANISH.search, said))


def _is_function_word(folded: str) -> bool:
    return folded in STOP_WORDS or term(folded) in question_terms()
