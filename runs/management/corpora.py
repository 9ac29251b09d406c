"""What the commands that look into a corpus have in common."""

from __future__ import annotations

import json
import re
from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError

from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import CorpusError
from dofpilot.corpus.types import Strategy, VectorState
from dofpilot.corpus.vectors.choosing import make_embedder
from runs.terminal import harmless

MOST_JOBS = 256
DIGITS = 20
"""Of the longest number that is read at all."""
BAR = 30
"""Characters of the longest bar."""
STRATEGIES = {Strategy.LEXICAL: "léxica", Strategy.VECTOR: "vectorial", Strategy.HYBRID: "híbrida"}
_UNSAFE = re.compile("[\x7f-\x9f\ud800-\udfff]")


@contextmanager
def opened(directory: Path) -> Iterator[Corpus]:
    """The corpus in ``directory`` with the embedder of the settings; what is wrong with it in a sentence."""
    try:
        with Corpus.open(directory, make_embedder(settings.EMBEDDINGS)) as corpus:
            yield corpus
    except CorpusError as error:
        raise CommandError(harmless(str(error))) from None


def unused(vectors: VectorState | None) -> str:
    """Why the vectors that a corpus has serve no search, with the setting to mend; empty where they do."""
    if vectors is None or not vectors.unusable:
        return ""
    # Those that name no model are damaged, whatever the settings say.
    if vectors.model and settings.EMBEDDINGS.name is None:
        return f"falta DOFPILOT_EMBEDDINGS con el modelo de sus vectores, «{vectors.model}»"
    return vectors.unusable


def number_between(least: int, most: int, text: str) -> int:
    """For ``type`` of an argument that is a whole number."""
    # Python itself refuses to read a number of thousands of digits, in its own words.
    is_number = text.isascii() and text.isdigit() and len(text) <= DIGITS
    if not (is_number and least <= int(text) <= most):
        raise ArgumentTypeError(f"debe ser un número entre {least} y {most:,}")
    return int(text)


def jobs(text: str) -> int:
    """For ``type`` of ``--jobs``."""
    return number_between(1, MOST_JOBS, text)


def json_text(value: object) -> str:
    """JSON for people and pipes: in its own letters, but for those that a terminal obeys or refuses."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def bar(value: float, largest: float, width: int = BAR) -> str:
    """``value`` drawn as a part of ``width`` characters; what is more than nothing shows."""
    if value <= 0 or largest <= 0:
        return ""
    eighths = max(1, round(8 * width * value / largest))
    return "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]


def said_size(size: int) -> str:
    """``412.3 MB``, in powers of a thousand."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:,.1f} {unit}"
    return f"{size} B"
