"""Whether the model can be asked: what a look stores, and when a question is not let in for it."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from dofpilot.agent.errors import FailureCode
from dofpilot.agent.providers.probing import Reach
from dofpilot.agent.providers.registry import ProviderName, ProviderSettings
from runs import lifecycle, provider_health
from runs.models import ProviderHealth, ProviderState, Run, Transition
from runs.provider_health import TroubleKind
from tests import cast
from tests.agent.openai_server import Answer, OpenAIServer
from tests.runs.api_client import ASKED, RESULT, Api, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded_corpus")]
UP, DOWN, CLOSED = Answer({"data": []}), Answer({"error": {"message": "x"}}, 503), Answer({}, 401)
SILENT = FailureCode.PROVIDER_UNAVAILABLE


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with OpenAIServer() as started:
        yield started


@pytest.fixture
def clock(monkeypatch):
    """The time that is told, and moved by hand."""

    class Clock:
        now = timezone.now()

        def move(self, seconds: float) -> None:
            self.now += timedelta(seconds=seconds)

    made = Clock()
    monkeypatch.setattr(timezone, "now", lambda: made.now)
    # The model took its default when it was made.
    ended = Transition._meta.get_field("created_at")
    monkeypatch.setattr(ended, "_get_default", lambda: made.now, raising=False)
    return made


@pytest.fixture(autouse=True)
def model(settings, server, monkeypatch):
    """The site asks a model on the scripted server, and looks at it every 30 seconds."""
    settings.PROVIDER = ProviderSettings(
        ProviderName.OPENAI_CHAT, "m", api_key="sk-secreta-0123456789", base_url=server.url
    )
    settings.PROBE_SECONDS = 30
    monkeypatch.setattr(cast, "PROVENANCE", {**cast.PROVENANCE, "provider": "openai-chat", "model": "m"})


def look(server: OpenAIServer, *answers: Answer, clock=None) -> None:
    """One look for each answer, half a minute apart."""
    for answer in answers:
        if clock:
            clock.move(30)
        server.play(answer)
        provider_health.probe()


def end(*codes: FailureCode | None, who: str = "beto") -> None:
    """Runs that ended so, one after the other; ``None``: succeeded."""
    person = Run.objects.filter(evaluator__username=who).first()
    evaluator = person.evaluator if person else cast.asker(who)
    for code in codes:
        if code is None:
            cast.finished_run(evaluator, RESULT)
        else:
            cast.failed_run(evaluator, code)


def kind() -> TroubleKind | None:
    told = provider_health.trouble()
    return told and told.kind


# --- looks ------------------------------------------------------------------------------------------


def test_a_look_stores_what_it_found_under_a_name_without_secrets(server):
    look(server, DOWN)

    row = ProviderHealth.objects.get()
    assert row.server == f"openai-chat m {server.url}"
    assert (row.state, row.since) == (ProviderState.UNAVAILABLE, row.checked_at)
    assert "HTTP 503" in row.detail


def test_one_failed_look_is_no_outage_and_a_second_in_a_row_is_since_the_first(server, clock):
    look(server, UP, DOWN, clock=clock)
    first = clock.now
    assert kind() is None

    look(server, DOWN, clock=clock)

    told = provider_health.trouble()
    assert (told.kind, told.since, told.retry_after) == (TroubleKind.SILENT, first, 30)


@pytest.mark.parametrize("ahead", [5, 20, 40])
def test_machines_whose_clocks_differ_tell_an_outage_together(server, clock, ahead):
    look(server, DOWN)
    for skew in (ahead, -ahead, ahead, -ahead):
        clock.move(15 + skew)
        look(server, DOWN)
        assert kind() is TroubleKind.SILENT


def test_a_look_that_succeeds_in_between_begins_anew(server, clock):
    look(server, DOWN, UP, DOWN, clock=clock)
    assert kind() is None


def test_the_model_is_back_with_the_first_look_that_succeeds(server, clock):
    look(server, DOWN, DOWN, UP, clock=clock)
    assert kind() is None
    assert ProviderHealth.objects.get().detail == ""


def test_a_refusal_needs_no_second_look(server, clock):
    look(server, CLOSED, clock=clock)
    assert kind() is TroubleKind.REFUSING


def test_a_look_counts_for_three_periods(server, clock):
    look(server, DOWN, DOWN, clock=clock)
    clock.move(89)
    assert kind() is TroubleKind.SILENT
    clock.move(2)
    assert kind() is None


def test_failed_looks_with_a_gap_between_them_are_not_in_a_row(server, clock):
    look(server, DOWN)
    clock.move(3600)
    look(server, DOWN)
    assert kind() is None


def test_after_a_clock_is_set_back_a_look_counts_for_nothing(server, clock):
    look(server, DOWN, DOWN, clock=clock)
    clock.move(-3600)
    assert kind() is None
    look(server, DOWN, clock=clock)
    assert kind() is None
    look(server, DOWN, clock=clock)
    assert kind() is TroubleKind.SILENT


def test_who_never_looks_knows_of_no_outage(server, clock, settings):
    look(server, DOWN, DOWN, clock=clock)
    settings.PROBE_SECONDS = 0
    assert kind() is None


def test_a_look_at_another_model_counts_for_nothing(server, clock, settings):
    look(server, CLOSED, clock=clock)
    settings.PROVIDER = ProviderSettings(ProviderName.OPENAI_CHAT, "otro", base_url=server.url)
    assert kind() is None


@pytest.mark.parametrize("name", [ProviderName.EXTRACTIVE, ProviderName.SCRIPTED, ProviderName.RECORDED])
def test_a_provider_without_a_server_is_never_in_trouble(server, settings, name):
    end(*[SILENT] * 3)
    settings.PROVIDER = ProviderSettings(name, "m")
    provider_health.probe()
    assert not ProviderHealth.objects.exists()
    assert kind() is None
    assert provider_health.public() == {"state": None, "checked_at": None}


def test_the_states_of_a_look_and_of_the_table_are_the_same():
    assert [state.value for state in Reach] == ProviderState.values


# --- the circuit breaker ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (FailureCode.PROVIDER_UNAVAILABLE, TroubleKind.SILENT),
        (FailureCode.PROVIDER_REFUSED, TroubleKind.REFUSING),
        (FailureCode.RATE_LIMITED, TroubleKind.BUSY),
    ],
)
def test_three_failures_of_the_model_in_a_row_keep_questions_out(code, told):
    end(SILENT, SILENT)
    assert kind() is None
    end(code)
    assert kind() is told


def test_a_run_that_came_through_closes_the_breaker():
    end(SILENT, SILENT, SILENT, None)
    assert kind() is None


def test_a_deadline_says_neither_that_the_model_answers_nor_that_it_does_not():
    end(SILENT, SILENT, SILENT, FailureCode.DEADLINE_EXCEEDED)
    assert kind() is TroubleKind.SILENT
    end(None, *[FailureCode.DEADLINE_EXCEEDED] * 5)
    assert kind() is None


@pytest.mark.parametrize(
    "mute",
    [
        FailureCode.CANCELLED,
        FailureCode.INTERRUPTED,
        FailureCode.CORPUS_UNAVAILABLE,
        FailureCode.INTERNAL_ERROR,
    ],
)
def test_ends_that_say_nothing_of_the_model_are_passed_over(mute):
    end(SILENT, mute, SILENT, mute, SILENT, mute)
    assert kind() is TroubleKind.SILENT


def test_runs_of_another_model_say_nothing(settings):
    end(SILENT, SILENT, SILENT)
    settings.PROVIDER = ProviderSettings(ProviderName.OPENAI_CHAT, "otro", base_url="http://localhost/v1")
    assert kind() is None


def test_it_tells_how_long_it_keeps_out_and_since_when(clock):
    end(SILENT)
    first = clock.now
    clock.move(5)
    end(SILENT, SILENT)
    clock.move(20)

    told = provider_health.trouble()

    assert (told.retry_after, told.since) == (40, first)


def test_after_a_minute_one_run_is_let_in_while_no_other_is_active(ana, clock):
    end(SILENT, SILENT, SILENT)
    clock.move(59)
    problem(ana.api.post("/runs", ASKED), 503, "provider_unavailable")
    clock.move(2)

    assert ana.api.post("/runs", ASKED).status_code == 201
    eva = cast.asker("eva")
    assert kind() is TroubleKind.SILENT
    trial = lifecycle.claim_next("w", at_most=1)
    assert kind() is TroubleKind.SILENT
    lifecycle.succeed(trial, RESULT)
    assert kind() is None
    assert cast.waiting_run(eva)


def test_a_trial_that_fails_keeps_questions_out_for_another_minute(ana, clock):
    end(SILENT, SILENT, SILENT)
    clock.move(61)
    ana.api.post("/runs", ASKED)
    lifecycle.fail(lifecycle.claim_next("w", at_most=1), SILENT)
    assert kind() is TroubleKind.SILENT
    clock.move(61)
    assert kind() is None


def test_a_clock_set_back_does_not_leave_the_breaker_open_for_hours(clock):
    end(SILENT, SILENT, SILENT)
    clock.move(-7200)
    assert kind() is None


# --- what people are told ---------------------------------------------------------------------------


def test_a_question_is_refused_before_anything_is_stored(ana, server, clock, noon):
    look(server, DOWN, DOWN, clock=clock)

    response = ana.api.post("/runs", ASKED)

    told = problem(response, 503, "provider_unavailable")["detail"]
    assert told.startswith("El modelo no responde desde las ")
    assert "Tu pregunta no se guardó." in told
    assert response["Retry-After"] == "30"
    assert not Run.objects.exists()


@pytest.fixture
def noon(clock):
    """Noon, so that half a minute earlier is the same day."""
    clock.now = datetime(2026, 4, 24, 18, tzinfo=timezone.get_fixed_timezone(0))


def test_too_many_requests_are_told_with_other_words(ana):
    end(*[FailureCode.RATE_LIMITED] * 3)
    told = problem(ana.api.post("/runs", ASKED), 503, "provider_unavailable")["detail"]
    assert told.startswith("El modelo recibe demasiadas peticiones desde ")


def test_a_repeated_request_is_answered_during_an_outage(ana, server, clock):
    first = ana.api.post("/runs", ASKED).json()
    look(server, CLOSED)
    again = ana.api.post("/runs", ASKED)
    assert (again.status_code, again.json()["run_id"]) == (200, first["run_id"])


def test_capabilities_and_health_tell_what_is_known(ana, server, clock):
    def seen() -> tuple[str, bool, str]:
        told = ana.api.get("/capabilities").json()
        return (
            told["provider"]["state"],
            told["admission"]["open"],
            Api(None).get("/health").json()["admission"],
        )

    assert seen() == ("unknown", True, "open")
    look(server, UP)
    assert seen() == ("available", True, "open")
    look(server, DOWN, clock=clock)
    assert seen() == ("unknown", True, "open")
    look(server, DOWN, clock=clock)
    assert seen() == ("unavailable", False, "provider_unavailable")
    clock.move(3600)
    assert seen() == ("unknown", True, "open")
