"""Whether a model's server can be reached, found out without asking a model anything."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from urllib.parse import urlsplit, urlunsplit

from dofpilot.agent.providers.openai_secrets import Redaction
from dofpilot.agent.providers.registry import ProviderName, ProviderSettings

WITH_SERVER = frozenset({ProviderName.OPENAI_RESPONSES, ProviderName.OPENAI_CHAT})
DETAIL_MAX = 500
NAME_MAX = 500


class Reach(StrEnum):
    AVAILABLE = "available"
    UNAVAILABLE = "unavailable"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Finding:
    """``detail`` is for whoever runs the site: never a key, at most ``DETAIL_MAX`` characters."""

    state: Reach
    detail: str = ""


def probe(settings: ProviderSettings, timeout: float = 5.0) -> Finding | None:
    """Ask for the list of models, once, within about ``timeout`` seconds; ``None`` without a server to ask.

    A server that answers is available, whatever it says but that it fails (5xx) or lets nobody in (401, 402,
    403): many have no such list. Raises nothing for what a server or a network does.
    """
    if settings.name not in WITH_SERVER:
        return None
    # The client takes a second to load, which who only wants a name should not wait for.
    from dofpilot.agent.providers.openai_probe import look

    finding = look(settings, timeout)
    return Finding(finding.state, _without_secrets(finding.detail, settings)[:DETAIL_MAX])


@cache
def server_name(settings: ProviderSettings) -> str:
    """Provider, model and address, without what of an address is secret."""
    address = ""
    if settings.base_url:
        parts = urlsplit(settings.base_url)
        address = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    told = " ".join(part for part in (settings.name.value, settings.model, address) if part)
    return _without_secrets(told, settings)[:NAME_MAX]


def _without_secrets(text: str, settings: ProviderSettings) -> str:
    for secret in (settings.api_key, urlsplit(settings.base_url or "").password):
        text = Redaction(secret).text(text)
    return text
