"""The command line: a run like any other, steps as they happen, clear errors and exit codes."""

from __future__ import annotations

import json
import re
import signal
import threading
from pathlib import Path

import pytest

from runs.management.commands.ask import SIGNALS, Ending
from tests import scripts
from tests.site import ROOT, Site
from tests.waiting import wait_for

SAMPLE_TREE = ROOT / "dofpilot" / "corpus" / "sample"
QUESTION = "¿Cuáles son los salarios mínimos generales que rigen en 2026?"


def stored_runs(site: Site) -> int:
    [(count,)] = site.database.rows("SELECT count(*) FROM runs_run")
    return count


def test_it_prints_the_steps_and_the_answer_with_numbered_sources(site):
    asked = site.manage("ask", QUESTION, "--as-of", "2026-04-24")
    assert asked.returncode == 0, asked.stderr
    assert len(re.findall(r"^ +\d+\.\d s  ", asked.stdout, re.MULTILINE)) >= 5
    assert re.search(r"\[1\]", asked.stdout)
    assert re.search(r"^\[1\] .+ \(DOF \d+ \w+ \d{4} · \w+\)$", asked.stdout, re.MULTILINE)
    assert "dof.gob.mx" in asked.stdout
    assert "\x1b" not in asked.stdout


def test_it_prints_the_runs_id_and_without_a_cutoff_takes_the_corpus_last_day_as_the_page_does(site):
    asked = site.manage("ask", QUESTION)
    named = re.match(r"Investigación ([0-9a-f-]{36}), con publicaciones hasta el 17 abr 2026\n", asked.stdout)
    assert named, asked.stdout
    assert site.manage("replay", named[1]).returncode == 0


def test_on_a_terminal_a_live_line_tells_what_is_being_done(site):
    written = site.manage_on_terminal("ask", QUESTION, "--as-of", "2026-04-24")
    assert "\x1b[" in written
    assert "Investigando" in written
    assert re.search(r"\d\.\d s  .*Leyó \d+ pasajes?", written)


def test_building_shows_a_progress_bar_that_ends_full(site, tmp_path):
    written = site.manage_on_terminal("build_corpus", str(SAMPLE_TREE), str(tmp_path / "out"))
    assert "━" in written
    assert "79/79" in written


def test_json_is_the_public_run_alone_on_standard_output(site):
    asked = site.manage("ask", QUESTION, "--as-of", "2026-04-24", "--json")
    run = json.loads(asked.stdout)
    assert (run["status"], run["as_of"]) == ("succeeded", "2026-04-24")
    result = run["result"]
    read = {passage["chunk_id"] for passage in result["evidence"]}
    assert result["answer"]["citations"]
    assert set(result["answer"]["citations"]) <= read
    assert all(passage["publication_date"] <= "2026-04-24" for passage in result["evidence"])
    assert result["generative"] is False
    assert " s  " in asked.stderr
    assert stored_runs(site) == 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["ab"], "pregunta"),
        (["x" * 2001], "pregunta"),
        ([QUESTION, "--as-of", "2026-02-30"], "--as-of"),
        ([QUESTION, "--hops", "6"], "--hops"),
    ],
)
def test_bad_input_names_the_option_and_stores_nothing(site, arguments, named):
    asked = site.manage("ask", *arguments)
    assert asked.returncode == 2
    assert f"{named}: " in asked.stderr
    assert stored_runs(site) == 0


def last_state(site: Site) -> tuple[str, str] | None:
    changes = site.database.rows("SELECT state, failure FROM runs_transition ORDER BY id DESC")
    return changes[0] if changes else None


@pytest.mark.parametrize("command", [["ask", QUESTION], ["invite", "--label", "ana"]])
def test_without_a_database_it_says_what_to_do_first(tmp_path, sample_corpus, command):
    untouched = Site(tmp_path / "nuevo", DOFPILOT_CORPUS=str(sample_corpus)).manage(*command)
    assert untouched.returncode == 1
    assert "make up" in untouched.stderr
    assert "Traceback" not in untouched.stderr


def broken_manifest(folder: Path) -> Path:
    folder.mkdir()
    (folder / "manifest.json").write_text("{", encoding="utf-8")
    return folder


def test_a_missing_or_damaged_corpus_names_its_setting_and_stores_nothing(site, tmp_path):
    for corpus in (tmp_path / "nowhere", broken_manifest(tmp_path / "broken")):
        asked = site.manage("ask", QUESTION, DOFPILOT_CORPUS=str(corpus))
        assert asked.returncode == 1
        assert f"DOFPILOT_CORPUS ({corpus})" in asked.stderr
    assert stored_runs(site) == 0


