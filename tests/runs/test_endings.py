"""A run ends whatever happens to its books: tokens, cost, provenance, recording."""

from __future__ import annotations

import pytest

from runs import lifecycle, used
from runs.models import Claim, State
from runs.public import public_run
from runs.transcripts import Recording
from tests import cast, scripts
from tests.runs.recorded import answered, play

pytestmark = pytest.mark.django_db

REFUSED = [scripts.SEARCH, {"fail": "provider_refused"}]


def broken(*_arguments, **_named):
    raise ArithmeticError("unos libros que no cuadran")


@pytest.fixture(params=[scripts.WHOLE, REFUSED], ids=["answered", "failed"])
def steps(request, loaded_corpus, settings, tmp_path):
    """What the provider does in this run."""
    play(settings, tmp_path, request.param)
    return request.param


def ended(steps):
    """The public run of it, which nothing holds any more."""
    shown = public_run(answered(cast.asker()))
    assert not Claim.objects.exists()
    assert shown["status"] == (State.SUCCEEDED if steps is scripts.WHOLE else State.FAILED)
    if shown["error"]:
        assert shown["error"]["code"] == "provider_refused"
    return shown


def test_a_cost_that_cannot_be_told_is_left_out(steps, monkeypatch, caplog):
    monkeypatch.setattr(used, "with_cost", broken)
    shown = ended(steps)
    usage = shown["result"]["usage"] if "result" in shown else shown["usage"]
    assert (usage["turns"], usage["cost"]) == (len(steps), None)
    assert "unos libros que no cuadran" in caplog.text


@pytest.mark.parametrize(
    ("owner", "part"), [(used, "asdict"), (Recording, "spent")], ids=["provenance", "usage"]
)
def test_other_books_that_cannot_be_told_are_left_out(steps, monkeypatch, owner, part):
    monkeypatch.setattr(owner, part, broken)
    shown = ended(steps)
    assert shown["provenance"]["provider"] == "scripted"


def test_a_recording_that_breaks_ends_its_run(loaded_corpus, settings, tmp_path, monkeypatch):
    play(settings, tmp_path, scripts.WHOLE)
    monkeypatch.setattr(Recording, "take", broken)
    assert public_run(answered(cast.asker()))["error"]["code"] == "internal_error"
    assert not Claim.objects.exists()


def test_books_that_cannot_be_stored_are_left_out(loaded_corpus, settings, tmp_path, monkeypatch):
    def choosy(*arguments, usage=None, **named):
        if usage is not None:
            raise ValueError("esto no se puede guardar")
        fail(*arguments, **named)

    fail = lifecycle.fail
    play(settings, tmp_path, REFUSED)
    monkeypatch.setattr(lifecycle, "fail", choosy)
    shown = public_run(answered(cast.asker()))
    assert (shown["error"]["code"], shown["usage"]) == ("provider_refused", None)
    assert not Claim.objects.exists()
