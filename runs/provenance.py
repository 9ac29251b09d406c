"""Under what conditions a run was asked, captured before it waits in the queue (DESIGN §8)."""

from __future__ import annotations

import subprocess
import tomllib
from dataclasses import asdict
from functools import cache
from importlib import metadata
from typing import Any

from django.conf import settings

from dofpilot.agent.prompting import prompt_hash
from dofpilot.agent.providers.registry import identity
from dofpilot.corpus.types import Strategy
from runs.corpus_access import corpus

PROJECT = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION: str = PROJECT["version"]


def capture(*, pace: float = 0) -> dict[str, Any]:
    """Provenance as stored with the run; ``pace`` as ``execution.execute`` will have it.

    Raises ``CorpusUnavailable``.
    """
    manifest = corpus().manifest
    who = identity(settings.PROVIDER)
    return {
        "dofpilot_version": VERSION,
        **code_revision(),
        "corpus_version": manifest.version,
        "corpus_fingerprint": manifest.fingerprint,
        "corpus_documents": manifest.documents,
        "corpus_sample": manifest.sample,
        "chunker_version": manifest.chunker_version,
        # "An index exists" never reads as "an index was used": the last of these is about the run.
        "vector_available": False,
        "vector_complete": 0.0,
        "vector_fingerprint": None,
        "vector_used": False,
        "retrieval_mode": Strategy.LEXICAL.value,
        "provider": who.provider,
        "model": who.model,
        "generative": who.generative,
        "reasoning_effort": who.reasoning_effort,
        "pace_seconds": 0 if who.generative else pace,
        "prompt_hash": prompt_hash(),
        "limits": asdict(settings.LIMITS),
        "openai_version": metadata.version("openai"),
    }


@cache
def code_revision() -> dict[str, Any]:
    """Git revision of the running code and whether the tree differed from it; asked once per process."""
    if settings.REVISION:
        return {"git_revision": settings.REVISION, "git_dirty": None}
    revision = _git("rev-parse", "HEAD")
    status = None if revision is None else _git("status", "--porcelain")
    return {"git_revision": revision, "git_dirty": None if status is None else bool(status)}


def _git(*arguments: str) -> str | None:
    command = ["git", "-C", str(settings.BASE_DIR), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
