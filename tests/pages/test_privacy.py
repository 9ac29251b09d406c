"""What the page on privacy says is kept: all that is."""

from __future__ import annotations

import pytest
from django.urls import reverse

from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import StopReason
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.providers.registry import ProviderName, ProviderSettings
from dofpilot.agent.recording.transcript import Ending, Header, Transcript, write
from dofpilot.corpus.types import Strategy
from dofpilot.corpus.vectors.choosing import EmbedderChoice, EmbedderName
from tests.cast import AS_OF
from tests.pages.html import parse

pytestmark = pytest.mark.django_db


def test_recordings_are_told_who_reads_them_and_that_they_can_go(client):
    page = parse(client.get(reverse("privacy")).content).one("main")

    (kept,) = [item.text for item in page.all("li") if "grabación" in item.text]
    assert kept == (
        "Una grabación privada de cada investigación: lo que se envió al proveedor y lo que respondió. "
        "El sitio no la muestra; solo la lee quien administra la base de datos."
    )
    assert (
        "Las grabaciones sí: quien administra la base de datos puede borrarlas; "
        "las copias de respaldo conservan las suyas."
    ) in page.text
    assert (
        "se borren las grabaciones de tus investigaciones; lo demás que ya se guardó se conserva" in page.text
    )


STAYS, SENT = "tu pregunta no sale de este sitio", "se envían al servidor de ese modelo"


def recorded_provider(folder):
    """The provider of a recording that a generative model made."""
    who = ProviderIdentity("openai-chat", "m-1", generative=True)
    header = Header("run", "¿Cuánto?", AS_OF, 1, who, Limits(), Strategy.LEXICAL, None, {})
    path = folder / "grabaciones.jsonl"
    transcript = Transcript(header, (), Ending(0, None, StopReason.ANSWERED))
    path.write_text("".join(write(transcript)), encoding="utf-8")
    return ProviderSettings(ProviderName.RECORDED, transcript=path)


def told(client):
    return parse(client.get(reverse("privacy")).content).one("main").text


def test_a_site_that_repeats_recordings_sends_nothing_to_a_model(client, settings, tmp_path):
    settings.PROVIDER = recorded_provider(tmp_path)

    page = told(client)

    assert "Las respuestas repiten grabaciones" in page
    assert STAYS in page
    assert SENT not in page
    assert "cita textualmente lo leído" not in page


def test_a_server_of_vectors_is_told_of(client, settings):
    assert STAYS in told(client)
    settings.EMBEDDINGS = EmbedderChoice(EmbedderName.ENDPOINT, url="http://127.0.0.1:9/v1", model="m")

    page = told(client)

    assert "se envía al servidor que calcula los vectores" in page
    assert STAYS not in page
