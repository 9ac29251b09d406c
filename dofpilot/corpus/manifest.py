"""``manifest.json``: what a corpus directory holds, checked before anything in it is used."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from dofpilot.corpus.errors import CorpusUnavailable

MANIFEST = "manifest.json"
FORMAT = 5


class IndexManifest(BaseModel):
    """An index over the chunks; ``fingerprint`` comes from its analysis and the corpus' content."""

    model_config = ConfigDict(frozen=True)

    fingerprint: str = Field(min_length=1)
    chunks: int = Field(ge=0)


class FileManifest(BaseModel):
    """A file as it was built: its size in bytes and the SHA-256 of its content in hex."""

    model_config = ConfigDict(frozen=True)

    size: int = Field(ge=0)
    sha256: str = Field(min_length=1)


class _Format(BaseModel):
    """The one key that a manifest of any format has."""

    format: int


class Manifest(BaseModel):
    """``sample`` says that every document was written for dofpilot: nothing in it is official.

    ``files`` holds every file but the manifest and the report, by its path in the corpus.
    """

    model_config = ConfigDict(frozen=True)

    format: int
    version: str = Field(min_length=1)
    chunker_version: str = Field(min_length=1)
    fingerprint: str = Field(min_length=1)
    documents: int = Field(gt=0)
    chunks: int = Field(gt=0)
    source_bytes: int = Field(ge=0)
    date_min: date
    date_max: date
    sample: bool
    built_at: AwareDatetime
    lexical: IndexManifest
    files: dict[str, FileManifest] = Field(min_length=1)

    @property
    def lexical_complete(self) -> bool:
        return self.lexical.chunks == self.chunks

    def write(self, directory: Path) -> None:
        (directory / MANIFEST).write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")


def read_manifest(directory: Path) -> Manifest:
    """Raise ``CorpusUnavailable`` with the file, or the key in it, that is missing or wrong."""
    if not directory.is_dir():
        raise CorpusUnavailable(f"no existe el directorio del acervo «{directory}»")
    file = directory / MANIFEST
    try:
        content = file.read_bytes()
        # First of all: a manifest of another format may lack what this one asks for.
        found = _Format.model_validate_json(content).format
        if found != FORMAT:
            raise CorpusUnavailable(
                f"«{file}» tiene el formato {found} y esta versión de dofpilot lee el {FORMAT}: "
                "reconstruye el acervo con build_corpus"
            )
        return Manifest.model_validate_json(content)
    except OSError as error:
        raise CorpusUnavailable(f"no se puede leer «{file}»: {error.strerror}") from error
    except ValidationError as error:
        raise CorpusUnavailable(f"«{file}» está dañado: {_explain(error.errors()[0])}") from error


def _explain(error: ErrorDetails) -> str:
    key = ".".join(str(part) for part in error["loc"])
    if error["type"] == "missing":
        return f"falta la clave «{key}»"
    if not key:
        return f"no es un manifiesto en JSON ({error['msg']})"
    return f"la clave «{key}» no es válida ({error['msg']})"
