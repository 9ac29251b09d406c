"""Answering one run: the agent in the middle, the lifecycle around it."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable

from django.conf import settings

from dofpilot.agent import runner
from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.events import Event, EventKind
from dofpilot.agent.outcome import Outcome
from dofpilot.agent.providers.base import Provider
from dofpilot.agent.providers.paced import Paced
from dofpilot.agent.providers.registry import ProviderName, make_provider
from dofpilot.agent.retrieval import RetrievalMode
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.types import Strategy
from runs import lifecycle
from runs.corpus_access import corpus
from runs.lifecycle import Lease, LeaseLost
from runs.used import Used
from runs.work.pulse import Pulse
from runs.work.storing import AWAY, Write, once, patiently

logger = logging.getLogger(__name__)

Listener = Callable[[Event], None]
Storing = Callable[[Write[None]], None]


def worker_name() -> str:
    """Who works here. The supervisor names its cluster, so that a new one knows what the old one held."""
    return os.environ.get("DOFPILOT_WORKER") or f"{socket.gethostname()}:{os.getpid()}"


def run_next() -> bool:
    """Claim the oldest waiting run and answer it; False when nobody waits or no more may work at once."""
    lease = lifecycle.claim_next(worker_name(), at_most=settings.MODEL_CONCURRENCY)
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
        # To its very end: while its end cannot be stored, it is still this process's.
        with Pulse(lease) as pulse:
            _work(lease, lambda: _ask(lease, pulse, listener, pace, used), used)
    except BaseException as end:
        give_up(lease, end, used)
        raise


def give_up(lease: Lease, end: BaseException, used: Used | None = None) -> None:
    """End the run of a process that is about to end, so that it need not be found dead; twice is no harm."""
    keyboard = isinstance(end, KeyboardInterrupt)
    _fail(lease, FailureCode.CANCELLED if keyboard else FailureCode.INTERRUPTED, used, once)


def _work(lease: Lease, ask: Callable[[], Outcome], used: Used) -> None:
    try:
        _succeed(lease, ask(), used)
    except LeaseLost:
        # The run ended without us (cancelled, interrupted); what came late is not written.
        logger.debug("run %s: a late result was dropped", lease.run.pk)
    except AgentFailure as failure:
        logger.warning("run %s: %s: %s", lease.run.pk, failure.code, failure)
        _fail(lease, failure.code, used, patiently)
    except AWAY as error:
        logger.error("run %s: the database was away too long: %s", lease.run.pk, error)
        _fail(lease, FailureCode.INTERRUPTED, used, once)
    except Exception:
        # The one place where any error may arrive: a bug must end its run, not hold the queue.
        logger.exception("run %s: internal error", lease.run.pk)
        _fail(lease, FailureCode.INTERNAL_ERROR, used, patiently)


def _succeed(lease: Lease, outcome: Outcome, used: Used) -> None:
    result, provenance, pieces = used.result(outcome), used.told(), used.pieces()
    patiently(lambda _again: lifecycle.succeed(lease, result, provenance=provenance, pieces=pieces))


def _ask(lease: Lease, pulse: Pulse, listener: Listener | None, pace: float, used: Used) -> Outcome:
    recorder = used.recording.recorder
    used.opened = opened = _corpus()
    used.strategy = strategy = _strategy(used, opened)
    provider = _provider(pace)
    used.identity = provider.identity
    used.recording.begin(used.header(used.identity, strategy))
    return runner.run(
        *(lease.run.question, lease.run.as_of, lease.run.required_hops),
        provider,
        recorder.reader(opened),
        settings.LIMITS,
        _publisher(lease, used, listener),
        strategy=strategy,
        searches=used.searches,
        should_stop=pulse.reason,
        respond=recorder.respond,
    )


def _publisher(lease: Lease, used: Used, listener: Listener | None) -> Listener:
    """Stores each step with what was recorded until then."""

    def publish(event: Event) -> None:
        pieces = used.recording.take()
        patiently(lambda again: lifecycle.append(lease, event, pieces, repeated=again))
        used.recording.stored()
        used.tool_calls += event.kind is EventKind.TOOL_STARTED
        if listener is not None:
            listener(event)

    return publish


def _corpus() -> Corpus:
    try:
        return corpus()
    except CorpusUnavailable as error:
        raise AgentFailure(FailureCode.CORPUS_UNAVAILABLE, str(error)) from error


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


def _fail(lease: Lease, code: FailureCode, used: Used | None, store: Storing) -> None:
    try:
        if used is None or not _failed_with(lease, code, used, store):
            store(lambda _again: lifecycle.fail(lease, code))
    except LeaseLost:
        logger.debug("run %s: had ended already", lease.run.pk)
    except AWAY as error:
        # Nothing can be written now, and nobody must wait here until it can: its lease runs out.
        logger.error("run %s: its end could not be stored: %s", lease.run.pk, error)


def _failed_with(lease: Lease, code: FailureCode, used: Used, store: Storing) -> bool:
    """Whether its end could be stored with what it used, which is worth less than that it ends."""
    try:
        provenance, usage, pieces = used.told(), used.usage(), used.pieces()
        told = {"provenance": provenance, "usage": usage}
        store(lambda _again: lifecycle.fail(lease, code, pieces=pieces, **told))
    except (LeaseLost, *AWAY):
        raise
    except Exception:
        logger.exception("run %s: it ends without what it used", lease.run.pk)
        return False
    return True
