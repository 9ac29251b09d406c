"""People who are no evaluators: the first of the staff, and the command line's own."""

from __future__ import annotations

import pytest
from django.contrib.auth import authenticate

from dofpilot.access import people
from dofpilot.access.models import User

pytestmark = pytest.mark.django_db


def test_the_first_of_the_staff_may_do_everything_and_is_made_once():
    password = people.first_staff()
    who = authenticate(username="admin", password=password)
    assert (who.is_staff, who.is_superuser) == (True, True)
    assert people.first_staff() is None
    assert User.objects.count() == 1


def test_no_first_account_is_made_where_there_is_staff():
    User.objects.create_user("carmen", password="una clave larga", is_staff=True)
    assert people.first_staff() is None
    assert not User.objects.filter(username="admin").exists()


def test_the_command_lines_own_person_has_no_way_in():
    who = people.console_user()
    assert people.console_user() == who
    assert (who.username, who.is_staff, who.has_usable_password()) == ("consola", False, False)
    assert not who.invitations.exists()
