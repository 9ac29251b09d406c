"""One whole document of the generated gazette: headings, articles, tables, transitorios, signatures."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date

from tests.benchmarks import phrases, values
from tests.benchmarks.writing import Writer

_SHORT_SHARE = 0.72
LONG = 10_000
"""Bytes from which a document is a long one."""
_LARGEST = 900_000
_BYTES_PER_CHARACTER = 1.02

LAW = "LEY"
_LONG_KINDS = (LAW, "DECRETO", "NORMA", "REGLAS", "LINEAMIENTOS", "RESOLUCIÓN", "CONVENIO", "ACUERDO")
_SHORT_KINDS = (
    "AVISO",
    "ACUERDO",
    "EDICTO",
    "LICITACIÓN",
    "CIRCULAR",
    "CONVENIO",
    "DECRETO",
    "TIPO",
    "TASAS",
)
_SHORT_WEIGHTS = (8, 8, 6, 6, 3, 4, 3, 2, 1)
_OF_CONGRESS = frozenset({LAW, "DECRETO"})
_OF_BANK = frozenset({"TIPO", "TASAS"})


@dataclass(frozen=True, slots=True)
class Composed:
    kind: str
    institution: str
    title: str
    text: str


def kind_of(chance: random.Random) -> str:
    """The kind that ``compose`` would give, at a thousandth of the work."""
    return _outline(chance)[0]


def compose(chance: random.Random, day: date) -> Composed:
    """A document published on ``day``; everything about it follows from ``chance``."""
    kind, size = _outline(chance)
    institution = _institution(chance, kind)
    writer = Writer(chance, day, institution)
    title = values.law(chance).upper() if kind == LAW else writer.fill(phrases.TITLES[kind])
    branch = "PODER LEGISLATIVO" if institution == phrases.CONGRESS else "PODER EJECUTIVO"
    blocks = [f"# {branch}", f"**{institution}**", f"## {title}", *_body(writer, kind, size)]
    return Composed(kind, institution, title, "\n\n".join(blocks) + "\n")


def _outline(chance: random.Random) -> tuple[str, float]:
    size = _size(chance)
    if size >= LONG:
        return chance.choice(_LONG_KINDS), size
    return chance.choices(_SHORT_KINDS, _SHORT_WEIGHTS)[0], size


def _size(chance: random.Random) -> float:
    """Bytes to reach: 72% below 10 KB, the rest up to hundreds of KB."""
    if chance.random() < _SHORT_SHARE:
        return min(0.82 * LONG, max(700.0, chance.lognormvariate(math.log(2_900), 0.7)))
    return min(_LARGEST, max(1.05 * LONG, chance.lognormvariate(math.log(38_000), 0.95)))


def _institution(chance: random.Random, kind: str) -> str:
    if kind in _OF_BANK:
        return phrases.BANK
    if kind in _OF_CONGRESS:
        return phrases.CONGRESS
    return chance.choice(phrases.INSTITUTIONS)


def _body(writer: Writer, kind: str, size: float) -> Iterator[str]:
    left = size / _BYTES_PER_CHARACTER - 600
    parts = _PARTS.get(kind, _articles)(writer, kind)
    yield _preamble(writer)
    for block in parts:
        yield block
        left -= len(block) + 2
        if left <= 0:
            break
    if kind not in _OF_BANK:
        yield from _closing(writer)


def _preamble(writer: Writer) -> str:
    organ = values.title_case(writer.institution)
    seal = f"Al margen un sello con el Escudo Nacional, que dice: Estados Unidos Mexicanos.- {organ}."
    return f"{seal}\n\n{writer.fill('{person}, con apoyo en los artículos {art} y {art} de la {law}, y')}"


def _articles(writer: Writer, kind: str) -> Iterator[str]:
    """Reasons, then chapters of numbered articles with a table now and then, without end."""
    yield "### CONSIDERANDO"
    for _ in range(writer.chance.randint(1, 4)):
        yield f"{writer.one(phrases.CONSIDERATIONS)};"
    number = 0
    for chapter in range(1, 1_000_000):
        yield f"### CAPÍTULO {values.roman(chapter)}\n\n{_heading(writer)}"
        for _ in range(writer.chance.randint(3, 14)):
            number += 1
            yield from _article(writer, f"**Artículo {number}.-**")
        if writer.chance.random() < 0.25:
            yield _table(writer)


def _numerals(writer: Writer, kind: str) -> Iterator[str]:
    """As norms and rules number themselves: ``4.2.1``."""
    for chapter in range(1, 1_000_000):
        yield f"### {chapter}. {_heading(writer)}"
        for section in range(1, writer.chance.randint(3, 9)):
            yield f"**{chapter}.{section}** {writer.paragraph()}"
            for point in range(1, writer.chance.choice((1, 1, 3, 6))):
                yield f"{chapter}.{section}.{point} {writer.paragraph()}"
        if writer.chance.random() < 0.4:
            yield _table(writer)


def _notices(writer: Writer, kind: str) -> Iterator[str]:
    while True:
        yield f"{writer.one(phrases.NOTICES)} {writer.paragraph(3)}"
        if writer.chance.random() < 0.15:
            yield _table(writer)


def _rates(writer: Writer, kind: str) -> Iterator[str]:
    rate = f"{writer.chance.uniform(9, 21):.4f}"
    yield f"El {values.title_case(phrases.BANK)} informa que hoy el dólar se paga a ${rate} por unidad."
    yield _table(writer)
    while True:
        yield writer.sentence()


_PARTS: dict[str, Callable[[Writer, str], Iterator[str]]] = {
    "NORMA": _numerals,
    "REGLAS": _numerals,
    "AVISO": _notices,
    "EDICTO": _notices,
    "LICITACIÓN": _notices,
    "TIPO": _rates,
    "TASAS": _rates,
}


def _heading(writer: Writer) -> str:
    text = writer.fill("{d} y {d}")
    return text[0].upper() + text[1:]


def _article(writer: Writer, label: str) -> Iterator[str]:
    shape = writer.chance.random()
    if shape < 0.08:
        yield f"{label} Para los efectos de este ordenamiento se entiende por:"
        yield from _list(writer, "{n}: {m} que permite {v} {b}")
        return
    yield f"{label} {writer.paragraph()}"
    if shape < 0.45:
        yield from _list(writer, "{v} {n}")
    for _ in range(int(writer.chance.expovariate(0.7))):
        yield writer.paragraph()


def _list(writer: Writer, pattern: str) -> Iterator[str]:
    count = writer.chance.randint(2, 9)
    for number in range(1, count + 1):
        end = "." if number == count else ", y" if number == count - 1 else ";"
        item = writer.fill(pattern + writer.chance.choice(phrases.ENDINGS))
        yield f"{values.roman(number)}. {item[0].upper()}{item[1:]}{end}"
        if writer.chance.random() < 0.06:
            yield from (f"{letter}) {writer.sentence()}" for letter in "abc")


def _table(writer: Writer) -> str:
    chance = writer.chance
    columns = chance.sample(phrases.COLUMNS, chance.randint(3, 6))
    rows = [columns, ["---"] * len(columns)]
    rows += [
        [_cell(writer, place) for place in range(len(columns))]
        for _ in range(3 + int(chance.expovariate(0.07)))
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(writer: Writer, column: int) -> str:
    if column == 0:
        return writer.object().partition(" ")[2].capitalize()
    if column == 1:
        return f"{writer.chance.randrange(100, 9999)}.{writer.chance.randrange(100):02}"
    return values.amount(writer.chance) if column == 2 else values.figure(writer.chance)


def _closing(writer: Writer) -> Iterator[str]:
    yield "### TRANSITORIOS"
    for ordinal in phrases.ORDINALS[: writer.chance.randint(1, 5)]:
        yield f"**{ordinal}.-** {writer.one(phrases.FINAL_RULES)}"
    yield writer.fill(f"{{place}}, a {values.spelled(writer.chance, writer.day)}.- {{person}}.- Rúbrica.")
