"""What a question itself demands of the sources of its answer, and whether the cited passages meet it.

One finder in ``stating`` and one test in ``meeting`` per kind. A finder demands only what the question states
without doubt: a demand that no source can meet would refuse every answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from dofpilot.agent.coverage.meeting import met_by
from dofpilot.agent.coverage.sources import source
from dofpilot.agent.coverage.stating import stated
from dofpilot.agent.outcome import Coverage, Requirement
from dofpilot.corpus.text.folding import fold_in_place
from dofpilot.corpus.types import Passage


def requirements(question: str, required_hops: int, as_of: date) -> tuple[Requirement, ...]:
    """What the question demands, in a fixed order of kinds, without repeats; often nothing."""
    return tuple(dict.fromkeys(stated(fold_in_place(question), required_hops, as_of)))


def assess(
    required: Sequence[Requirement], passages: Sequence[Passage], cited: Sequence[int], answer_text: str
) -> Coverage:
    """Which requirements are left unmet by the ``passages`` whose id is in ``cited``.

    A passage speaks with its text, its headings and its document's title. Periods must also be named in
    ``answer_text``, or its reader cannot tell which value is which; so must compared years, unless it names
    none and leaves them in the order of the question («pasó de … a …»).
    """
    sources = [source(passage) for passage in passages if passage.chunk_id in set(cited)]
    answer = fold_in_place(answer_text)
    met = tuple(met_by(item, sources, answer) for item in required)
    missing = tuple(item for item, chunks in zip(required, met, strict=True) if not chunks)
    return Coverage(tuple(required), missing, met)
