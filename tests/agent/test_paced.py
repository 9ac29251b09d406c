"""The pause of a provider that is faster than people."""

from __future__ import annotations

import time
from contextlib import suppress

from dofpilot.agent.providers.paced import Paced
from dofpilot.agent.providers.registry import ProviderName, ProviderSettings, make_provider


class Echo:
    identity = "who"

    def respond(self, turn):
        return ("replied to", turn)


def test_it_waits_first_and_then_gives_the_same_reply(monkeypatch):
    waits = []
    monkeypatch.setattr(time, "sleep", waits.append)
    paced = Paced(Echo(), 0.5)
    assert paced.respond("a turn") == ("replied to", "a turn")
    assert waits == [0.5]
    assert paced.identity == "who"


def test_extractive_takes_its_pace_from_the_settings(monkeypatch):
    waits = []
    monkeypatch.setattr(time, "sleep", waits.append)
    provider = make_provider(ProviderSettings(ProviderName.EXTRACTIVE, pace=0.25))
    assert (provider.identity.provider, provider.identity.generative) == ("extractive", False)
    with suppress(AttributeError):
        provider.respond(None)
    assert waits == [0.25]
