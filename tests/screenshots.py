"""``make screenshots``: the pictures of the documentation, taken from a running site."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser import launch
from tests.site import ROOT, Site

IMAGES = ROOT / "docs" / "images"
QUESTION = "¿Cuáles son los salarios mínimos que rigen en 2026?"


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="dofpilot-screenshots-") as folder,
        sync_playwright() as playwright,
    ):
        site = Site(Path(folder)).start()
        browser = launch(playwright)
        try:
            page = browser.new_page(locale="es-MX", viewport={"width": 1280, "height": 900})
            _take(page, site)
        finally:
            browser.close()
            site.stop()


def _take(page: Page, site: Site) -> None:
    page.goto(site.address)
    page.get_by_label("Invitación").fill(site.invitation)
    page.get_by_role("button", name="Entrar").click()
    page.get_by_label("Tu pregunta").fill(QUESTION)
    page.get_by_label("Fecha de corte").fill("2026-04-24")
    page.screenshot(path=IMAGES / "home.png")
    page.get_by_role("button", name="Preguntar").click()
    page.locator("[data-log] .step").nth(5).wait_for()
    page.screenshot(path=IMAGES / "run-live.png")
    page.locator(".answer-text a[href^='#']").first.click(timeout=60_000)
    page.screenshot(path=IMAGES / "run-finished.png")


if __name__ == "__main__":
    main()
