"""One search over a corpus, as a run would do it, with what its ranking is made of."""

from __future__ import annotations

import time
from argparse import ArgumentParser, ArgumentTypeError
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from dofpilot.agent.retrieval import RetrievalMode, choose
from dofpilot.corpus.corpus import MOST_HITS, Corpus
from dofpilot.corpus.errors import CorpusUnavailable, InvalidRequest
from dofpilot.corpus.search.query import parse
from dofpilot.corpus.types import Filters, Section, Strategy
from runs.management.corpora import json_text, number_between, opened, unused
from runs.management.hits import Hits, Searched, as_json
from runs.terminal import harmless

BAD_INPUT = 2
OPTIONS = {"query": "consulta", "date_from": "--from", "date_to": "--to", "as_of": "--as-of"}


class Command(BaseCommand):
    help = "Busca en un acervo y muestra los documentos con el lugar que mejor responde."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("out", type=Path, help="carpeta del acervo hecho con build_corpus")
        parser.add_argument("query", metavar="consulta")
        _add_filters(parser)
        _add_ranking(parser)
        parser.add_argument("--passages", action="store_true", help="pasajes en vez de documentos")
        parser.add_argument(
            "--explain", action="store_true", help="cómo se buscó y de qué se compone cada puntaje"
        )
        parser.add_argument("--json", action="store_true", help="todo como JSON")

    def handle(self, *args: Any, out: Path, query: str, **options: Any) -> None:
        if options["date_from"] and options["date_to"] and options["date_from"] > options["date_to"]:
            raise CommandError("--from: es posterior a --to", returncode=BAD_INPUT)
        with opened(out) as corpus:
            strategy = _offered(corpus, options["strategy"])
            try:
                searched = _search(corpus, query, strategy, options)
            except InvalidRequest as error:
                named = OPTIONS.get(error.field, error.field)
                raise CommandError(harmless(f"{named}: {error.reason}"), returncode=BAD_INPUT) from None
        if options["json"]:
            self.stdout.write(json_text(as_json(searched)))
        else:
            Hits(self.stdout._out, explain=options["explain"]).show(searched)


def _add_filters(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--as-of", type=_day, metavar="FECHA", help="solo publicaciones hasta esta fecha (AAAA-MM-DD)"
    )
    parser.add_argument(
        "--from", dest="date_from", type=_day, metavar="FECHA", help="primera fecha de publicación"
    )
    parser.add_argument(
        "--to", dest="date_to", type=_day, metavar="FECHA", help="última fecha de publicación"
    )
    parser.add_argument("--section", type=_section, metavar="EDICIÓN", help="edición del día: MAT, VES o EXT")


def _add_ranking(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--limit",
        type=partial(number_between, 1, MOST_HITS),
        default=10,
        metavar="N",
        help="cuántos; 10 si falta",
    )
    parser.add_argument(
        "--strategy",
        type=_strategy,
        metavar="MODO",
        help="lexical (por palabras), vector (por significado) o hybrid (por ambas cosas); "
        "si falta, lo que diga DOFPILOT_RETRIEVAL",
    )
    parser.add_argument("--recent", action="store_true", help="prefiere las publicaciones recientes")


def _search(corpus: Corpus, query: str, strategy: Strategy, options: dict[str, Any]) -> Searched:
    filters = Filters(options["as_of"], options["date_from"], options["date_to"], options["section"])
    search = corpus.search_passages if options["passages"] else corpus.search_documents
    began = time.perf_counter()
    found = search(query, filters, options["limit"], strategy, prefer_recent=options["recent"])
    milliseconds = (time.perf_counter() - began) * 1000
    dates = (corpus.manifest.date_min, corpus.manifest.date_max)
    # Who asked for words alone misses no vectors.
    unusable = "" if options["strategy"] else unused(corpus.vectors)
    return Searched(query, filters, parse(query), found, milliseconds, dates, unusable)


def _offered(corpus: Corpus, asked: RetrievalMode | None) -> Strategy:
    """What was asked for, or what a run of this site would do."""
    try:
        return choose(asked or settings.RETRIEVAL, corpus.strategies, corpus.vectors)
    except CorpusUnavailable as error:
        named = "--strategy" if asked else "DOFPILOT_RETRIEVAL"
        mode = (asked or settings.RETRIEVAL).value
        reason = unused(corpus.vectors)
        told = f"el acervo no ofrece «{mode}»: {reason}" if reason else error
        raise CommandError(harmless(f"{named}: {told}"), returncode=BAD_INPUT) from None


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError("debe ser una fecha que exista, AAAA-MM-DD") from None


def _section(text: str) -> Section:
    try:
        return Section(text.upper())
    except ValueError:
        raise ArgumentTypeError(f"debe ser {', '.join(Section)}") from None


def _strategy(text: str) -> RetrievalMode:
    try:
        return RetrievalMode(Strategy(text).value)
    except ValueError:
        raise ArgumentTypeError(f"debe ser {', '.join(Strategy)}") from None
