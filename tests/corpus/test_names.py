from datetime import date

import pytest

from dofpilot.corpus.errors import BadName
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT, LARGEST_CODE, parse
from dofpilot.corpus.types import Section

FOLDER = "2025/12/09122025/MAT"


def test_it_reads_code_date_edition_number_and_kind() -> None:
    name = parse(f"{FOLDER}/006_DOF_20251209_MAT_5775533.md")
    assert (name.document_id, name.publication_date) == (5775533, date(2025, 12, 9))
    assert (name.section, name.number, name.kind) == (Section.MAT, 6, "DOF")


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (f"{FOLDER}/nota.md", "«nota.md» no sigue el esquema"),
        (f"{FOLDER}/006_DOF_20251209_MAT_57a.md", "no sigue el esquema"),
        (f"{FOLDER}/006_DOF_20251209_MAT_٣٣.md", "no sigue el esquema"),
        ("2025/02/30022025/MAT/006_DOF_20250230_MAT_1.md", "la fecha «20250230»"),
        (f"{FOLDER}/006_DOF_20251209_TAR_1.md", "la sección «TAR»"),
        (f"{FOLDER}/006_DOF_20251209_VES_1.md", "la carpeta"),
        ("2024/12/09122025/MAT/006_DOF_20251209_MAT_1.md", "la carpeta"),
        ("006_DOF_20251209_MAT_1.md", "la carpeta"),
        (f"{FOLDER}/006_DOF_20251209_MAT_0.md", "el código «0»"),
        (f"{FOLDER}/006_DOF_20251209_MAT_{LARGEST_CODE + 1}.md", "el código"),
        (f"{FOLDER}/006_DOF_20251209_MAT_{'9' * 9000}.md", "el código"),
    ],
)
def test_it_names_the_part_of_a_path_that_is_wrong(path: str, wrong: str) -> None:
    with pytest.raises(BadName, match=wrong):
        parse(path)


def test_every_id_of_the_largest_code_is_exact_in_a_double() -> None:
    name = parse(f"{FOLDER}/006_DOF_20251209_MAT_{LARGEST_CODE}.md")
    last = name.document_id * CHUNKS_PER_DOCUMENT + CHUNKS_PER_DOCUMENT - 1
    assert last < 2**53
