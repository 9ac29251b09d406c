"""What a run really worked with and used up, for its provenance, its result and its transcript."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from django.conf import settings

from dofpilot.agent.outcome import Outcome, TurnSpent
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.recording.transcript import Header
from dofpilot.agent.render.public import public_result, public_usage
from dofpilot.agent.retrieval import Searches
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.types import Strategy
from runs import provenance
from runs.costs import captured_price, with_cost
from runs.lifecycle import Piece
from runs.models import Run
from runs.transcripts import Recording

logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(slots=True)
class Used:
    """Filled in on the run's way, whose end may come at any point of it.

    It may not be what stood there when the question came. What is asked of it for the end of a run raises
    nothing: a fault of the books is logged, its part left out, and the run ends.
    """

    run: Run
    opened: Corpus | None = None
    strategy: Strategy | None = None
    identity: ProviderIdentity | None = None
    searches: Searches = field(default_factory=Searches)
    recording: Recording = field(default_factory=Recording)
    tool_calls: int = 0

    def told(self) -> dict[str, Any]:
        """What the run's captured provenance does not say, or says otherwise."""
        return self._unless_it_fails(self._told, {})

    def _told(self) -> dict[str, Any]:
        known = provenance.about(self.opened) if self.opened else {}
        if self.strategy:
            known |= {**self.searches.told(), "retrieval_mode": self.strategy.value}
        if self.identity:
            known |= {**provenance.provider(self.identity), "price": self.price}
            known["limits"] = asdict(settings.LIMITS)
        captured = self.run.provenance
        return {key: value for key, value in known.items() if key not in captured or captured[key] != value}

    @property
    def price(self) -> dict[str, str | None] | None:
        """The captured one, unless it is another provider's or model's."""
        captured, who = self.run.provenance, self.identity
        planned = captured.get("provider"), captured.get("model")
        if who is None or (who.provider, who.model) == planned:
            return captured.get("price")
        return captured_price(who)

    def usage(self) -> dict[str, Any] | None:
        """As a public result tells it; ``None`` when the provider was never asked."""
        return self._unless_it_fails(self._usage, None)

    def _usage(self) -> dict[str, Any] | None:
        spent = self.recording.spent()
        if not spent.turns:
            return None
        turns = spent.told()
        return self._with_cost(public_usage(spent.usage, turns, self.tool_calls), turns)

    def result(self, outcome: Outcome) -> dict[str, Any]:
        """The public result."""
        result = public_result(outcome)
        return result | {"usage": self._with_cost(result["usage"], outcome.turns)}

    def pieces(self) -> Sequence[Piece]:
        """What of its transcript is still to be stored."""
        return self._unless_it_fails(self.recording.take, ())

    def header(self, identity: ProviderIdentity, strategy: Strategy) -> Header:
        """How the run's transcript begins, once it is settled how it searches."""
        return Header(
            run_id=str(self.run.pk),
            question=self.run.question,
            as_of=self.run.as_of,
            required_hops=self.run.required_hops,
            identity=identity,
            limits=settings.LIMITS,
            strategy=strategy,
            given_up=self.searches.given_up,
            about=self.run.provenance,
        )

    def _with_cost(self, usage: dict[str, Any], turns: Sequence[TurnSpent]) -> dict[str, Any]:
        return self._unless_it_fails(lambda: with_cost(usage, turns, self.price), {**usage, "cost": None})

    def _unless_it_fails(self, tell: Callable[[], T], otherwise: T) -> T:
        try:
            return tell()
        except Exception:
            logger.exception("run %s: a part of what it used could not be told", self.run.pk)
            return otherwise
