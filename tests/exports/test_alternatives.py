"""Ways of having accelerators side by side in the workbook, each as the engine would plan it alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from engine.answer import Option
from engine.money.lines import amount_of, evaluate
from engine.money.views import accounts_of
from engine.money.ways import Comparison, compared
from exports.compose import compose
from exports.document import Alternative
from exports.render import render
from planner.estimate import estimate
from planner.frozen.snapshot import Plan
from planner.market import market_from_files
from planner.rent_or_own import comparison, hosted
from planner.request.parse import spec_from
from tests.exports.recalculation import Grid, changed, grid, named_cells, recalculated
from tests.exports.test_time_model import GCP, LEASED, LEASED_MORE, OWNED, SERVICE, TAXED, TRAINING

API = {"api_price": {"usd_per_million_input": 0.1, "usd_per_million_output": 0.4, "date": "2026-11-01"}}
SOLD = {"owned": [{"accelerator": "h100-sxm5", "count": 64, "resale_usd": 9000.0}]}
REQUESTS = {
    "run": TRAINING | OWNED | {"horizon_months": 36},
    "service": SERVICE | {"horizon_months": 36},
    "run on what could be sold": TRAINING | SOLD | LEASED | {"horizon_months": 36, "currency": "EUR"},
    "service beside an API": SERVICE
    | SOLD
    | TAXED
    | LEASED_MORE
    | {"horizon_months": 36, "serving": SERVICE["serving"] | API},
}
DEAR = TRAINING | GCP | {"horizon_months": 36}
"""A seller that asks more than owning takes."""
ROUNDED = 1e-7
"""What months of the plan differ by from those of the ways, which are not rounded to whole cents."""


@cache
def plan(name: str, months: float = 36) -> Plan:
    return estimate(spec_from(REQUESTS[name] | {"horizon_months": months}), market_from_files())


def options(one: Plan) -> tuple[Option, ...]:
    assert one.recommendation.recommended
    return (one.recommendation.recommended, *one.recommendation.alternatives)


def ways(one: Plan) -> dict[Alternative, Option]:
    """Each way of the workbook with the option that it shows."""
    found = compose(one).workbook.alternatives
    return {
        way: next(option for option in options(one) if option.cost.model is way.model)
        for way in found
        if way.way != "api"
    }


def measure(cells: Grid, label: str) -> list[object]:
    """The row of that measure, way by way."""
    row = next(
        cell[1:] for (sheet, cell), text in cells.items() if sheet == "Alternatives" and str(text).startswith(label)
    )
    return [cells.get(("Alternatives", f"{letter}{row}")) for letter in "BCDEFG"]


def worth(one: Plan, option: Option) -> float:
    rate = next(item.value for item in one.recommendation.assumptions if item.id == "onprem.wacc")
    return accounts_of(option, start=one.start, as_of=one.as_of, rate=rate).views.npv


@pytest.mark.parametrize("name", REQUESTS)
def test_each_way_has_the_total_the_cash_and_the_present_value_of_its_option(name: str) -> None:
    one = plan(name)
    cells, found = grid(render(one, "xlsx")), ways(one)
    assert len(found) >= 3
    assert sum(way.chosen for way in found) == 1
    totals, paid, present = (
        measure(cells, label) for label in ("Total that this work", "Paid in all", "Present value of what is paid")
    )
    for index, option in enumerate(found.values()):
        assert totals[index] == pytest.approx(option.cost.total.expected, abs=0.006)
        cash = sum(month.opex + month.capex for month in option.cost.model.cash)
        assert paid[index] == pytest.approx(cash, abs=0.006)
        assert present[index] == pytest.approx(worth(one, option), rel=ROUNDED, abs=0.006)


def shows(cells: Grid, found: Comparison) -> None:
    """The sheet has what page, documents and API say of each way."""
    rows = [
        measure(cells, label)
        for label in ("Paid in all", "Present value of what this", "Present value saved", "Signed")
    ]
    payback, returned, even = (measure(cells, label) for label in ("Payback", "Rate of return", "Break-even"))
    for index, one in enumerate(found.ways):
        for row, value in zip(rows, (one.cash, one.npv, one.saved, one.committed), strict=True):
            assert float(str(row[index] or 0.0)) == pytest.approx(value, rel=1e-9, abs=1e-6), one.way
        if one.way == found.against:
            continue
        assert payback[index] == ("never" if one.payback is None else one.payback), one.way
        assert returned[index] == ("–" if one.irr is None else pytest.approx(one.irr, rel=1e-9)), one.way
        if one.even_use is not None:
            assert even[index] == ("never" if one.even_use > 1 else pytest.approx(one.even_use, rel=1e-9)), one.way


@pytest.mark.parametrize("name", REQUESTS)
def test_the_sheet_says_of_each_way_what_the_plan_does(name: str) -> None:
    one = plan(name)
    found = comparison(one)
    assert found
    shows(grid(render(one, "xlsx")), found)


@pytest.mark.needs_libreoffice
@pytest.mark.parametrize("name", ["run on what could be sold", "service beside an API"])
def test_recalculated_it_still_does_and_another_rate_moves_it_as_the_request_would(name: str, tmp_path: Path) -> None:
    one = plan(name)
    data, found = render(one, "xlsx"), comparison(one)
    names = named_cells(data)
    rate = next(names[key] for key in ("in_wacc", "in_discount_rate") if key in names)
    same, dearer = recalculated([changed(data, {}), changed(data, {rate: 0.15})], tmp_path)
    assert found
    shows(same, found)
    other = compared(
        options(one)[0],
        options(one)[1:],
        start=one.start,
        as_of=one.as_of,
        rate=0.15,
        hosted=hosted(one, options(one)[0]),
    )
    assert other
    present = measure(dearer, "Present value of what this")
    for index, way in enumerate(other.ways):
        if "wacc" not in {item.name for item in way.model.inputs}:
            assert present[index] == pytest.approx(way.npv, rel=1e-9), way.way


def test_at_its_break_even_an_hour_on_own_servers_costs_what_a_rented_one_does() -> None:
    one = estimate(spec_from(DEAR), market_from_files())
    cells, found = grid(render(one, "xlsx")), ways(one)
    kinds = [way.way for way in found]
    even = measure(cells, "Break-even")
    rent, buy = (next(option for way, option in found.items() if way.way == kind) for kind in ("rent", "hybrid"))
    use = even[kinds.index("hybrid")]
    assert isinstance(use, float)
    assert 0 < use < 1
    owned = evaluate(buy.cost.model, {"utilisation": use})["usd_per_used_hour"]
    lines = {line.name: line.amount for line in rent.cost.model.lines}
    beside = lines["dataset"] * (
        1.0 - lines["programme_hours"] / lines["stored_hours"]
    )  # is paid whatever hours are rented
    rented = (rent.cost.total.expected - beside) / amount_of(buy.cost.model, "accelerator_hours")
    assert owned == pytest.approx(rented, rel=1e-6)


@pytest.mark.needs_libreoffice
@pytest.mark.parametrize("name", REQUESTS)
def test_a_horizon_moves_every_way_as_the_request_does(name: str, tmp_path: Path) -> None:
    before, after = plan(name), plan(name, 48)
    data = render(before, "xlsx")
    names = named_cells(data)
    typed = next(key for key in ("in_months", "in_horizon_months") if key in names)
    (cells,) = recalculated([changed(data, {names[typed]: 48.0})], tmp_path)
    totals, present = measure(cells, "Total that this work"), measure(cells, "Present value of what is paid")
    same = {option.id: option for option in options(after)}
    checked = 0
    for index, option in enumerate(ways(before).values()):
        there = same.get(option.id)
        if there is None or there.count != option.count:
            continue
        checked += 1
        assert totals[index] == pytest.approx(there.cost.total.expected, rel=1e-9, abs=1e-9)
        assert present[index] == pytest.approx(worth(after, there), rel=ROUNDED, abs=0.006)
    assert checked >= 2


@pytest.mark.needs_libreoffice
def test_a_check_turns_red_when_another_way_has_become_cheaper(tmp_path: Path) -> None:
    one = plan("service")
    data = render(one, "xlsx")
    names, base = named_cells(data), grid(data)
    row = next(
        cell[1:] for (sheet, cell), text in base.items() if sheet == "Checks" and str(text).startswith("No other way")
    )
    assert base["Checks", f"B{row}"] == "ok"
    price = next(names[key] for key in ("in_price_per_instance_hour", "in_price_per_server") if key in names)
    dear = {price: 10 * float(str(base[price]))}
    (cells,) = recalculated([changed(data, dear)], tmp_path)
    assert cells["Checks", f"B{row}"] == "wrong"
    assert cells[names["checks_result"]] == "wrong"
