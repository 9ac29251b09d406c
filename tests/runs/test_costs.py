"""What a run cost: at the price of its own time, and never a guess."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import pytest
from django.core.management import call_command

from dofpilot.agent.limits import Limits
from dofpilot.agent.prices import Price, PriceTable
from dofpilot.agent.providers.registry import ProviderName, ProviderSettings
from dofpilot.agent.recording.transcript import write
from runs import admission
from runs.presentation.provenance import provenance_rows
from runs.public import public_run
from runs.requests import RunRequest
from runs.transcripts import transcript_of
from runs.work import execution
from tests import cast
from tests.agent.openai.talking import body_of
from tests.agent.openai_server import Answer, OpenAIServer, completion
from tests.runs.recorded import QUESTION, answered

pytestmark = pytest.mark.django_db

CHEAP = PriceTable({"m-1": Price("USD", Decimal("1.25"), Decimal(10), Decimal("0.125"))})
DEAR = PriceTable({"m-1": Price("USD", Decimal(125), Decimal(1000))})
UNCITED = json.dumps({"answer": "Sí.", "citations": [], "premise_status": "supported"})


def reply(**usage):
    counts = {"prompt_tokens": 2000, "completion_tokens": 100, "total_tokens": 2100, **usage}
    return completion({"content": UNCITED}, usage=counts)


CACHED = {"prompt_tokens_details": {"cached_tokens": 1000}}


@pytest.fixture
def server(loaded_corpus, settings):
    """A model that answers without citing, twice, and then the turns are over."""
    with OpenAIServer() as running:
        settings.PROVIDER = ProviderSettings(
            ProviderName.OPENAI_CHAT, model="m-1", base_url=running.url, retries=0
        )
        settings.LIMITS = Limits(turns=2)
        settings.PRICES = CHEAP
        running.play(reply(**CACHED))
        yield running


def usage_of(run):
    shown = public_run(run)
    return shown["result"]["usage"] if "result" in shown else shown["usage"]


def test_a_run_costs_what_its_turns_do(server):
    usage = usage_of(answered(cast.asker()))
    assert (usage["input_tokens"], usage["cached_input_tokens"], usage["output_tokens"]) == (4000, 2000, 200)
    # Twice 1000 at 1.25, 1000 at 0.125 and 100 at 10, of a million each.
    assert usage["cost"] == {"amount": "0.00475", "currency": "USD", "complete": True}


def test_the_price_is_that_of_when_the_question_came(server, settings):
    request = RunRequest(question=QUESTION, as_of=cast.AS_OF.isoformat())
    lease = admission.admit_for_console(cast.asker(), request, "test")
    settings.PRICES = DEAR
    execution.execute(lease)
    assert usage_of(lease.run)["cost"]["amount"] == "0.00475"
    price = {"currency": "USD", "input": "1.25", "cached_input": "0.125", "output": "10"}
    assert lease.run.provenance["price"] == public_run(lease.run)["provenance"]["price"] == price
    assert ("Precio de un millón de tokens de salida", "10") in provenance_rows(lease.run.provenance)
    # A replay is at that price too, or it would differ.
    call_command("replay", str(lease.run.pk))


def test_another_model_than_planned_has_its_own_price(server, settings):
    request = RunRequest(question=QUESTION, as_of=cast.AS_OF.isoformat())
    lease = admission.admit_for_console(cast.asker(), request, "test")
    settings.PROVIDER = ProviderSettings(
        ProviderName.OPENAI_CHAT, model="m-2", base_url=server.url, retries=0
    )
    settings.PRICES = PriceTable({"m-2": Price("EUR", Decimal(2), Decimal(0))})
    execution.execute(lease)
    assert usage_of(lease.run)["cost"] == {"amount": "0.008", "currency": "EUR", "complete": True}
    told = public_run(lease.run)["provenance"]
    assert (told["model"], told["price"]["currency"]) == ("m-2", "EUR")
    assert lease.run.provenance["model"] == "m-1"


@pytest.mark.parametrize("prices", [None, PriceTable({})], ids=["no table", "not in the table"])
def test_a_model_without_a_price_has_no_cost(server, settings, prices):
    settings.PRICES = prices
    run = answered(cast.asker())
    assert usage_of(run)["cost"] is None
    assert run.provenance["price"] is None


@pytest.mark.parametrize(
    "said", [completion({"content": UNCITED}, usage=None), reply()], ids=["nothing", "not what was cached"]
)
def test_a_count_that_is_not_known_is_not_taken_for_none(server, said):
    server.play(said)
    assert usage_of(answered(cast.asker()))["cost"] is None


def test_a_run_that_failed_tells_what_its_replies_cost_and_that_this_is_not_all(server):
    server.play(reply(**CACHED), Answer({"error": {"message": "no"}}, status=401))
    usage = usage_of(answered(cast.asker()))
    assert usage["cost"] == {"amount": "0.002375", "currency": "USD", "complete": False}
    assert [turn["input_tokens"] for turn in usage["per_turn"]] == [2000, None]


def test_a_request_that_told_nothing_makes_the_cost_incomplete(server, settings):
    settings.PROVIDER = replace(settings.PROVIDER, retries=1)
    server.play(completion({}, choices=[], usage=None), reply(**CACHED))
    usage = usage_of(answered(cast.asker()))
    assert len(server.received) == 3
    assert usage["cost"] == {"amount": "0.00475", "currency": "USD", "complete": False}


def test_a_turn_that_failed_costs_what_its_replies_told(server):
    server.play(reply(**CACHED), Answer({**body_of(reply(**CACHED)), "choices": []}))
    run = answered(cast.asker())
    assert public_run(run)["error"]["code"] == "provider_unavailable"
    assert usage_of(run)["cost"] == {"amount": "0.00475", "currency": "USD", "complete": True}
    assert [turn["input_tokens"] for turn in usage_of(run)["per_turn"]] == [2000, 2000]


@pytest.fixture
def recorded(server, tmp_path):
    """The provider of recordings, with a recording of the model that has a price."""
    path = tmp_path / "corrida.jsonl"
    transcript = transcript_of(answered(cast.asker("beto")))
    path.write_text("".join(write(transcript)), encoding="utf-8")
    return ProviderSettings(ProviderName.RECORDED, transcript=path)


def test_nobody_is_paid_for_replies_that_were_recorded(recorded, settings):
    settings.PROVIDER = recorded
    run = answered(cast.asker())
    assert (run.provenance["model"], run.provenance["price"]) == ("m-1", None)
    assert (usage_of(run)["input_tokens"], usage_of(run)["cost"]) == (4000, None)


def test_a_run_planned_with_a_model_and_answered_from_recordings_has_no_cost(recorded, settings):
    request = RunRequest(question=QUESTION, as_of=cast.AS_OF.isoformat())
    lease = admission.admit_for_console(cast.asker(), request, "test")
    settings.PROVIDER = recorded
    execution.execute(lease)
    assert lease.run.provenance["price"] is not None
    assert public_run(lease.run)["provenance"]["price"] is None
    assert usage_of(lease.run)["cost"] is None


def test_a_provider_that_counts_nothing_costs_nothing_that_is_known(loaded_corpus, settings):
    settings.PRICES = PriceTable({"extractive-1": Price("USD", Decimal(1), Decimal(1))})
    assert usage_of(answered(cast.asker()))["cost"] is None
