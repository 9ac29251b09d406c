"""Passages as the tests of coverage, figures and the extractive provider read them."""

from __future__ import annotations

from datetime import date

from dofpilot.corpus.types import Passage, Publication, Section


def publication(document_id: int = 7, *, title: str = "AVISO", day: date = date(2025, 12, 9)) -> Publication:
    path = f"{day:%Y/%m/%d%m%Y}/MAT/001_DOF_{day:%Y%m%d}_MAT_{document_id}.md"
    return Publication(document_id, path, title, "SECRETARÍA DEL TRABAJO", day, Section.MAT)


def passage(
    text: str,
    chunk_id: int = 1,
    *,
    document: Publication | None = None,
    headings: tuple[str, ...] = (),
) -> Passage:
    return Passage(chunk_id, chunk_id, document or publication(), headings, 0, len(text), text)
