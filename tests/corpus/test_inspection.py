"""Looking into a corpus: what it holds is counted, and what is damaged is named and nothing else."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from dofpilot.corpus import inspection
from dofpilot.corpus.building.builder import build
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT
from dofpilot.corpus.vectors.filling import embed
from tests.corpus.trees import write, write_at
from tests.corpus.vectors.embedders import HashingEmbedder

LONG = "# PODER LEGISLATIVO\n\n## LEY LARGA\n\n" + "".join(
    f"Artículo {number}.- Nadie pagará peaje.{' Ni un peso.' * 120}\n\n" for number in range(1, 40)
)


@pytest.fixture
def built(tree: Path, out: Path) -> Path:
    write(tree, 3, LONG, number=3)
    write_at(tree, "2025/malo.md", "no")
    build(tree, out)
    return out


def test_documents_are_counted_by_year_edition_and_institution(built):
    counted = inspection.contents(built)
    assert counted.years == {"2024": 1, "2025": 2}
    assert counted.sections == {"MAT": 2, "VES": 1}
    assert counted.institutions == (("PODER LEGISLATIVO", 3),)


def test_sizes_are_those_on_disk_with_the_vectors_of_today(built):
    with Corpus.open(built) as corpus:
        manifest = corpus.manifest
    before = inspection.sizes(built, manifest)
    assert before.store >= (built / "corpus.sqlite").stat().st_size
    assert before.lexical == sum(
        file.stat().st_size for file in (built / "lexical").iterdir() if file.suffix != ".lock"
    )
    assert before.vectors == 0
    embed(built, HashingEmbedder(), jobs=1)
    after = inspection.sizes(built, manifest)
    assert after.vectors == sum(file.stat().st_size for file in (built / "vectors").iterdir())
    assert after.total == before.total + after.vectors


def test_what_the_last_build_left_out_is_told(built):
    report = inspection.last_report(built)
    assert [refused.path for refused in report.rejected] == ["2025/malo.md"]
    (built / "report.json").write_text("{", encoding="utf-8")
    assert inspection.last_report(built) is None
    (built / "report.json").unlink()
    assert inspection.last_report(built) is None


def test_an_index_of_another_analysis_is_not_ours(built):
    with Corpus.open(built) as corpus:
        manifest = corpus.manifest
    assert inspection.analysis_is_ours(manifest)
    other = manifest.lexical.model_copy(update={"fingerprint": "otra"})
    assert not inspection.analysis_is_ours(manifest.model_copy(update={"lexical": other}))


def chunk_ids(built: Path) -> list[int]:
    with Corpus.open(built) as corpus:
        return [chunk.chunk_id for chunk in corpus._store.every_chunk()]


def test_random_passages_are_distinct_existing_and_the_same_for_a_seed(built):
    known = chunk_ids(built)
    chosen = inspection._random_chunks(built, 5, "a")
    assert len(set(chosen)) == 5
    assert set(chosen) <= set(known)
    assert chosen == inspection._random_chunks(built, 5, "a")
    assert any(chosen != inspection._random_chunks(built, 5, seed) for seed in "bcd")
    assert inspection._random_chunks(built, len(known) + 1, "a") == known


def test_an_intact_corpus_is_intact(built):
    with Corpus.open(built) as corpus:
        verified = inspection.verify_passages(corpus, built, 1000, "a")
        assert (verified.checked, verified.damaged) == (corpus.manifest.chunks, ())
    seen: list[tuple[int, int]] = []
    files = inspection.verify_all_files(built, lambda done, total: seen.append((done, total)))
    assert (files.intact, files.checked) == (len(corpus.manifest.files), len(corpus.manifest.files))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] > 0


def flip_digest(built: Path, chunk_id: int) -> None:
    """Change one byte of a passage's digest in the database."""
    with sqlite3.connect(built / "corpus.sqlite") as database:
        select = "SELECT first_chunk_id, digests FROM block WHERE first_chunk_id <= ? ORDER BY 1 DESC LIMIT 1"
        first, digests = database.execute(select, [chunk_id]).fetchone()
        place = (chunk_id - first) * 32
        changed = digests[:place] + bytes([digests[place] ^ 1]) + digests[place + 1 :]
        database.execute("UPDATE block SET digests = ? WHERE first_chunk_id = ?", [changed, first])


def test_a_damaged_passage_is_named_and_no_other(built):
    wrong = 3 * CHUNKS_PER_DOCUMENT + 2
    flip_digest(built, wrong)
    with Corpus.open(built) as corpus:
        verified = inspection.verify_passages(corpus, built, 1000, "a")
    assert [what for what, _ in verified.damaged] == [str(wrong)]
    assert verified.intact == verified.checked - 1
    assert [what for what, _ in inspection.verify_all_files(built, lambda *_: None).damaged] == [
        "corpus.sqlite"
    ]


@pytest.mark.parametrize("count", [-3, 2**62, "muchos", 1e30])
def test_a_document_that_miscounts_its_passages_does_not_stop_the_rest(built, count):
    with sqlite3.connect(built / "corpus.sqlite") as database:
        database.execute("UPDATE document SET chunks = ? WHERE document_id = 1", [count])
    with Corpus.open(built) as corpus:
        verified = inspection.verify_passages(corpus, built, 300, "a")
    assert all(int(what) // CHUNKS_PER_DOCUMENT == 1 for what, _ in verified.damaged)


@pytest.mark.parametrize(
    "harm", [Path.unlink, lambda file: file.write_bytes(b""), lambda file: file.write_bytes(b"x")]
)
def test_a_file_that_is_gone_or_cut_is_named(built, harm):
    harm(built / "lexical" / "meta.json")
    verified = inspection.verify_all_files(built, lambda *_: None)
    assert [what for what, _ in verified.damaged] == ["lexical/meta.json"]


def test_intact_vectors_are_read_too(built):
    before = inspection.verify_all_files(built, lambda *_: None).checked
    embed(built, HashingEmbedder(), jobs=1)
    verified = inspection.verify_all_files(built, lambda *_: None)
    assert (verified.checked, verified.damaged) == (before + 3, ())


@pytest.mark.parametrize("name", ["vectors-1.i8", "rows-1.bin", "manifest.json"])
@pytest.mark.parametrize(
    "harm",
    [
        Path.unlink,
        lambda file: file.write_bytes(file.read_bytes()[:-9]),
        lambda file: file.write_bytes(b"\x01" * file.stat().st_size),
    ],
)
def test_a_damaged_file_of_the_vectors_is_named(built, name, harm):
    embed(built, HashingEmbedder(), jobs=1)
    harm(built / "vectors" / name)
    found = inspection.verify_all_files(built, lambda *_: None).damaged
    if (built / "vectors" / "manifest.json").exists():
        assert [what for what, _ in found] == [f"vectors/{name}"]
    assert all(reason for _, reason in found)


def test_a_database_that_is_none_is_unavailable(built):
    (built / "corpus.sqlite").write_bytes(b"nada" * 1000)
    with pytest.raises(CorpusUnavailable, match=r"corpus\.sqlite"):
        inspection.contents(built)
    shutil.rmtree(built)
    with pytest.raises(CorpusUnavailable, match="no existe"):
        inspection.verify_all_files(built, lambda *_: None)
