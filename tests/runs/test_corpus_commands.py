"""Looking into a corpus from the command line: what it shows, what it names when something is wrong."""

from __future__ import annotations

import io
import json
import re
import shutil
import sqlite3
from datetime import date
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from dofpilot.agent.retrieval import RetrievalMode
from dofpilot.corpus.building.builder import build
from dofpilot.corpus.search.fields import schema
from dofpilot.corpus.search.fusion import VECTOR
from dofpilot.corpus.search.query import parse
from dofpilot.corpus.search.scoring import Scoring
from dofpilot.corpus.vectors.choosing import EmbedderChoice, EmbedderName
from dofpilot.corpus.vectors.filling import embed
from runs.management.commands import corpus_search
from runs.management.corpus_report import folded
from runs.management.hits import SCORES
from tests.corpus.trees import write
from tests.corpus.vectors.embedders import HashingEmbedder
from tests.corpus.vectors.server import EmbeddingServer
from tests.site import Site

QUERY = "salario mínimo general"


@pytest.fixture
def corpus(sample_corpus: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sample_corpus, tmp_path / "acervo"))


def run(command: str, *arguments: object, **options: object) -> str:
    out = io.StringIO()
    call_command(command, *map(str, arguments), stdout=out, stderr=io.StringIO(), **options)
    return out.getvalue()


def refused(command: str, *arguments: object) -> str:
    with pytest.raises(CommandError) as error:
        run(command, *arguments)
    return str(error.value)


def embedded(corpus: Path, server: EmbeddingServer, settings, *, batches: int | None = None) -> None:
    """Vectors by the model that the settings name; for a few batches of passages alone, where asked."""
    left = iter(range(batches)) if batches else None
    embed(
        corpus,
        HashingEmbedder(provider="endpoint", model="palabras"),
        jobs=1,
        is_stopped=lambda: left is not None and next(left, None) is None,
    )
    settings.EMBEDDINGS = EmbedderChoice(EmbedderName.ENDPOINT, server.url, "palabras")


@pytest.fixture
def server():
    with EmbeddingServer() as running:
        yield running


def test_info_tells_what_a_corpus_holds(corpus):
    shown = run("corpus_info", corpus, "--all-files")
    assert "muestra (de muestra)" in shown
    assert "79 documentos, 213 pasajes" in shown
    assert "del 9 ago 2006 al 17 abr 2026" in shown
    assert "no hay: los hace embed_corpus" in shown
    assert "200 de 200 pasajes al azar" in shown
    assert "SECRETARÍA DE HACIENDA Y CRÉDITO PÚBLICO" in shown
    years = {line.split()[0]: line.split()[1:] for line in shown.splitlines() if line[:4] == "  20"}
    assert len(years["2026"][1]) > len(years["2006"][1]) > 0


def test_info_as_json_is_the_same_twice_and_holds_each_part(corpus):
    told = run("corpus_info", corpus, "--json", "--verify", "5")
    assert told == run("corpus_info", corpus, "--json", "--verify", "5")
    found = json.loads(told)
    assert (found["documents"], sum(found["years"].values()), sum(found["sections"].values())) == (79,) * 3
    assert found["verification"]["checked"] == found["verification"]["intact"] == 5
    assert found["sizes"]["total"] == found["sizes"]["store"] + found["sizes"]["lexical"]
    assert (found["vectors"], found["left_out"], found["files"]) == (None, [], None)


def test_info_says_whether_vectors_can_be_used(corpus, server, settings):
    embedded(corpus, server, settings)
    assert "100 % de los pasajes, con «palabras»" in run("corpus_info", corpus)
    assert "léxica, vectorial, híbrida" in run("corpus_info", corpus)
    settings.EMBEDDINGS = EmbedderChoice(EmbedderName.ENDPOINT, server.url, "otro")
    unusable = json.loads(run("corpus_info", corpus, "--json"))["vectors"]
    assert unusable["usable"] is False
    assert "«otro»" in unusable["unusable"]


def test_info_never_says_100_of_an_incomplete_index(corpus, server, settings):
    embedded(corpus, server, settings, batches=2)
    found = json.loads(run("corpus_info", corpus, "--json"))
    assert 0 < found["vectors"]["share"] < 1
    shown = run("corpus_info", corpus)
    assert "100 % de los pasajes" not in shown
    assert "Se ofrece     léxica, híbrida\n" in shown


