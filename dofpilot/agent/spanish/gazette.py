"""How the gazette words what people ask for in their own way."""

from __future__ import annotations

import re

from dofpilot.corpus.text.folding import fold_in_place

# Pattern of a question, folded -> words of the provision that answers such a question.
_WORDINGS = (
    (
        r"desde (?:que|cuando)\b|\ba partir de (?:que|cual|cuando)\b|\bentr(?:o|aron|a|an|ara|aran) en vigor"
        r"|cuando (?:empez|empiez|comenz|comienz|arranc|rige)",
        "entrará en vigor",
    ),
    (r"\bmulta|\bcastig|\bsancion", "multa sanción infracción"),
    (r"cuanto tiempo|cuantos (?:dias|meses|anos)|que plazo|hasta (?:cuando|que dia|que fecha)", "plazo días"),
    (r"\bdefin|\bque (?:es|son|se entiende|significa)\b", "se entiende por"),
    (r"\brequisitos|\bque (?:me )?piden|\bcondiciones", "requisitos siguientes"),
    (r"\bultima (?:reforma|modificacion)", "última reforma publicada"),
)
_PATTERNS = tuple((re.compile(pattern), words) for pattern, words in _WORDINGS)


def gazette_words(question: str) -> str:
    """Words to add to a search for what ``question`` asks; often none."""
    folded = fold_in_place(question)
    return " ".join(words for pattern, words in _PATTERNS if pattern.search(folded))
