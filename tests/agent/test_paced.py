"""The pause of a provider that is faster than people."""

from __future__ import annotations

import time

from dofpilot.agent.providers.paced import Paced


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
