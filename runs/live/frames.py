"""Server-sent events as bytes."""

from __future__ import annotations

import json
from typing import Any

RETRY_MS = 2_000
HEARTBEAT = b": sigo aqui\n\n"


def opening() -> bytes:
    """Tells the browser how long to wait before it reconnects."""
    return f"retry: {RETRY_MS}\n\n".encode()


def frame(event: str, data: dict[str, Any], event_id: int | None = None) -> bytes:
    """One event with one line of JSON."""
    line = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # JSON escapes \n and \r itself; U+2028 and U+2029 and U+0085 end a line for some readers.
    for separator in ("\u2028", "\u2029", "\u0085"):
        line = line.replace(separator, f"\\u{ord(separator):04x}")
    head = f"id: {event_id}\n" if event_id is not None else ""
    return f"{head}event: {event}\ndata: {line}\n\n".encode()
