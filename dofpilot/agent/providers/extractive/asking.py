"""What form of answer a question asks for, read from the part of it that asks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from dofpilot.agent.providers.extractive.naming import things
from dofpilot.corpus.text.analysis import term, terms
from dofpilot.corpus.text.folding import fold_in_place

_DOCUMENT = (
    r"(?:ley(?:es)?|reglamentos?|normas?|nom|resoluci[oó]n|resoluciones|acuerdos?|decretos?|c[oó]digos?"
    r"|circular(?:es)?|lineamientos|reglas|aviso|constituci[oó]n|diario)"
)
_SOURCE = re.compile(
    r"\b(?:seg[uú]n|conforme|de\s+acuerdo|en|bajo|que\s+(?:fij|establec|señal|marc|mand|orden|prev|dispon|dic|da)\w*)"
    rf"\s+(?:con\s+|al?\s+)?(?:(?:el|la|los|las|esta|este|lo)\s+)?(?:(?:nuev|últim)[oa]s?\s+)?{_DOCUMENT}\b"
    r"(?:(?!\b(?:qué|cuál|cuánt|cuándo|quién|cómo|dónde))[^,;:?¿])*",
    re.IGNORECASE,
)
_UNITS_OF_TIME = r"(?:d[ií]as?|mes(?:es)?|a[nñ]os?|semanas?|horas?|minutos?)"
# Without its accent «que» asks only where it opens a question.
_ASKS_MEANING = re.compile(
    r"(?:\bqué|(?:^|¿)\s*que) (?:es|son|significan?|quiere decir|se entiende por)\b"
    r"|\bc[oó]mo (?:se )?definen?\b|\bdefinici[oó]n de\b",
    re.IGNORECASE,
)
_TERM_END = re.compile(r"[,;?.]|\b(?:segun|conforme|de acuerdo|en|para)\b")
# The accent tells the question word from a relative, except where nothing else could be meant.
_START = re.compile(
    r"\bvigor\b|\b(?:entr|inici|empiez|comienz)\w+ (?:en |su )?vigencia\b"
    r"|\b(?:a partir|desde) (?:de )?(?:cuándo|cuando|cuál|qu[eé] (?:fecha|d[ií]a))\b",
    re.IGNORECASE,
)
_SHARE = re.compile(r"\bqué\s+(?:porcentaje|tasa|tanto por ciento|proporción)\b", re.IGNORECASE)
_LENGTH = re.compile(
    r"\bcuánto\s+(?:tiempo|dura\w*|tarda\w*)\b|\bqué\s+(?:plazo|duración|edad|vigencia)\b|\bcuál\s+es\s+la\s+edad\b"
    rf"|\b(?:en|cada)\s+cuánto\b(?:\s+tiempo\b)?|\bcuánt[oa]s\s+(?:\w+\s+)?{_UNITS_OF_TIME}\b",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\bcuánt[oa]s\s+(?P<counted>\w+)", re.IGNORECASE)
_AMOUNT = re.compile(
    r"\bde\s+cuánto\b|\bcuánto\s+(?:cuest\w+|val\w+|cobr\w+|(?:se\s+|me\s+)?pag\w+|dinero|gan\w+|deb\w+)\b"
    r"|\bcuál(?:es)?\s+(?:es|fue|son|será)\s+(?:el|la|los|las)?\s*(?:nuev[oa]s?\s+)?"
    r"(?:salarios?|precio|monto|tarifa|cuota|costo|valor|multa|tasa|tipo de cambio|importe)\b"
    r"|\bqué\s+(?:multa|monto|precio|tarifa|cuota|salario|importe|valor)\b",
    re.IGNORECASE,
)
_QUANTITY = re.compile(r"\bcuánt[oa]\b", re.IGNORECASE)
_WHEN = re.compile(
    r"(?<!cada\s)\bcuándo\b|\bqué (?:fecha|día|año|momento)\b|\b(?:entr\w+ en|inici\w+ de) vig", re.IGNORECASE
)


class Form(StrEnum):
    """What a sentence must have to answer: nothing in particular, the meaning of a term, an entry into force,
    a percentage, a length of time, a number of something, an amount, how much of something else, a time."""

    ANY = "any"
    DEFINITION = "definition"
    START = "start"
    SHARE = "share"
    LENGTH = "length"
    COUNT = "count"
    AMOUNT = "amount"
    QUANTITY = "quantity"
    WHEN = "when"


# Forms without which a question of theirs is not answered.
STRICT = frozenset(Form) - {Form.ANY, Form.DEFINITION}


@dataclass(frozen=True, slots=True)
class Asked:
    """``counted``: term of what is to be counted. ``thing``: words that say of what the number or the amount
    is asked, as written, that of what is counted alone. ``defined``: terms of what is to be defined, with and
    without what follows it."""

    form: Form
    counted: str = ""
    thing: tuple[str, ...] = ()
    defined: tuple[tuple[str, ...], ...] = ()


def asked(question: str) -> Asked:
    """The form that the words of ``question`` ask for; of several, the one that tells most."""
    if defined := term_asked(question):
        return Asked(Form.DEFINITION, defined=defined)
    for form, pattern in _FORMS:
        if found := pattern.search(question):
            return _asked(form, found, question)
    return Asked(Form.ANY)


def _asked(form: Form, found: re.Match[str], question: str) -> Asked:
    if form is Form.COUNT:
        return Asked(form, counted=term(found["counted"]), thing=things(found["counted"]))
    thing = things(without_source(question[found.end() :])) if form in _OF_A_THING else ()
    return Asked(form, thing=thing)


# A length of time is of what is done («para contestar»), which is said in many ways.
_OF_A_THING = frozenset({Form.SHARE, Form.AMOUNT, Form.QUANTITY})
_FORMS = (
    (Form.SHARE, _SHARE),
    (Form.LENGTH, _LENGTH),
    (Form.COUNT, _COUNT),
    (Form.AMOUNT, _AMOUNT),
    (Form.QUANTITY, _QUANTITY),
    (Form.START, _START),
    (Form.WHEN, _WHEN),
)


def without_form(text: str) -> str:
    """``text`` without the words that only ask for a form: «cuánto tiempo», «qué porcentaje»."""
    for _, pattern in _FORMS:
        text = pattern.sub(" ", text)
    return text


def without_source(text: str) -> str:
    """``text`` without the words that only say where to look: «según la Ley de Aguas», «en el decreto de …»,
    «que fija la resolución de …»."""
    return _SOURCE.sub(" ", text)


def term_asked(question: str) -> tuple[tuple[str, ...], ...]:
    """Terms of what the question wants defined, with and without what follows it; none for any other one."""
    asks = _ASKS_MEANING.search(question)
    if asks is None:
        return ()
    rest = fold_in_place(question[asks.end() :])
    end = _TERM_END.search(rest)
    readings = (tuple(terms(rest[: end.start()] if end else rest)), tuple(terms(rest)))
    return tuple(dict.fromkeys(filter(None, readings)))
