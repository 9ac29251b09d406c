"""The documentation names everything that a person can set, call or meet."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
from django.core.management import get_commands

from dofpilot.access.problems import ProblemCode
from dofpilot.agent.errors import FailureCode
from dofpilot.agent.events import EventKind
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import (
    FaultCode,
    FigureKind,
    FigureStatus,
    PremiseStatus,
    RejectionReason,
    RemarkCode,
    RequirementKind,
    StopReason,
)
from dofpilot.agent.prompting import PROMPTS
from dofpilot.agent.providers.registry import ProviderName
from dofpilot.agent.retrieval import RetrievalMode
from dofpilot.agent.tools.arguments import ToolName
from dofpilot.agent.tools.errors import RefusalCode
from dofpilot.settings import Environment
from tests.agent.example import blocks

ROOT = Path(__file__).parents[1]
APPS = ("dofpilot.access", "runs", "feedback", "evaluation")


def text(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def variables() -> list[str]:
    fields = Environment.model_fields.items()
    return [str(field.validation_alias or f"DOFPILOT_{name.upper()}") for name, field in fields]


@pytest.mark.parametrize("variable", variables())
def test_each_setting_is_documented(variable):
    assert f"`{variable}`" in text("settings.md")


@pytest.mark.parametrize("name", [name.value for name in ProviderName])
def test_each_provider_is_documented(name):
    assert f"`{name}`" in text("settings.md")


@pytest.mark.parametrize("mode", [mode.value for mode in RetrievalMode])
def test_each_way_to_search_is_documented(mode):
    assert f"`{mode}`" in text("settings.md")


@pytest.mark.parametrize("command", sorted(name for name, app in get_commands().items() if app in APPS))
def test_each_command_is_documented(command):
    assert f"`{command}" in text("reference.md")


@pytest.mark.parametrize("word", [*EventKind, *FailureCode, *ProblemCode])
def test_each_step_failure_and_problem_is_documented(word):
    assert f"`{word}`" in text("reference.md")


@pytest.mark.parametrize(
    "word",
    [
        *ProviderName, *ToolName, *RefusalCode, *FailureCode, *StopReason, *PremiseStatus,
        *RequirementKind, *RemarkCode, *FaultCode, *RejectionReason, *FigureKind, *FigureStatus,
        *(limit.name for limit in fields(Limits)), "closing_seconds", "DOFPILOT_PRICES",
        *(path.name.split(".")[0] for path in PROMPTS.glob("*.md")),
    ],
)  # fmt: skip
def test_each_word_of_the_agent_is_explained(word):
    assert f"`{word}`" in text("agent.md")


@pytest.mark.parametrize("limit", [limit.name for limit in fields(Limits) if limit.type != "bool"])
def test_the_agents_limits_are_told_with_their_defaults(limit):
    row = f"| `{limit}` | `DOFPILOT_{limit.upper()}` | {getattr(Limits(), limit):g} |"
    assert row in text("agent.md")


@pytest.mark.parametrize("rendering", blocks().values(), ids=blocks())
def test_the_example_of_a_result_is_what_the_agent_makes_of_it(rendering):
    """``python -m tests.agent.example`` prints the blocks to put there."""
    assert rendering in text("agent.md")


def test_every_link_between_the_documents_leads_somewhere():

    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text(encoding="utf-8")):
            assert target.startswith("http") or (document.parent / target).exists(), (document.name, target)
