"""The path scheme of the gazette: ``YYYY/MM/DDMMYYYY/SEC/NNN_KIND_YYYYMMDD_SEC_CODE.md`` (DESIGN §4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

from dofpilot.corpus.errors import BadName
from dofpilot.corpus.types import Section

CHUNKS_PER_DOCUMENT = 100_000
"""``chunk_id = document_id * CHUNKS_PER_DOCUMENT + chunk_index``."""

LARGEST_ID = 2**53
"""Every id stays below, so that it is exact in JSON, whose numbers are doubles in a browser."""

LARGEST_CODE = LARGEST_ID // CHUNKS_PER_DOCUMENT - 1

SCHEME = "AAAA/MM/DDMMAAAA/SEC/NNN_TIPO_AAAAMMDD_SEC_CODIGO.md"

_FILE = re.compile(
    r"(?P<number>[0-9]{3,6})_(?P<kind>[A-Z]+)_(?P<day>[0-9]{8})_(?P<section>[A-Z]+)_(?P<code>[0-9]+)\.md"
)


def document_of(chunk_id: int) -> int:
    """The document that a chunk belongs to."""
    return chunk_id // CHUNKS_PER_DOCUMENT


@dataclass(frozen=True, slots=True)
class DocumentName:
    """What a document's path says about it. ``number`` is its place in the edition."""

    path: str
    document_id: int
    publication_date: date
    section: Section
    number: int
    kind: str


def parse(path: str) -> DocumentName:
    """Read a path relative to the tree, with ``/`` between its parts; raise ``BadName``."""
    *folders, file_name = path.split("/")
    match = _FILE.fullmatch(file_name)
    if match is None:
        raise BadName(f"el nombre «{file_name}» no sigue el esquema {SCHEME}")
    day, section = _day(match["day"]), _section(match["section"])
    expected = [f"{day:%Y}", f"{day:%m}", f"{day:%d%m%Y}", section.value]
    if folders != expected:
        raise BadName(f"la carpeta «{'/'.join(folders)}» no es «{'/'.join(expected)}», la que pide el nombre")
    return DocumentName(path, _code(match["code"]), day, section, int(match["number"]), match["kind"])


def _day(digits: str) -> date:
    try:
        return datetime.strptime(digits, "%Y%m%d").date()
    except ValueError:
        raise BadName(f"la fecha «{digits}» del nombre no existe") from None


def _section(letters: str) -> Section:
    try:
        return Section(letters)
    except ValueError:
        raise BadName(f"la sección «{letters}» no es {', '.join(Section)}") from None


def _code(digits: str) -> int:
    # Length first: int() of a file name with thousands of digits is slow or refused.
    if len(digits) > len(str(LARGEST_CODE)) or not 0 < int(digits) <= LARGEST_CODE:
        raise BadName(f"el código «{digits[:24]}» no está entre 1 y {LARGEST_CODE}")
    return int(digits)
