"""How a step reaches the pages that watch (DESIGN §9). The database is the record, a push only a hint.

One message travels on a Channels group per run: ``{"type": "run.changed", "run": id, "steps": [...],
"state": state | None}``. Where Redis is set, the writer sends it after its commit; on one machine each
web process has one tailer that notices new rows and sends it into Channels' in-memory layer.
"""

from __future__ import annotations

from runs.live.push import announce

__all__ = ["announce"]
