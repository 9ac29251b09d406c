"""``manage.py build_corpus`` as it is typed."""

import os
import re
import subprocess
import sys
from datetime import date
from io import StringIO
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.core.management import call_command

from dofpilot.corpus.building import target
from dofpilot.corpus.building.builder import build
from dofpilot.corpus.building.workshop import saved_documents
from dofpilot.corpus.manifest import read_manifest
from dofpilot.corpus.names import LARGEST_CODE
from tests.corpus.trees import LAW, path_of, write
from tests.site import ROOT, Site

CHILD = """
import os, signal, sys
from dofpilot.corpus.building import builder, workers
from dofpilot.corpus.building.workshop import Workshop

real = Workshop.keep

def keep(workshop, purpose, documents):
    real(workshop, purpose, documents)
    if documents > 4:
        # As Ctrl-C does, to every process of the terminal.
        os.killpg(0, signal.SIGINT)

if __name__ == "__main__":
    builder.CHECKPOINT_BYTES, workers.WORTH_A_PROCESS, workers._BATCH_FILES = 250, 0, 2
    Workshop.keep = keep
    from django.core.management import execute_from_command_line
    execute_from_command_line(sys.argv)
"""


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "var")


def build_until_ctrl_c(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in a process group of its own, whose processes all get a SIGINT at the second saving."""
    script = folder / "child.py"
    script.write_text(CHILD)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "dofpilot.settings"}
    return subprocess.run(
        [sys.executable, script, "build_corpus", *arguments],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        start_new_session=True,
        check=False,
    )


def test_ctrl_c_says_that_the_same_command_goes_on_and_it_does(site: Site, tmp_path: Path) -> None:
    for code in range(1, 20):
        write(tmp_path / "tree", code, LAW, number=code)
    arguments = (str(tmp_path / "tree"), str(tmp_path / "out"), "--jobs", "2")
    stopped = build_until_ctrl_c(tmp_path, *arguments)
    saved = saved_documents(tmp_path / "out")
    assert stopped.returncode == 130, stopped.stderr
    assert f"la misma orden continúa con {saved} documentos ya guardados" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert "KeyboardInterrupt" not in stopped.stderr
    assert not (tmp_path / "out").exists()
    done = site.manage("build_corpus", *arguments)
    assert done.returncode == 0, done.stderr
    assert f"Se reanuda: {saved} de 19 documentos ya estaban." in done.stderr
    assert "19 documentos y 19 pasajes en" in done.stdout


def test_the_version_is_the_corpus_own(site: Site, tree: Path, out: Path) -> None:
    assert site.manage("build_corpus", str(tree), str(out), "--version", "prueba 1").returncode == 0
    assert read_manifest(out).version == "prueba 1"


@pytest.mark.parametrize("version", ["", "a\nb", "\x1b[31mrojo", "x" * 65])
def test_it_refuses_a_version_that_nobody_could_read(site: Site, tree: Path, out: Path, version: str) -> None:
    refused = site.manage("build_corpus", str(tree), str(out), "--version", version)
    assert refused.returncode == 2
    assert "--version: debe tener de 1 a 64 caracteres que se vean" in refused.stderr
    assert not out.exists()


def test_it_says_that_an_update_with_nothing_new_changes_no_version(
    site: Site, tree: Path, out: Path
) -> None:
    site.manage("build_corpus", str(tree), str(out), "--version", "una")
    told = site.manage("build_corpus", str(tree), str(out), "--update", "--version", "otra").stdout
    assert "el acervo se queda como estaba y con su versión, «una»." in told


def test_it_warns_of_an_old_corpus_that_could_not_be_deleted(
    tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tree, out)
    refuse = Mock(side_effect=PermissionError(13, "Permission denied"))
    monkeypatch.setattr(target, "shutil", Mock(rmtree=refuse))
    told = StringIO()
    call_command("build_corpus", str(tree), str(out), stdout=StringIO(), stderr=told)
    assert f"no se pudo borrar: quedó en «{out.with_name('.out.old-1')}»" in told.getvalue()


def test_it_tells_size_ratio_and_time(site: Site, tree: Path, out: Path) -> None:
    built = site.manage("build_corpus", str(tree), str(out))
    told = r"Versión dof-20251209-\w{8}: [0-9.]+ MB en disco, [0-9.]+ por cada byte .*, en [0-9.]+ s"
    assert re.search(told, built.stdout)


def test_an_update_tells_what_was_new(site: Site, tree: Path, out: Path) -> None:
    site.manage("build_corpus", str(tree), str(out))
    nothing = site.manage("build_corpus", str(tree), str(out), "--update")
    assert (nothing.returncode, "No hay documentos nuevos" in nothing.stdout) == (0, True)
    write(tree, 3, LAW, day=date(2025, 12, 10))
    updated = site.manage("build_corpus", str(tree), str(out), "--update")
    assert "3 documentos y 3 pasajes en" in updated.stdout
    assert "1 documento nuevo; los demás ya estaban" in updated.stdout


def test_refused_files_are_counted_by_cause(site: Site, tree: Path, out: Path) -> None:
    for code in range(10, 15):
        write(tree, code, b"a" * code + b"\xff", number=code)
    for code in (LARGEST_CODE + 1, LARGEST_CODE + 2):
        write(tree, code, LAW)
    write(tree, 30, "", number=30)
    built = site.manage("build_corpus", str(tree), str(out))
    assert built.returncode == 0
    assert f"8 archivos quedaron fuera; la lista completa está en {out}/report.json" in built.stderr
    assert "5 archivos porque no es UTF-8 (byte …):" in built.stderr
    assert f"2 archivos porque el código «…» no está entre 1 y {LARGEST_CODE}:" in built.stderr
    assert f"  {path_of(12, number=12)}: no es UTF-8 (byte 12)" in built.stderr
    assert path_of(13, number=13) not in built.stderr
    assert f"  {path_of(30, number=30)}: está vacío" in built.stderr


def test_without_a_terminal_a_few_lines_tell_how_far_it_is(site: Site, tree: Path, out: Path) -> None:
    for code in range(10, 200):
        write(tree, code, LAW, number=code)
    lines = site.manage("build_corpus", str(tree), str(out)).stderr.splitlines()
    assert lines[-1].startswith("Terminando 192/192")
    assert len(lines) < 10


@pytest.mark.parametrize("jobs", ["0", "-1", "1e3", "muchos", "257", "9" * 30, "9" * 5_000])
def test_it_refuses_to_work_with_no_process_or_too_many(site: Site, tree: Path, out: Path, jobs: str) -> None:
    refused = site.manage("build_corpus", str(tree), str(out), "--jobs", jobs)
    assert refused.returncode == 2
    assert "--jobs: debe ser un número entre 1 y 256" in refused.stderr
