"""``vectors/manifest.json``: what the vectors are, how many are there, and which files hold them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.vectors.embedding import EmbeddingSettings
from dofpilot.corpus.vectors.windows import WINDOWS_VERSION

MANIFEST = "manifest.json"
FORMAT = 1
QUANTISATION = "i8"

_NAMES = {
    "provider": "el proveedor",
    "model": "el modelo",
    "dimension": "la dimensión",
    "query_prefix": "el prefijo de las preguntas",
    "passage_prefix": "el prefijo de los pasajes",
    "quantisation": "la cuantización",
    "windows": "la versión de las ventanas",
}


def vectors_file(generation: int) -> str:
    return f"vectors-{generation}.i8"


def owners_file(generation: int) -> str:
    return f"rows-{generation}.bin"


class VectorSettings(BaseModel):
    """All that two vectors must share. ``windows``: the version of the cut into windows."""

    model_config = ConfigDict(frozen=True)

    provider: str
    model: str
    dimension: int = Field(gt=0, le=65_536)
    query_prefix: str
    passage_prefix: str
    quantisation: str = QUANTISATION
    windows: str = WINDOWS_VERSION

    @classmethod
    def of(cls, embedding: EmbeddingSettings, dimension: int) -> Self:
        return cls(
            provider=embedding.provider,
            model=embedding.model,
            dimension=dimension,
            query_prefix=embedding.query_prefix,
            passage_prefix=embedding.passage_prefix,
        )

    def differs_from(self, other: VectorSettings) -> str:
        """The first setting that ``other`` has otherwise, its value and this one, in words; or nothing."""
        for name, said in _NAMES.items():
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                return f"{said} es «{theirs}» y no «{mine}»"
        return ""


class NeighbourGraph(BaseModel):
    """A usearch file over the first ``rows`` rows; later ones are searched without it."""

    model_config = ConfigDict(frozen=True)

    file: str = Field(pattern=r"^index-[0-9]+-[0-9]+\.usearch$")
    rows: int = Field(gt=0)
    size: int = Field(gt=0)


class VectorManifest(BaseModel):
    """``generation`` names the data files, which only grow; ``corpus`` is the fingerprint of the corpus
    that all ``rows`` were last seen to belong to, ``chunks_total`` how many chunks it had. ``owners_sha256``
    is of the rows' owners alone, which is read at every opening."""

    model_config = ConfigDict(frozen=True)

    format: int = FORMAT
    settings: VectorSettings
    generation: int = Field(ge=1)
    rows: int = Field(ge=0)
    chunks: int = Field(ge=0)
    chunks_total: int = Field(gt=0)
    corpus: str = Field(min_length=1)
    fingerprint: str = Field(min_length=1)
    owners_sha256: str = Field(min_length=1)
    graph: NeighbourGraph | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files that hold what this manifest tells of."""
        data = (vectors_file(self.generation), owners_file(self.generation))
        return (*data, self.graph.file) if self.graph else data

    def write(self, directory: int) -> None:
        """Replace the manifest in one step. ``directory`` is an open descriptor of its directory.

        Not the directory's name, under which another one may stand by now.
        """
        made = f".{MANIFEST}.new"
        mode = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with os.fdopen(os.open(made, mode, 0o644, dir_fd=directory), "w", encoding="utf-8") as file:
            file.write(self.model_dump_json(indent=2) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(made, MANIFEST, src_dir_fd=directory, dst_dir_fd=directory)
        os.fsync(directory)


def read_vector_manifest(directory: Path) -> VectorManifest:
    """Raise ``CorpusUnavailable`` naming the file and what is wrong with it."""
    file = directory / MANIFEST
    try:
        manifest = VectorManifest.model_validate_json(file.read_bytes())
    except OSError as error:
        raise CorpusUnavailable(f"no se puede leer «{file}»: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise CorpusUnavailable(f"«{file}» está dañado: {key or 'JSON'}: {first['msg']}") from error
    if manifest.format != FORMAT:
        raise CorpusUnavailable(
            f"«{file}» tiene el formato {manifest.format} y esta versión de dofpilot lee el {FORMAT}: "
            "vuelve a calcular los vectores con embed_corpus --restart"
        )
    return manifest
