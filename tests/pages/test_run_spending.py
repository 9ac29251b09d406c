"""What the page of a run says it used up: tokens, cost, time."""

from __future__ import annotations

from django.urls import reverse

from dofpilot.agent.errors import FailureCode
from runs import lifecycle
from tests import cast
from tests.pages.html import parse
from tests.pages.made import result, turn, usage


def read(page, run):
    return parse(page.get(reverse("run", args=[run.pk])).content)


def rows(table):
    return {row.one("th").text: row.one("td").text for row in table.all("tr")}


def test_the_page_tells_tokens_cost_and_where_the_time_went(page, ana):
    turns = [turn(1, input_tokens=1200, output_tokens=34), turn(2, input_tokens=1500, output_tokens=200)]
    totals = {"input_tokens": 2700, "output_tokens": 234, "cached_input_tokens": 1000, "reasoning_tokens": 0}
    cost = {"amount": "0.0123", "currency": "USD", "complete": True}
    run = cast.finished_run(ana, result(generative=True, usage=usage(*turns, **totals, cost=cost)))

    spending = read(page, run).one(class_="spending")

    assert spending.one("summary").text == "Tiempo, tokens y costo"
    assert rows(spending.one(class_="facts")) == {
        "Tokens de entrada": "2,700, de ellos 1,000 en caché del proveedor",
        "Tokens de salida": "234",
        "Costo": "0.0123 USD",
        "Turnos": "2",
        "Consultas": "1",
        "Tiempo esperando al proveedor": "0.24 s",
        "Tiempo en las consultas": "0.60 s",
    }
    first = spending.one(class_="turns").one("tbody").all("tr")[0]
    assert [cell.text for cell in first.all("td")] == ["1,200", "34", "0.12 s", "0.30 s"]


def test_what_is_not_known_of_tokens_and_cost_is_left_out(page, ana):
    spending = read(page, cast.finished_run(ana, result())).one(class_="spending")

    assert not {"Tokens de entrada", "Tokens de salida", "Costo"} & set(rows(spending.one(class_="facts")))
    assert len(spending.one(class_="turns").one("thead").all("th")) == 3


def test_a_failed_run_tells_what_it_used_too(page, ana):
    lease = lifecycle.claim(cast.waiting_run(ana), "w")
    lifecycle.fail(lease, FailureCode.RATE_LIMITED, usage=usage(turn(1), input_tokens=900))

    spending = read(page, lease.run).one(class_="spending")

    assert rows(spending.one(class_="facts"))["Tokens de entrada"] == "900"


def test_a_run_that_failed_before_it_used_anything_has_no_table_of_it(page, ana):
    assert not read(page, cast.failed_run(ana)).all(class_="spending")