def test_damaged_vectors_are_told_with_what_mends_them(corpus, server, settings):
    embedded(corpus, server, settings)
    file = corpus / "vectors" / "vectors-1.i8"
    file.write_bytes(bytes(file.stat().st_size))
    assert "embed_corpus --restart" in refused("corpus_info", corpus, "--all-files")


def test_the_milliseconds_are_those_of_the_search_alone(corpus, monkeypatch):
    now = [0.0]
    real = corpus_search.parse

    def slowly(query: str):
        now[0] += 5.0
        return real(query)

    monkeypatch.setattr(corpus_search, "parse", slowly)
    monkeypatch.setattr(corpus_search.time, "perf_counter", lambda: now[0])
    assert json.loads(run("corpus_search", corpus, QUERY, "--json"))["milliseconds"] == 0


def test_info_names_damaged_passages_and_files_and_ends_with_1(corpus):
    with sqlite3.connect(corpus / "corpus.sqlite") as database:
        first, digests = database.execute("SELECT first_chunk_id, digests FROM block LIMIT 1").fetchone()
        changed = bytes([digests[0] ^ 1]) + digests[1:]
        database.execute("UPDATE block SET digests = ? WHERE first_chunk_id = ?", [changed, first])
    out = io.StringIO()
    with pytest.raises(CommandError, match="dañado") as error:
        call_command("corpus_info", str(corpus), "--verify", "1000", "--all-files", stdout=out)
    assert error.value.returncode == 1
    assert "212 de 213 pasajes" in out.getvalue()
    assert f"Dañado        {first}: " in out.getvalue()
    assert "Dañado        corpus.sqlite: " in out.getvalue()
    assert refused("corpus_info", corpus, "--all-files", "--verify", "0")


def test_a_corpus_that_does_not_open_is_told_in_a_sentence_with_its_damaged_files(corpus, tmp_path):
    for command in (["corpus_info"], ["corpus_search"]):
        more = [QUERY] if command == ["corpus_search"] else []
        assert "no existe el directorio" in refused(*command, tmp_path / "nada", *more)
    with (corpus / "corpus.sqlite").open("ab") as store:
        store.write(b"x")
    assert "corpus.sqlite" in refused("corpus_search", corpus, QUERY)
    out = io.StringIO()
    with pytest.raises(CommandError, match=r"corpus\.sqlite"):
        call_command("corpus_info", str(corpus), "--all-files", stdout=out)
    assert "corpus.sqlite: no es como se construyó" in out.getvalue()


def test_what_the_last_build_left_out_is_listed(tmp_path):
    write(tmp_path / "tree", 1, "# INSTITUTO\n\n## AVISO\n\nTexto.\n")
    for number in range(12):
        (tmp_path / "tree" / f"malo{number:02}.md").write_text("nada", encoding="utf-8")
    build(tmp_path / "tree", tmp_path / "out")
    shown = run("corpus_info", tmp_path / "out")
    assert "malo00.md: " in shown
    assert "malo11.md" not in shown
    assert "y 2 más" in shown
    assert len(json.loads(run("corpus_info", tmp_path / "out", "--json"))["left_out"]) == 12


def test_search_shows_documents_with_their_place_and_page(corpus):
    shown = run("corpus_search", corpus, QUERY, "--as-of", "2025-12-31", "--from", "2025-01-01")
    first = shown.split("\n\n")[0].splitlines()
    assert re.match(r"  1\. .*salarios mínimos", first[0])
    assert re.search(r"^     \d+ \w+ 2025 · \w+ina · COMISIÓN NACIONAL DE LOS SALARIOS MÍNIMOS$", first[1])
    assert re.search(r"^     https://dof\.gob\.mx/nota_detalle\.php\?codigo=\d+&fecha=../../2025$", first[-1])
    assert "codigo=5775533&" in shown
    assert "2026 ·" not in shown
    assert "     total" not in shown
    assert "\x1b" not in shown


def test_a_snippet_has_no_marks_of_markdown(tmp_path):
    table = "| **Zona** | Peaje |\n|:---|---:|\n| Norte | -5.20 |\n"
    write(tmp_path / "tree", 1, f"# INSTITUTO\n\n## AVISO\n\nEl *peaje* será de #2:\n\n{table}\n### Único\n")
    build(tmp_path / "tree", tmp_path / "out")
    shown = run("corpus_search", tmp_path / "out", "peaje")
    assert "     El peaje será de #2: · Zona · Peaje · Norte · -5.20" in shown
    assert not set(shown) & set("*|")
    assert "**Zona**" in run("corpus_search", tmp_path / "out", "peaje", "--json")


