"""What the commands about recordings write is UTF-8, on a machine whose locale has no accents too."""

from __future__ import annotations

import json

from tests import scripts
from tests.runs.recorded import QUESTION

BARE = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_a_locale_without_accents_changes_nothing(site, tmp_path):
    asked = site.manage("ask", QUESTION, **scripts.write(tmp_path / "script.json", scripts.WHOLE))
    assert asked.returncode == 0, asked.stderr
    [(run_id,)] = site.database.rows("SELECT id FROM runs_run")
    usual, bare = (site.manage("transcript", run_id, **locale) for locale in ({}, BARE))
    assert bare.returncode == 0, bare.stderr
    assert (bare.stdout, bare.stderr) == (usual.stdout, usual.stderr)
    header = json.loads(bare.stdout.splitlines()[0])
    assert header["question"] == QUESTION
    replayed = site.manage("replay", run_id, **BARE)
    assert replayed.stdout.endswith("y la respuesta, idénticos.\n"), replayed.stderr
