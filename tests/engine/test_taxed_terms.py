"""Tax and money that is committed already, in one plan: tax draws nothing, what costs more later is taxed, and the ledger closes."""

from __future__ import annotations

from datetime import date

import pytest

from engine.answer import DRAWN, EXCESS, FULL_PRICE, SAVED, TAXES, CostModel
from engine.inputs.finding import Ref
from engine.inputs.spec import NO_TAX, Taxes
from engine.money.cost import cash_needed, rented_serving, rented_training, signed_of, total_of
from engine.money.drawing import Drawing
from engine.money.entries import units_of
from engine.money.ledger import ledger_of
from engine.money.second_site import SECOND, Second
from engine.money.signed import budgeted
from engine.money.taxes import TAX_EXCESS, TAX_INSTANCES, TAX_LATER, TAX_OPERATION
from engine.money.views import summed
from planner.market import market_from_files
from tests.engine.money_samples import ASSUME, days, offer

VAT = Taxes(services=0.19, recovered=0.25)
OWED = 0.19 * 0.75
START = date(2026, 12, 1)
KINDS = ("run", "committed run", "block", "service", "committed service", "two sites", "two providers", "hourly")


def drawing(left: float = 90_000.0, *, hourly: bool = False) -> Drawing:
    """Runs out on the last day of January, with a tenth off until then."""
    return Drawing(
        provider=Ref("provider", "aws", "AWS"),
        until=date(2027, 1, 31), left_usd=left, others_usd_month=5_000.0, months=2.33, hours=62 * 24.0,
        discount=0.1, hourly=hourly,
    )  # fmt: skip


def sold(kind: str) -> str:
    return {"committed run": "commit_1y", "committed service": "commit_1y", "block": "capacity_block"}.get(
        kind, "on_demand"
    )


def model(kind: str, taxes: Taxes, drawn: Drawing | None) -> CostModel:
    option = sold(kind)
    one = offer(option=option, term_months=12 if option == "commit_1y" else 0, usd_per_hour=31.7)
    if kind in ("run", "committed run", "block"):
        return rented_training(
            offer=one, nodes=3, days=days(90.0 if kind == "run" else 40.0), storage_gb=700.0, egress_gb=90.0, runs=1,
            experiment_overhead=0.0, start=START, horizon_months=0.0, assume=ASSUME, goodput=0.9, spares=1, taxes=taxes,
            drawing=drawn,
        )  # fmt: skip
    if drawn is not None and kind == "hourly":
        drawn = drawing(hourly=True)
    apart = {"two sites": one.provider, "two providers": "elsewhere"}.get(kind)
    other = Second(offer=offer(provider=apart, usd_per_hour=35.0), share=0.5, weights_gb=16.0) if apart else None
    return rented_serving(
        offer=one, nodes_by_hour=[4.0], nodes_peak=4, months=6.0, assume=ASSUME, egress_gb_month=90.0, storage_gb=50.0,
        start=START, taxes=taxes, drawing=drawn, second=other,
    )  # fmt: skip


def amounts(found: CostModel) -> dict[str, float]:
    return {line.name: line.amount for line in found.lines}


@pytest.mark.parametrize("kind", KINDS)
def test_tax_draws_nothing_of_a_commitment(kind: str) -> None:
    plain, taxed = (amounts(model(kind, taxes, drawing())) for taxes in (NO_TAX, VAT))
    assert plain[DRAWN] > 0
    for name in (DRAWN, SAVED, "spend_unused", *([FULL_PRICE] if FULL_PRICE in plain else [])):
        assert taxed[name] == plain[name], name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("drawn", [None, drawing()], ids=["nothing committed", "committed"])
