"""What ``corpus_info`` found, as text on a terminal or in a pipe, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import IO, Any

from rich.text import Text

from dofpilot.corpus.building.report import REPORT, BuildReport
from dofpilot.corpus.files import VECTORS
from dofpilot.corpus.inspection import Contents, Sizes, Verified
from dofpilot.corpus.manifest import Manifest
from dofpilot.corpus.text.analysis import ANALYSIS_VERSION
from dofpilot.corpus.text.shares import percent
from dofpilot.corpus.types import Strategy, VectorState
from runs.management.corpora import STRATEGIES, bar, said_size, unused
from runs.management.lines import Lines
from runs.presentation.formats import short_date
from runs.terminal import harmless

LEFT_OUT = 10
"""Files that the text names; the JSON has them all."""
LABEL = 14
MOST_YEARS = 15
"""Rows of years that are shown one by one whatever they count."""


@dataclass(frozen=True, slots=True)
class Inspected:
    """All that is known of a corpus. ``files`` is ``None`` where nobody asked to read them all."""

    directory: Path
    manifest: Manifest
    own_analysis: bool
    sizes: Sizes
    strategies: frozenset[Strategy]
    vectors: VectorState | None
    contents: Contents
    report: BuildReport | None
    seed: str
    passages: Verified
    files: Verified | None

    @property
    def is_intact(self) -> bool:
        return not self.passages.damaged and not (self.files and self.files.damaged)

    @property
    def remedy(self) -> str:
        """What to do where it is not intact. Vectors are made from the rest, and apart."""
        files = [name for name, _ in self.files.damaged] if self.files else []
        if not self.passages.damaged and all(name.startswith(f"{VECTORS}/") for name in files):
            return "Los vectores están dañados: calcúlalos de nuevo con embed_corpus --restart."
        return "El acervo está dañado: vuelve a construirlo con build_corpus."


def as_json(found: Inspected) -> dict[str, Any]:
    """Plain values; sizes in bytes."""
    manifest, vectors, report = found.manifest, found.vectors, found.report
    return {
        "directory": str(found.directory),
        **manifest.model_dump(mode="json", exclude={"files", "lexical"}),
        "analysis_version": ANALYSIS_VERSION if found.own_analysis else None,
        "sizes": {**asdict(found.sizes), "total": found.sizes.total},
        "strategies": sorted(found.strategies),
        "lexical": manifest.lexical.model_dump(),
        "vectors": {**asdict(vectors), "usable": not vectors.unusable} if vectors else None,
        "years": found.contents.years,
        "sections": found.contents.sections,
        "institutions": [{"name": name, "documents": count} for name, count in found.contents.institutions],
        "left_out": [asdict(refused) for refused in report.rejected] if report else None,
        "verification": {"seed": found.seed, **_verified(found.passages)},
        "files": _verified(found.files) if found.files else None,
    }


def _verified(verified: Verified) -> dict[str, Any]:
    damaged = [{"what": what, "reason": reason} for what, reason in verified.damaged]
    return {"checked": verified.checked, "intact": verified.intact, "damaged": damaged}


class Report:
    """Prints what was found; names and reasons never reach a terminal as control codes."""

    def __init__(self, stream: IO[str]) -> None:
        self._lines = Lines(stream)

    def show(self, found: Inspected) -> None:
        self._identity(found)
        self._sizes(found.sizes, found.manifest.source_bytes)
        self._indexes(found)
        self._counts("Documentos por año", folded(found.contents.years))
        self._counts("Documentos por edición", found.contents.sections)
        self._institutions(found.contents)
        self._left_out(found.report)
        self._title("Verificación")
        self.verified(found.passages, f"pasajes al azar (--seed {found.seed})")
        if found.files:
            self.verified(found.files, "archivos leídos enteros")

    def verified(self, verified: Verified, what: str) -> None:
        style = "bold red" if verified.damaged else "green"
        self._line("Intactos", f"{verified.intact:,} de {verified.checked:,} {what}", style)
        for name, reason in verified.damaged:
            self._line("Dañado", f"{name}: {reason}", "bold red")

    def _identity(self, found: Inspected) -> None:
        manifest = found.manifest
        first, last = short_date(manifest.date_min), short_date(manifest.date_max)
        self._line("Acervo", f"{manifest.version}{' (de muestra)' if manifest.sample else ''}", "bold")
        self._line("Carpeta", str(found.directory))
        self._line("Contenido", f"{manifest.documents:,} documentos, {manifest.chunks:,} pasajes")
        self._line("Fechas", f"del {first} al {last}")
        analysis = ANALYSIS_VERSION if found.own_analysis else "el análisis de otra versión de dofpilot"
        self._line("Hecho con", f"formato {manifest.format}, {manifest.chunker_version}, {analysis}")
        self._line("Construido", _moment(manifest.built_at))
        self._line("Huella", manifest.fingerprint)

    def _sizes(self, sizes: Sizes, source: int) -> None:
        self._title("Tamaño")
        self._line("Fuente", f"{said_size(source):>10}")
        parts = {"Texto": sizes.store, "Índice léxico": sizes.lexical, "Vectores": sizes.vectors}
        for name, size in {**parts, "Total": sizes.total}.items():
            ratio = f"  {size / source:.2f} de la fuente" if source and size else ""
            self._line(name, f"{said_size(size):>10}{ratio}")

    def _indexes(self, found: Inspected) -> None:
        self._title("Índices")
        manifest = found.manifest
        self._line("Léxico", f"{manifest.lexical.chunks:,} de {manifest.chunks:,} pasajes")
        self._line("Vectorial", *_vectors(found.vectors))
        if found.vectors and found.vectors.fingerprint:
            self._line("", f"huella {found.vectors.fingerprint}")
        self._line("Se ofrece", ", ".join(STRATEGIES[one] for one in Strategy if one in found.strategies))

    def _counts(self, title: str, counts: Mapping[str, int]) -> None:
        self._title(title)
        largest = max(counts.values(), default=0)
        for name, count in counts.items():
            self._line(name, f"{count:>9,} {bar(count, largest)}")

    def _institutions(self, contents: Contents) -> None:
        self._title("Quiénes publican más")
        for name, count in contents.institutions:
            self._lines.put(Text(harmless(name or "sin institución")), f"  {count:>9,} ", 12)

    def _left_out(self, report: BuildReport | None) -> None:
        self._title("Lo que la última construcción dejó fuera")
        refused = report.rejected if report else ()
        if not refused:
            self._below("Nada." if report else "No se sabe: su informe falta o no se puede leer.")
        for file in refused[:LEFT_OUT]:
            self._below(f"{file.path}: {file.reason}")
        if len(refused) > LEFT_OUT:
            self._below(f"… y {len(refused) - LEFT_OUT:,} más, enumerados en {REPORT}")

    def _title(self, text: str) -> None:
        self._lines.put(Text(""))
        self._lines.put(Text(text, "bold"))

    def _line(self, label: str, value: str, style: str = "") -> None:
        self._lines.put(Text(harmless(value), style), Text(f"  {harmless(label)}", "dim"), LABEL + 2)

    def _below(self, text: str) -> None:
        self._lines.put(Text(harmless(text)), "  ", 2)


def folded(years: Mapping[str, int]) -> dict[str, int]:
    """The same counts; where they are many, neighbours of one document each in one row, ``1917–1934``."""
    if len(years) <= MOST_YEARS:
        return dict(years)
    rows: dict[str, int] = {}
    for single, group in groupby(years.items(), lambda row: row[1] == 1):
        together = list(group)
        if single and len(together) > 1:
            rows[f"{together[0][0]}–{together[-1][0]}"] = len(together)
        else:
            rows.update(together)
    return rows


def _moment(when: datetime) -> str:
    """``30 nov 2026, 18:48 UTC``."""
    there = when.astimezone(UTC)
    return f"{short_date(there.date())}, {there:%H:%M} UTC"


def _vectors(state: VectorState | None) -> tuple[str, str]:
    """In words, and the style that fits."""
    if state is None:
        return "no hay: los hace embed_corpus", ""
    if not state.model:
        return f"no se pueden usar: {unused(state)}", "yellow"
    covered = f"{percent(state.share)} % de los pasajes, con «{state.model}»"
    if state.unusable:
        return f"{covered}; no se pueden usar: {unused(state)}", "yellow"
    return covered, "" if state.share >= 1 else "yellow"