@pytest.mark.parametrize(
    "dates",
    [["--as-of", "2000-01-01"], ["--to", "2006-08-08"], ["--from", "2026-04-18", "--as-of", "2026-05-01"]],
)
def test_dates_that_the_corpus_does_not_have_are_told_with_those_that_it_has(corpus, dates):
    assert "del 9 ago 2006 al 17 abr 2026." in run("corpus_search", corpus, QUERY, *dates)


def test_without_results_among_the_dates_of_the_corpus_other_words_are_advised(corpus):
    shown = run("corpus_search", corpus, QUERY, "--as-of", "2006-08-09")
    assert shown == "Sin resultados. Prueba otras palabras o menos filtros.\n"


def test_vectors_that_nothing_is_set_for_are_told_with_the_setting(corpus, server, settings):
    embedded(corpus, server, settings)
    settings.EMBEDDINGS = EmbedderChoice()
    missing = "falta DOFPILOT_EMBEDDINGS"
    assert missing in run("corpus_search", corpus, QUERY).splitlines()[0]
    assert missing not in run("corpus_search", corpus, QUERY, "--strategy", "lexical")
    assert f"no ofrece «hybrid»: {missing}" in refused("corpus_search", corpus, QUERY, "--strategy", "hybrid")
    assert missing in run("corpus_info", corpus)


def test_search_limits_sections_and_counts_passages(corpus):
    hits = json.loads(run("corpus_search", corpus, QUERY, "--passages", "--limit", "7", "--json"))["hits"]
    assert len({hit["chunk_id"] for hit in hits}) == 7
    assert len({hit["document_id"] for hit in hits}) < 7
    evening = json.loads(run("corpus_search", corpus, "acuerdo", "--section", "ves", "--json"))["hits"]
    assert {hit["section"] for hit in evening} == {"VES"}


def test_explaining_shows_how_it_was_read_and_each_part_of_a_score(corpus):
    shown = run("corpus_search", corpus, "artículo 5 del salario mínimo", "--explain", "--limit", "1")
    assert "pedida léxica, hecha léxica" in shown
    assert "ms" in shown
    assert re.search(r"Rótulos +articul 5\b", shown)
    parts = {}
    for line in shown.splitlines():
        if line.startswith("     ") and len(line.split()) in (2, 3) and line.split()[1][:1].isdigit():
            parts[line.split()[0]] = float(line.split()[1])
    assert {"base", "rótulos", "total"} <= parts.keys()
    assert sum(parts.values()) == pytest.approx(2 * parts["total"], abs=0.01)


def test_bars_are_drawn_to_one_scale_for_all_hits(corpus):
    shown = run("corpus_search", corpus, QUERY, "--explain", "--limit", "9")
    bars = [
        (float(value), len(drawn))
        for value, drawn in re.findall(r"([\d.]+) ([█▏▎▍▌▋▊▉]+)$", shown, re.MULTILINE)
    ]
    whole = max(length for _, length in bars)
    assert len({value for value, length in bars if length == whole}) < len(bars) / 2
    assert [length for _, length in sorted(bars)] == sorted(length for _, length in bars)


def test_each_part_of_a_score_has_a_name_for_people():
    query = parse(
        "¿Qué es «la vivienda» del patrón? Artículo 5, NOM-035 y 5775533 del 9 de diciembre de 2025"
    )
    parts = Scoring(schema()).parts(query, ["casa"], date(2026, 1, 1))
    assert {*parts, VECTOR} == SCORES.keys()


def test_recent_documents_come_first_where_they_are_preferred(corpus):
    preferred = json.loads(run("corpus_search", corpus, QUERY, "--recent", "--json"))["hits"]
    assert preferred[0]["score"]["boosts"]["recent"] > 0
    assert (
        "recent"
        not in json.loads(run("corpus_search", corpus, QUERY, "--json"))["hits"][0]["score"]["boosts"]
    )


def test_a_corrected_word_is_told(corpus):
    assert "También se buscó «viviendas» por «viviendsa»." in run("corpus_search", corpus, "viviendsa")


