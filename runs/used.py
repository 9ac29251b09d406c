"""What a run really worked with and used up, for its provenance, its result and its transcript."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from django.conf import settings

from dofpilot.agent.outcome import Outcome
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.recording.transcript import Header
from dofpilot.agent.render.public import public_result, public_usage
from dofpilot.agent.retrieval import Searches
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.types import Strategy
from runs import provenance
from runs.costs import captured_price, with_cost
from runs.models import Run
from runs.transcripts import Recording


@dataclass(slots=True)
class Used:
    """Filled in on the run's way, whose end may come at any point of it.

    It may not be what stood there when the question came.
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
        spent = self.recording.spent()
        if not spent.turns:
            return None
        turns = spent.told()
        return with_cost(public_usage(spent.usage, turns, self.tool_calls), turns, self.price)

    def result(self, outcome: Outcome) -> dict[str, Any]:
        """The public result."""
        result = public_result(outcome)
        return result | {"usage": with_cost(result["usage"], outcome.turns, self.price)}

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
