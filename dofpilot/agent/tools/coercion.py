"""Spellings of an argument that mean one thing only, whoever serves the model.

Local servers send numbers as text, lists and whole argument objects as JSON inside a string, and the
word "null" for nothing. What has one possible meaning is accepted; anything else stays as it came
and fails validation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

_TRUTH = {"true": True, "false": False}
ABSENT_WORDS = frozenset({"", "null", "none"})
DECODINGS = 3
LARGEST_ID = 2**53 - 1
_EXACT_INTEGER = re.compile(r"-?[0-9]{1,16}")
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# What no database or event stream can carry: NUL, and halves of surrogate pairs.
_UNPRINTABLE = re.compile("[\0\ud800-\udfff]")


def printable(text: str) -> str:
    """The same number of characters, each fit for UTF-8 and for PostgreSQL."""
    return _UNPRINTABLE.sub("\ufffd", text)


def decoded(raw: object) -> object:
    """JSON text as its value, also when it was encoded more than once; other values as they are."""
    value = raw
    for _ in range(DECODINGS):
        if not isinstance(value, str):
            break
        try:
            value = json.loads(value, strict=False)
        except (ValueError, RecursionError):
            break
    return value


def is_absent(value: object) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in ABSENT_WORDS)


def without_absent(arguments: Mapping[str, Any], optional: frozenset[str]) -> dict[str, Any]:
    """The arguments by names that can be told; an optional one that stands for nothing is left out."""
    told = {printable(str(name)): value for name, value in arguments.items()}
    return {name: value for name, value in told.items() if not (name in optional and is_absent(value))}


def exact_integer(value: object) -> object:
    if isinstance(value, str) and _EXACT_INTEGER.fullmatch(value.strip()):
        return int(value)
    if isinstance(value, bool):
        raise ValueError("a truth value is not a number")
    return value


def truth_value(value: object) -> object:
    """``"true"`` and ``"false"`` in any case; a number is no answer to yes or no."""
    return _TRUTH.get(value.strip().lower(), value) if isinstance(value, str) else value


def integer_list(value: object) -> object:
    return decoded(value) if isinstance(value, str) and value.lstrip().startswith("[") else value


def iso_date(value: object) -> object:
    """Only ``YYYY-MM-DD``: pydantic alone would also take a number as seconds since 1970."""
    if isinstance(value, date):
        return value
    if not isinstance(value, str) or not _ISO_DATE.fullmatch(value.strip()):
        raise ValueError("not a date of the form YYYY-MM-DD")
    return value.strip()


def section_code(value: object) -> object:
    return value.strip().upper() if isinstance(value, str) else value


def clean_text(value: object) -> object:
    return printable(value).strip() if isinstance(value, str) else value
