"""The workbook is a time model: a horizon, a delivery or a term typed into it gives what the request with it gives, to 1e-9."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.answer import CostModel, Option
from engine.inputs.currency import DIGITS
from engine.money.views import accounts_of
from exports.render import render
from planner.estimate import estimate
from planner.frozen.snapshot import Plan, settled
from planner.market import market_from_files
from planner.request.parse import spec_from
from tests.exports.recalculation import Grid, changed, grid, named_cells, recalculated

TRAINING: dict[str, Any] = {
    "name": "Run", "workload": "training", "model": "llama-3.1-8b", "training": {"tokens": 4e11, "runs": 2},
    "constraints": {"deadline_days": 400, "accelerators": ["h100-sxm5"]}, "start": "2027-01-25", "as_of": "2026-11-20",
}  # fmt: skip
SERVICE: dict[str, Any] = {
    "name": "Service", "workload": "serving", "model": "qwen3-32b", "start": "2027-01-30", "as_of": "2026-11-20",
    "serving": {"requests_per_s": 35, "input_tokens": 1500, "output_tokens": 400, "ttft_p95_ms": 800, "precision": "fp8"},
    "constraints": {"accelerators": ["h100-sxm5"]},
}  # fmt: skip
GCP = {"constraints": {"accelerators": ["h100-sxm5"], "providers": ["gcp"]}}
LEASED = {"leases": [{"system": "hgx-h100-oem", "usd_month": 7000.0, "months": 12}]}
LEASED_MORE = {"leases": [{"system": "hgx-h100-oem", "usd_month": 6000.0, "months": 12, "servers": 8}]}
FIRST = SERVICE | LEASED_MORE | {"start": "2027-02-01"}
PLAN = {
    "constraints": {"accelerators": ["h100-sxm5"], "providers": ["aws"], "commitments": False},
    "spend_commitments": [
        {"provider": "aws", "left_usd": 1.2e6, "until": "2027-11-21", "others_usd_month": 6e4, "discount": 0.3,
         "option": "on_demand", "lapses": "hourly"},
    ],
}  # fmt: skip
CLOSED = {"operations": {"security": ["air-gapped"]}}
OWNED = {"owned": [{"accelerator": "h100-sxm5", "count": 64}]}
TAXED = {"taxes": {"purchases": 0.2, "services": 0.2, "import_duty": 0.02}}


def bought(option: Option) -> bool:
    return option.kind == "on_prem"


def offered(name: str) -> Callable[[Option], bool]:
    """What is rented by that offer."""
    return lambda option: option.offer is not None and option.offer.id == name


def leased(option: Option) -> bool:
    return option.offer is not None and option.offer.option == "lease"


def by_the_hour(option: Option) -> bool:
    return option.offer is not None and option.offer.option == "on_demand"


def owned(option: Option) -> bool:
    return option.kind == "owned"


KINDS: dict[str, tuple[dict[str, Any], Callable[[Option], bool], str, float, float]] = {
    "run on servers that are bought": (TRAINING | CLOSED, bought, "horizon_months", 30, 48),
    "run that is rented until they come": (TRAINING | TAXED, bought, "horizon_months", 30, 48),
    "run on servers that are bought twice": (TRAINING | CLOSED, bought, "horizon_months", 48, 100),
    "run under a commitment": (
        TRAINING | GCP,
        offered("gcp/a3-highgpu-8g/us-central1/commit_1y"),
        "horizon_months",
        10,
        48,
    ),
    "run on servers that are leased": (TRAINING | LEASED, leased, "horizon_months", 10, 48),
    "service on servers that are leased": (SERVICE | LEASED_MORE, leased, "months", 20, 48),
    "service that is leased from the first of a month": (FIRST, leased, "months", 12, 30),
    "service on servers that are bought": (SERVICE | CLOSED, bought, "months", 24, 48),
    "service that is rented until they come": (SERVICE | TAXED, bought, "months", 24, 48),
    "service under a commitment": (SERVICE | GCP, offered("gcp/a3-highgpu-1g/us-central1/commit_1y"), "months", 20, 48),
    "service by the hour": (SERVICE | GCP, offered("gcp/a3-highgpu-1g/us-east4/on_demand"), "months", 12, 48),
    "service on a plan that lapses by the hour": (SERVICE | PLAN, by_the_hour, "months", 12, 13),
    "service on hardware that is there": (SERVICE | OWNED, owned, "months", 12, 48),
}
"""Request, option that is taken, input that holds the horizon, and the horizon before and after."""


@cache
def asked(kind: str, months: float) -> Plan:
    """The plan of that request with that horizon, its first option of that kind recommended."""
    request, wanted, *_ = KINDS[kind]
    plan = estimate(spec_from(request | {"horizon_months": months}), market_from_files())
    answer = plan.recommendation
    assert answer.recommended
    options = (answer.recommended, *answer.alternatives)
    option = next(one for one in options if wanted(one))
    others = tuple(one for one in options if one is not option)
    return settled(replace(plan, recommendation=replace(answer, recommended=option, alternatives=others)))


def best(plan: Plan) -> Option:
    assert plan.recommendation.recommended
    return plan.recommendation.recommended


def inputs(model: CostModel) -> dict[str, float]:
    return {item.name: item.value for item in model.inputs}


def edits(kind: str) -> dict[str, float]:
    """What differs between the inputs of both plans: of those that no layout changes, the horizon alone."""
    _, _, name, before, after = KINDS[kind]
    old, new = (inputs(best(asked(kind, months)).cost.model) for months in (before, after))
    assert old.keys() == new.keys()
    moved = {key for key in old if new[key] != pytest.approx(old[key], rel=1e-9)}
    assert moved == {name}, kind
    return {name: after}


def column(cells: Grid, sheet: str, title: str) -> str:
    """The letters of the column with that title."""
    return next(
        cell[:-1] for (where, cell), text in cells.items() if where == sheet and cell[-1:] == "4" and text == title
    )


def by_month(cells: Grid, sheet: str, title: str) -> list[float]:
    """The amounts of that column, month after month."""
    letters, row, found = column(cells, sheet, title), 6, []
    while cells.get((sheet, f"A{row}")):
        found.append(float(str(cells[sheet, f"{letters}{row}"])))
        row += 1
    return found


def flows(plan: Plan, view: str) -> list[float]:
    """That view of the plan's ledger by calendar month, from the month of the start on; without what a commitment loses by the hour,
    which begins before the work does and stands on no sheet."""
    option = best(plan)
    rate = next(item.value for item in plan.recommendation.assumptions if item.id == "onprem.wacc")
    ledger = accounts_of(option, start=plan.start, as_of=plan.as_of, rate=rate).ledger
    units: dict[int, int] = defaultdict(int)
    lapsing = any(line.name == "shortfall_saved" and line.schedule == "until" for line in option.cost.model.lines)
    for entry in ledger.entries:
        if entry.view == view and not (lapsing and entry.line == "spend_unused"):
            units[(entry.date.year - plan.start.year) * 12 + entry.date.month - plan.start.month] += entry.units
    year, month = map(int, option.cost.model.cash[0].month.split("-"))
    first = (year - plan.start.year) * 12 + month - plan.start.month
    whole = 10 ** DIGITS[option.cost.model.currency]
    return [units[index] / whole for index in range(first, max(units) + 1)]


def present_value(plan: Plan) -> float:
    rate = next(item.value for item in plan.recommendation.assumptions if item.id == "onprem.wacc")
    return accounts_of(best(plan), start=plan.start, as_of=plan.as_of, rate=rate).views.npv


def agrees(cells: Grid, names: dict[str, tuple[str, str]], plan: Plan) -> None:
    """Every line, every month of cash and expense, and the present value are those of that plan."""
    for line in best(plan).cost.model.lines:
        assert float(str(cells[names[line.name]])) == pytest.approx(line.amount, rel=1e-9, abs=1e-9), line.name
    for sheet, title, view in (("Cash flow", "Cash out", "cash"), ("Expense", "Expense", "expense")):
        months, wanted = by_month(cells, sheet, title), flows(plan, view)
        assert months[: len(wanted)] == pytest.approx(wanted, rel=1e-9, abs=1e-9), sheet
        assert not any(months[len(wanted) :]), sheet
    assert float(str(cells[names["present_value"]])) == pytest.approx(present_value(plan), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_sheets_hold_the_plan(kind: str) -> None:
    plan = asked(kind, KINDS[kind][3])
    data = render(plan, "xlsx")
    agrees(grid(data), named_cells(data), plan)


@pytest.mark.needs_libreoffice
@pytest.mark.parametrize("kind", KINDS)
def test_a_horizon_typed_in_gives_what_the_request_gives(kind: str, tmp_path: Path) -> None:
    data = render(asked(kind, KINDS[kind][3]), "xlsx")
    names = named_cells(data)
    typed = {names[f"in_{name}"]: value for name, value in edits(kind).items()}
    (cells,) = recalculated([changed(data, typed)], tmp_path)
    agrees(cells, names, asked(kind, KINDS[kind][4]))
    assert cells[names["checks_result"]] == "changed", "amber, and nothing red"


def delayed(kind: str, **assumptions: float) -> Plan:
    """The plan of the same request with those assumptions, the same option recommended."""
    request, wanted, _, months, _ = KINDS[kind]
    named = {f"onprem.{name}": value for name, value in assumptions.items()}
    plan = estimate(spec_from(request | {"horizon_months": months, "assumptions": named}), market_from_files())
    answer = plan.recommendation
    assert answer.recommended
    option = next(one for one in (answer.recommended, *answer.alternatives) if wanted(one))
    return settled(replace(plan, recommendation=replace(answer, recommended=option)))


@pytest.mark.needs_libreoffice
@pytest.mark.parametrize("kind", ["service that is rented until they come", "service on servers that are bought"])
def test_a_later_delivery_a_shorter_life_and_a_dearer_capital_flow(kind: str, tmp_path: Path) -> None:
    data = render(asked(kind, KINDS[kind][3]), "xlsx")
    names = named_cells(data)
    tries = (
        {"lead_months": 9.0},
        {"acceptance_months": 2.0},
        {"life_years": 2.0, "residual_share": 0.2},
        {"wacc": 0.15},
        {"lead_months": 2.0, "wacc": 0.05, "usd_per_kwh": 0.3},
    )
    files = [changed(data, {names[f"in_{name}"]: value for name, value in one.items()}) for one in tries]
    for one, cells in zip(tries, recalculated(files, tmp_path), strict=True):
        agrees(cells, names, delayed(kind, **one))


@pytest.mark.needs_libreoffice
def test_what_is_paid_after_the_last_month_turns_red(tmp_path: Path) -> None:
    kind = "service by the hour"
    data = render(asked(kind, 12), "xlsx")
    names = named_cells(data)
    rows = [
        cell[1:]
        for (sheet, cell), text in grid(data).items()
        if sheet == "Checks" and text == "The timeline is long enough"
    ]
    (cells,) = recalculated([changed(data, {names["in_months"]: 200.0})], tmp_path)
    assert [cells["Checks", f"B{row}"] for row in rows] == ["wrong"]
    assert cells[names["checks_result"]] == "wrong"


@pytest.mark.needs_libreoffice
def test_the_chart_holds_a_longer_horizon(tmp_path: Path) -> None:
    """As many bars as the plan has months; each holds more of them when more are paid."""
    kind = "service by the hour"
    data = render(asked(kind, 12), "xlsx")
    names, before = named_cells(data), grid(data)
    top = next(
        int(cell[1:])
        for (sheet, cell), text in before.items()
        if sheet == "Cash flow" and str(text).startswith("What the chart")
    )
    letters = column(before, "Cash flow", "Running cost")
    (after,) = recalculated([changed(data, {names["in_months"]: 48.0})], tmp_path)
    for cells, months in ((before, 12), (after, 48)):
        bars = [float(str(cells["Cash flow", f"{letters}{top + 1 + index}"])) for index in range(13)]
        assert sum(bars) == pytest.approx(float(str(cells["Cash flow", f"{letters}5"])), rel=1e-12)
        assert sum(bar > 0 for bar in bars) == {12: 13, 48: 13}[months]


@pytest.mark.needs_libreoffice
def test_a_block_is_paid_when_it_is_booked(tmp_path: Path) -> None:
    """Eight weeks before its first day; the months of every sheet begin there, and follow another day of booking."""
    market = market_from_files()
    aws = (one for one in market.offers if (one.provider, one.option) == ("aws", "on_demand"))
    sold = next(one for one in aws if one.device == "h100-sxm5" and one.devices == 8)
    block = replace(sold, id="aws/block", option="capacity_block", usd_per_hour=20.0)
    plan = estimate(spec_from(TRAINING), replace(market, offers=(block,), systems=()))
    option = best(plan)
    assert option.id.startswith("aws/block")
    ahead = inputs(option.cost.model)["booked_days"]
    assert option.cost.model.cash[0].month == f"{plan.start - timedelta(days=ahead):%Y-%m}" < f"{plan.start:%Y-%m}"
    data = render(plan, "xlsx")
    names = named_cells(data)
    agrees(grid(data), names, plan)
    same, later = recalculated([data, changed(data, {names["in_booked_days"]: 10.0})], tmp_path)
    agrees(same, names, plan)
    assert same[names["checks_result"]] == "ok"
    paid = by_month(same, "Cash flow", "Cash out"), by_month(later, "Cash flow", "Cash out")
    price = next(line.amount for line in option.cost.model.lines if line.name == "compute")
    assert paid[0][0] == price
    assert paid[1][:2] == [0.0, 0.0]
    assert paid[1][2] >= price
