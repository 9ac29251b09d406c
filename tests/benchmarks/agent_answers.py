"""How well the extractive baseline answers: what a model must beat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dofpilot.agent.outcome import StopReason
from dofpilot.corpus.text.quotes import locate
from dofpilot.harness.cases import Answerability, Case
from tests.benchmarks.agent_runs import Played
from tests.benchmarks.reporting import table

REFUSAL = "No encontré"


@dataclass(frozen=True, slots=True)
class Share:
    """``met`` of ``of`` runs."""

    met: int
    of: int

    @classmethod
    def among(cls, judged: Iterable[bool]) -> Share:
        found = list(judged)
        return cls(sum(found), len(found))

    @property
    def cells(self) -> tuple[str, str]:
        return f"{self.met} of {self.of}", f"{self.met / self.of:.2f}" if self.of else ""


@dataclass(frozen=True, slots=True)
class Answers:
    """``refused`` are answerable questions and ``declined`` the others whose answer begins with not having
    found something."""

    closed: Share
    cites_gold: Share
    hops_met: Share
    refused: Share
    declined: Share


def answers(played: Sequence[Played]) -> Answers:
    """The share of runs that each holds of; those without an answer cite nothing and refuse nothing."""
    answerable = [run for run in played if run.case.answerability is Answerability.ANSWERABLE]
    others = [run for run in played if run.case.answerability is not Answerability.ANSWERABLE]
    return Answers(
        closed=Share.among(run.outcome.stop_reason is StopReason.ANSWERED for run in played),
        cites_gold=Share.among(map(_cites_gold, played)),
        hops_met=Share.among(run.outcome.verification.hops_met for run in played),
        refused=Share.among(map(_refuses, answerable)),
        declined=Share.among(map(_refuses, others)),
    )


def answered(found: Answers, gold_goal: float) -> str:
    rows = [
        ("closed with an accepted answer", *found.closed.cells, "1.00"),
        ("cites a passage with a gold quote", *found.cites_gold.cells, f"{gold_goal:.2f}"),
        ("cites as many documents as asked for", *found.hops_met.cells, "1.00"),
        (f"begins with «{REFUSAL}», of answerable ones", *found.refused.cells, ""),
        (f"begins with «{REFUSAL}», of the others", *found.declined.cells, ""),
    ]
    return table(("answers of `extractive`", "runs", "share", "goal"), rows)


def _cites_gold(run: Played) -> bool:
    answer = run.outcome.answer
    cited = set(answer.citations) if answer else set()
    texts = [passage.text for passage in run.outcome.passages if passage.chunk_id in cited]
    return any(locate(quote, text) for quote in _quotes(run.case) for text in texts)


def _quotes(case: Case) -> list[str]:
    return [evidence.quote for document in case.gold_documents for evidence in document.evidence]


def _refuses(run: Played) -> bool:
    answer = run.outcome.answer
    return answer is not None and answer.text.startswith(REFUSAL)
