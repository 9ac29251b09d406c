from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.agent.openai.talking import CHAT, RESPONSES, Make
from tests.agent.openai_server import OpenAIServer


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[OpenAIServer]:
    with pytest.MonkeyPatch.context() as patch, OpenAIServer() as started:
        patch.setenv("NO_PROXY", "127.0.0.1")
        yield started


@pytest.fixture(params=[CHAT, RESPONSES], ids=["chat", "responses"])
def make(request: pytest.FixtureRequest) -> Make:
    made: Make = request.param
    return made


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Backing off takes no time."""
    monkeypatch.setattr("dofpilot.agent.providers.openai_wire._FIRST_PAUSE", 0)
