"""What a question names: things by their proper names, and the nouns that its prepositions lead."""

from __future__ import annotations

import re
from itertools import pairwise

from dofpilot.corpus.search.query import question_terms
from dofpilot.corpus.text import dates
from dofpilot.corpus.text.analysis import STOP_WORDS, WORD, term
from dofpilot.corpus.text.folding import fold

# What opens a sentence is written with a capital for that.
_OPENS = re.compile(r"(?:^|[.?!¿¡:;«\"“(\n])\s*$")
_CAPITAL = re.compile(r"\b[A-ZÁÉÍÓÚÑ][^\W\d_]{2,}")
_BETWEEN = re.compile(r"\s+(?:(?:de|del|la|las|los|y|e)\s+){0,3}")
# The gazette itself and its country are named by nearly every question and by few documents.
_EVERYWHERE = frozenset(
    {"diario", "oficial", "federacion", "dof", "mexico", "mexicana", "mexicano", "republica"}
)
_DETERMINERS = frozenset(
    {
        *("el", "la", "los", "las", "un", "una", "unos", "unas", "mi", "mis", "su", "sus", "este", "esta"),
        *("ese", "esa", "cada", "del"),
    }
)
_PREPOSITIONS = frozenset(
    {"de", "al", "por", "para", "con", "en", "sin", "sobre", "entre", "contra"},
)
_LEADING = _DETERMINERS | _PREPOSITIONS

# «La nueva cónsul»: the noun is yet to come.
_PASSED_OVER = frozenset(
    {
        *("nuevo", "nueva", "nuevos", "nuevas", "mismo", "misma", "primer", "primera", "ultimo", "ultima"),
        *("cuanto", "cuanta", "cuantos", "cuantas", "quien"),
    }
)
# «Para cambiar», «sin pedirle»: no noun; but «el dólar», «mi hogar».
_INFINITIVE = re.compile(r"[aei]r(?:me|te|se|nos|les?|l[oa]s?)?$")

# «aumentó», «subieron», «variación», «diferencia»; not «movilidad» nor «comparecencia».
_CHANGE = re.compile(
    r"(?:aument|increment|disminuy?|disminuc|decrec|crec|redu[cj]|reduzc|sub|baj|vari|cambi|modific|evoluc"
    r"|evolucion|diferenci|difer|ajust|encarec|abarat|elev|compar|alz|ascend|ascens|descend|descens)"
    r"(?:[aeo]s?|an|en|io|ieron|eron|aron|ab?a[ns]?|ia[ns]?|[aei]r|[aei]ra[ns]?|[ai]d[oa]s?|c?ion(?:es)?"
    r"|acion(?:es)?|imientos?|[ai]endo|ando)"
)


def proper_names(question: str) -> tuple[str, ...]:
    """Runs of capitalised words, as written, in order: «Benito Juárez», «Jalisco», «UNAM»."""
    found: list[str] = []
    end = -1
    for match in _CAPITAL.finditer(question):
        if fold(match.group()) in _EVERYWHERE or _OPENS.search(question, 0, match.start()):
            continue
        if found and _BETWEEN.fullmatch(question, end, match.start()):
            found[-1] += question[end : match.end()]
        else:
            found.append(match.group())
        end = match.end()
    return tuple(dict.fromkeys(found))


def about(text: str) -> tuple[str, ...]:
    """What ``text`` is about, as written: the words that follow an article, a possessive or a preposition;
    all words that say something where there are fewer than two such."""
    words = [word for word in WORD.findall(text) if fold(word) not in _PASSED_OVER]
    led = [
        second
        for first, second in pairwise(words)
        if _leads(fold(first), fold(second)) and _says_something(second)
    ]
    return tuple(dict.fromkeys(led)) if len(set(led)) > 1 else content(text)


def content(text: str) -> tuple[str, ...]:
    """All words of ``text`` that say something, as written."""
    words = (word for word in WORD.findall(text) if fold(word) not in _PASSED_OVER)
    return tuple(dict.fromkeys(filter(_says_something, words)))


def things(text: str) -> tuple[str, ...]:
    """All words of ``text`` that say something, without infinitives that no article makes nouns."""
    words = [word for word in WORD.findall(text) if fold(word) not in _PASSED_OVER]
    found = (
        second
        for first, second in pairwise(["", *words])
        if _says_something(second) and (fold(first) in _DETERMINERS or not _INFINITIVE.search(fold(second)))
    )
    return tuple(dict.fromkeys(found))


def tells_change(word: str) -> bool:
    """Whether it says that something changed: in a comparison its reader sees that, the sources need not."""
    return bool(_CHANGE.fullmatch(fold(word)))


def _leads(first: str, second: str) -> bool:
    """Whether the folded word ``first`` makes a noun of ``second``."""
    return first in _DETERMINERS or (first in _PREPOSITIONS and not _INFINITIVE.search(second))


def initials_of(name: str) -> str:
    """«Universidad Nacional Autónoma de México» -> ``unam``."""
    return "".join(fold(word)[0] for word in WORD.findall(name) if fold(word) not in STOP_WORDS)


def acronyms(question: str) -> frozenset[str]:
    """Folded words in capitals of three letters or more, as institutions are called."""
    return frozenset(fold(word) for word in WORD.findall(question) if word.isupper() and len(word) > 2)


def _says_something(word: str) -> bool:
    folded = fold(word)
    said = term(word)
    if not said or said in question_terms() or said[0].isdigit():
        return False
    return folded not in (_LEADING | _EVERYWHERE).union(dates.MONTHS)
