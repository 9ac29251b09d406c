"""Questions as hurried people type them: without accents, or with a slip in a word or two."""

from __future__ import annotations

import random
import re
import unicodedata

from dofpilot.corpus.text.folding import fold
from dofpilot.corpus.text.wordlists import words

_SHORTEST = 4
_MOST_SLIPS = 2
_WORD = re.compile(r"[^\W\d_]+")
_ROWS = ("qwertyuiop", "asdfghjklñ", "zxcvbnm")
NO_CONTENT = words("stop_words") | words("question_words")


def without_accents(text: str) -> str:
    """``año`` becomes ``ano``: many keyboards have no ``ñ`` either."""
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize(
        "NFC", "".join(char for char in decomposed if not unicodedata.combining(char))
    )


def mistyped(text: str, seed: str) -> str:
    """One slip in each of one or two content words; numbers, identifiers and small words stay as they are."""
    chance = random.Random(f"{seed}:{text}")
    places = [match for match in _WORD.finditer(text) if _is_content(match, text)]
    chosen = chance.sample(places, min(len(places), chance.randint(1, _MOST_SLIPS)))
    for match in sorted(chosen, key=lambda match: -match.start()):
        text = text[: match.start()] + slip(match[0], chance) + text[match.end() :]
    return text


def slip(word: str, chance: random.Random) -> str:
    """``word`` with two letters swapped, one dropped, one doubled or a neighbour key: never as it was."""
    kinds = [_swap, _drop, _double, _neighbour]
    while True:
        # The first letter is the one that people get right.
        changed = chance.choice(kinds)(word, chance.randrange(1, len(word)), chance)
        if fold(changed) != fold(word):
            return changed


def _is_content(match: re.Match[str], text: str) -> bool:
    around = text[max(0, match.start() - 1) : match.start()] + text[match.end() : match.end() + 1]
    is_part = any(char.isdigit() or char in "-/_" for char in around)
    is_acronym = match[0].isupper()
    return len(match[0]) >= _SHORTEST and not is_part and not is_acronym and fold(match[0]) not in NO_CONTENT


def _swap(word: str, place: int, chance: random.Random) -> str:
    first = min(place, len(word) - 2)
    return word[:first] + word[first + 1] + word[first] + word[first + 2 :]


def _drop(word: str, place: int, chance: random.Random) -> str:
    return word[:place] + word[place + 1 :]


def _double(word: str, place: int, chance: random.Random) -> str:
    return word[:place] + word[place] + word[place:]


def _neighbour(word: str, place: int, chance: random.Random) -> str:
    row = next((row for row in _ROWS if fold(word[place]) in row), None)
    if row is None:
        return word
    key = row.index(fold(word[place]))
    return (
        word[:place] + chance.choice(row[max(0, key - 1) : key] + row[key + 1 : key + 2]) + word[place + 1 :]
    )
