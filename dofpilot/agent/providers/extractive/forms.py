"""Which sentences have the form of an answer that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Callable

from dofpilot.agent.figures.mentions import Mention
from dofpilot.agent.outcome import FigureKind
from dofpilot.agent.providers.extractive.asking import Asked, Form
from dofpilot.agent.providers.extractive.units import Unit
from dofpilot.corpus.text import dates
from dofpilot.corpus.text.analysis import WORD, term, terms
from dofpilot.corpus.text.folding import fold_in_place

_LABEL = (
    r"\W{0,20}(?:art(?:iculo|\.)?\s+\d+[\w.°º -]{0,12}?[.-]\W{1,20})?"
    r"(?:(?:\d+(?:\.\d+)*|[ivxlc]{1,7}|[a-z])(?:[.)]?-|[.)])?\s+)?"
)
_DEFINITION = re.compile(
    rf"{_LABEL}(?:(?:el|la|los|las)\s)?(?P<term>[^:.;]{{2,90}}?)"
    r"(?::|,?\s(?:es|son|significan?|comprenden?|se entiende|se entendera)\b)"
)
# «Para los efectos de esta ley, se entiende por salario la cantidad ...»
_UNDERSTOOD = re.compile(
    r"\bse (?:entiende|entendera|considera)n? (?:por|como)\s+(?:(?:el|la|los|las)\s)?(?P<rest>.{2,90})"
    r"|\bel termino\s+(?P<named>.{2,60}?)\s+(?:comprende|significa|es)\b"
)
_STARTS = re.compile(
    r"\bentr\w+ en vigor\b|\b(?:empieza|empezara|comienza|comenzara)n? a (?:regir|aplicarse)\b"
    r"|\b(?:inicia|iniciara|comienza|comenzara)n? (?:su )?vigencia\b|\bsera obligatori[oa]\b"
    r"|\b(?:rigen?|regiran?|obligan?|se aplica(?:ra)?n?|(?:surt|produc)en? efectos) (?:desde|a partir)\b"
    r"|\bser\w* exigibles?\b|\bestara\w* vigente|\bla obligacion comienza\b"
)
_TIMED = re.compile(
    r"\bvig(?:or|encia)\b|\ba partir de|\bdesde\b|\bhasta\b|\bplazo|\bregir\b|\bvenc\w+|\bantes de"
    r"|\bdespues de|\bdentro de|\bsiguientes?\b"
)
_TIME = r"(?:dias?|mes(?:es)?|anos?|semanas?|horas?|minutos?)\b"
_LENGTH_OF_TIME = re.compile(rf"\b{_TIME}")
_UNIT_FOLLOWS = re.compile(rf"\W{{0,4}}(?:(?:y|o|a) \w+ )?(?:\w+ ){{0,1}}?{_TIME}")
_ONE = re.compile(rf"\b(?:un|una|medi[oa]|primer|cada)\s+{_TIME}|\b{_TIME} y medi[oa]\b")
_MULTIPLE = re.compile(r"\b(?:veces|gratuit[oa]s?|sin costo|cuotas?)\b|\d\s+salarios\b")
_QUANTITIES = frozenset({FigureKind.AMOUNT, FigureKind.PERCENTAGE, FigureKind.NUMBER})
# What a number counts follows it, or stands after an adjective or two: «ocho equipos», «dos nuevas obras».
_NEAR = 60
_WORDS_AFTER = 3


def has_form(unit: Unit, asked: Asked) -> bool:
    """Whether the sentence can answer a question that asks so."""
    return _TESTS[asked.form](unit, asked)


def defines(text: str, asked: tuple[tuple[str, ...], ...]) -> bool:
    """Whether ``text`` says what the whole term asked for is."""
    folded = " ".join(fold_in_place(text).split())
    found = _DEFINITION.match(folded)
    term_defined = tuple(terms(found["term"])) if found else ()
    # «¿Cómo define la ley el teletrabajo?» names the term last.
    if term_defined and any(term_defined in (one, one[-len(term_defined) :]) for one in asked):
        return True
    understood = (match["rest"] or match["named"] for match in _UNDERSTOOD.finditer(folded))
    return any(tuple(terms(rest))[: len(one)] == one for rest in understood for one in asked)


def tells_when(text: str) -> bool:
    """Whether it names a day, or ties a beginning, an end or a term to a length of time."""
    folded = fold_in_place(text)
    timed = _TIMED.search(folded) or _STARTS.search(folded)
    return any(mention.day for mention in dates.find(folded)) or bool(timed and _has_time(folded))


def tells_start(text: str) -> bool:
    """Whether it says when something comes into force."""
    folded = fold_in_place(text)
    return bool(_STARTS.search(folded)) and _has_time(folded)


def _has_time(folded: str) -> bool:
    return bool(_LENGTH_OF_TIME.search(folded)) or any(True for _ in dates.find(folded))


def _has_length(unit: Unit) -> bool:
    folded = fold_in_place(unit.passage.text[unit.start : unit.end])
    ends = (figure.end - unit.start for figure in unit.figures if figure.kind is FigureKind.NUMBER)
    return any(_UNIT_FOLLOWS.match(folded, end) for end in ends) or bool(_ONE.search(folded))


def _has_count(unit: Unit, asked: Asked) -> bool:
    """A list is counted by its reader."""
    if unit.is_list:
        return True
    numbers = [figure for figure in unit.figures if figure.kind is FigureKind.NUMBER]
    return any(asked.counted in _terms_after(unit, number) for number in numbers)


def _terms_after(unit: Unit, number: Mention) -> set[str]:
    after = unit.passage.text[number.end : min(unit.end, number.end + _NEAR)]
    return {term(word) for word in WORD.findall(after)[:_WORDS_AFTER]}


def _has_amount(unit: Unit) -> bool:
    return unit.has_quantity or bool(_MULTIPLE.search(fold_in_place(unit.text)))


def _has_quantity(unit: Unit) -> bool:
    return any(figure.kind in _QUANTITIES for figure in unit.figures) or _has_length(unit)


def _has_share(unit: Unit) -> bool:
    return any(figure.kind is FigureKind.PERCENTAGE for figure in unit.figures)


_TESTS: dict[Form, Callable[[Unit, Asked], bool]] = {
    Form.ANY: lambda unit, asked: True,
    Form.DEFINITION: lambda unit, asked: defines(unit.text, asked.defined),
    Form.START: lambda unit, asked: tells_start(unit.text),
    Form.SHARE: lambda unit, asked: _has_share(unit),
    Form.LENGTH: lambda unit, asked: _has_length(unit),
    Form.COUNT: _has_count,
    Form.AMOUNT: lambda unit, asked: _has_amount(unit),
    Form.QUANTITY: lambda unit, asked: _has_quantity(unit),
    Form.WHEN: lambda unit, asked: tells_when(unit.text),
}
