"""Whether a model's server can be reached, as the real client finds out from a scripted one."""

from __future__ import annotations

import pytest

from dofpilot.agent.providers.probing import DETAIL_MAX, NAME_MAX, Finding, Reach, probe, server_name
from dofpilot.agent.providers.registry import ProviderName, ProviderSettings
from tests.agent.openai.talking import KEY
from tests.agent.openai_server import Answer, Json, OpenAIServer
from tests.waiting import free_port

LIST: Json = {"object": "list", "data": [{"id": "m", "object": "model"}]}


def chosen(server: OpenAIServer, **more: object) -> ProviderSettings:
    given = {"name": ProviderName.OPENAI_CHAT, "model": "m", "api_key": KEY, "base_url": server.url, **more}
    return ProviderSettings(**given)


def found(server: OpenAIServer, answer: Answer, **more: object) -> Finding:
    server.play(answer)
    finding = probe(chosen(server, **more), timeout=2)
    assert finding is not None
    return finding


@pytest.mark.parametrize("name", [ProviderName.OPENAI_CHAT, ProviderName.OPENAI_RESPONSES])
def test_it_asks_once_for_the_list_of_models_with_the_key(server, name):
    received = server.play(Answer(LIST))

    assert probe(chosen(server, name=name)) == Finding(Reach.AVAILABLE)

    (request,) = received
    assert request.path == "/v1/models"
    assert request.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("status", [400, 404, 405, 408, 409, 429, 501, 302])
def test_a_server_that_answers_is_available_though_it_has_no_such_list(server, status):
    assert found(server, Answer({"error": {"message": "no"}}, status)).state is Reach.AVAILABLE


@pytest.mark.parametrize("body", ["<html>hola</html>", "", b"\xff\xfe", "[1, 2]", "null"])
def test_what_the_list_says_does_not_matter(server, body):
    assert found(server, Answer(body)).state is Reach.AVAILABLE


@pytest.mark.parametrize("status", [500, 502, 503, 504, 529])
def test_a_server_that_fails_is_unavailable_and_is_asked_once(server, status):
    received = server.play(Answer({"error": {"message": "overloaded"}}, status))

    finding = probe(chosen(server))

    assert finding is not None
    assert finding.state is Reach.UNAVAILABLE
    assert f"HTTP {status} overloaded" in finding.detail
    assert len(received) == 1


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_server_that_lets_nobody_in_refuses(server, status):
    finding = found(server, Answer({"error": {"message": "no entry"}}, status))

    assert finding.state is Reach.REFUSED
    assert "no entry" in finding.detail


def test_a_key_that_may_only_not_list_models_is_no_refusal(server):
    told = "You have insufficient permissions for this operation. Missing scopes: api.model.read."

    assert found(server, Answer({"error": {"message": told}}, 403)).state is Reach.AVAILABLE


@pytest.mark.parametrize("answer", [Answer(LIST, hang=True), Answer(LIST, drip=0.3)], ids=["hang", "drip"])
def test_a_server_that_does_not_finish_in_time_is_unavailable(server, answer):
    server.play(answer)

    finding = probe(chosen(server), timeout=0.4)

    assert finding == Finding(Reach.UNAVAILABLE, "no reply within 0.4 s")


def test_a_connection_that_breaks_off_is_unavailable(server):
    assert found(server, Answer(LIST, reset=True)).state is Reach.UNAVAILABLE


@pytest.mark.parametrize("address", ["http://127.0.0.1:{port}/v1", "http://nowhere.invalid/v1"])
def test_an_address_where_nobody_is_is_unavailable(server, address):
    finding = probe(chosen(server, base_url=address.format(port=free_port())), timeout=2)

    assert finding is not None
    assert finding.state is Reach.UNAVAILABLE
    assert finding.detail


@pytest.mark.parametrize("told", [f"bad key {KEY}", f"bad key {KEY[:4]}****{KEY[-2:]}"])
def test_a_key_that_the_server_repeats_is_not_told(server, told):
    finding = found(server, Answer({"error": {"message": told}}, 401))

    assert finding.detail == "refused: HTTP 401 bad key ***"


def test_a_detail_is_short_however_much_a_server_says(server):
    finding = found(server, Answer({"error": {"message": "x" * 100_000}}, 500))

    assert 100 < len(finding.detail) <= DETAIL_MAX


def test_a_key_that_no_header_admits_is_a_refusal_that_does_not_quote_it(server):
    finding = found(server, Answer(LIST), api_key="clave-ñandú-0123")

    assert finding.state is Reach.REFUSED
    assert "ñandú" not in finding.detail


def test_a_local_server_is_asked_without_a_key(server):
    assert found(server, Answer(LIST), api_key=None) == Finding(Reach.AVAILABLE)


@pytest.mark.parametrize("name", [ProviderName.EXTRACTIVE, ProviderName.SCRIPTED, ProviderName.RECORDED])
def test_a_provider_without_a_server_is_not_looked_at(name):
    assert probe(ProviderSettings(name=name)) is None


def test_a_server_is_named_without_the_secrets_of_its_address(server):
    address = f"https://ana:contraseña-larga@models.example:8443/{KEY}/v1?token=abc"

    name = server_name(chosen(server, base_url=address))

    assert name == "openai-chat m https://models.example:8443/***/v1"


def test_a_name_is_short_however_long_an_address_is(server):
    assert len(server_name(chosen(server, base_url="http://models.example/" + "a" * 2000))) == NAME_MAX
