"""The figures of a passage, each read once: every turn of a run asks for them again."""

from __future__ import annotations

from functools import lru_cache

from dofpilot.agent.figures.mentions import Mention, scan
from dofpilot.corpus.types import Passage

# A run reads fifty passages at most; a worker may have several runs at hand.
PASSAGES_KEPT = 512


@lru_cache(PASSAGES_KEPT)
def said_in(passage: Passage) -> tuple[Mention, ...]:
    """Figures of the text, with offsets in it."""
    return scan(passage.text)


@lru_cache(PASSAGES_KEPT)
def said_around(passage: Passage) -> tuple[Mention, ...]:
    """Figures of the document's title and of the headings above; their offsets mean nothing."""
    return scan("\n".join((passage.publication.title, *passage.heading_path)))
