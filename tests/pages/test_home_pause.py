"""The home page while new questions are not let in."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from dofpilot.agent.errors import FailureCode
from dofpilot.agent.providers.registry import ProviderName, ProviderSettings
from runs import pause
from runs.models import Run
from runs.presentation import formats
from tests import cast
from tests.pages.html import parse
from tests.pages.test_home import HOME, typed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded_corpus")]


def button(document):
    return document.one("form", class_="ask-form").one("button")


def test_an_open_site_says_nothing_of_pauses(page):
    document = parse(page.get(HOME).content)
    assert not document.all(class_="closed")
    assert "disabled" not in button(document).attributes


def test_a_pause_tells_its_reason_since_when_and_what_goes_on(page):
    pause.pause("Se actualiza el acervo", None)

    response = page.get(HOME + "?q=¿Qué+rige?")

    document = parse(response.content)
    notice = document.one(class_="closed")
    since = formats.since(pause.current().since)
    assert response.status_code == 200
    assert f"en pausa desde {since}: Se actualiza el acervo." in notice.text
    assert "se puede leer" in notice.text
    assert notice.attributes["role"] == "status"
    assert "disabled" in button(document).attributes
    assert button(document).attributes["aria-describedby"] == notice.attributes["id"]
    assert document.one("textarea").text == "¿Qué rige?"


def test_once_resumed_the_page_says_so_when_it_is_loaded_again(page):
    pause.pause("Uno", None)
    assert parse(page.get(HOME).content).all(class_="closed")
    pause.resume(None)
    assert not parse(page.get(HOME).content).all(class_="closed")


def test_a_question_sent_just_then_comes_back_with_the_reason_told_once(page):
    pause.pause("Se actualiza el acervo", None)
    form = typed()

    response = page.post(HOME, form)

    document = parse(response.content)
    told = document.one(role="alert")
    assert response.status_code == 503
    assert "Se actualiza el acervo." in told.text
    assert "Tu pregunta no se guardó, pero lo que escribiste sigue aquí abajo." in told.text
    assert document.one("main").text.count("Se actualiza el acervo") == 1
    assert document.one("textarea").text == form["question"]
    assert document.one(name="client_request_id").attributes["value"] == form["client_request_id"]
    assert not Run.objects.exists()


def test_a_reason_is_text_and_no_markup(page):
    pause.pause("<script>alert(1)</script>", None)
    assert "<script>alert" not in page.get(HOME).content.decode()


def test_a_model_that_does_not_answer_is_told_the_same_way(page, settings, monkeypatch):
    settings.PROVIDER = ProviderSettings(
        ProviderName.OPENAI_CHAT, "m", api_key="clave-0", base_url="http://localhost/v1"
    )
    of_model = {**cast.PROVENANCE, "provider": "openai-chat", "model": "m"}
    monkeypatch.setattr(cast, "PROVENANCE", of_model)
    beto = cast.asker("beto")
    for _ in range(3):
        cast.failed_run(beto, FailureCode.PROVIDER_UNAVAILABLE)

    document = parse(page.get(HOME).content)

    assert "El modelo no responde desde " in document.one(class_="closed").text
    assert "disabled" in button(document).attributes
    response = page.post(HOME, typed())
    assert response.status_code == 503
    assert int(response["Retry-After"]) > 0


def test_a_moment_of_today_is_told_by_the_clock_and_another_with_its_day():
    now = timezone.localtime()
    assert formats.since(now) == f"las {now:%H:%M}"
    past = datetime(2025, 12, 9, 20, 5, tzinfo=timezone.get_fixed_timezone(0))
    assert formats.since(past) == "el 9 dic 2025 a las 14:05"
    assert formats.since(now + timedelta(days=1)).startswith("el ")
