"""The English catalogue is whole and in step with code and templates (``make messages``)."""

from __future__ import annotations

import re

from tests.messages import MO, compiled, english, extracted, messages

FIELDS = re.compile(r"%\(\w+\)[sd]|\{\w*\}")


def strings(message):
    return [message.string] if isinstance(message.string, str) else list(message.string)


def ids(message):
    return [message.id] if isinstance(message.id, str) else list(message.id)


def test_the_catalogue_has_exactly_the_strings_of_the_project():
    assert {message.id for message in messages(english())} == {
        message.id for message in messages(extracted())
    }


def test_every_string_is_translated():
    assert [message.id for message in messages(english()) if not all(strings(message)) or message.fuzzy] == []


def test_a_translation_takes_the_values_of_its_original():
    for message in messages(english()):
        wanted = set(FIELDS.findall(ids(message)[-1]))
        for string in strings(message):
            assert set(FIELDS.findall(string)) == wanted, message.id


def test_the_compiled_catalogue_is_that_of_the_text():
    assert MO.read_bytes() == compiled(english())
