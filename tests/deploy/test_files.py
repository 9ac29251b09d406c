"""What ``deploy/`` names exists: variables, commands, images' files."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.core.management import get_commands

from dofpilot.environment import INTERNAL, Environment
from tests.site import ROOT

DEPLOY = ROOT / "deploy"
FILES = sorted(path for path in DEPLOY.rglob("*") if path.is_file())
KNOWN = {f"DOFPILOT_{name.upper()}" for name in Environment.model_fields} - INTERNAL


def test_it_names_only_settings_that_dofpilot_reads():
    named = {name for path in FILES for name in re.findall(r"\bDOFPILOT_[A-Z_]+\b", path.read_text())}
    assert named
    assert named - KNOWN == set()


def test_it_runs_only_commands_that_exist():
    called = {name for path in FILES for name in re.findall(r"manage\.py[\", ]+([a-z]+)", path.read_text())}
    assert "agentworker" in called
    assert called - set(get_commands()) == set()


def test_what_compose_demands_is_in_the_example_of_its_variables():
    compose = (DEPLOY / "compose.yaml").read_text()
    demanded = set(re.findall(r"\$\{([A-Z_]+):\?", compose))
    given = set(re.findall(r"^([A-Z_]+)=$", (DEPLOY / ".env.example").read_text(), re.MULTILINE))
    assert len(demanded) >= 5
    assert demanded <= given


def test_no_secret_has_a_value():
    for path in FILES:
        assert not re.search(r"(?:PASSWORD|SECRET_KEY|API_KEY)=\S", path.read_text()), path


@pytest.mark.parametrize("unit", sorted(DEPLOY.glob("systemd/*.service")), ids=lambda unit: unit.name)
def test_a_unit_is_well_formed(unit, tmp_path):
    # Its paths are those of the machine that it is for.
    here = re.sub(r"/opt/dofpilot/\.venv/bin/python", "/bin/true", unit.read_text())
    copied = Path(tmp_path / unit.name)
    copied.write_text(here)
    assert "KillMode=mixed" in here
    if analyze := shutil.which("systemd-analyze"):
        checked = subprocess.run(
            [analyze, "verify", str(copied)], capture_output=True, text=True, check=False
        )
        assert unit.name not in checked.stderr, checked.stderr
