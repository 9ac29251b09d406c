"""One typing error in a word: a letter too many, too few or wrong, or two swapped.

Nothing is stored for it: candidates are made from what was typed, and the index tells how often it has each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from string import ascii_lowercase

from dofpilot.corpus.text.analysis import term

DocumentFrequency = Callable[[str], int]

_SHORTEST = 5
"""Letters: shorter words are too near to too many others."""
_LONGEST = 24
_LEAST = 3
"""Passages that must hold a correction: what occurs once may be a typing error itself."""
_RATIO = 200
"""A correction is this much more frequent than what was typed: the gazette has typing errors too."""
_OTHER_INITIAL = 0.1
"""People rarely mistype a first letter."""
_OTHER_FORMS = ("ar", "er", "ir", "a", "e", "an", "en", "ara", "era", "ira")
"""Endings of a verb in the tenses of the gazette; not all of them have one stem."""
_DOUBLED, _SWAPPED, _TOO_MANY, _TOO_FEW = 20.0, 10.0, 2.0, 2.0


def is_strange(word: str, frequency: DocumentFrequency) -> bool:
    """Whether a folded word may be mistyped: long enough, of letters alone, and hardly in the corpus.

    ``frequency`` gives the number of passages that hold a term.
    """
    of_letters = _SHORTEST <= len(word) <= _LONGEST and word.isascii() and word.isalpha()
    return of_letters and frequency(term(word)) < _LEAST and not _is_past(word, frequency)


def correction(word: str, frequency: DocumentFrequency) -> str | None:
    """The folded word that was probably meant by a strange one; ``None`` where nothing known is near."""
    weights = _weights(word, frequency)
    best = max(weights, key=lambda candidate: (weights[candidate], candidate), default=None)
    if best is None or frequency(term(best)) < max(_LEAST, _RATIO * frequency(term(word))):
        return None
    return best


def _is_past(word: str, frequency: DocumentFrequency) -> bool:
    """«¿Cuándo entró en vigor?» is no slip for «enero»: the gazette says «entra», «entrará»."""
    stems = [word.removesuffix(ending) for ending in ("io", "o") if word.endswith(ending)]
    forms = {term(stem + ending) for stem in stems for ending in _OTHER_FORMS}
    return sum(map(frequency, forms)) >= _LEAST


def _weights(word: str, frequency: DocumentFrequency) -> dict[str, float]:
    weights: dict[str, float] = {}
    for candidate, likelihood in _candidates(word):
        found = frequency(term(candidate)) * likelihood
        if candidate[0] != word[0]:
            found *= _OTHER_INITIAL
        if found and candidate != word:
            weights[candidate] = max(found, weights.get(candidate, 0.0))
    return weights


def _candidates(word: str) -> Iterator[tuple[str, float]]:
    """Words one error away, each with how likely that error is beside a letter mistaken for any other."""
    for place in range(len(word) + 1):
        left, right = word[:place], word[place:]
        if right:
            yield left + right[1:], _DOUBLED if left[-1:] == right[0] else _TOO_MANY
        if len(right) > 1:
            yield left + right[1] + right[0] + right[2:], _SWAPPED
        for letter in ascii_lowercase:
            yield left + letter + right, _TOO_FEW
            if right:
                yield left + letter + right[1:], 1.0
