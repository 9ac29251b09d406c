"""The main job in a real browser, on a site started by the newcomer's own command."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.processes]

QUESTION = "¿Cuáles son los salarios mínimos generales que rigen en 2026 en las dos zonas?"

# Notes how many steps the page showed, each time it changed, and whether the answer was there by then.
WATCH = """
() => {
  window.seen = [];
  const look = () => {
    const steps = document.querySelectorAll("[data-log] .step").length;
    const answered = document.querySelector(".answer-text") !== null;
    const last = window.seen.at(-1);
    if (!last || last.steps !== steps || last.answered !== answered) window.seen.push({steps, answered});
  };
  new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
  look();
}
"""


@pytest.fixture
def page(browser: Browser) -> Page:
    context = browser.new_context(locale="es-MX", viewport={"width": 1280, "height": 900})
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("console", lambda line: page.faults.append(line.text) if line.type == "error" else None)
    yield page
    context.close()


def sign_in(page: Page, site: Site) -> None:
    page.goto(site.address)
    page.get_by_label("Invitación").fill(site.invitation)
    page.get_by_role("button", name="Entrar").click()


def ask(page: Page) -> None:
    page.get_by_label("Tu pregunta").fill(QUESTION)
    page.get_by_label("Fecha de corte").fill("2026-04-24")
    page.get_by_role("button", name="Preguntar").click()
    expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()


def test_from_invitation_to_answer_feedback_and_admin(make_site, page):
    site = make_site(DOFPILOT_PACE="0.4").start()
    sign_in(page, site)
    ask(page)
    page.evaluate(WATCH)
    expect(page.locator(".answer-text")).to_be_visible(timeout=30_000)

    before_the_answer = [look["steps"] for look in page.evaluate("window.seen") if not look["answered"]]
    assert len(set(before_the_answer)) >= 5, before_the_answer
    assert before_the_answer == sorted(before_the_answer)

    page.locator(".answer-text a[href^='#']").first.click()
    passage = page.locator("[data-card='1']")
    expect(passage).to_have_attribute("open", "")
    expect(passage.locator(".prose")).to_contain_text(re.compile("salario", re.IGNORECASE))
    expect(passage.get_by_role("link", name="ver en dof.gob.mx")).to_have_attribute(
        "href", re.compile(r"^https://dof\.gob\.mx/nota_detalle\.php\?codigo=\d+&fecha=\d\d/\d\d/\d{4}$")
    )

    page.get_by_role("radio", name="Me sirvió en parte").check()
    page.get_by_role("checkbox", name="Faltan fuentes").check()
    page.get_by_label("Comentario").fill("Faltó la zona fronteriza.")
    page.get_by_role("button", name="Enviar opinión").click()
    expect(page.locator(".feedback .given")).to_contain_text("Faltó la zona fronteriza.")

    page.goto(site.address)
    expect(page.get_by_role("link", name=QUESTION)).to_be_visible()
    assert page.faults == []

    admin = page.context.browser.new_context(locale="es-MX").new_page()
    admin.goto(f"{site.address}/admin/")
    admin.locator("#id_username").fill("admin")
    admin.locator("#id_password").fill(site.admin_password)
    admin.locator("[type=submit]").click()
    admin.goto(f"{site.address}/admin/runs/run/")
    expect(admin.locator("#result_list")).to_contain_text("salarios mínimos generales")
    admin.goto(f"{site.address}/admin/feedback/feedback/")
    expect(admin.locator("#result_list")).to_contain_text("Me sirvió en parte")
    admin.context.close()


def test_it_works_without_javascript(site, browser):
    site.start()
    context = browser.new_context(locale="es-MX", java_script_enabled=False)
    page = context.new_page()
    sign_in(page, site)
    ask(page)
    expect(page.locator(".answer-text")).to_be_visible(timeout=20_000)
    context.close()
