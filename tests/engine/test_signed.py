"""What is signed counts whole: for each commitment and each server of the market, in a training run and in a service."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest

from catalog.presets import architectures
from engine.answer import Option, Recommendation
from engine.entry import recommend
from engine.inputs.hardware import Market
from engine.inputs.spec import Constraints, Operations, Serving, Spec, Training
from planner.market import market_from_files
from tests.told import told

TERMS = ("commit_1y", "commit_3y")


@cache
def market() -> Market:
    return market_from_files()


def answer(spec: Spec, on: Market) -> Recommendation:
    """The recommendation for a public model."""
    return recommend(replace(spec, model=architectures()[str(spec.model)]), on)


def only(ident: str) -> Market:
    """The market that sells nothing else."""
    whole = market()
    offers = tuple(offer for offer in whole.offers if offer.id == ident)
    systems = tuple(system for system in whole.systems if system.slug == ident)
    return replace(whole, offers=offers, systems=systems)


def sold() -> list[str]:
    """One commitment of each accelerator, instance and term, and each server with a price."""
    found: dict[tuple[str, str, str], str] = {}
    for offer in market().offers:
        if offer.option in TERMS and market().devices[offer.device].plannable:
            found.setdefault((offer.device, offer.instance, offer.option), offer.id)
    servers = [system.slug for system in market().systems if system.price_low_usd > 0]
    return [*found.values(), *servers]


def run(budget: float = 0.0) -> Spec:
    limits = Constraints(budget_usd=budget, deadline_days=300.0)
    return Spec(
        name="Run",
        workload="training",
        model="llama-3.2-1b",
        training=Training(tokens=3e10),
        constraints=limits,
        horizon_months=48.0,
        utilisation=0.8,
    )


def service(budget: float = 0.0) -> Spec:
    return Spec(
        name="Service",
        workload="serving",
        model="llama-3.2-1b",
        serving=Serving(requests_per_s=5.0, input_tokens=500.0, output_tokens=100.0),
        constraints=Constraints(budget_usd=budget),
        operations=Operations(),
        horizon_months=12.0,
    )


@cache
def answered(make: object, ident: str, budget: float = 0.0) -> Recommendation:
    return answer(make(budget), only(ident))  # type: ignore[operator]


def best_of(make: object, ident: str) -> Option:
    """The recommended option, which can only be of that source; a source that cannot do the work is no case."""
    best = answered(make, ident).recommended
    if best is None or best.cost.signed.what == "none":
        pytest.fail(f"{ident} cannot do this work")
    return best


def able(make: object) -> list[str]:
    return [ident for ident in sold() if answered(make, ident).recommended is not None]


def test_the_market_has_both_kinds() -> None:
    kinds = {best_of(run, ident).cost.signed.what for ident in able(run)}
    assert kinds == {"commitment", "purchase"}
    assert {best_of(service, ident).cost.signed.what for ident in able(service)} == kinds


@pytest.mark.parametrize("make", [run, service])
def test_all_that_is_signed_stands_beside_the_share_and_a_budget_holds_it(make: object) -> None:
    for ident in able(make):
        best = best_of(make, ident)
        cost, signed = best.cost, best.cost.signed
        values = {item.name: item.value for item in cost.model.inputs}
        if signed.what == "commitment":
            count = values.get("instances_peak", values["instances"]) + values.get("spare_instances", 0.0)
            whole = count * signed.months * 730.0 * values["price_per_instance_hour"]
            assert signed.total == pytest.approx(whole, abs=0.02), ident
            assert signed.months % values["term_months"] == 0, ident
        else:
            assert signed.total > values["servers"] * values["price_per_server"], ident
        assert signed.share + signed.rest == pytest.approx(signed.total, abs=0.01), ident
        assert cost.cash_needed >= max(signed.total, cost.total.expected), ident
        assert f"USD {float(f'{signed.total:.3g}'):,.0f}" in told(answered(make, ident).headline), ident


@pytest.mark.parametrize("make", [run, service])
def test_a_smaller_budget_is_refused_and_the_way_out_names_what_is_signed(make: object) -> None:
    for ident in able(make):
        needed, signed = best_of(make, ident).cost.cash_needed, best_of(make, ident).cost.signed
        refused = answered(make, ident, round(max(needed * 0.6, signed.share), 2))
        if refused.recommended is not None:  # fewer servers are enough where the budget asks for them
            assert refused.recommended.cost.cash_needed <= needed * 0.6, ident
            continue
        ways = [item for item in refused.nearest if item.field == "constraints.budget_usd"]
        assert ways, ident
        assert "the budget must hold the whole" in told(ways[0].told), ident
        opened = answered(make, ident, ways[0].changes[0].needed.amount)
        assert opened.recommended is not None, ident
        assert f"USD {opened.recommended.cost.signed.total:,.0f}" in told(ways[0].told), ident


@pytest.mark.parametrize("make", [run, service])
def test_a_larger_budget_never_makes_it_dearer_or_impossible(make: object) -> None:
    """On the whole market, where a purchase, a commitment and plain rental compete."""
    spec = make(0.0)  # type: ignore[operator]
    costs = [
        found.recommended.cost.total.expected
        if (found := answer(_within(spec, budget), market())).recommended
        else None
        for budget in (300.0, 1_000.0, 10_000.0, 50_000.0, 200_000.0, 1e7)
    ]
    told = [cost for cost in costs if cost is not None]
    assert told, "some budget is enough"
    assert costs == [*[None] * (len(costs) - len(told)), *told], "what a budget allows, a larger one allows"
    near_equal = 1.0 + 0.02  # among nearly equal costs the smaller cluster leads
    assert all(later <= earlier * near_equal for earlier, later in pairwise(told))


def _within(spec: Spec, budget: float) -> Spec:
    return replace(spec, constraints=replace(spec.constraints, budget_usd=budget))


def test_what_is_rented_by_the_hour_signs_nothing() -> None:
    hourly = replace(
        market(), offers=tuple(o for o in market().offers if o.option in ("on_demand", "spot")), systems=()
    )
    best = answer(run(), hourly).recommended
    assert best is not None
    assert best.cost.signed.what == "none"
    assert best.cost.cash_needed == best.cost.total.expected
    assert "share" not in told(answer(run(), hourly).headline)
