"""The JSON API as a client of one person calls it."""

from __future__ import annotations

import json

from django.test import Client

RESULT = {
    "answer": {"text": "Sí.", "citations": [], "premise_status": "unclear", "rejected_citations": []},
    "evidence": [],
    "documents": [],
    "timing": {"worked_ms": 5, "provider_ms": 1, "tools_ms": 1},
}
ASKED = {"question": "¿Qué rige en 2026?", "as_of": "2026-04-24", "client_request_id": "a-1"}


class Api:
    def __init__(self, token: str | None) -> None:
        self._client = Client(headers={"Authorization": f"Bearer {token}"} if token else {})

    def get(self, path: str, **query: object):
        return self._client.get(f"/api/v1{path}", query)

    def post(self, path: str, body: object = None):
        raw = body if isinstance(body, (str, bytes)) else json.dumps(body or {})
        return self._client.post(f"/api/v1{path}", raw, content_type="application/json")


def problem(response, status: int, code: str, field: str | None = None) -> dict:
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    body = response.json()
    assert (body["status"], body["code"]) == (status, code)
    assert body.get("field") == field
    assert body["detail"]
    assert body["title"] not in ("", code)
    return body
