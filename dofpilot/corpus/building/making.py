"""One file made into all that the corpus stores of it: a pure function of the file, for any process."""

from __future__ import annotations

from dataclasses import dataclass

from dofpilot.corpus import names
from dofpilot.corpus.blocks import BlockRow, BlockWriter
from dofpilot.corpus.building.entries import index_entry
from dofpilot.corpus.building.report import Rejection
from dofpilot.corpus.building.storing import DocumentRow
from dofpilot.corpus.days import day_number
from dofpilot.corpus.errors import BadFile, BadName
from dofpilot.corpus.search.fields import DocumentEntry
from dofpilot.corpus.sources import tree
from dofpilot.corpus.sources.documents import Document, prepare
from dofpilot.corpus.sources.tree import SourceFile
from dofpilot.corpus.text.folding import fold


@dataclass(frozen=True, slots=True)
class Made:
    """A document ready to be written."""

    row: DocumentRow
    blocks: tuple[BlockRow, ...]
    entry: DocumentEntry


def load(file: SourceFile) -> Document:
    """Raise ``BadName`` or ``BadFile``."""
    tree.check_kind(file)
    return prepare(names.parse(file.path), tree.read(file))


def make(file: SourceFile, writer: BlockWriter) -> Made | Rejection:
    try:
        document = load(file)
        return Made(_row(document), writer.pack(document), index_entry(document))
    except (BadName, BadFile) as error:
        return Rejection(file.path, str(error))
    except Exception as error:  # noqa: BLE001
        # A document that our own code cannot digest must cost that document and no other.
        return Rejection(file.path, f"error interno al leerlo ({type(error).__name__}: {error})", fault=True)


def _row(document: Document) -> DocumentRow:
    name, head = document.name, document.head
    return DocumentRow(
        document_id=name.document_id,
        path=name.path,
        day=day_number(name.publication_date),
        section=name.section.value,
        number=name.number,
        kind=name.kind,
        title=head.title,
        institution=head.institution,
        organs=fold("\n".join(head.organs)),
        size=document.size,
        chunks=len(document.chunks),
        sample=int(document.sample),
        file_digest=document.file_digest,
    )
