"""The sample corpus, and what people will ask of it first."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.types import Filters


@pytest.fixture(scope="module")
def corpus(sample_corpus: Path) -> Iterator[Corpus]:
    with Corpus.open(sample_corpus) as opened:
        yield opened


def test_every_file_of_the_sample_is_a_document_and_says_what_it_is(
    corpus: Corpus, sample_corpus: Path
) -> None:
    report = json.loads((sample_corpus / "report.json").read_text())
    assert (report["rejected"], report["ignored"]) == ([], 0)
    assert report["documents"] >= 45
    assert corpus.manifest.sample


def test_every_document_of_the_sample_has_title_and_institution(corpus: Corpus) -> None:
    publications, _ = corpus.list_publications(Filters(), limit=500)
    for publication in publications:
        assert publication.institution.isupper()
        assert len(publication.title.split()) > 2
        assert publication.title != publication.institution


def test_every_document_of_the_sample_reads_back(corpus: Corpus) -> None:
    publications, _ = corpus.list_publications(Filters(), limit=500)
    for publication in publications:
        entries = corpus.get_document_outline(publication.document_id).entries
        ids = range(entries[0].first_chunk_id, entries[-1].last_chunk_id + 1)
        text = "".join(passage.text for passage in corpus.read_chunks(ids))
        assert text == corpus.document_text(publication.document_id)
