"""The ledger of plans of all kinds in five currencies against a second computation from the definitions of its views."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

import pytest

from engine.answer import CostModel
from engine.inputs.currency import DIGITS, Currency
from engine.inputs.hardware import Holding, Offer
from engine.inputs.spec import NO_TAX, Taxes
from engine.money.converted import model_in
from engine.money.cost import bought, owned, rented_serving, rented_training, signed_of, total_of
from engine.money.delivery import Bridge, Delivery
from engine.money.entries import VIEWS, Entry, View, units_of
from engine.money.ledger import Ledger, ledger_of
from engine.money.signed import budgeted, cash_needed
from engine.money.views import Views, summed
from engine.money.worth import present_value
from tests.engine import by_definition
from tests.engine.money_samples import ASSUME, H100, SERVER, days, offer

RATES = {"USD": 1.0, "EUR": 0.8734, "GBP": 0.7519, "JPY": 157.23, "INR": 88.417}
KINDS = ("on_demand", "spot", "commit_1y", "commit_3y", "capacity_block", "lease", "service", "committed_service",
         "leased_service", "batch", "purchase", "waiting_purchase", "whole_purchase", "hybrid", "owned", "owned_booked")  # fmt: skip
SERVED = ("service", "committed_service", "leased_service", "batch")
SEEDS = range(4)
TAXES = (
    NO_TAX,
    Taxes(purchases=0.2, services=0.2),
    Taxes(purchases=0.08875, recovered=0.0, import_duty=0.034),
    Taxes(purchases=0.19, services=0.19, recovered=0.35, import_duty=0.1),
)
"""One of each seed: none, VAT that does not come back, sales tax and duty on hardware, VAT of which a part comes back."""
CASES = [(kind, code, seed) for kind in KINDS for code in RATES for seed in SEEDS]
DISCOUNT = 0.1


@dataclass(frozen=True)
class Case:
    """A cost model in its currency, how its hardware is had, and its days."""

    model: CostModel
    offer: Offer | None
    start: date
    as_of: date


def case(kind: str, code: str, seed: int) -> Case:
    """A plan of that kind with figures of its own."""
    pick = random.Random(f"{kind} {seed}")
    as_of = date(2026, 11, 22) + timedelta(days=pick.randrange(300))
    start = as_of + timedelta(days=pick.randrange(90))
    sold, model = _model(kind, pick, start, as_of, TAXES[seed])
    if code != "USD":
        model = model_in(model, Currency(code=code, rate=RATES[code], date="2026-11-20"), start)  # type: ignore[arg-type]  # codes
    return Case(model=model, offer=sold, start=start, as_of=as_of)


def _model(kind: str, pick: random.Random, start: date, as_of: date, taxes: Taxes) -> tuple[Offer | None, CostModel]:
    if kind in ("purchase", "waiting_purchase", "whole_purchase", "hybrid"):
        return None, _bought(kind, pick, start, as_of, taxes)
    if kind.startswith("owned"):
        return None, _owned(pick, start, taxes, booked=kind == "owned_booked")
    terms = {
        "commit_1y": 12,
        "commit_3y": 36,
        "committed_service": pick.choice([12, 36]),
        "lease": 24,
        "leased_service": 18,
    }
    option = {
        "service": "on_demand",
        "committed_service": "commit_1y",
        "batch": "on_demand",
        "leased_service": "lease",
    }.get(kind, kind)
    sold = offer(
        option=option,
        term_months=terms.get(kind, 0),
        usd_per_hour=pick.uniform(4, 90),
        storage_usd_per_gb_month=pick.uniform(0.01, 0.2),
        egress_usd_per_gb=pick.uniform(0.0, 0.12),
    )
    if kind in SERVED:
        nodes = pick.randrange(1, 9)
        curve = [nodes * pick.uniform(0.2, 1.0) for _ in range(24)]
        return sold, rented_serving(
            offer=sold, nodes_by_hour=curve, nodes_peak=nodes, months=pick.choice([0.07, 1.0, 12.0, 17.5]), assume=ASSUME,
            egress_gb_month=pick.uniform(0, 900), storage_gb=pick.uniform(1, 900), start=start, interactive=kind != "batch",
            taxes=taxes,
        )  # fmt: skip
    return sold, rented_training(
        offer=sold, nodes=pick.randrange(1, 40), days=days(pick.uniform(0.2, 300)), storage_gb=pick.uniform(0, 9000),
        egress_gb=pick.uniform(0, 500), runs=pick.randrange(1, 4), experiment_overhead=pick.choice([0.0, 0.5]),
        start=start, horizon_months=pick.choice([0.0, 24.0, 48.0]), assume=ASSUME, goodput=pick.uniform(0.8, 1.0),
        utilisation=pick.uniform(0.3, 0.9), spares=0 if kind == "spot" else pick.randrange(3),
        fallback_usd_per_hour=120.0 if kind == "spot" else 0.0, taxes=taxes,
    )  # fmt: skip


def _bought(kind: str, pick: random.Random, start: date, as_of: date, taxes: Taxes) -> CostModel:
    ahead = (start - as_of).days / 365 * 12
    bridge = Bridge(usd_per_hour=pick.uniform(2, 7), source="list", date="2026-11-01")
    nodes, horizon = pick.randrange(2, 30), pick.choice([18.0, 36.0, 48.0])
    return bought(
        system=SERVER, taxes=taxes, nodes=nodes, devices=nodes * 8, hours_needed=nodes * 8 * pick.uniform(800, 8000),
        horizon_months=horizon, utilisation=1.0 if kind == "whole_purchase" else pick.uniform(0.4, 0.9),
        start=start, assume=ASSUME, spare_servers=pick.randrange(3),
        delivery={
            "purchase": None,
            "waiting_purchase": Delivery(ahead_months=ahead),
            "whole_purchase": Delivery(ahead_months=ahead, bridge=bridge),
            "hybrid": Delivery(ahead_months=ahead, bridge=bridge),
        }[kind],
        shared=kind != "whole_purchase",
    )  # fmt: skip


def _owned(pick: random.Random, start: date, taxes: Taxes, *, booked: bool) -> CostModel:
    holding = Holding(
        slug="own", name="Own", device="h100-sxm5", count=64, devices_per_server=8, in_service="2025-02-01",
        price_paid_usd=2.1e6, book_value_usd=pick.uniform(2e5, 2e6), source="team", date="2026-11-01",
    )  # fmt: skip
    return owned(
        device=H100, devices=64, hours_needed=pick.uniform(500, 200_000), start=start, assume=ASSUME, system=SERVER,
        holding=holding if booked else None, taxes=taxes,
    )  # fmt: skip


def accounts(one: Case) -> tuple[Ledger, Views]:
    ledger = ledger_of(one.model, one.offer, start=one.start, as_of=one.as_of)
    found = summed(ledger, currency=one.model.currency, as_of=one.as_of, rate=DISCOUNT)
    return found.ledger, found.views


def by_month(ledger: Ledger, view: View) -> dict[str, int]:
    """The units of a view in each month that has any."""
    found: dict[str, int] = {}
    for entry in ledger.entries:
        if entry.view == view:
            found[entry.month] = found.get(entry.month, 0) + entry.units
    return {month: units for month, units in found.items() if units}


def defined(kind: str, one: Case) -> by_definition.Sums:
    """The same from the definitions."""
    book = by_definition.Book(
        v={item.name: item.value for item in one.model.inputs}, start=one.start, as_of=one.as_of,
        rate=one.model.per_usd, digits=DIGITS[one.model.currency], discount=DISCOUNT,
    )  # fmt: skip
    option = one.offer.option if one.offer else ""
    if kind in SERVED:
        by_definition.rented_service(book, option)
    elif one.offer:
        by_definition.rented_run(book, option)
    elif kind.startswith("owned"):
        by_definition.owned_run(book)
    else:
        by_definition.purchase(book, alone=kind == "whole_purchase")
    return book.sums


@pytest.mark.parametrize(("kind", "code", "seed"), CASES)
def test_every_view_is_what_its_definition_says_to_the_smallest_unit(kind: str, code: str, seed: int) -> None:
    one = case(kind, code, seed)
    ledger, views = accounts(one)
    sums, units = defined(kind, one), 10 ** DIGITS[code]
    assert round(views.committed * units) == sums.committed
    for view, months in (("cash", sums.cash), ("expense", sums.expense), ("allocated", sums.allocated)):
        assert by_month(ledger, view) == {month: part for month, part in months.items() if part}, view  # type: ignore[arg-type]  # views
    assert {item.month: round(item.amount * units) for item in views.cash if item.amount} == by_month(ledger, "cash")
    assert units_of(ledger.entries, "economic") == sums.economic
    assert views.npv == pytest.approx(sums.worth / units, abs=0.51 / units)


@pytest.mark.parametrize(("kind", "code", "seed"), CASES)
def test_the_identities_hold(kind: str, code: str, seed: int) -> None:
    one = case(kind, code, seed)
    ledger, views = accounts(one)
    units = 10 ** DIGITS[code]
    owed = [entry.units for entry in ledger.entries if entry.view == "committed"]
    signed, paid = sum(part for part in owed if part > 0), -sum(part for part in owed if part < 0)
    assert signed - paid == 0, "all that is signed is paid by the end, and nothing is released"
    assert signed == round(signed_of(one.model).total * units)
    running = [sum(owed[: index + 1]) for index in range(len(owed))]
    assert min(running, default=0) >= 0, "nothing is paid before it is signed"
    carried: dict[str, int] = {}
    for part in ledger.carried:
        carried[part.month] = carried.get(part.month, 0) + part.mine + part.others + part.idle
    assert {month: units for month, units in carried.items() if units} == by_month(ledger, "expense")
    assert sum(part.mine for part in ledger.carried) == units_of(ledger.entries, "allocated")
    assert round((views.allocated + views.others + views.idle - views.expense) * units) == 0
    assert round(total_of(one.model) * units) == units_of(ledger.entries, "economic"), "the headline"
    assert {entry.currency for entry in ledger.entries} == {code}
    assert {entry.view for entry in ledger.entries} <= set(VIEWS)
    assert min(entry.date for entry in ledger.entries) >= one.as_of


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_paid_is_booked_and_no_more_but_for_what_was_paid_before(kind: str) -> None:
    one = case(kind, "EUR", 1)
    ledger, _ = accounts(one)
    known = tuple(entry for entry in ledger.entries if entry.contract != "owned")
    assert units_of(known, "expense") == units_of(known, "cash")
    assert (known != ledger.entries) == (kind == "owned_booked")


@pytest.mark.parametrize("kind", ["on_demand", "spot", "service", "batch", "owned", "owned_booked"])
def test_what_ends_with_its_hour_commits_nothing(kind: str) -> None:
    for seed in SEEDS:
        _, views = accounts(case(kind, "USD", seed))
        assert (views.committed, views.others, views.idle) == (0.0, 0.0, 0.0)


def test_a_purchase_that_other_work_shares_leaves_them_their_part_and_the_idle_hours() -> None:
    one = case("purchase", "USD", 0)
    ledger, views = accounts(one)
    use = next(item.value for item in one.model.inputs if item.name == "utilisation")
    assert views.others > 0 < views.idle
    assert views.others / (views.others + views.idle) == pytest.approx(use, rel=1e-5)
    capital = [entry for entry in ledger.entries if entry.line == "cost_of_capital"]
    assert {entry.view for entry in capital} == {"economic"}


def test_a_smaller_rate_is_worth_more_and_none_is_the_sum() -> None:
    one = case("hybrid", "EUR", 2)
    ledger, views = accounts(one)
    cash = [entry for entry in ledger.entries if entry.view == "cash" and entry.units > 0]
    worth = [present_value(cash, on=one.as_of, rate=rate) for rate in (0.0, 0.05, 0.2)]
    assert worth == sorted(worth, reverse=True)
    assert worth[0] == pytest.approx(sum(entry.amount for entry in cash), abs=0.005)
    year = Entry(date=date(2027, 11, 22), view="cash", units=11_000, currency="EUR", line="x", contract="rental")
    assert present_value([year], on=date(2026, 11, 22), rate=0.1) == 100.0
    assert views.as_of == one.as_of


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("code", ["EUR", "JPY"])
def test_a_budget_holds_what_its_basis_says(kind: str, code: str) -> None:
    """What is paid, less what comes back; what this work carries without the cost of capital; or all that is authorised."""
    for seed in SEEDS:
        one = case(kind, code, seed)
        _, views = accounts(one)
        unit = 10.0 ** -DIGITS[code]
        held = {basis: cash_needed(budgeted(one.model, basis)) for basis in ("authorisation", "cash", "allocated")}
        assert held["authorisation"] == cash_needed(one.model)
        assert held["cash"] == pytest.approx(views.paid, abs=2 * unit)
        booked = sum(
            entry.amount for entry in accounts(one)[0].entries if (entry.view, entry.contract) == ("allocated", "owned")
        )
        assert held["allocated"] == pytest.approx(views.allocated - booked, abs=2 * unit)
        assert held["authorisation"] >= max(views.committed, held["allocated"], held["cash"]) - 2 * unit


def test_work_beyond_the_calendar_has_no_ledger() -> None:
    one = case("on_demand", "USD", 0)
    long = rented_training(
        offer=offer(), nodes=1, days=days(1e6), storage_gb=0.0, egress_gb=0.0, runs=1, experiment_overhead=0.0,
        start=one.start, horizon_months=0.0, assume=ASSUME,
    )  # fmt: skip
    found = summed(
        ledger_of(long, replace(offer()), start=one.start, as_of=one.as_of), currency="USD", as_of=one.as_of, rate=0.1
    )
    assert (found.ledger.entries, found.views.cash, found.views.npv) == ((), (), 0.0)


def test_equal_plans_have_equal_ledgers() -> None:
    found: list[Any] = [accounts(case("hybrid", "GBP", 3)) for _ in range(2)]
    assert found[0] == found[1]
