"""The command line itself, before any command runs."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

import manage


class Interrupted(ModuleType):
    """A module whose import takes so long that somebody presses Ctrl-C."""

    def __getattr__(self, name: str) -> object:
        raise KeyboardInterrupt


def test_ctrl_c_while_it_is_still_loading_ends_it_without_a_traceback(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "django.core.management", Interrupted("django.core.management"))
    with pytest.raises(SystemExit) as ended:
        manage.main()
    assert ended.value.code == 130
    assert capsys.readouterr() == ("", "\n")
