"""Agreed discounts in their order, what contradicts, when a discount of a commitment ends, and leases."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from engine.inputs.agreed import with_agreed
from engine.inputs.finding import Sum
from engine.inputs.hardware import Market, Offer
from engine.inputs.spec import AgreedPrice, Spec
from engine.inputs.terms import Discount, Lease, SpendCommitment
from engine.money.cash import month_end
from engine.money.cost import amount_of, rented_serving, signed_of
from engine.money.ledger import ledger_of
from engine.money.views import summed
from planner.estimate import estimate
from planner.market import market_from_files
from planner.request.parse import spec_from
from tests.engine.money_samples import ASSUME, SERVER, offer
from tests.refused import refused

MARKET = market_from_files()
NAME = "aws/p5.48xlarge/us-east-1/on_demand"
REQUEST: dict[str, Any] = {
    "name": "Terms", "workload": "training", "model": "llama-3.1-8b", "training": {"tokens": 2e9}, "as_of": "2026-11-22",
    "constraints": {"deadline_days": 30, "accelerators": ["h100-sxm5"]},
}  # fmt: skip
AWS = SpendCommitment(provider="aws", left_usd=1e6, until=date(2027, 6, 30), discount=0.05)


def of(market: Market, ident: str = NAME) -> Offer:
    return next(one for one in market.offers if one.id == ident)


def agreed(**terms: Any) -> Offer:
    """That offer on those terms."""
    return of(with_agreed(MARKET, replace(spec_from(REQUEST), **terms)))


def test_the_list_then_the_percentage_then_the_commitment() -> None:
    listed = of(MARKET).usd_per_hour
    found = agreed(discounts=(Discount(at="aws", share=0.12),), spend_commitments=(AWS,))
    assert found.usd_per_hour == pytest.approx(listed * 0.88 * 0.95)
    assert [(one.step, one.share) for one in found.steps] == [("list", 0.0), ("discount", 0.12), ("commitment", 0.05)]
    assert [one.usd_per_hour for one in found.steps] == pytest.approx([listed, listed * 0.88, listed * 0.88 * 0.95])
    assert found.listed_usd_per_hour == pytest.approx(listed)
    assert found.before_commitment(found.usd_per_hour) == pytest.approx(listed * 0.88)


def test_the_narrowest_discount_counts_and_no_two_of_them() -> None:
    rows = (
        Discount(at="aws", share=0.1),
        Discount(at="aws/p5.48xlarge", share=0.2),
        Discount(at="aws/p5.48xlarge", option="on_demand", share=0.3),
        Discount(at="aws/p5.48xlarge/eu-north-1", option="on_demand", share=0.4),
    )
    assert agreed(discounts=rows).usd_per_hour == pytest.approx(of(MARKET).usd_per_hour * 0.7)
    other = with_agreed(MARKET, replace(spec_from(REQUEST), discounts=rows[:1]))
    elsewhere = [(a, b) for a, b in zip(MARKET.offers, other.offers, strict=True) if a.provider != "aws"]
    assert elsewhere
    assert all(a is b for a, b in elsewhere)


def test_an_agreed_price_goes_before_a_percentage_and_the_commitment_comes_after_it() -> None:
    price = AgreedPrice(item=NAME, usd=40.0)
    found = agreed(agreed=(price,), discounts=(Discount(at="aws", share=0.5),), spend_commitments=(AWS,))
    assert found.usd_per_hour == pytest.approx(38.0)
    assert [one.step for one in found.steps] == ["list", "agreed", "commitment"]


def test_a_commitment_gives_its_discount_only_to_what_it_is_for_and_while_it_runs() -> None:
    listed = of(MARKET).usd_per_hour
    assert agreed(spend_commitments=(replace(AWS, option="spot"),)).usd_per_hour == listed
    assert agreed(spend_commitments=(replace(AWS, option="on_demand"),)).usd_per_hour == pytest.approx(listed * 0.95)
    assert agreed(spend_commitments=(AWS,), start=date(2027, 7, 1)).usd_per_hour == listed, "it has ended"
    plan = with_agreed(MARKET, replace(spec_from(REQUEST), spend_commitments=(replace(AWS, lapses="hourly"),)))
    changed = {b.option for a, b in zip(MARKET.offers, plan.offers, strict=True) if a.usd_per_hour != b.usd_per_hour}
    assert changed == {"on_demand"}, "a savings plan covers on-demand instances"


def test_hours_without_spot_capacity_are_paid_at_the_discounted_price() -> None:
    spot = next(one for one in MARKET.offers if one.provider == "aws" and one.on_demand_usd_per_hour)
    spec = replace(spec_from(REQUEST), discounts=(Discount(at="aws", option="on_demand", share=0.2),))
    found = of(with_agreed(MARKET, spec), spot.id)
    assert found.usd_per_hour == spot.usd_per_hour
    assert found.on_demand_usd_per_hour == pytest.approx(spot.on_demand_usd_per_hour * 0.8)


_DISCOUNT = {"at": "aws", "share": 0.1}
_SPEND = {"provider": "aws", "left_usd": 1000.0, "until": "2027-06-30"}
_LEASE = {"system": "dgx-h200", "usd_month": 5000.0, "months": 24}


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"discounts": [_DISCOUNT, {"at": "aws", "share": 0.2}]}, "neither is the narrower"),
        (
            {"discounts": [{"at": "aws/p5.48xlarge", "share": 0.1}, {"at": "aws", "option": "spot", "share": 0.2}]},
            "neither is the narrower",
        ),
        (
            {
                "agreed": [{"item": NAME, "usd": 40.0}],
                "discounts": [{"at": NAME.rpartition("/")[0], "option": "on_demand", "share": 0.1}],
            },
            "whose price is agreed",
        ),
        ({"discounts": [{"at": NAME, "share": 0.1}]}, "give provider, provider/instance"),
        ({"discounts": [{"at": "awz", "share": 0.1}]}, "the catalog has no “awz”; the nearest in the catalog: aws"),
        ({"discounts": [{"at": "lambda", "option": "commit_3y", "share": 0.1}]}, "nothing would change"),
        ({"discounts": [{"at": "aws", "share": 1.0}]}, "less than 1"),
        ({"spend_commitments": [_SPEND, _SPEND]}, "names aws twice"),
        ({"spend_commitments": [_SPEND | {"until": "2026-11-21"}]}, "before the day of the request"),
        ({"spend_commitments": [_SPEND | {"provider": "acme"}]}, "the catalog has no “acme”"),
        ({"spend_commitments": [_SPEND | {"left_usd": 0.0}]}, "greater than 0"),
        (
            {"spend_commitments": [_SPEND | {"lapses": "hourly", "option": "spot", "discount": 0.1}]},
            "covers on-demand instances only",
        ),
        ({"spend_commitments": [_SPEND | {"option": "spot"}]}, "there is none"),
        ({"leases": [_LEASE, _LEASE]}, "names dgx-h200 twice"),
        ({"leases": [_LEASE | {"system": "dgx-h2000"}]}, "dgx-h200"),
    ],
)
def test_terms_that_contradict_or_change_nothing_are_refused(terms: dict[str, Any], said: str) -> None:
    with refused(said):
        estimate(spec_from(REQUEST | terms), MARKET)


def test_people_may_write_amounts_in_their_currency() -> None:
    rates = {"EUR": (1.1, "2026-11-20")}
    body = REQUEST | {
        "spend_commitments": [_SPEND | {"left_usd": "EUR 2M", "others_usd_month": "€ 10k", "discount": "0.05"}]
    }
    found = spec_from(body, text=True, rates=rates).spend_commitments[0]
    assert (found.left_usd, found.others_usd_month, found.discount) == (2.2e6, 11_000.0, 0.05)


@pytest.mark.parametrize("code", ["USD", "JPY"])
def test_money_that_lapses_otherwise_turns_the_choice(code: str) -> None:
    """A dearer provider costs less new money where what is owed to it would be drawn by nobody."""
    bare = REQUEST | {"currency": code}
    cheapest = estimate(spec_from(bare), MARKET).recommendation.recommended
    assert cheapest
    assert cheapest.offer
    assert cheapest.offer.provider != "azure"
    drawn = estimate(spec_from(bare | {"spend_commitments": [_SPEND | {"provider": "azure", "left_usd": 1e6}]}), MARKET)
    best = drawn.recommendation.recommended
    assert best
    assert best.offer
    assert best.offer.provider == "azure"
    assert best.cost.total.expected == 0
    assert best.cost.signed.drawn > cheapest.cost.total.expected
    used = {"left_usd": 1e6, "others_usd_month": 1e6}
    same = estimate(spec_from(bare | {"spend_commitments": [_SPEND | {"provider": "azure"} | used]}), MARKET)
    other = same.recommendation.recommended
    assert other
    assert other.id == cheapest.id, "what others draw anyway pays for nothing of this work"


def leased(months: int) -> tuple[Spec, Offer]:
    spec = replace(
        spec_from(REQUEST),
        leases=(Lease(system="dgx-h200", lessor="Acme", usd_month=7300.0, months=months, servers=2),),
    )
    return spec, of(with_agreed(MARKET, spec), "lease/dgx-h200")


def test_a_lease_is_paid_every_month_and_owed_whole() -> None:
    _, found = leased(24)
    assert (found.usd_per_hour, found.term_months, found.most, found.provider) == (10.0, 24, 2, "Acme")
    start = date(2027, 1, 1)
    model = rented_serving(
        offer=found, nodes_by_hour=[2.0], nodes_peak=2, months=24, egress_gb_month=10.0, storage_gb=100.0, start=start,
        assume=ASSUME, system=SERVER,
    )  # fmt: skip
    signed = signed_of(model)
    assert (signed.what, signed.total, signed.months) == ("lease", 2 * 7300.0 * 24, 24)
    assert amount_of(model, "energy") == pytest.approx(
        2 * 10.2 * ASSUME["onprem.busy_load"] * ASSUME["onprem.pue"] * 24 * 730 * ASSUME["onprem.usd_per_kwh"], abs=0.01
    )
    found_views = summed(
        ledger_of(model, found, start=start, as_of=date(2026, 11, 22)), currency="USD", as_of=start, rate=0.1
    )
    lease = [entry for entry in found_views.ledger.entries if entry.contract == "lease" and entry.view == "cash"]
    ends = [month_end(f"{year}-{month:02d}") for year in (2027, 2028) for month in range(1, 13)]
    assert [(entry.date, entry.units) for entry in lease] == [(day, 2 * 730_000) for day in ends], (
        "no matter how long a month is"
    )
    booked = [entry for entry in found_views.ledger.entries if entry.contract == "lease" and entry.view == "expense"]
    assert [(entry.month, entry.units) for entry in booked] == [(entry.month, entry.units) for entry in lease]
    assert found_views.views.committed == signed.total
    assert {entry.contract for entry in found_views.ledger.entries if entry.line in ("energy", "staff", "storage")} == {
        "operation"
    }


def test_a_lease_from_the_middle_of_a_month_is_paid_whole_and_booked_in_part() -> None:
    """Twelve instalments on the last day of each of its months; the books show what is left of January, and its rest a year later."""
    _, found = leased(12)
    start = date(2027, 1, 31)
    model = rented_serving(
        offer=found, nodes_by_hour=[1.0], nodes_peak=1, months=12, egress_gb_month=0.0, storage_gb=0.0, start=start,
        assume=ASSUME, system=SERVER,
    )  # fmt: skip
    entries = [
        entry for entry in ledger_of(model, found, start=start, as_of=start).entries if entry.contract == "lease"
    ]
    paid, booked = ([entry for entry in entries if entry.view == view] for view in ("cash", "expense"))
    assert [entry.units for entry in paid] == [730_000] * 12
    assert [entry.date for entry in paid][:3] == [date(2027, 2, 27), date(2027, 3, 30), date(2027, 4, 29)]
    assert paid[-1].date == date(2028, 1, 30)
    assert [entry.units for entry in booked] == [round(730_000 / 31), *[730_000] * 11, round(730_000 * 30 / 31)]
    assert [entry.month for entry in booked][-1] == "2028-01"


@pytest.mark.parametrize(("months", "code"), [(12, "warning.lease.short"), (24, "warning.lease.right_of_use")])
def test_a_lease_is_flagged_for_the_controller(months: int, code: str) -> None:
    spec, _ = leased(months)
    limits = replace(spec.constraints, accelerators=("h200-sxm",), deadline_days=0.0)
    plan = estimate(replace(spec, horizon_months=float(months), constraints=limits), MARKET)
    options = [one for one in (plan.recommendation.recommended, *plan.recommendation.alternatives) if one]
    mine = next(one for one in options if one.offer and one.offer.option == "lease")
    told = [found for found in mine.warnings if found.code == code]
    assert told
    assert mine.cost.signed.what == "lease"
    assert mine.count <= 16, "no more than are offered"
    if code.endswith("use"):
        monthly = 1.1 ** (1 / 12) - 1
        worth = sum(mine.cost.signed.total / months / (1 + monthly) ** k for k in range(1, months + 1))
        assert told[0].values["worth"] == Sum(pytest.approx(worth, rel=1e-6))  # type: ignore[arg-type]  # nearly


def test_a_lease_stands_in_the_team_s_own_rooms() -> None:
    spec, _ = leased(24)
    limits = replace(spec.constraints, accelerators=("h200-sxm",), deadline_days=0.0)
    closed = replace(spec, operations=replace(spec.operations, security=("air-gapped",)), constraints=limits)
    found = estimate(closed, MARKET).recommendation
    ids = [one.id for one in (found.recommended, *found.alternatives) if one]
    assert any(ident.startswith("lease/") for ident in ids)


def test_the_sample_offer_is_left_alone() -> None:
    assert with_agreed(replace(MARKET, offers=(offer(),)), spec_from(REQUEST)).offers == (offer(),)


@pytest.mark.parametrize("nodes", [1, 4, 9, 60])
def test_as_many_people_run_servers_that_are_leased_as_servers_that_are_bought(nodes: int) -> None:
    _, found = leased(24)
    model = rented_serving(
        offer=found, nodes_by_hour=[float(nodes)], nodes_peak=nodes, months=24, egress_gb_month=0.0, storage_gb=0.0,
        start=date(2027, 1, 1), assume=ASSUME, system=SERVER,
    )  # fmt: skip
    people = max(nodes / 75, min(0.5, nodes / 15))
    assert amount_of(model, "staff_fte") == pytest.approx(people)
    assert amount_of(model, "staff") == pytest.approx(2 * people * ASSUME["onprem.usd_per_fte"], abs=0.01)
