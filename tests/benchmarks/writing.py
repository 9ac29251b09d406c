"""Sentences of one generated document, about its own few things, as a real one keeps to its subject."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import TypeVar

from tests.benchmarks import phrases, values
from tests.benchmarks.values import pick, title_case
from tests.benchmarks.vocabulary import Noun, vocabulary, zipf

_THEMES = 400
_THEME_NOUNS = 250
_SUBJECTS = 15
"""Nouns and verbs that a document begins with."""
# Shares of what the document has not said yet: they decide how well it compresses.
_NEW_NOUN = 0.15
_NEW_PHRASE = 0.46
_NEW_VERB = 0.1
_RECENCY = 3
# Shares of sentences with a clause before, with one after, and with a second one after.
_OPENED, _ENDED = 0.65, (0.75, 0.6)

_FEMININE = ("SECRETARÍA", "COMISIÓN", "SUPREMA")

Said = TypeVar("Said")


class Writer(dict[str, str]):
    """Fills patterns: each slot is made anew whenever it is asked for. Everything follows from ``chance``."""

    def __init__(self, chance: random.Random, day: date, institution: str) -> None:
        super().__init__()
        self.chance, self.day, self.institution = chance, day, institution
        theme = random.Random(f"theme:{chance.randrange(_THEMES)}")
        everything = vocabulary().nouns
        self._theme = [everything[zipf(theme, len(everything))] for _ in range(_THEME_NOUNS)]
        self._nouns = [self._new_noun() for _ in range(_SUBJECTS)]
        self._subjects: list[str] = []
        self._objects: list[str] = []
        self._verbs = [self._new_verb() for _ in range(_SUBJECTS)]
        self._laws = [values.law(chance) for _ in range(chance.randint(2, 6))]
        self._norms = [values.norm(chance, day.year) for _ in range(chance.randint(1, 4))]
        self._organs = [_called(name) for name in (institution, *chance.sample(phrases.INSTITUTIONS, 3))]
        self._makers = self._of_language() | self._of_values()

    def __missing__(self, slot: str) -> str:
        return self._makers[slot]()

    def fill(self, pattern: str) -> str:
        text = f" {pattern.format_map(self)}"
        return text.replace(" de el ", " del ").replace(" a el ", " al ")[1:]

    def one(self, patterns: Sequence[str]) -> str:
        return self.fill(pick(self.chance, patterns))

    def sentence(self) -> str:
        opening = f"{pick(self.chance, phrases.OPENINGS)}, " if self.chance.random() < _OPENED else ""
        ending = "".join(
            pick(self.chance, phrases.ENDINGS) for share in _ENDED if self.chance.random() < share
        )
        text = self.fill(f"{opening}{pick(self.chance, phrases.CORES)}{ending}.")
        return text[0].upper() + text[1:]

    def paragraph(self, most: int = 5) -> str:
        return " ".join(self.sentence() for _ in range(self.chance.randint(1, most)))

    def noun(self) -> Noun:
        return self._again(self._nouns, _NEW_NOUN, self._new_noun)

    def subject(self) -> str:
        return self._again(self._subjects, _NEW_PHRASE, lambda: self._new_phrase(many=False))

    def object(self) -> str:
        return self._again(self._objects, _NEW_PHRASE, lambda: self._new_phrase(self.chance.random() < 0.5))

    def verb(self) -> str:
        return self._again(self._verbs, _NEW_VERB, self._new_verb)

    def near(self) -> date:
        """Some day around the document's own."""
        return self.day + timedelta(days=int(self.chance.gauss(0, 300)))

    def _again(self, said: list[Said], new: float, make: Callable[[], Said]) -> Said:
        """Something said before, the last things most often; or, at the share ``new``, something else."""
        chance = self.chance.random()
        if chance < new or not said:
            said.append(make())
            return said[-1]
        return said[-1 - int(((chance - new) / (1 - new)) ** _RECENCY * len(said))]

    def _new_noun(self) -> Noun:
        source = self._theme if self.chance.random() < 0.6 else vocabulary().nouns
        return source[zipf(self.chance, len(source))]

    def _new_verb(self) -> str:
        verbs = vocabulary().verbs
        return verbs[zipf(self.chance, len(verbs))]

    def _new_phrase(self, many: bool) -> str:
        chance = self.chance.random
        noun = self.noun()
        form = 2 * many + noun.feminine
        article = (
            ("el", "la", "los", "las")[form] if chance() < 0.75 else ("un", "una", "otros", "otras")[form]
        )
        words = f"{article} {noun.plural if many else noun.singular}"
        if chance() < 0.45:
            adjectives = vocabulary().adjectives
            words += " " + adjectives[zipf(self.chance, len(adjectives))][form]
        return f"{words} de {self._bare()}" if chance() < 0.35 else words

    def _bare(self) -> str:
        return self.noun().plural

    def _manner(self) -> str:
        return vocabulary().adjectives[zipf(self.chance, 900)][1]

    def _of_language(self) -> dict[str, Callable[[], str]]:
        return {
            "n": self.subject,
            "m": self.object,
            "d": lambda: f"de {self.subject()}",
            "b": self._bare,
            "v": self.verb,
            "w": self.verb,
            "adj": self._manner,
        }

    def _of_values(self) -> dict[str, Callable[[], str]]:
        chance, year = self.chance, self.day.year
        return {
            "law": lambda: pick(chance, self._laws),
            "nom": lambda: pick(chance, self._norms),
            "org": lambda: pick(chance, self._organs),
            "art": lambda: values.article(chance),
            "frac": lambda: values.roman(1 + zipf(chance, 25)),
            "date": lambda: values.spelled(chance, self.near()),
            "term": lambda: values.period(chance),
            "money": lambda: values.amount(chance),
            "pct": lambda: values.percentage(chance),
            "number": lambda: str(1 + zipf(chance, 5000)),
            "year": lambda: str(year),
            "place": lambda: pick(chance, phrases.PLACES),
            "person": lambda: values.person(chance),
            "company": lambda: (
                f"{pick(chance, phrases.TRADES)} {self.noun().singular.capitalize()}, S.A. de C.V."
            ),
            "tender": lambda: values.tender(chance, year),
        }


def _called(institution: str) -> str:
    feminine = institution.partition(" ")[0] in _FEMININE
    return f"{'la' if feminine else 'el'} {title_case(institution)}"
