"""Tokens: what is shown, what is kept, how they are compared."""

from __future__ import annotations

import pytest

from dofpilot.access import tokens


def test_a_token_carries_its_prefix_and_160_random_bits():
    token = tokens.new()
    start, prefix, secret = token.text.split("_")
    assert (start, prefix) == ("dof", token.prefix)
    assert len(secret) * 5 == 160
    assert set(prefix + secret) <= set(tokens.ALPHABET)


def test_no_two_tokens_are_alike():
    made = [tokens.new() for _ in range(200)]
    assert len({token.text for token in made}) == len({token.prefix for token in made}) == 200


def test_what_is_stored_does_not_contain_the_secret():
    token = tokens.new()
    secret = token.text.rsplit("_", 1)[1]
    assert secret not in token.prefix + token.digest


def test_a_token_matches_its_own_digest_alone():
    mine, other = tokens.new(), tokens.new()
    assert tokens.matches(mine.text, mine.digest)
    assert not tokens.matches(mine.text, other.digest)
    assert not tokens.matches(mine.text[:-1], mine.digest)


def test_an_unknown_prefix_costs_a_comparison_too(monkeypatch):
    compared = []
    monkeypatch.setattr(tokens.hmac, "compare_digest", lambda *pair: compared.append(pair) or True)
    assert not tokens.matches("dof_x", None)
    assert len(compared) == 1


@pytest.mark.parametrize(
    "text",
    ["", "dof_", "dof__", "a" * 45, "DOF_12345678_" + "a" * 32, "dof_1234567\0_" + "a" * 32, "ñ", "\ud800"],
)
def test_what_cannot_be_a_token_has_no_prefix_and_matches_nothing(text):
    assert tokens.prefix_of(text) is None
    assert not tokens.matches(text, tokens.new().digest)


def test_a_line_break_after_a_token_is_not_part_of_it():
    assert tokens.prefix_of(tokens.new().text + "\n") is None
