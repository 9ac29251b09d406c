"""Answering one run: the agent in the middle, the lifecycle around it."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from types import TracebackType
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection

from dofpilot.agent import runner
from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.events import Event, EventKind
from dofpilot.agent.outcome import Outcome
from dofpilot.agent.providers.base import Provider, ProviderIdentity
from dofpilot.agent.providers.paced import Paced
from dofpilot.agent.providers.registry import ProviderName, make_provider
from dofpilot.agent.recording.transcript import Header
from dofpilot.agent.render.public import public_result, public_usage
from dofpilot.agent.retrieval import RetrievalMode, Searches
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.types import Strategy
from runs import lifecycle, provenance
from runs.corpus_access import corpus
from runs.costs import captured_price, with_cost
from runs.lifecycle import Lease, LeaseLost
from runs.models import Run
from runs.transcripts import Recording

logger = logging.getLogger(__name__)

Listener = Callable[[Event], None]


def worker_name() -> str:
    """Who works here. The supervisor names its cluster, so that a new one knows what the old one held."""
    return os.environ.get("DOFPILOT_WORKER") or f"{socket.gethostname()}:{os.getpid()}"


def run_next() -> bool:
    """Claim the oldest waiting run and answer it; False when nobody waits."""
    lease = lifecycle.claim_next(worker_name())
    if lease is None:
        return False
    execute(lease, pace=settings.PACE)
    return True


def execute(lease: Lease, listener: Listener | None = None, *, pace: float = 0) -> None:
    """Answer a claimed run to its end, whatever happens. ``listener`` also gets each published step.

    ``pace`` in seconds slows down a provider that no person could follow otherwise.
    """
    used = Used(lease.run)
    try:
        with Pulse(lease) as pulse:
            outcome = _ask(lease, pulse, listener, pace, used)
        pieces = used.recording.take()
        lifecycle.succeed(lease, used.result(outcome), provenance=used.told(), pieces=pieces)
    except LeaseLost:
        # The run ended without us (cancelled, interrupted); what came late is not written.
        logger.debug("run %s: a late result was dropped", lease.run.pk)
    except AgentFailure as failure:
        logger.warning("run %s: %s: %s", lease.run.pk, failure.code, failure)
        _fail(lease, failure.code, used)
    except Exception:
        # The one place where any error may arrive: a bug must end its run, not hold the queue.
        logger.exception("run %s: internal error", lease.run.pk)
        _fail(lease, FailureCode.INTERNAL_ERROR, used)
    except BaseException as end:
        give_up(lease, end, used)
        raise


@dataclass(slots=True)
class Used:
    """What a run really worked with, which may not be what stood there when the question came, and what it
    recorded and used up on its way."""

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
        """The captured one, unless it is another model's."""
        captured = self.run.provenance
        if self.identity is None or self.identity.model == captured.get("model"):
            return captured.get("price")
        return captured_price(self.identity.model)

    def usage(self) -> dict[str, Any] | None:
        """As a public result tells it; ``None`` when the provider was never asked."""
        spent = self.recording.spent
        if not spent.turns:
            return None
        turns = spent.told()
        return with_cost(public_usage(spent.usage, turns, self.tool_calls), turns, self.price)

    def result(self, outcome: Outcome) -> dict[str, Any]:
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


def give_up(lease: Lease, end: BaseException, used: Used | None = None) -> None:
    """End the run of a process that is about to end, so that it need not be found dead; twice is no harm."""
    keyboard = isinstance(end, KeyboardInterrupt)
    _fail(lease, FailureCode.CANCELLED if keyboard else FailureCode.INTERRUPTED, used)


def _ask(lease: Lease, pulse: Pulse, listener: Listener | None, pace: float, used: Used) -> Outcome:
    def publish(event: Event) -> None:
        lifecycle.append(lease, event, used.recording.take())
        used.recording.stored()
        used.tool_calls += event.kind is EventKind.TOOL_STARTED
        if listener is not None:
            listener(event)

    run, recorder = lease.run, used.recording.recorder
    try:
        used.opened = corpus()
    except CorpusUnavailable as error:
        raise AgentFailure(FailureCode.CORPUS_UNAVAILABLE, str(error)) from error
    used.strategy = _strategy(used, used.opened)
    provider = _provider(pace)
    used.identity = provider.identity
    used.recording.begin(used.header(used.identity, used.strategy))
    return runner.run(
        run.question,
        run.as_of,
        run.required_hops,
        provider,
        recorder.reader(used.opened),
        settings.LIMITS,
        publish,
        strategy=used.strategy,
        searches=used.searches,
        should_stop=pulse.reason,
        respond=recorder.respond,
    )


def _strategy(used: Used, opened: Corpus) -> Strategy:
    """As the run's provenance says, whatever the settings are by now."""
    captured = used.run.provenance
    planned = Strategy(captured["retrieval_mode"])
    if planned in opened.strategies:
        return planned
    # Vectors may have gone with the corpus that was open when the question came.
    fault = f"the corpus does not offer «{planned}», planned for this run"
    if captured.get("retrieval_setting") != RetrievalMode.AUTO:
        raise AgentFailure(FailureCode.CORPUS_UNAVAILABLE, fault)
    logger.warning("run %s: %s: it goes by words", used.run.pk, fault)
    used.searches.given_up = planned
    return Strategy.LEXICAL


def _provider(pace: float) -> Provider:
    provider = make_provider(settings.PROVIDER)
    return Paced(provider, pace) if settings.PROVIDER.name == ProviderName.EXTRACTIVE and pace else provider


def _fail(lease: Lease, code: FailureCode, used: Used | None = None) -> None:
    try:
        if used is None:
            lifecycle.fail(lease, code)
        else:
            pieces = used.recording.take()
            lifecycle.fail(lease, code, provenance=used.told(), usage=used.usage(), pieces=pieces)
    except LeaseLost:
        logger.debug("run %s: had ended already", lease.run.pk)


class Pulse:
    """Renews a lease from a thread while its run works, and learns there that the run must stop."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._stop: FailureCode | None = None
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="pulse", daemon=True)

    def __enter__(self) -> Pulse:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join(timeout=5)

    def reason(self) -> FailureCode | None:
        """Why the run must stop now; ``None`` while it may go on."""
        return self._stop

    def _beat(self) -> None:
        # A cancel must be felt within a second; a lease needs far fewer beats than that.
        period = min(1.0, settings.LEASE_SECONDS / 4)
        try:
            while self._stop is None and not self._done.wait(period):
                self._beat_once()
        finally:
            connection.close()

    def _beat_once(self) -> None:
        try:
            if lifecycle.beat(self._lease):
                self._stop = FailureCode.CANCELLED
        except LeaseLost:
            self._stop = FailureCode.INTERRUPTED
        except DatabaseError as error:
            # A locked or restarting database: the next beat may come through before the lease expires.
            logger.warning("run %s: no heartbeat: %s", self._lease.run.pk, error)
