"""What a run's tokens cost, from a price file."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from dofpilot.agent.conversation import Usage
from dofpilot.agent.prices import Cost, Price, PriceError, PriceTable, cost

MODEL = {"input": 1.25, "cached_input": 0.125, "output": 10}
TABLE = {"currency": "USD", "models": {"modelo": MODEL, "local/llama": {"input": 0, "output": 0.1}}}
PRICE = Price("USD", input=Decimal("1.25"), output=Decimal(10), cached_input=Decimal("0.125"))
ONE_PRICE = Price("USD", input=Decimal("1.25"), output=Decimal(10))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "precios.json"


def load(path: Path, content: Any) -> PriceTable:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return PriceTable.load(path)


def test_it_reads_prices_exactly_as_written(path: Path) -> None:
    table = load(path, TABLE)
    assert table.of("modelo") == PRICE
    assert table.of("local/llama") == Price("USD", input=Decimal(0), output=Decimal("0.1"))


@pytest.mark.parametrize("model", ["otro", "Modelo", "modelo-2026-01-01", ""])
def test_it_knows_no_price_of_a_model_under_another_name(path: Path, model: str) -> None:
    assert load(path, TABLE).of(model) is None


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ([], ""),
        ("{", ""),
        ("[" * 100_000, ""),
        ({"models": {}}, "currency"),
        ({"currency": "dólares", "models": {}}, "currency"),
        ({"currency": "USD"}, "models"),
        ({"currency": "USD", "models": []}, "models"),
        ({**TABLE, "model": {}}, "model"),
        ({"currency": "USD", "models": {"a": 1}}, "models.a"),
        ({"currency": "USD", "models": {"a": {"input": 1}}}, "models.a.output"),
        ({"currency": "USD", "models": {"a": {"output": 1}}}, "models.a.input"),
        ({"currency": "USD", "models": {"a": {**MODEL, "cached": 1}}}, "models.a.cached"),
        ({"currency": "USD", "models": {"a": {**MODEL, "cached_input": None}}}, "models.a.cached_input"),
        ({"currency": "USD", "models": {"a": {**MODEL, "input": "1.25"}}}, "models.a.input"),
        ({"currency": "USD", "models": {"a": {**MODEL, "input": True}}}, "models.a.input"),
        ({"currency": "USD", "models": {"a": {**MODEL, "input": -1}}}, "models.a.input"),
        *[
            (
                f'{{"currency": "USD", "models": {{"a": {{"input": {number}, "output": 1}}}}}}',
                "models.a.input",
            )
            for number in (
                *["NaN", "Infinity", "1e999999", "1e99999999999999999999", "-1e-12", "1000000.01", "1e7"],
                *["1e-13", "0.0000000000001", "1e-999999", "0e-999999", "9" * 400],
            )
        ],
    ],
)
def test_it_names_file_and_field_of_what_is_wrong(path: Path, content: Any, field: str) -> None:
    with pytest.raises(PriceError) as caught:
        load(path, content)
    assert caught.value.field == field
    assert caught.value.reason.startswith(("se espera", "no es JSON: ", "nombre desconocido; "))
    assert str(caught.value).startswith(f"{path}: {field}")


@pytest.mark.parametrize("number", ["0", "1000000", "1e6", "0.000000000001", "1e-12", "999999.999999999999"])
def test_a_price_within_its_bounds_is_taken(path: Path, number: str) -> None:
    table = load(path, f'{{"currency": "USD", "models": {{"a": {{"input": {number}, "output": 1}}}}}}')
    assert table.of("a") == Price("USD", Decimal(number), Decimal(1))


def test_it_names_a_file_that_is_not_there(path: Path) -> None:
    with pytest.raises(PriceError, match=r"precios\.json: "):
        PriceTable.load(path)


def test_cached_tokens_are_part_of_the_input_and_cost_less() -> None:
    used = Usage(input_tokens=10_000, output_tokens=1_000, cached_input_tokens=8_000, reasoning_tokens=900)
    # 2,000 at 1.25, 8,000 at 0.125 and 1,000 at 10 for a million each.
    assert cost(PRICE, used) == Cost(Decimal("0.0135"), "USD")


def test_cached_tokens_cost_the_same_where_no_other_price_is_given() -> None:
    told = Usage(10_000, 1_000, cached_input_tokens=8_000)
    assert cost(ONE_PRICE, told) == cost(ONE_PRICE, Usage(10_000, 1_000)) == Cost(Decimal("0.0225"), "USD")


def test_a_third_of_a_cent_is_not_rounded() -> None:
    assert cost(Price("USD", Decimal("0.1"), Decimal("0.2")), Usage(1, 1)) == Cost(Decimal("3E-7"), "USD")


@pytest.mark.parametrize(
    "used",
    [Usage(), Usage(10, None, 0), Usage(None, 10, 0), Usage(10, 10)],
    ids=["nothing", "no output", "no input", "no cached"],
)
def test_an_unknown_count_makes_the_cost_unknown_and_not_smaller(used: Usage) -> None:
    assert cost(PRICE, used) is None


def test_nothing_used_costs_nothing() -> None:
    assert cost(PRICE, Usage(0, 0, 0, 0)) == Cost(Decimal(0), "USD")


def test_several_uses_are_added_and_one_unknown_makes_all_unknown() -> None:
    known = Usage(1_000_000, 0, 0)
    assert cost(PRICE, known, known) == Cost(Decimal("2.50"), "USD")
    assert cost(PRICE, known, Usage(), known) is None
