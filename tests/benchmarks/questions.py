"""Queries as people write them, each made from one generated document that should answer it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import cycle

from dofpilot.corpus.text.folding import fold
from tests.benchmarks import phrases
from tests.benchmarks.documents import Composed
from tests.benchmarks.gazette import Gazette, Place
from tests.benchmarks.mistakes import NO_CONTENT, without_accents
from tests.benchmarks.values import title_case

_WORD = re.compile(r"[^\W\d_]{4,}")
_NORM = re.compile(r"NOM-\d{3}-\w+-\d{4}")
_ARTICLE = re.compile(r"Artículo (\d+)\.-")
_AMOUNT = re.compile(r"\$[\d,]+\.\d\d")
_DATE = re.compile(r"\d{1,2}o?\.? de [a-z]+ de \d{4}")
_ASKED = (
    "¿Qué plazo hay para {}?",
    "¿Quién se encarga de {}?",
    "¿Cuándo se puede {}?",
    "¿Qué requisitos me piden para {}?",
    "¿Cuánto cuesta {}?",
    "¿Dónde se publicó lo de {}?",
)

Maker = Callable[[random.Random, Composed], str]


class Kind(StrEnum):
    WORDS = "words"
    IDENTIFIER = "identifier"
    ARTICLE = "article"
    DATE = "date"
    AMOUNT = "amount"
    ACRONYM = "acronym"
    QUESTION = "question"
    TITLE = "title"


@dataclass(frozen=True, slots=True)
class Query:
    kind: Kind
    text: str
    place: Place
    institution: str


def queries(gazette: Gazette, count: int, seed: int = 1) -> Iterator[Query]:
    """``count`` distinct queries, all kinds in turn; none where the document lacks what a kind asks for."""
    chance = random.Random(f"queries:{seed}")
    kinds = cycle(Kind)
    laws = gazette.laws()
    seen: set[str] = set()
    while len(seen) < count:
        kind = next(kinds)
        place = chance.choice(laws if kind is Kind.ARTICLE and laws else gazette.places)
        document = gazette.document(place)
        text = _MAKERS[kind](chance, document)
        if text and text not in seen:
            seen.add(text)
            yield Query(kind, text, place, document.institution)


def _words(chance: random.Random, document: Composed, least: int = 2, most: int = 6) -> str:
    """Content words of one paragraph, in its order; accents are left out by one person in three."""
    paragraphs = [block for block in document.text.split("\n\n") if len(block) > 150]
    found = dict.fromkeys(_WORD.findall(chance.choice(paragraphs or [document.text])))
    content = [word for word in found if fold(word) not in NO_CONTENT]
    chosen = sorted(chance.sample(range(len(content)), min(len(content), chance.randint(least, most))))
    text = " ".join(content[place].lower() for place in chosen)
    return without_accents(text) if chance.random() < 1 / 3 else text


def _one(chance: random.Random, pattern: re.Pattern[str], document: Composed) -> str:
    """One of the places where ``pattern`` matches; empty where none does."""
    found = pattern.findall(document.text)
    return chance.choice(found) if found else ""


def _with_words(pattern: re.Pattern[str]) -> Maker:
    def make(chance: random.Random, document: Composed) -> str:
        found = _one(chance, pattern, document)
        return f"{found} {_words(chance, document, 1, 2)}" if found else ""

    return make


def _article(chance: random.Random, document: Composed) -> str:
    number = _one(chance, _ARTICLE, document)
    return f"artículo {number} de la {title_case(document.title)}" if number else ""


def _acronym(chance: random.Random, document: Composed) -> str:
    acronym = phrases.ACRONYMS.get(document.institution)
    return f"{acronym} {_words(chance, document, 1, 4)}" if acronym else ""


def _question(chance: random.Random, document: Composed) -> str:
    return chance.choice(_ASKED).format(_words(chance, document, 3, 6))


_MAKERS: dict[Kind, Maker] = {
    Kind.WORDS: _words,
    Kind.IDENTIFIER: lambda chance, document: _one(chance, _NORM, document),
    Kind.ARTICLE: _article,
    Kind.DATE: _with_words(_DATE),
    Kind.AMOUNT: _with_words(_AMOUNT),
    Kind.ACRONYM: _acronym,
    Kind.QUESTION: _question,
    Kind.TITLE: lambda chance, document: document.title,
}
