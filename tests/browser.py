"""Chromium as the machine has it; nothing is downloaded."""

from __future__ import annotations

import shutil

from playwright.sync_api import Browser, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
# No look-ups of its own at every start: a closed network would answer them with delays.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def launch(playwright: Playwright) -> Browser:
    """A headless Chromium from the path. Raises ``FileNotFoundError`` where there is none."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        raise FileNotFoundError("no Chromium on the path; make test says how to get one")
    return playwright.chromium.launch(executable_path=path, args=list(FLAGS))
