"""What the generated gazette says: the words, names and patterns of sentences in ``words/``.

A pattern's slots: ``n`` a thing with its article, ``m`` another or several, ``d`` the first after «de»,
``b`` a bare plural, ``v`` and ``w`` infinitives, ``adj`` a feminine adjective; ``law``, ``nom``, ``art``,
``frac``, ``org``, ``date``, ``money``, ``pct``, ``number``, ``year``, ``place``, ``person``, ``company``,
``tender``; ``term``, a period in words.
"""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).with_name("words")


def lines(name: str) -> tuple[str, ...]:
    return tuple((_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines())


def words(name: str) -> tuple[str, ...]:
    return tuple(word for line in lines(name) for word in line.split())


OPENINGS, CORES, ENDINGS = lines("openings"), lines("cores"), lines("endings")
CONSIDERATIONS, FINAL_RULES, NOTICES = lines("considerations"), lines("final_rules"), lines("notices")
TITLES = {line.split()[0]: line for line in lines("titles")}
"""By first word, which is also the kind of publication."""
ACRONYMS = {name: acronym for acronym, _, name in (line.partition(": ") for line in lines("institutions"))}
"""By the name of the institution, in capitals."""
INSTITUTIONS = tuple(ACRONYMS)
CONGRESS, BANK = "CONGRESO DE LA UNIÓN", "BANCO DE MÉXICO"
MATTERS, COLUMNS = lines("matters"), lines("columns")
PLACES, TRADES = words("places"), words("trades")
GIVEN, SURNAMES = words("given"), words("surnames")
NORM_KINDS = ("Ley General", "Ley Federal", "Ley", "Ley Orgánica", "Ley Reglamentaria")
NORM_ORGANS = ("SSA1", "STPS", "SCFI", "SEMARNAT", "SCT2", "ENER", "SAG", "CNA", "SESH", "SE", "ASEA")
MONTHS = (
    *("enero", "febrero", "marzo", "abril", "mayo", "junio"),
    *("julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"),
)
ORDINALS = ("Primero", "Segundo", "Tercero", "Cuarto", "Quinto", "Sexto", "Séptimo", "Octavo", "Noveno")
NUMBERS = ("dos", "tres", "cinco", "siete", "ocho", "diez", "doce", "quince", "veinte", "treinta", "sesenta")
UNITS = ("días hábiles", "días naturales", "meses", "años", "horas", "semanas")
