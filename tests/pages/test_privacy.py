"""What the page on privacy says is kept: all that is."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.pages.html import parse

pytestmark = pytest.mark.django_db


def test_recordings_are_told_who_reads_them_and_that_they_can_go(client):
    page = parse(client.get(reverse("privacy")).content).one("main")

    (kept,) = [item.text for item in page.all("li") if "grabación" in item.text]
    assert kept == (
        "Una grabación privada de cada investigación: lo que se envió al proveedor y lo que respondió. "
        "El sitio no la muestra; solo la lee quien administra la base de datos."
    )
    assert "Las grabaciones sí: quien administra el sitio puede borrarlas." in page.text
