"""Which provider the settings make, and what they must say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dofpilot.agent.errors import ConfigurationError
from dofpilot.agent.providers.registry import ProviderName, ProviderSettings, make_provider, validate

KEY = "sk-secreta-0123456789"
MODEL = "el nombre de un modelo"
LOCAL = "http://127.0.0.1:8080/v1"


@pytest.mark.parametrize(
    ("settings", "setting", "needed"),
    [
        (ProviderSettings(ProviderName.OPENAI_RESPONSES, api_key=KEY), "DOFPILOT_MODEL", MODEL),
        (ProviderSettings(ProviderName.OPENAI_RESPONSES, model="m"), "DOFPILOT_API_KEY", "una clave"),
        (ProviderSettings(ProviderName.OPENAI_RESPONSES, "m", None, LOCAL), "DOFPILOT_API_KEY", "una clave"),
        (ProviderSettings(ProviderName.OPENAI_CHAT, api_key=KEY), "DOFPILOT_MODEL", MODEL),
        (ProviderSettings(ProviderName.OPENAI_CHAT, model="m"), "DOFPILOT_API_KEY", "una clave"),
        (ProviderSettings(ProviderName.SCRIPTED), "DOFPILOT_SCRIPT", "la ruta de un guion"),
    ],
)
def test_it_names_the_setting_to_mend(settings: ProviderSettings, setting: str, needed: str) -> None:
    for check in (validate, make_provider):
        with pytest.raises(ConfigurationError) as caught:
            check(settings)
        assert caught.value.setting == setting
        assert caught.value.reason == f"el proveedor «{settings.name}» necesita {needed}"
        assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "provider", "model", "generative"),
    [
        (ProviderSettings(ProviderName.EXTRACTIVE), "extractive", "extractive-1", False),
        (ProviderSettings(ProviderName.OPENAI_RESPONSES, "m", KEY), "openai-responses", "m", True),
        (ProviderSettings(ProviderName.OPENAI_CHAT, "m", KEY), "openai-chat", "m", True),
        (ProviderSettings(ProviderName.OPENAI_CHAT, "m", None, LOCAL), "openai-chat", "m", True),
    ],
)
def test_it_makes_the_provider_that_the_settings_name(
    settings: ProviderSettings, provider: str, model: str, generative: bool
) -> None:
    identity = make_provider(settings).identity
    assert (identity.provider, identity.model, identity.generative) == (provider, model, generative)


def test_it_makes_a_scripted_provider_from_its_file(tmp_path: Path) -> None:
    script = tmp_path / "guion.json"
    script.write_text(json.dumps({"steps": [{"text": "Hola."}]}), encoding="utf-8")
    made = make_provider(ProviderSettings(ProviderName.SCRIPTED, script=script))
    assert made.identity.provider == "scripted"


def test_the_key_is_not_shown() -> None:
    assert KEY not in repr(ProviderSettings(ProviderName.OPENAI_CHAT, "m", KEY))
