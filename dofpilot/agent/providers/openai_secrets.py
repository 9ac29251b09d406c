"""Keeping the key out of what is logged and recorded: servers like to repeat the key that they refuse.

Whoever sends a reply chooses its text, and nothing else runs while a pattern does: each takes no longer than
in proportion to the text, whatever that repeats.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

HIDDEN = "***"
# What local servers are given for a key ("EMPTY", "none") is no secret, and is found in plain words.
SHORTEST_SECRET = 6
_SHOWN_OF_MASKED = 4


class Redaction:
    """Puts ``***`` where a text has the key, however it is spelled: escaped, encoded or masked."""

    def __init__(self, key: str | None) -> None:
        secret = key if key and len(key) >= SHORTEST_SECRET else None
        self._encoded = tuple(_in_base64(secret)) if secret else ()
        self._patterns = (_escaped(secret), _masked(secret)) if secret else ()

    def text(self, text: str) -> str:
        # Nothing shorter tells of a key, and a reply may hold a million texts.
        if len(text) <= _SHOWN_OF_MASKED:
            return text
        for encoded in self._encoded:
            text = text.replace(encoded, HIDDEN)
        for pattern in self._patterns:
            text = pattern.sub(HIDDEN, text)
        return text

    def value(self, value: Any) -> Any:
        """JSON with every text in it gone through, names too."""
        match value:
            case str():
                return self.text(value)
            case Mapping():
                return {self.text(name): self.value(item) for name, item in value.items()}
            case list():
                return [self.value(item) for item in value]
        return value


def _escaped(key: str) -> re.Pattern[str]:
    """Each character as itself, or as JSON, HTML, a URL or a programming language escape it."""
    # At the first of a run of backslashes only: from any other, what follows the run has been tried.
    return re.compile(_spelled(key[0], r"(?<!\\\\)") + "".join(map(_spelled, key[1:])))


def _spelled(character: str, behind_backslash: str = "") -> str:
    """A choice between forms by their first characters: what has none of those is passed over at once."""
    code, named = ord(character), html.escape(character)
    # Longest first: "&" begins "&amp;".
    plain = [_any_case(named)] if named != character else []
    plain += map(re.escape, {character.lower(), character.upper()})
    coded = [rf"[uU]{_any_case(f'{code:04x}')}", rf"[xX]{_any_case(f'{code:02x}')}"]
    forms = [
        rf"&#0*+{code};",
        rf"&#[xX]0*+{_any_case(f'{code:x}')};",
        rf"%(?:25)*{_any_case(f'{code:02x}')}",
        rf"\\{behind_backslash}\\*+(?:{'|'.join([*coded, *plain])})",
        *plain,
    ]
    return f"(?:{'|'.join(forms)})"


def _masked(key: str) -> re.Pattern[str]:
    """As in "sk-ab****89": its beginning and its end are no key, and yet nobody's business."""
    shown = _any_case(key[:_SHOWN_OF_MASKED])
    return re.compile(rf"{shown}[A-Za-z0-9_-]{{0,40}}+(?:\*|•|…|\.\.\.)[\w.*•…-]*+")


def _any_case(text: str) -> str:
    return "".join(f"[{one.lower()}{one.upper()}]" if one.isalpha() else re.escape(one) for one in text)


def _in_base64(key: str) -> Iterator[str]:
    """As it stands in the middle of something encoded: after 0, 1 or 2 bytes, without what those touch."""
    for before, touched in ((0, 0), (1, 2), (2, 3)):
        secret = b"\0" * before + key.encode()
        for encoded in (base64.b64encode(secret), base64.urlsafe_b64encode(secret)):
            yield encoded[touched : len(secret) * 8 // 6].decode()
