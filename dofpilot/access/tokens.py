"""Tokens of invitations: ``dof_`` + lookup prefix + ``_`` + secret.

The prefix finds the row and may be shown to staff; the secret (160 random bits) is kept as a hash alone.
A plain SHA-256 is enough for it: slow hashes protect secrets that people choose, and nobody chose this one.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass

# Without i, l, o and u: nothing to misread, and a double click selects the whole token.
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
PREFIX_LENGTH, SECRET_LENGTH = 8, 32
_SHAPE = re.compile(rf"dof_([{ALPHABET}]{{{PREFIX_LENGTH}}})_[{ALPHABET}]{{{SECRET_LENGTH}}}")
_DECOY = hashlib.sha256(b"no invitation").hexdigest()


@dataclass(frozen=True, slots=True)
class Token:
    """A new token. ``text`` is for its owner's eyes, ``prefix`` and ``digest`` are what is stored."""

    text: str
    prefix: str
    digest: str


def new() -> Token:
    prefix = random_text(PREFIX_LENGTH)
    text = f"dof_{prefix}_{random_text(SECRET_LENGTH)}"
    return Token(text, prefix, digest(text))


def random_text(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def prefix_of(text: str) -> str | None:
    """The lookup prefix, or ``None`` for a text that cannot be a token."""
    shape = _SHAPE.fullmatch(text)
    return shape and shape[1]


def digest(text: str) -> str:
    """SHA-256 in hexadecimal. ``surrogatepass``: a broken text is a wrong token, not a crash."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def matches(text: str, stored_digest: str | None) -> bool:
    """Compare in constant time; without a stored digest a decoy is compared, so that both take as long."""
    equal = hmac.compare_digest(digest(text), stored_digest or _DECOY)
    return equal and stored_digest is not None