def test_a_failed_run_is_kept_and_its_sentence_told(site, tmp_path):
    chosen = scripts.write(tmp_path / "script.json", [{"fail": "provider_unavailable"}])
    asked = site.manage("ask", QUESTION, **chosen)
    assert asked.returncode == 1
    assert "provider_unavailable" in asked.stderr
    assert "Traceback" not in asked.stderr
    assert re.match(r"Investigación [0-9a-f-]{36}, ", asked.stdout)
    assert stored_runs(site) == 1


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, "cancelled"), (signal.SIGTERM, "interrupted"), (signal.SIGHUP, "interrupted")],
)
def test_a_command_told_to_end_ends_its_run(site, tmp_path, number, code):
    chosen = scripts.write(tmp_path / "script.json", [{"wait_for_file": str(tmp_path / "never")}])
    with site.begin("ask", QUESTION, **chosen) as asking:
        wait_for(lambda: last_state(site) == ("started", ""))
        asking.send_signal(number)
        asking.wait(20)
    assert asking.returncode == (130 if number == signal.SIGINT else 128 + number)
    assert last_state(site) == ("failed", code)


def test_an_ending_is_held_back_by_whichever_thread_it_comes():
    before = {number: signal.getsignal(number) for number in SIGNALS}
    go = threading.Event()

    def end() -> None:
        go.wait()
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

    # Like a library's: older than what holds the signals back.
    thread = threading.Thread(target=end)
    thread.start()
    try:
        ending = Ending()
        go.set()
        thread.join()
        with pytest.raises(SystemExit) as ended:
            ending.may_come()
        assert ended.value.code == 128 + signal.SIGTERM
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        for number, handler in before.items():
            signal.signal(number, handler)


def test_control_codes_in_an_answer_never_reach_the_terminal(site, tmp_path):
    hostile = {
        "answer": "\x1b[2Jborrado [$read[0]]",
        "citations": ["$read[0]"],
        "premise_status": "supported",
    }
    chosen = scripts.write(tmp_path / "script.json", [*scripts.WHOLE[:-1], {"answer": hostile}])
    asked = site.manage("ask", QUESTION, **chosen)
    assert "borrado" in asked.stdout
    assert "\x1b" not in asked.stdout


def test_build_corpus_lists_what_it_left_out_and_replaces_only_a_corpus(site, tmp_path):
    tree = tmp_path / "tree"
    good = tree / "2026/01/09012026/MAT/001_DOF_20260109_MAT_9900001.md"
    good.parent.mkdir(parents=True)
    good.write_text("# INSTITUTO\n\n## AVISO de prueba\n\nTexto.\n", encoding="utf-8")
    (good.parent / "cualquiera.md").write_text("nada", encoding="utf-8")
    out = tmp_path / "out"
    built = site.manage("build_corpus", str(tree), str(out))
    assert built.returncode == 0, built.stderr
    assert "1 documento y 1 pasaje en" in built.stdout
    assert "1 archivo quedó fuera;" in built.stderr
    assert "cualquiera.md" in built.stderr
    assert site.manage("ask", QUESTION, DOFPILOT_CORPUS=str(out)).returncode == 0
    other = tmp_path / "papeles"
    other.mkdir()
    (other / "importante.txt").write_text("no borrar", encoding="utf-8")
    refused = site.manage("build_corpus", str(tree), str(other))
    assert refused.returncode == 1
    assert (other / "importante.txt").read_text(encoding="utf-8") == "no borrar"
    assert site.manage("build_corpus", str(tmp_path / "vacío"), str(tmp_path / "x")).returncode == 1
    assert not (tmp_path / "x").exists()


def test_build_corpus_shows_control_codes_in_names_without_sending_them(site, tmp_path):
    hostile = "\x1b[31m\nListo: 0 errores.md"
    folder = tmp_path / "tree" / "2026"
    folder.mkdir(parents=True)
    (folder / hostile).write_text("nada", encoding="utf-8")
    refused = site.manage("build_corpus", str(tmp_path / "tree"), str(tmp_path / "out"))
    assert refused.returncode == 1
    assert "\x1b[31m" not in refused.stderr
    assert "2026/\\x1b[31m\\nListo: 0 errores.md" in refused.stderr
    good = folder / "01/09012026/MAT/001_DOF_20260109_MAT_9900001.md"
    good.parent.mkdir(parents=True)
    good.write_text("# INSTITUTO\n\n## AVISO de prueba\n\nTexto.\n", encoding="utf-8")
    built = site.manage("build_corpus", str(tmp_path / "tree"), str(tmp_path / "out\x1b[1m"))
    assert built.returncode == 0, built.stderr
    assert "\x1b[" not in built.stdout + built.stderr
    assert "  2026/\\x1b[31m\\nListo: 0 errores.md: " in built.stderr


@pytest.mark.parametrize("place", ["nota/out", "tree/out"])
def test_build_corpus_names_a_place_where_it_cannot_build(site, tmp_path, place):
    (tmp_path / "nota").write_text("una nota", encoding="utf-8")
    good = tmp_path / "tree" / "2026/01/09012026/MAT/001_DOF_20260109_MAT_9900001.md"
    good.parent.mkdir(parents=True)
    good.write_text("# INSTITUTO\n\n## AVISO de prueba\n\nTexto.\n", encoding="utf-8")
    refused = site.manage("build_corpus", str(tmp_path / "tree"), str(tmp_path / place))
    assert refused.returncode == 1
    assert f"«{tmp_path / place}»" in refused.stderr
    assert "Traceback" not in refused.stderr
