"""Keeping the key out of what is logged and recorded: servers like to repeat the key that they refuse."""

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
        self._spelled = re.compile("|".join(_spellings(secret))) if secret else None

    def text(self, text: str) -> str:
        return self._spelled.sub(HIDDEN, text) if self._spelled else text

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


def _spellings(key: str) -> Iterator[str]:
    yield rf"(?i:{''.join(map(_character, key))})"
    yield from map(re.escape, _in_base64(key))
    # "sk-ab****89": its beginning and its end are no key, and yet nobody's business.
    yield rf"(?i:{re.escape(key[:_SHOWN_OF_MASKED])}[\w.-]*(?:\*|•|…|\.\.\.)[\w.*•…-]*)"


def _character(character: str) -> str:
    """One character as itself, or as JSON, HTML, a URL or a programming language escape it."""
    code = ord(character)
    # Longest first: "&" begins "&amp;", and "u" the escape of any character.
    spelled = [rf"&#0*{code};", rf"&#x0*{code:x};", rf"\\+u{code:04x}", rf"\\+x{code:02x}"]
    spelled += ["".join(f"%(?:25)*{byte:02x}" for byte in character.encode())]
    spelled += [rf"\\*{re.escape(plain)}" for plain in (html.escape(character), character)]
    return rf"(?:{'|'.join(spelled)})"


def _in_base64(key: str) -> Iterator[str]:
    """As it stands in the middle of something encoded: after 0, 1 or 2 bytes, without what those touch."""
    for before, touched in ((0, 0), (1, 2), (2, 3)):
        secret = b"\0" * before + key.encode()
        for encoded in (base64.b64encode(secret), base64.urlsafe_b64encode(secret)):
            yield encoded[touched : len(secret) * 8 // 6].decode()
