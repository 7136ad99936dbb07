"""Hardware that is bought: a budget must hold the whole order and what running it costs, by the engine's own rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path

import openpyxl
import pytest

from engine.answer import Option
from exports.compose import compose
from exports.composing.context import Context, Release, currency_of
from exports.composing.hazards import hazards
from exports.render import render
from planner.estimate import estimate
from planner.frozen.snapshot import Plan
from planner.market import market_from_files
from planner.presenters import present
from planner.request.parse import spec_from
from planner.what_if import knobs as what_if
from tests.exports.real_plans import best_of, options_of
from tests.exports.recalculation import changed, grid, named_cells, recalculated

REQUEST = {
    "name": "Own", "workload": "training", "model": "llama-3.1-70b", "training": {"tokens": 1e12},
    "horizon_months": 36, "start": "2027-09-01", "utilisation": 0.6,
}  # fmt: skip
"""It starts when servers that are ordered today are there, and other work uses them too."""


@cache
def rented() -> Plan:
    """A purchase would carry less of this run than a rental, but is beyond the budget as a whole."""
    limits = {"deadline_days": 480, "budget_usd": 350_000, "accelerators": ["gaudi3", "h200-sxm"]}
    return estimate(spec_from({**REQUEST, "training": {"tokens": 2e11}, "constraints": limits}), market_from_files())


@cache
def bought(budget: float = 6e6, sure: float = 0.8) -> Plan:
    """Work that may not leave the house."""
    limits = {"deadline_days": 200, "budget_usd": budget}
    secret = {**REQUEST, "constraints": limits, "operations": {"security": ["air-gapped"]}, "confidence": sure}
    return estimate(spec_from(secret), market_from_files())


def fact(plan: Plan, key: str) -> str:
    return next(row.text for row in compose(plan).decision.facts if row.key == key).replace("\u00a0", " ")


def candidates(data: bytes) -> list[dict[str, object]]:
    """The rows of the sheet by the titles of its columns."""
    sheet = openpyxl.load_workbook(BytesIO(data), data_only=True)["Candidates"]
    titles = [cell.value for cell in sheet[6]]
    return [dict(zip(titles, (cell.value for cell in row), strict=True)) for row in sheet.iter_rows(min_row=7)]


def purchases(plan: Plan) -> list[Option]:
    """Options that the total alone would let through."""
    budget = plan.spec.constraints.budget_usd
    return [option for option in options_of(plan) if option.cost.total.expected <= budget < option.cost.cash_needed]


def test_the_samples_are_what_they_should_be() -> None:
    assert best_of(rented()).kind == "cloud"
    assert purchases(rented())
    assert best_of(bought()).kind == "on_prem"
    assert best_of(bought()).cost.signed.total > 5 * best_of(bought()).cost.total.expected


@pytest.mark.parametrize("plan", [rented, bought])
def test_the_workbook_keeps_the_budget_by_the_engine_s_rule(plan: Callable[[], Plan]) -> None:
    one = plan()
    data = render(one, "xlsx")
    shown = candidates(data)
    assert [row["In budget"] for row in shown] == ["yes" if option.meets_budget else "no" for option in options_of(one)]
    cells, names = grid(data), named_cells(data)
    assert cells[names["checks_result"]] == "ok"
    assert str(cells[names["cheapest_option"]]).startswith(str(shown[0]["Option"]))


@pytest.mark.needs_libreoffice
def test_a_lower_price_of_a_server_brings_its_purchase_into_the_budget(tmp_path: Path) -> None:
    plan = rented()
    data, option = render(plan, "xlsx"), purchases(plan)[0]
    at = options_of(plan).index(option)
    heads = {cell.value: cell.column_letter for cell in openpyxl.load_workbook(BytesIO(data))["Candidates"][6]}
    price = ("Candidates", f"{heads['Price, USD']}{7 + at}")
    verdict = ("Candidates", f"{heads['In budget']}{7 + at}")
    whole, now = option.cost.cash_needed, float(str(grid(data)[price]))
    fixed = float(str(candidates(data)[at]["Budget must hold: other, USD"]))
    enough = now * (plan.spec.constraints.budget_usd - fixed) / (whole - fixed)
    files = [changed(data, {price: enough * factor}) for factor in (1.01, 0.99)]
    assert [cells[verdict] for cells in recalculated(files, tmp_path)] == ["no", "yes"]


def price_risk(plan: Plan) -> str:
    """What page 1 or, where that has no room, the chapter on risks says of the price."""
    context = Context(plan=plan, release=Release(), money=currency_of(plan))
    return next(row.text for row in hazards(context, best_of(plan)) if row.kind == "price")


def test_page_1_says_what_is_left_after_the_whole_purchase() -> None:
    cost = best_of(bought()).cost
    whole, needed = f"USD {cost.signed.total:,.0f}", f"USD {cost.cash_needed:,.0f}"
    assert f"after the {needed} that it must hold: the whole purchase of {whole} among it" in fact(bought(), "cost")
    held = {item.name: item.value for item in cost.model.inputs}
    machines = f"{held['servers']:,.0f} × {best_of(bought()).system_name}"
    within = f"({held['devices']:,.0f} × {best_of(bought()).accelerator_name} in all)"
    assert fact(bought(), "ask").startswith(f"Approve an order of {whole} to buy {machines} {within}, from")
    assert "order" not in fact(rented(), "ask")
    budget = round(best_of(bought(4_740_000, 0.5)).cost.cash_needed * 1.08)  # what the smallest purchase needs
    narrow = bought(budget, 0.5)
    assert "The budget would not hold." in price_risk(narrow)
    assert "The budget still holds." in price_risk(bought())


def test_a_cheaper_purchase_beyond_the_budget_is_called_that() -> None:
    option = min(purchases(rented()), key=lambda one: one.cost.total.expected)
    only = replace(rented(), recommendation=replace(rented().recommendation, alternatives=(option,)))
    text = fact(only, "rejected")
    assert f"with the whole purchase of USD {option.cost.signed.total:,.0f}, the budget is exceeded by" in text


def test_what_if_and_page_hold_the_whole_purchase_against_the_budget() -> None:
    plan = bought()
    best, cost = best_of(plan), best_of(plan).cost
    figure = present(plan).figures[0]
    assert figure.notes[0] == (
        f"with a purchase of USD\u00a0{cost.signed.total:,.0f} to sign; "
        f"the budget must hold USD\u00a0{cost.cash_needed:,.0f}"
    )
    knobs = what_if.knobs_of(best, plan.spec)
    values = {knob.key: knob.value for knob in knobs}
    found = what_if.outcome(
        plan.recommendation, best, knobs, values | {"usd_per_kwh": 2 * values["usd_per_kwh"]}, plan.spec
    )
    assert found.cash > cost.cash_needed > found.signed.total > found.total.expected


def test_page_1_says_what_a_server_costs_and_when_that_was_read() -> None:
    best = best_of(bought())
    price = next(item for item in best.cost.model.inputs if item.name == "price_per_server")
    assert price.date
    shown = fact(bought(), "evidence")
    assert f"the price of a server, USD {price.value:,.0f} (80% band" in shown
    assert f"was read on {int(price.date[-2:])} " in shown
    assert "price of a server" not in fact(rented(), "evidence")
