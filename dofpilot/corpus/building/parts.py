"""The two parts of a corpus that a build fills, and keeps in step."""

from __future__ import annotations

from pathlib import Path

from dofpilot.corpus.building.indexing import LexicalWriter
from dofpilot.corpus.building.making import Made
from dofpilot.corpus.building.report import Rejection
from dofpilot.corpus.building.storing import StoreWriter, Totals
from dofpilot.corpus.digests import corpus_fingerprint
from dofpilot.corpus.errors import BuildError
from dofpilot.corpus.files import LEXICAL, STORE
from dofpilot.corpus.sources.chunking import CHUNKER_VERSION


class Parts:
    """The store is saved first and knows what the index may lack, so that a crash between both is mended."""

    def __init__(self, folder: Path) -> None:
        self.store = StoreWriter(folder / STORE)
        self._lexical = LexicalWriter(folder / LEXICAL)

    def agree(self) -> bool:
        """Make both hold the same documents again after an interruption; whether that could be done."""
        return self.store.agree_with(len(self._lexical))

    def add(self, made: Made) -> Rejection | None:
        """Refuse a document whose code is taken."""
        code = made.row.document_id
        if taken := self.store.find(code):
            return Rejection(made.row.path, f"el código {code} ya es de «{taken.path}»")
        self.store.add(made.row, made.blocks)
        self._lexical.add(made.entry)
        return None

    def save(self) -> None:
        """All that was added is there after a crash."""
        self.store.save()
        self._lexical.save()
        self.store.indexed()

    def finish(self) -> tuple[str, Totals]:
        """The fingerprint and the totals of what is complete now."""
        self.store.save()
        self._lexical.finish()
        self.store.indexed()
        totals = self.store.totals()
        if len(self._lexical) != totals.chunks:
            raise BuildError(f"el índice quedó con {len(self._lexical)} de {totals.chunks} pasajes")
        fingerprint = corpus_fingerprint(CHUNKER_VERSION, self.store.files())
        self.store.finish(fingerprint)
        return fingerprint, totals

    def close(self) -> None:
        self.store.close()
        self._lexical.close()
