"""Tens of thousands of Spanish-shaped words for the generated gazette, the commonest of them real.

Words are ordered from common to rare and drawn log-uniformly, which is Zipf's law. Nothing is read from
outside: the rare ones are stems and endings put together.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TypeVar

from tests.benchmarks.phrases import words

_ONSETS = (*"bcdfglmnprst" * 3, *"jv", "br", "cl", "cr", "dr", "fl", "gr", "pl", "pr", "tr")
_VOWELS = ("a", "e", "i", "o", "u", "ie")
_CODAS = (*"bcdglmnprstv" * 2, "nt", "st", "ct", "rv", "mb", "nd", "rt", "rm", "nc")
_PREFIXES = ("re", "des", "sub", "inter", "pre", "contra", "sobre", "auto", "extra", "multi")
_NOUN_ENDINGS = (
    ("ación", "aciones", "f"),
    ("amiento", "amientos", "m"),
    ("ador", "adores", "m"),
    ("idad", "idades", "f"),
    ("ario", "arios", "m"),
    ("ería", "erías", "f"),
    ("ura", "uras", "f"),
    ("ante", "antes", "m"),
)
_ADJECTIVE_ENDINGS = ("ado", "ativo", "able", "atorio", "al", "ístico")
_COMPOSED_STEMS = 900
_SEED = "vocabulary"

Word = TypeVar("Word")


@dataclass(frozen=True, slots=True)
class Noun:
    singular: str
    plural: str
    feminine: bool


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Each tuple from the commonest word to the rarest. Adjectives are (el, la, los, las) forms."""

    nouns: tuple[Noun, ...]
    adjectives: tuple[tuple[str, str, str, str], ...]
    verbs: tuple[str, ...]


@cache
def vocabulary() -> Vocabulary:
    chance = random.Random(_SEED)
    stems = [*words("stems"), *_composed(chance)]
    common = [_noun(word, False) for word in words("masculine_nouns")] + [
        _noun(word, True) for word in words("feminine_nouns")
    ]
    rare = [Noun(stem + one, stem + many, sex == "f") for stem in stems for one, many, sex in _NOUN_ENDINGS]
    prefixed = [
        Noun(prefix + noun.singular, prefix + noun.plural, noun.feminine)
        for prefix, noun in product(_PREFIXES, rare[: len(rare) // 4])
    ]
    adjectives = [_adjective(stem + ending) for stem in stems for ending in _ADJECTIVE_ENDINGS]
    # Mixed, or neighbours in rank would be neighbours in form.
    return Vocabulary(
        (*_mixed(common, chance), *_mixed(rare, chance), *_mixed(prefixed, chance)),
        (*map(_adjective, words("adjectives")), *_mixed(adjectives, chance)),
        (*words("verbs"), *_mixed([stem + "ar" for stem in stems], chance)),
    )


def zipf(chance: random.Random, count: int) -> int:
    """A rank from 0 to ``count`` - 1; rank ``r`` about 1 / (r + 1) as often as the first."""
    return min(count, int((count + 1) ** chance.random())) - 1


def _mixed(ordered: list[Word], chance: random.Random) -> list[Word]:
    return chance.sample(ordered, len(ordered))


def _composed(chance: random.Random) -> list[str]:
    """Two syllables and the consonants before an ending: ``melcont``, ``trivar``."""
    made: dict[str, None] = {}
    while len(made) < _COMPOSED_STEMS:
        onsets = chance.choices(_ONSETS, k=2)
        vowels = chance.choices(_VOWELS, weights=(8, 7, 5, 6, 3, 1), k=2)
        middle = chance.choice(("", "", "", "n", "r", "s", "l"))
        made[onsets[0] + vowels[0] + middle + onsets[1] + vowels[1] + chance.choice(_CODAS)] = None
    return list(made)


def _noun(word: str, feminine: bool) -> Noun:
    return Noun(word, _plural(word), feminine)


def _plural(word: str) -> str:
    if word.endswith(("ón", "ín", "én")):
        return word[:-2] + {"ó": "o", "í": "i", "é": "e"}[word[-2]] + "nes"
    if word.endswith("z"):
        return word[:-1] + "ces"
    return word + ("s" if word[-1] in "aeioué" else "es")


def _adjective(word: str) -> tuple[str, str, str, str]:
    feminine = word[:-1] + "a" if word.endswith("o") else word
    return word, feminine, _plural(word), _plural(feminine)
