"""Test sets: what a line must hold, and the sample set against the sample corpus."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from dofpilot.harness.cases import Category, InvalidCase, read_cases

ROOT = Path(__file__).parents[2]
SAMPLE_SET = ROOT / "evaluation" / "sets" / "muestra.jsonl"
SAMPLE_TREE = ROOT / "dofpilot" / "corpus" / "sample"


def flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_the_sample_set_has_four_cases_of_each_category():
    assert Counter(case.category for case in read_cases(SAMPLE_SET)) == dict.fromkeys(Category, 4)


@pytest.mark.parametrize("case", read_cases(SAMPLE_SET), ids=lambda case: case.id)
def test_each_quote_of_the_sample_set_stands_in_its_document(case):
    for document in case.gold_documents:
        text = flat((SAMPLE_TREE / document.relpath).read_text(encoding="utf-8"))
        for evidence in document.evidence:
            assert flat(evidence.quote) in text
        assert document.publication_date <= case.as_of


@pytest.mark.parametrize("case", read_cases(SAMPLE_SET), ids=lambda case: case.id)
def test_each_case_of_the_sample_set_needs_the_documents_it_names(case):
    answering = {document.relpath for document in case.gold_documents}
    assert len(answering) >= case.required_hops


@pytest.fixture
def line() -> dict[str, object]:
    return json.loads(SAMPLE_SET.read_text(encoding="utf-8").splitlines()[0])


def fault(tmp_path: Path, *lines: str) -> InvalidCase:
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InvalidCase) as refused:
        read_cases(path)
    return refused.value


def test_a_fault_names_file_line_and_field(tmp_path, line):
    good = json.dumps(line)
    bad = json.dumps({**line, "id": "X", "required_hops": 9})
    refused = fault(tmp_path, good, bad)
    assert (refused.line, refused.field) == (2, "required_hops")
    assert "set.jsonl" in str(refused)


def test_broken_json_names_its_line_and_column(tmp_path, line):
    refused = fault(tmp_path, json.dumps(line), "", '{"id": }')
    assert (refused.line, refused.field) == (3, "column 8")


def test_a_repeated_id_and_an_unknown_field_are_refused(tmp_path, line):
    assert fault(tmp_path, json.dumps(line), json.dumps(line)).field == "id"
    assert fault(tmp_path, json.dumps({**line, "score": 1})).field == "score"
