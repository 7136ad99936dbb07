"""Spend commitments against a second computation from their definition, in five currencies, and the laws that hold for all of them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta

import pytest

from engine.answer import CostModel
from engine.inputs.currency import DIGITS, Currency
from engine.inputs.finding import Ref
from engine.inputs.hardware import Offer
from engine.money.cash import booked
from engine.money.converted import model_in
from engine.money.cost import rented_serving, rented_training, signed_of, total_of
from engine.money.drawing import Drawing, relief
from engine.money.entries import View, units_of
from engine.money.ledger import Ledger, ledger_of
from engine.money.signed import budgeted, cash_needed
from engine.money.views import Views, summed
from tests.engine.money_samples import ASSUME, days, offer
from tests.engine.spend_by_definition import Commitment, Recorded, rented

RATES = {"USD": 1.0, "EUR": 0.8734, "GBP": 0.7519, "JPY": 157.23, "INR": 88.417}
KINDS = (
    "on_demand",
    "spot",
    "commit_1y",
    "capacity_block",
    "service",
    "committed_service",
    "batch",
    "hourly_run",
    "hourly_service",
)
CASES = [(kind, code, seed) for kind in KINDS for code in RATES for seed in range(3)]
DISCOUNT = 0.1


@dataclass(frozen=True)
class Case:
    """A cost model in its currency that draws a commitment."""

    model: CostModel
    offer: Offer
    start: date
    as_of: date
    drawing: Drawing


def case(kind: str, code: str, seed: int) -> Case:
    pick = random.Random(f"{kind} {seed}")
    as_of = date(2026, 11, 22) + timedelta(days=pick.randrange(300))
    start = as_of + timedelta(days=pick.randrange(60))
    until = start + timedelta(days=pick.choice([3, 25, 150, 400]))
    drawing = Drawing(
        provider=Ref("provider", "aws", "AWS"),
        until=until, left_usd=pick.choice([2e3, 9e4, 3e6]), others_usd_month=pick.choice([0.0, 5e3, 6e4]),
        months=((until - as_of).days + 1) * 12 / 365, hours=((until - start).days + 1) * 24.0,
        discount=pick.choice([0.0, 0.07, 0.3]), hourly=kind.startswith("hourly"),
    )  # fmt: skip
    sold, model = _model(kind, pick, start, drawing)
    if code != "USD":
        model = model_in(model, Currency(code=code, rate=RATES[code], date="2026-11-20"), start)  # type: ignore[arg-type]  # codes
    return Case(model=model, offer=sold, start=start, as_of=as_of, drawing=drawing)


def _model(kind: str, pick: random.Random, start: date, drawing: Drawing | None) -> tuple[Offer, CostModel]:
    option = {
        "service": "on_demand", "committed_service": "commit_1y", "batch": "on_demand", "hourly_run": "on_demand",
        "hourly_service": "on_demand",
    }.get(kind, kind)  # fmt: skip
    sold = offer(option=option, term_months=12 if option == "commit_1y" else 0, usd_per_hour=pick.uniform(4, 90))
    if kind in ("service", "committed_service", "batch", "hourly_service"):
        nodes = pick.randrange(1, 9)
        return sold, rented_serving(
            offer=sold, nodes_by_hour=[nodes * pick.uniform(0.2, 1.0) for _ in range(24)], nodes_peak=nodes,
            months=pick.choice([0.07, 1.0, 12.0, 17.5]) if kind != "batch" else 0.4, assume=ASSUME, drawing=drawing,
            egress_gb_month=pick.uniform(0, 900), storage_gb=pick.uniform(1, 900), start=start, interactive=kind != "batch",
        )  # fmt: skip
    ahead = pick.choice([0, 21, 56]) if kind == "capacity_block" else 0
    model = rented_training(
        offer=sold, nodes=pick.randrange(1, 40), days=days(pick.uniform(0.2, 300)), storage_gb=pick.uniform(0, 9000),
        egress_gb=pick.uniform(0, 500), runs=pick.randrange(1, 4), experiment_overhead=pick.choice([0.0, 0.5]),
        start=start, horizon_months=pick.choice([0.0, 24.0]), assume=ASSUME, goodput=pick.uniform(0.8, 1.0),
        utilisation=0.6, spares=0 if kind == "spot" else pick.randrange(3), drawing=drawing,
        fallback_usd_per_hour=120.0 if kind == "spot" else 0.0,
    )  # fmt: skip
    return sold, booked(model, ahead)


def accounts(one: Case) -> tuple[Ledger, Views]:
    ledger = ledger_of(one.model, one.offer, start=one.start, as_of=one.as_of)
    found = summed(ledger, currency=one.model.currency, as_of=one.as_of, rate=DISCOUNT)
    return found.ledger, found.views


def by_month(ledger: Ledger, view: View) -> dict[str, int]:
    found: dict[str, int] = {}
    for entry in ledger.entries:
        if entry.view == view:
            found[entry.month] = found.get(entry.month, 0) + entry.units
    return {month: units for month, units in found.items() if units}


def defined(kind: str, one: Case) -> tuple[Recorded, Commitment]:
    book = Recorded(
        v={item.name: item.value for item in one.model.inputs}, start=one.start, as_of=one.as_of,
        rate=one.model.per_usd, digits=DIGITS[one.model.currency], discount=DISCOUNT,
    )  # fmt: skip
    service = kind in ("service", "committed_service", "batch", "hourly_service")
    hourly, until = one.drawing.hourly, one.drawing.until
    return book, rented(book, one.offer.option, service=service, hourly=hourly, until=until)


@pytest.mark.parametrize(("kind", "code", "seed"), CASES)
def test_every_view_is_what_its_definition_says(kind: str, code: str, seed: int) -> None:
    one = case(kind, code, seed)
    ledger, views = accounts(one)
    (book, pool), units = defined(kind, one), 10 ** DIGITS[code]
    assert views.pool
    told = [round(value * units) for value in (views.pool.left, views.pool.others, views.pool.drawn, views.pool.unused)]
    # Terms that were shared with other work are rounded apart: by a unit.
    near = 1 if kind == "commit_1y" else 0
    assert told == pytest.approx([pool.left, pool.others, pool.drawn, pool.unused], abs=near)
    assert views.pool.until == one.drawing.until
    assert round(views.committed * units) == pytest.approx(book.sums.committed, abs=2 * near)
    sums = (("cash", book.sums.cash), ("expense", book.sums.expense), ("allocated", book.sums.allocated))
    for view, months in sums:
        wanted = {month: part for month, part in months.items() if part}
        assert by_month(ledger, view) == pytest.approx(wanted, abs=near), view  # type: ignore[arg-type]  # views
    assert units_of(ledger.entries, "economic") == pytest.approx(book.sums.economic, abs=2 * near)
    assert views.npv == pytest.approx(book.sums.worth / units, abs=(0.51 + 2 * near) / units)


@pytest.mark.parametrize(("kind", "code", "seed"), CASES)
def test_the_identities_hold(kind: str, code: str, seed: int) -> None:
    one = case(kind, code, seed)
    ledger, views = accounts(one)
    units = 10 ** DIGITS[code]
    owed = [entry for entry in ledger.entries if entry.view == "committed"]
    opening = sum(entry.units for entry in owed if entry.contract == "spend" and entry.units > 0)
    released = -sum(entry.units for entry in owed if entry.line == "spend_released")
    signed = sum(entry.units for entry in owed if entry.contract != "spend" and entry.units > 0)
    paid = -sum(entry.units for entry in owed if entry.units < 0) - released
    assert opening + signed - paid - released == 0, "opening + signed − paid − released = closing, 0 at the end"
    assert round(views.committed * units) == signed - released >= 0
    assert signed == round(signed_of(one.model).total * units)
    carried: dict[str, int] = {}
    for part in ledger.carried:
        carried[part.month] = carried.get(part.month, 0) + part.mine + part.others + part.idle
    assert {month: part for month, part in carried.items() if part} == by_month(ledger, "expense")
    assert round((views.allocated + views.others + views.idle - views.expense) * units) == 0
    assert round(total_of(one.model) * units) == units_of(ledger.entries, "economic"), "the headline"
    assert views.pool
    assert round((views.pool.drawn + views.pool.others + views.pool.unused - views.pool.left) * units) == 0
    cash = units_of(ledger.entries, "cash")
    assert units_of(ledger.entries, "expense") == cash + round((views.pool.drawn + views.pool.unused) * units)


@pytest.mark.parametrize("kind", KINDS)
def test_a_budget_holds_what_its_basis_says(kind: str) -> None:
    for seed in range(3):
        one = case(kind, "EUR", seed)
        _, views = accounts(one)
        held = {basis: cash_needed(budgeted(one.model, basis)) for basis in ("authorisation", "cash", "allocated")}
        assert held["cash"] == pytest.approx(views.paid, abs=0.02)
        assert held["allocated"] == pytest.approx(views.allocated, abs=0.02)
        assert held["authorisation"] >= max(views.committed, held["cash"]) - 0.02


@pytest.mark.parametrize("kind", ["on_demand", "capacity_block", "hourly_run", "service", "hourly_service"])
def test_the_choice_ranks_by_what_the_lines_say(kind: str) -> None:
    """`relief` is the twin of the lines."""
    for seed in range(3):
        one = case(kind, "USD", seed)
        v = {item.name: item.value for item in one.model.inputs} | {line.name: line.amount for line in one.model.lines}
        leaves = [line for line in one.model.lines if line.schedule != "none"]
        billed = sum(
            line.amount for line in leaves if line.name not in ("shortfall_saved", "full_price", "full_price_excess")
        )
        hours = v["programme_hours"] if "programme_hours" in v else v["paid_months"] * 730
        if kind == "capacity_block":
            hours = 1e-3
        drawn, more = relief(one.drawing, billed=billed, instances=v["compute"] + v.get("spares", 0.0), hours=hours)
        assert float(drawn) == pytest.approx(v["spend_drawn"], abs=0.03)
        assert float(more) == pytest.approx(v.get("full_price", 0.0) + v.get("full_price_excess", 0.0), abs=0.03)


def test_what_nobody_else_would_draw_costs_nothing_new_and_the_rest_costs_all_of_it() -> None:
    """400,000 left, others draw 300,000 of it: of a bill of 150,000 the first 100,000 are owed already."""
    until = date(2027, 1, 21)
    drawing = Drawing(
        provider=Ref("provider", "aws", "AWS"),
        until=until, left_usd=400_000, others_usd_month=150_000, months=2.0, hours=1000.0, discount=0.0,
        hourly=False,
    )  # fmt: skip
    drawn, more = relief(drawing, billed=150_000.0, instances=150_000.0, hours=500.0)
    assert (float(drawn), float(more)) == (100_000.0, 0.0)
    late, _ = relief(drawing, billed=150_000.0, instances=150_000.0, hours=2000.0)
    assert float(late) == 75_000.0, "only the half that is billed before it ends"


def test_a_savings_plan_relieves_the_hours_until_it_ends_and_no_others() -> None:
    """Hour by hour: free of it is so much in each hour until its last day; the rest of that hour, and every hour afterwards, is
    paid without its discount."""
    start, until, as_of = date(2027, 1, 4), date(2027, 11, 21), date(2026, 11, 22)
    drawing = Drawing(
        provider=Ref("provider", "aws", "AWS"),
        until=until, left_usd=1.2e6, others_usd_month=6e4, months=365 * 12 / 365, hours=322 * 24.0, discount=0.3, hourly=True,
    )  # fmt: skip
    sold = offer(option="on_demand", usd_per_hour=38.53)
    model = rented_serving(
        offer=sold, nodes_by_hour=[2.0], nodes_peak=2, months=12.0, assume=ASSUME, drawing=drawing, egress_gb_month=0.0,
        storage_gb=0.0, start=start, interactive=True,
    )  # fmt: skip
    free = (1.2e6 - 6e4 * 12) / (365 * 24)
    price = next(item.value for item in model.inputs if item.name == "price_per_instance_hour")
    around = sum(line.amount for line in model.lines if line.name in ("balancer", "gateway", "registry", "monitoring"))
    wanted: dict[str, float] = {}
    for hour in range(365 * 24):
        day = start + timedelta(days=hour // 24)
        paid = 2 * price / 0.7 if day > until else (2 * price - free) / 0.7 if 2 * price > free else 0.0
        month = f"{day:%Y-%m}"
        wanted[month] = wanted.get(month, 0.0) + paid + around / (365 * 24)
    assert as_of + timedelta(days=364) == until
    found = {item.month: item.opex for item in model.cash}
    assert found == pytest.approx(wanted, abs=0.05)
    assert wanted["2027-12"] > 3 * wanted["2027-10"]
