"""What would flip the recommendation: every threshold is confirmed by asking again one hundredth on either side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from engine.answer import Flip, Recommendation
from engine.entry import recommend
from engine.inputs.finding import finding
from engine.inputs.hardware import Offer
from engine.inputs.named import hardware_of
from engine.inputs.spec import Operations, Owned, Spec
from tests.engine.small_market import OFFERS, SYSTEM, answer, long_spec, market, offer, spec
from tests.told import told

AT_HOME = replace(
    spec(deadline_days=40.0, budget_usd=5e6),
    operations=Operations(security=("air-gapped",)),
    horizon_months=36.0,
    start=date(2026, 6, 1),
)
"""A run that may not leave the house: hardware is bought for it, and ordered five months ahead."""
DEADLINE, BUDGET, PRICE = "constraints.deadline_days", "constraints.budget_usd", "price_per_instance_hour"


def trained(wanted: Spec, **changes: Any) -> Spec:
    """That request with another amount of work."""
    assert wanted.training is not None
    return replace(wanted, training=replace(wanted.training, **changes))


def flip_of(found: Recommendation, name: str) -> Flip:
    return next(flip for flip in found.flips if flip.name == name)


def leader(wanted: Spec, offers: Sequence[Offer] = ()) -> str:
    """The option that is recommended; empty without one."""
    best = answer(wanted, *offers).recommended
    return best.id if best else ""


def limited(wanted: Spec, name: str, value: float) -> Spec:
    """The request with that limit."""
    limit: dict[str, Any] = {name.removeprefix("constraints."): value}
    return replace(wanted, constraints=replace(wanted.constraints, **limit))


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        (spec(budget_usd=1e5), BUDGET),
        (AT_HOME, DEADLINE),
        (AT_HOME, BUDGET),
        (trained(AT_HOME, runs=5), DEADLINE),
        (
            replace(
                spec(), owned=(Owned(accelerator="h100-sxm5", count=16, available_from=date(2026, 1, 21)),)
            ),
            DEADLINE,
        ),
    ],
    ids=["budget", "deadline-bought", "budget-bought", "deadline-programme", "deadline-owned-later"],
)  # fmt: skip
def test_a_limit_flips_at_its_threshold(wanted: Spec, name: str) -> None:
    found = answer(wanted)
    assert found.recommended is not None
    at = flip_of(found, name).threshold
    assert leader(limited(wanted, name, at * 1.01)) == found.recommended.id
    assert leader(limited(wanted, name, at * 0.99)) != found.recommended.id


def test_bought_hardware_holds_its_whole_purchase_against_the_budget() -> None:
    alone, shared = answer(AT_HOME), answer(replace(AT_HOME, utilisation=0.6))
    assert alone.recommended is not None
    assert shared.recommended is not None
    assert flip_of(alone, BUDGET).threshold > alone.recommended.cost.total.expected
    part = shared.recommended.cost.total.expected
    assert flip_of(shared, BUDGET).threshold > 20 * part, "the run pays a small share"


def test_bought_hardware_is_large_enough_for_all_runs() -> None:
    """It was sized for one run, and a programme of several then had no option at all."""
    short = limited(
        replace(AT_HOME, start=date(2026, 9, 30)), DEADLINE, 10.0
    )  # ordered so early that they are there for sure
    once, many = answer(short).recommended, answer(trained(short, runs=5)).recommended
    assert once is not None
    assert many is not None
    assert many.count > once.count
    assert many.probability_in_time is not None
    assert many.probability_in_time >= 0.8
    assert leader(trained(short, experiment_overhead=4.0)) == many.id


def test_a_price_flips_to_an_option_that_could_be_recommended() -> None:
    """Not to one that runs for years, which nobody waits for."""
    slow = replace(offer("three", "a100-sxm4-80", 1.2), devices=1, scaleout_bandwidth=0.0)
    wanted = trained(spec(deadline_days=0.0), tokens=1e12)
    offers = (*OFFERS, slow)
    found = answer(wanted, *offers)
    flip = flip_of(found, PRICE)
    cheaper = [option for option in found.alternatives if option.offer == slow]
    assert cheaper[0].days.expected > 365
    for factor in (0.99, 1.01):
        moved = (offer("one", "h100-sxm5", flip.threshold * factor), *offers[1:])
        again = answer(wanted, *moved).recommended
        assert again
        assert again.offer
        assert (flip.then == finding("flip.rival", rival=hardware_of(again))) is (factor > 1)


def test_a_price_does_not_flip_to_the_same_seller_s_other_sizes() -> None:
    """Of two machines at one price for an accelerator the seller would raise both: “at 3 % more, four to a machine” is no threshold."""
    other_size = replace(offer("one", "h100-sxm5", 12.06), id="one/half", instance="half", devices=4)
    flip = flip_of(answer(spec(), *OFFERS, other_size), PRICE)
    alone = flip_of(answer(spec(), *OFFERS), PRICE)
    assert flip.threshold == pytest.approx(alone.threshold, rel=1e-3)
    assert flip.then == alone.then


def test_a_price_flips_only_if_no_region_of_the_provider_stays_cheaper() -> None:
    near, far = (
        offer("one", "h100-sxm5", 24.0),
        replace(offer("one", "h100-sxm5", 25.0), id="one/there", region="there"),
    )
    offers = (near, far, OFFERS[1])
    flip = flip_of(answer(spec(), *offers), PRICE)
    assert told(flip.then).endswith("is recommended, provided that no region of one stays cheaper")
    dear = flip.threshold * 1.01
    alone = answer(spec(), replace(near, usd_per_hour=dear), far, OFFERS[1]).recommended
    both = answer(spec(), replace(near, usd_per_hour=dear), replace(far, usd_per_hour=dear), OFFERS[1]).recommended
    assert alone is not None
    assert both is not None
    assert (alone.accelerator, both.accelerator) == ("h100-sxm5", "a100-sxm4-80")
    for other in (replace(far, usd_per_hour=dear), replace(far, option="spot", id="one/there/spot")):
        alike = flip_of(answer(spec(spot=False), near, other, OFFERS[1]), PRICE)
        assert "region" not in told(alike.then)


def test_what_is_bought_flips_at_its_use_and_at_the_price_of_a_server() -> None:
    """A plan that buys said what renting costs, and not what would have to happen for it to win."""
    wanted = replace(long_spec(), utilisation=1.0)
    found = answer(wanted)
    assert found.recommended is not None
    assert found.recommended.kind == "on_prem"
    use, price = flip_of(found, "utilisation"), flip_of(found, "price_per_server")
    assert use.threshold < use.now
    assert price.threshold > price.now
    for factor, same in ((1.01, True), (0.99, False)):
        again = leader(replace(wanted, utilisation=use.threshold * factor))
        assert (again == found.recommended.id) is same
    for factor, same in ((0.99, True), (1.01, False)):
        by = price.threshold * factor / price.now
        server = replace(
            SYSTEM, price_low_usd=SYSTEM.price_low_usd * by, price_high_usd=SYSTEM.price_high_usd * by
        )  # with as wide a band: an agreed price has none
        best = recommend(wanted, replace(market(*OFFERS), systems=(server,))).recommended
        assert best is not None
        assert (best.id == found.recommended.id) is same


def test_what_is_rented_flips_at_the_use_from_which_buying_wins() -> None:
    # Over 36 months it flips at 97 %, where the range of the use ends at the whole and a hundredth of it decides no cost.
    wanted = replace(long_spec(), utilisation=0.05, horizon_months=60.0)
    found = answer(wanted)
    assert found.recommended is not None
    assert found.recommended.kind == "cloud"
    use = flip_of(found, "utilisation")
    assert use.threshold > use.now
    assert "(bought) is recommended" in told(use.then)
    kinds = [answer(replace(wanted, utilisation=use.threshold * factor)).recommended for factor in (0.99, 1.01)]
    assert [best.kind if best else "" for best in kinds] == ["cloud", "on_prem"]
