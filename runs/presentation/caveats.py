"""What to know before relying on an answer, as lines of text where there is no page to mark it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from dofpilot.agent.outcome import FigureStatus
from runs.presentation.rejected import rejected
from runs.presentation.result import SAID_BETTER, premise
from runs.presentation.say import remark


def caveats(result: Mapping[str, Any]) -> Iterator[str]:
    """``result`` of a public run."""
    for warning in result["warnings"]:
        if warning["code"] not in SAID_BETTER:
            yield remark(warning)
    answer = result["answer"]
    if not answer:
        return
    read = {passage["chunk_id"] for passage in result["evidence"]}
    if (dropped := rejected(answer["rejected_citations"], read)) is not None:
        yield dropped.text
    figures = result["verification"]["figures"]
    if missing := [figure["text"] for figure in figures if figure["status"] != FigureStatus.FOUND]:
        yield _("Cifras que no aparecen en lo citado: {figures}.").format(figures=", ".join(missing))
    if (held := premise(result)) is not None and held.doubtful:
        yield held.text
