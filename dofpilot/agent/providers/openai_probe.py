"""One look at a server of either OpenAI format, through the same client as a run's."""

from __future__ import annotations

from http import HTTPStatus

import openai

from dofpilot.agent.providers import openai_faults as faults
from dofpilot.agent.providers.openai_client import PunctualClient
from dofpilot.agent.providers.openai_reading import decoded
from dofpilot.agent.providers.probing import Finding, Reach
from dofpilot.agent.providers.registry import ProviderSettings

# A local server wants no key, but the client refuses to start without one.
_NO_KEY = "not-needed"
_REFUSALS = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.FORBIDDEN})
# A key may be allowed to ask models and not to list them.
_ONLY_THE_LIST = "missing scopes"


def look(settings: ProviderSettings, timeout: float) -> Finding:
    """As ``probing.probe``, with a detail that may have secrets yet."""
    key = settings.api_key or _NO_KEY
    if not (key.isascii() and key.isprintable()):
        # The client's own error would quote it.
        return Finding(Reach.REFUSED, "the key has characters that no HTTP header admits")
    with openai.OpenAI(
        api_key=key, base_url=settings.base_url, max_retries=0, http_client=PunctualClient()
    ) as client:
        try:
            # Connecting and reading have each a time of their own.
            client.models.with_raw_response.list(timeout=openai.Timeout(timeout / 2))
        except openai.APIStatusError as error:
            return _of_status(error)
        except openai.APITimeoutError:
            return Finding(Reach.UNAVAILABLE, f"no reply within {timeout:g} s")
        except openai.APIError as error:
            cause = f" {error.__cause__!r}" if error.__cause__ else ""
            return Finding(Reach.UNAVAILABLE, f"{error}{cause}")
    return Finding(Reach.AVAILABLE)


def _of_status(error: openai.APIStatusError) -> Finding:
    text, status = error.response.text, error.status_code
    told = str(faults.of_status(error, decoded(text)))
    if status in _REFUSALS and _ONLY_THE_LIST not in text.lower():
        return Finding(Reach.REFUSED, told)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.NOT_IMPLEMENTED:
        return Finding(Reach.UNAVAILABLE, told)
    return Finding(Reach.AVAILABLE)