def test_a_search_by_meaning_uses_the_model_of_the_settings_and_tells_of_a_failure(corpus, server, settings):
    embedded(corpus, server, settings)
    found = json.loads(run("corpus_search", corpus, QUERY, "--json"))
    assert (found["retrieval"]["used"], found["retrieval"]["vector_share"]) == ("hybrid", 1.0)
    assert "vector" in found["hits"][0]["score"]["boosts"]
    assert server.texts == [QUERY]
    server.reply = lambda body: (500, {"error": {"message": "se rompió"}})
    shown = run("corpus_search", corpus, QUERY, "--strategy", "vector")
    assert "Se buscó solo por palabras: el servidor de vectores" in shown
    assert "  1. RESOLUCIÓN" in shown


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([QUERY, "--as-of", "2026-02-30"], "--as-of: debe ser una fecha"),
        ([QUERY, "--from", "ayer"], "--from: debe ser una fecha"),
        ([QUERY, "--from", "2026-01-02", "--to", "2026-01-01"], "--from: es posterior a --to"),
        ([QUERY, "--section", "SUR"], "--section: debe ser MAT, VES, EXT"),
        ([QUERY, "--strategy", "auto"], "--strategy: debe ser lexical, vector, hybrid"),
        ([QUERY, "--strategy", "hybrid"], "--strategy: el acervo no ofrece «hybrid»: no tiene vectores"),
        ([QUERY, "--limit", "0"], "--limit: debe ser un número entre 1 y 100"),
        (["  "], "consulta: está vacía"),
        (["de la"], "consulta: "),
    ],
)
def test_bad_input_names_its_option(corpus, arguments, told):
    assert told in refused("corpus_search", corpus, *arguments)


def test_a_fixed_mode_of_the_site_that_is_not_offered_names_its_setting(corpus, settings):
    settings.RETRIEVAL = RetrievalMode.VECTOR
    assert "DOFPILOT_RETRIEVAL: el acervo no ofrece «vector»" in refused("corpus_search", corpus, QUERY)


def test_control_codes_in_documents_never_reach_the_terminal(tmp_path):
    hostile = (
        "# INSTITUTO\x9b31m\n\n## AVISO \x1b[2J del peaje\n\nNadie pagará \x1b]0;peaje\x07 ni \x9b1m nada.\n"
    )
    write(tmp_path / "tree", 1, hostile)
    build(tmp_path / "tree", tmp_path / "out")
    for command in (
        ["corpus_info", tmp_path / "out"],
        ["corpus_info", tmp_path / "out", "--json"],
        ["corpus_search", tmp_path / "out", "peaje\x1b[1m", "--explain"],
        ["corpus_search", tmp_path / "out", "peaje\x1b[1m\udcff", "--json"],
    ):
        shown = run(*command)
        assert not set(shown) & set("\x1b\x9b\x07\udcff"), command
    assert "ni \\x9b1m nada" in run("corpus_search", tmp_path / "out", "peaje")


def test_many_years_of_one_document_each_are_one_row():
    years = {str(year): 1 for year in range(1990, 2000)} | {"2001": 4, "2003": 1, "2004": 2}
    assert folded(years) == years
    more = years | {"2005": 1, "2008": 1, "2009": 7}
    assert folded(more) == {
        "1990–1999": 10, "2001": 4, "2003": 1, "2004": 2, "2005–2008": 2, "2009": 7
    }  # fmt: skip


def test_the_moment_of_a_build_is_told_as_people_do(corpus):
    manifest = json.loads((corpus / "manifest.json").read_text(encoding="utf-8"))
    manifest["built_at"] = "2026-11-30T12:48:09.5-06:00"
    (corpus / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert "Construido    30 nov 2026, 18:48 UTC\n" in run("corpus_info", corpus)


def test_on_a_terminal_lines_are_cut_between_words_and_hang(corpus, tmp_path):
    machine = Site(tmp_path / "var", COLUMNS="50")
    written = machine.manage_on_terminal("corpus_search", str(corpus), QUERY, "--limit", "2")
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in written.splitlines()]
    addresses = [line for line in lines if "https://" in line]
    assert len(addresses) == 2
    assert all(len(line) <= 50 for line in lines if line not in addresses)
    assert {line[:5].strip() for line in lines} == {"", "1.", "2."}
    piped = run("corpus_search", corpus, QUERY, "--limit", "2")
    assert " ".join(lines).split() == piped.split()


def test_on_a_terminal_the_words_that_match_stand_out(corpus, tmp_path):
    machine = Site(tmp_path / "var")
    written = machine.manage_on_terminal("corpus_search", str(corpus), "viviendsa", "--limit", "1")
    assert "\x1b[1;33mvivienda" in written
    progress = machine.manage_on_terminal("corpus_info", str(corpus), "--all-files")
    assert "━" in progress
    assert "200 de 200" in progress
