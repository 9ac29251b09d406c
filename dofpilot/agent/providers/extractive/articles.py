"""An article that the question names: where its law keeps it."""

from __future__ import annotations

from collections.abc import Iterator

from dofpilot.agent.figures.mentions import scan
from dofpilot.agent.outcome import FigureKind
from dofpilot.agent.providers.extractive.history import History
from dofpilot.agent.providers.extractive.planning import Plan
from dofpilot.corpus.text.analysis import terms
from dofpilot.corpus.types import Publication


def outline_wanted(planned: Plan, known: History) -> int | None:
    """The law named by its whole title, when no search has hit the article named with it."""
    if not planned.articles or known.outlines:
        return None
    law = next((publication for publication in _found(known) if is_titled(publication, planned)), None)
    if law is None or all(_is_hit(article, law, known) for article in planned.articles):
        return None
    return law.document_id


def chunks_of_articles(planned: Plan, known: History) -> list[int]:
    """Where the outlines place the articles named."""
    return [
        entry.first_chunk_id
        for outline in known.outlines
        if outline
        for entry in outline.entries
        if any(covers(entry.heading_path[-1:], article) for article in planned.articles)
    ]


def is_titled(publication: Publication, planned: Plan) -> bool:
    """Whether the question says the whole title, as it can for a law."""
    words = frozenset(terms(publication.title))
    return len(words) > 1 and words <= frozenset(terms(planned.subject))


def covers(heading: tuple[str, ...], article: str) -> bool:
    """Whether ``Artículo 76 – Artículo 81`` holds an article, given in the normal form of figures."""
    named = [figure.value for figure in scan("\n".join(heading)) if figure.kind is FigureKind.ARTICLE]
    if article in named:
        return True
    return article.isdigit() and len(named) == 2 and _number(named[0]) < int(article) < _number(named[1])


def _number(article: str) -> int:
    """The number before any ``bis``; 0 where there is none."""
    digits = "".join(character if character.isdigit() else " " for character in article).split()
    return int(digits[0]) if digits else 0


def _is_hit(article: str, law: Publication, known: History) -> bool:
    found = [(hit.publication, hit.heading_path) for hits in known.searches for hit in hits]
    found += [(hit.publication, hit.heading_path) for hits in known.probes for hit in hits]
    return any(publication == law and covers(path[-1:], article) for publication, path in found)


def _found(known: History) -> Iterator[Publication]:
    for hits in known.searches:
        yield from (hit.publication for hit in hits)
