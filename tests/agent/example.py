"""One result in its three renderings, as docs/agent.md shows it.

``python -m tests.agent.example`` prints them.
"""

from __future__ import annotations

import json
from datetime import date

from dofpilot.agent.render.bounds import fit
from dofpilot.agent.render.model import Told, for_model
from dofpilot.agent.render.public import came_back
from dofpilot.agent.render.trace import full
from dofpilot.agent.tools.results import EvidenceFound
from dofpilot.corpus.text.analysis import terms
from dofpilot.corpus.types import EvidenceHit, Publication, Retrieval, Score, Section, Strategy

QUERY = "edad mínima licencia"
DOCUMENT = Publication(
    9900901,
    "2026/01/15012026/MAT/004_DOF_20260115_MAT_9900901.md",
    "REGLAMENTO de la pesca deportiva en el lago de Ejemplo",
    "SECRETARÍA DE EJEMPLO",
    date(2026, 1, 15),
    Section.MAT,
)
HIT = EvidenceHit(
    chunk_id=990090100002,
    publication=DOCUMENT,
    heading_path=(DOCUMENT.institution, DOCUMENT.title, "Capítulo II. De la licencia", "Artículo 7"),
    snippet="**Artículo 7.** La edad mínima es de 16 años. | Edad | Cuota | |---|---| | 16 a 59 | $120.00 |",
    score=Score(7.4102, {"labels": 1.2, "synonyms": 0.3305}),
)
HOW = Retrieval(Strategy.LEXICAL, Strategy.LEXICAL, terms=frozenset(terms(QUERY)))
RESULT = EvidenceFound(QUERY, (HIT,), HOW)


def blocks() -> dict[str, str]:
    """Fenced blocks of Markdown: for the model, for the public log, for the trace."""
    return {
        "model": _fenced("text", for_model(RESULT, Told())),
        "public": _fenced("json", _readable(fit(came_back(RESULT)))),
        "full": _fenced("json", _readable(full(RESULT))),
    }


def _readable(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"


if __name__ == "__main__":
    print("\n\n".join(blocks().values()))  # noqa: T201