def test_everything_that_is_billed_is_taxed_once(kind: str, drawn: Drawing | None) -> None:
    found = model(kind, VAT, drawn)
    leaves = {line.name: line.amount for line in found.lines if line.schedule != "none"}
    billed = sum(amount for name, amount in leaves.items() if name not in (SAVED, *TAXES))
    taxes = {name: amount for name, amount in leaves.items() if name in TAXES}
    assert taxes[TAX_INSTANCES] > 0
    assert sum(taxes.values()) == pytest.approx(OWED * billed, abs=0.01 * len(taxes))
    if drawn is not None and kind != "block":
        assert taxes[TAX_LATER] == pytest.approx(OWED * leaves[FULL_PRICE], abs=0.01)
        assert taxes.get(TAX_EXCESS, 0.0) == pytest.approx(OWED * leaves.get(EXCESS, 0.0), abs=0.01)


@pytest.mark.parametrize("kind", KINDS)
def test_the_ledger_closes_and_the_budget_holds_what_is_paid(kind: str) -> None:
    found = model(kind, VAT, drawing())
    one = offer(option=sold(kind), term_months=12 if sold(kind) == "commit_1y" else 0, usd_per_hour=31.7)
    ledger = ledger_of(found, one, start=START, as_of=START)
    views = summed(ledger, currency="USD", as_of=START, rate=0.1).views
    owed = [entry for entry in ledger.entries if entry.view == "committed"]
    assert sum(entry.units for entry in owed) == 0, "opening + signed − paid − released = closing, 0 at the end"
    signed = sum(entry.units for entry in owed if entry.contract != "spend" and entry.units > 0)
    assert signed == round(signed_of(found).total * 100)
    assert round((views.allocated + views.others + views.idle - views.expense) * 100) == 0
    assert round(total_of(found) * 100) == units_of(ledger.entries, "economic"), "the headline"
    assert cash_needed(budgeted(found, "cash")) == pytest.approx(views.paid, abs=0.02)
    assert cash_needed(budgeted(found, "authorisation")) >= views.paid - 0.02


@pytest.mark.parametrize("service", [False, True], ids=["run", "service"])
def test_power_and_upkeep_of_leased_servers_are_taxed_once(service: bool) -> None:
    """What is bought has lines of its own for that; wages are taxed nowhere."""
    system = next(one for one in market_from_files().systems if one.devices == 8)
    lease = offer(option="lease", term_months=24, usd_per_hour=10.0, devices=8)
    if service:
        found = rented_serving(
            offer=lease, nodes_by_hour=[2.0], nodes_peak=2, months=24.0, assume=ASSUME, egress_gb_month=0.0, storage_gb=50.0,
            start=START, taxes=VAT, system=system,
        )  # fmt: skip
    else:
        found = rented_training(
            offer=lease, nodes=2, days=days(40.0), storage_gb=700.0, egress_gb=0.0, runs=1, experiment_overhead=0.0,
            start=START, horizon_months=0.0, assume=ASSUME, goodput=0.9, spares=0, taxes=VAT, system=system,
        )  # fmt: skip
    leaves = {line.name: line.amount for line in found.lines if line.schedule != "none"}
    billed = sum(amount for name, amount in leaves.items() if name not in ("staff", *TAXES))
    taxes = [amount for name, amount in leaves.items() if name in TAXES]
    assert leaves[TAX_OPERATION] > 0
    assert sum(taxes) == pytest.approx(OWED * billed, abs=0.01 * len(taxes))


def test_what_another_provider_bills_for_the_second_site_draws_nothing() -> None:
    """With more left than both sites bill, all of the first is drawn until it ends and nothing of the other provider's."""
    much = drawing(left=9e6)
    same, other = (amounts(model(kind, NO_TAX, much)) for kind in ("two sites", "two providers"))
    share = min(1.0, much.hours / (6.0 * 730.0))
    assert same[SECOND] == other[SECOND] > 0
    assert same["spend_billed"] - other["spend_billed"] == pytest.approx(
        same[SECOND] + same[FULL_PRICE] - other[FULL_PRICE], abs=0.01
    )
    assert other[DRAWN] == pytest.approx(other["spend_billed"] * share, abs=0.01)
