"""What can be checked of an answer without any opinion: citations, hops, coverage, correction, cut-off."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dofpilot.agent import figures
from dofpilot.agent.outcome import MARKER, Answer, Coverage, Cutoff, PremiseStatus, Verification
from dofpilot.corpus.types import Passage

AFFIRMATION_WORDS = 4
# One blank ends a clause as well as all that follow it, and a run of them costs no more than its length.
_CLAUSE_END = re.compile(r"(?<=[.;:!?])\s|\n|(?<=\s)(?:sino|pero)\s", re.IGNORECASE)
_DENIAL = re.compile(
    r"\b(?:no|ni|nunca|jamás|tampoco|sin|nada|ningun[oa]s?|ningún|fals[oa]s?|incorrect[oa]s?|err[óo]ne[oa]s?)\b",
    re.IGNORECASE,
)


def verify(
    answer: Answer | None, cited: Sequence[Passage], required_hops: int, coverage: Coverage, cutoff: Cutoff
) -> Verification:
    """``cited`` are the passages of ``answer.citations``. Without an answer nothing is met."""
    return Verification(
        citations_read=bool(cited),
        hops_met=distinct_documents(cited) >= required_hops,
        coverage_met=coverage.complete and answer is not None,
        premise_correction=answer is not None and corrects_premise(answer),
        figures=figures.check(answer.text, cited) if answer else (),
        cutoff=cutoff,
    )


def distinct_documents(passages: Sequence[Passage]) -> int:
    return len({passage.publication.document_id for passage in passages})


def corrects_premise(answer: Answer) -> bool:
    """Whether a premise called false is answered with what is true; true when none is called false.

    The rule: the answer cites something, and at least one of its clauses affirms, that is, has four
    words or more and no word of denial. «No se abrogó» alone corrects nothing; «No se abrogó: el
    decreto reformó su artículo 3» does.
    """
    if answer.premise_status is not PremiseStatus.FALSE:
        return True
    clauses = _CLAUSE_END.split(MARKER.sub(" ", answer.text))
    return bool(answer.citations) and any(_affirms(clause) for clause in clauses)


def _affirms(clause: str) -> bool:
    return len(re.findall(r"\w+", clause)) >= AFFIRMATION_WORDS and not _DENIAL.search(clause)
