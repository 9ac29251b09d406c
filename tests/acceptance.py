"""``make acceptance TREE=... QUESTIONS=...``: real documents and real questions, asked from the command line.

Builds a corpus from ``TREE``, asks ten of the questions of the set ``QUESTIONS`` (spread over it), and
checks that every run succeeds, every citation was read, and nothing is dated after the cut-off. Ends with 1
otherwise.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from dofpilot.harness.cases import Case, read_cases
from tests.site import Site

ASKED = 10


def faults(case: Case, run: dict[str, Any]) -> list[str]:
    """What is wrong with one public run; empty when it keeps its promises."""
    if run["status"] != "succeeded":
        return [f"ended {run['status']}: {run['error']}"]
    result = run["result"]
    read = {passage["chunk_id"] for passage in result["evidence"]}
    cited = result["answer"]["citations"] if result["answer"] else []
    late = [used for used in result["documents"] if used["publication_date"] > case.as_of.isoformat()]
    checks = {
        "cites nothing": not cited,
        "cites what was not read": not set(cited) <= read,
        "saw a document after the cut-off": bool(late),
        "does not prove its cut-off": not result["verification"]["cutoff"]["respected"],
    }
    return [fault for fault, found in checks.items() if found]


def main(tree: str, questions: str) -> int:
    cases = read_cases(Path(questions))
    cases = cases[:: max(1, len(cases) // ASKED)][:ASKED]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="dofpilot-acceptance-") as folder:
        corpus = Path(folder) / "corpus"
        site = Site(Path(folder) / "var", DOFPILOT_CORPUS=str(corpus))
        for command in (["migrate", "-v", "0"], ["build_corpus", tree, str(corpus)]):
            done = site.manage(*command)
            print(done.stdout.strip() or done.stderr.strip())
        for case in cases:
            hops = str(case.required_hops)
            asked = site.manage("ask", case.question, "--as-of", str(case.as_of), "--hops", hops, "--json")
            found = faults(case, json.loads(asked.stdout)) if asked.stdout else asked.stderr.split("\n")[-2:]
            failed += bool(found)
            print(f"{case.id}  {'; '.join(found) or 'ok'}")
    print(f"{len(cases) - failed} of {len(cases)} keep their promises")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
