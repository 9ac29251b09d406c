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
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.providers.registry import identity
from dofpilot.agent.retrieval import UNTOLD, choose
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.text.shares import rounded_down
from dofpilot.corpus.types import Strategy, VectorState
from runs.corpus_access import corpus
from runs.costs import captured_price

PROJECT = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION: str = PROJECT["version"]


def capture(*, pace: float = 0) -> dict[str, Any]:
    """Provenance as stored with the run; ``pace`` as ``execution.execute`` will have it.

    How its searches were done is not known before the run has ended: ``runs.public`` shows it then. Raises
    ``CorpusUnavailable``.
    """
    opened = corpus()
    who = identity(settings.PROVIDER)
    return {
        "dofpilot_version": VERSION,
        **code_revision(),
        **about(opened),
        **UNTOLD,
        "retrieval_setting": settings.RETRIEVAL.value,
        "retrieval_mode": planned_strategy(opened).value,
        **provider(who),
        "price": captured_price(who),
        "pace_seconds": 0 if who.generative else pace,
        "prompt_hash": prompt_hash(),
        "limits": asdict(settings.LIMITS),
        "openai_version": metadata.version("openai"),
    }


def about(opened: Corpus) -> dict[str, Any]:
    """Which corpus it is and what vectors it has. That it has some never reads as that they were used."""
    manifest = opened.manifest
    return {
        "corpus_version": manifest.version,
        "corpus_fingerprint": manifest.fingerprint,
        "corpus_documents": manifest.documents,
        "corpus_sample": manifest.sample,
        "chunker_version": manifest.chunker_version,
        **_vectors(opened.vectors),
    }


def provider(who: ProviderIdentity) -> dict[str, Any]:
    """Who wrote, or would write, the answer."""
    return {
        "provider": who.provider,
        "model": who.model,
        "generative": who.generative,
        "reasoning_effort": who.reasoning_effort,
    }


def planned_strategy(opened: Corpus) -> Strategy:
    """How a run over this corpus would search. Raises ``CorpusUnavailable``, which names the setting."""
    try:
        return choose(settings.RETRIEVAL, opened.strategies, opened.vectors)
    except CorpusUnavailable as error:
        raise CorpusUnavailable(f"DOFPILOT_RETRIEVAL: {error}") from error


def _vectors(state: VectorState | None) -> dict[str, Any]:
    return {
        "vector_available": state is not None and not state.unusable,
        "vector_complete": rounded_down(state.share) if state else 0.0,
        "vector_fingerprint": (state and state.fingerprint) or None,
        "vector_model": (state and state.model) or None,
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
