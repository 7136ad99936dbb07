"""Owned and bought hardware: what the team says of it, what stands around the work, and the use that a service makes."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from engine.answer import CostModel, Estimate, Option, Recommendation
from engine.context import OWN_LOAD, Context
from engine.defaults import assumptions_for
from engine.entry import recommend
from engine.inputs.hardware import Holding
from engine.inputs.origin import SET_IN_PLAN
from engine.inputs.spec import Owned, Serving, Spec
from engine.money.cash import payments
from engine.money.cost import amount_of, draw, drivers, owned, total_of
from engine.money.own_around import Around
from tests.engine.devices import LLAMA_8B
from tests.engine.money_samples import ASSUME, H100, SERVER
from tests.engine.small_market import OFFERS, SYSTEM, answer, long_spec, market, spec
from tests.engine.test_onprem import purchase
from tests.told import told

HOLDING = Holding(
    slug="basement",
    name="Basement",
    device="h100-sxm5",
    count=64,
    devices_per_server=8,
    in_service="2024-01-01",
    price_paid_usd=2_400_000.0,
    book_value_usd=1_200_000.0,
    server_power_w=9_000.0,
    pue=1.2,
    usd_per_kwh=0.2,
    source="An entry of the team itself",
    date="2026-01-01",
)


BAND = Estimate(low=0.8, expected=0.8, high=0.8, unit="share")


def run_on(holding: Holding | None, around: Around = Around()) -> CostModel:  # noqa: B008 - frozen
    """A hundred hours on 16 owned accelerators."""
    return owned(
        device=H100,
        devices=16,
        hours_needed=1600.0,
        start=date(2027, 1, 1),
        assume=ASSUME,
        system=SERVER,
        holding=holding,
        around=around,
    )


def test_power_tariff_and_price_paid_come_from_the_team_by_name() -> None:
    model = run_on(HOLDING)
    assert amount_of(model, "energy") == 324.00  # 1,600 h × 1.125 kW × 0.75 × 1.2 × 0.20
    assert amount_of(model, "maintenance") == 342.47  # 1,600 h × 37,500 × 0.05 / 8,760
    said = {item.name for item in model.inputs if item.source == HOLDING.source and item.date == "2026-01-01"}
    assert said == {
        "device_kw",
        "value_per_device",
        "devices_per_server",
        "pue",
        "usd_per_kwh",
        "book_value_per_device",
    }


def test_book_depreciation_is_shown_and_not_added() -> None:
    model = run_on(HOLDING)
    # 1,200,000 / 64 = 18,750 each; 5 years less 3.0007 leave 1.9993 years
    years = 5 - (date(2027, 1, 1) - date(2024, 1, 1)).days / 365.25
    assert amount_of(model, "book_depreciation") == pytest.approx(1600 * 18_750 / (years * 8760), abs=0.01)
    parts = ("energy", "maintenance", "staff", "transit")
    assert total_of(model) == pytest.approx(sum(amount_of(model, name) for name in parts))


def test_what_a_request_sets_itself_goes_before_the_catalog() -> None:
    wanted = replace(
        spec(), owned=(Owned(accelerator="h100-sxm5", count=16),), assumptions={"onprem.usd_per_kwh": 0.31}
    )
    found = recommend(wanted, replace(market(*OFFERS), holdings=(HOLDING,)))
    option = _owned(found)
    inputs = {item.name: item for item in option.cost.model.inputs}
    assert (inputs["usd_per_kwh"].value, inputs["usd_per_kwh"].source) == (0.31, SET_IN_PLAN)
    assert (inputs["pue"].value, inputs["pue"].source) == (1.2, HOLDING.source)


def _owned(found: Recommendation) -> Option:
    return next(one for one in (found.recommended, *found.alternatives) if one is not None and one.kind == "owned")


def test_owned_and_bought_training_pays_for_its_storage_and_its_line() -> None:
    found = answer(replace(spec(), owned=(Owned(accelerator="h100-sxm5", count=16),), horizon_months=36.0))
    mine = _owned(found)
    assert mine.checkpoint is not None
    kept = next(item.value for item in mine.cost.model.inputs if item.name == "stored_gb")
    assert kept == pytest.approx(mine.checkpoint.storage_gb + 80.0)  # 20 billion tokens × 4 bytes
    assert amount_of(mine.cost.model, "storage") > 0
    longer = answer(long_spec())
    bought = next(one for one in (longer.recommended, *longer.alternatives) if one and one.kind == "on_prem")
    lines = {line.name for line in bought.cost.model.lines}
    assert {"transit", "storage_system"} <= lines
    assert amount_of(bought.cost.model, "transit") > 0


def test_the_storage_system_grows_when_the_share_does_not_hold_the_data() -> None:
    plain, full = purchase(), purchase(around=Around(stored_gb=2e6))
    assert amount_of(plain, "storage_system") == 108_000.00  # 5 % of 2,160,000
    assert amount_of(full, "storage_system") == 400_000.00  # 2,000 TB × 200
    assert amount_of(purchase(around=Around(stored_gb=1000.0)), "storage_system") == 108_000.00


SERVICE = Serving(requests_per_s=4.0, input_tokens=800, output_tokens=200, ttft_p95_ms=2000, tpot_p95_ms=100)
NIGHT = replace(SERVICE, requests_per_s=800.0, load_curve=(0.1,) * 12 + (1.0,) * 12)


def service(serving: Serving = SERVICE, **changes: object) -> Spec:
    """A service with a horizon of three years."""
    wanted = replace(spec(), workload="serving", training=None, serving=serving, horizon_months=36.0)
    return replace(wanted, constraints=replace(wanted.constraints, deadline_days=0.0), **changes)


def rented_of(found: Recommendation) -> Option:
    """The best of what is rented: where only whole machines are, it may be dearer than a server that is bought."""
    return next(one for one in (found.recommended, *found.alternatives) if one and one.kind == "cloud")


def test_a_service_on_own_hardware_pays_the_same_stack_as_a_rented_one() -> None:
    answers = answer(service(NIGHT)), answer(service(owned=(Owned(accelerator="h100-sxm5", count=16),)))
    options = [one for found in answers for one in (found.recommended, *found.alternatives) if one is not None]
    assert {one.kind for one in options} == {"cloud", "on_prem", "owned"}
    for one in options:
        assert amount_of(one.cost.model, "gateway") == 250.0 * 36
        assert amount_of(one.cost.model, "balancer") == 25.0 * 36
        assert len(one.cost.model.cash) in (36, 37)
        cash = sum(month.opex + month.capex for month in one.cost.model.cash)
        assert cash == pytest.approx(sum(payments(one.cost.model).values()), abs=0.01)
        if one.kind != "on_prem":  # of bought hardware the total holds the cost of capital, which nobody pays
            assert cash == pytest.approx(total_of(one.cost.model), abs=0.01)
        stack = {month.month for month in one.cost.model.cash if dict(month.by_line).get("gateway")}
        assert len(stack) == 36  # also while the servers are on their way


def test_a_service_is_judged_on_the_load_that_it_has_itself() -> None:
    best = rented_of(answer(service(), OFFERS[0]))
    even = best.cost.break_even
    assert even is not None
    # The hours of the service over those of the whole servers of eight that would be bought for its peak.
    owned_hours = -(-best.count // 8) * 8 * 3 * 8760
    assert even.expected_utilisation == pytest.approx(best.accelerator_hours.expected / owned_hours)
    assert "of the hours of the servers that its peak needs" in told(even.told)


def test_a_load_that_sleeps_at_night_is_judged_on_less() -> None:
    found = [answer(service(one), OFFERS[0]) for one in (NIGHT, replace(NIGHT, load_curve=()))]
    day, flat = map(rented_of, found)
    assert day.cost.break_even is not None
    assert flat.cost.break_even is not None
    assert day.cost.break_even.expected_utilisation < 0.8 * flat.cost.break_even.expected_utilisation


def test_finance_may_set_the_utilisation_and_training_takes_the_usual_one() -> None:
    best = rented_of(answer(service(utilisation=0.9), OFFERS[0]))
    assert best.cost.break_even is not None
    assert best.cost.break_even.expected_utilisation == 0.9
    assert "At 90% use" in told(best.cost.break_even.told)
    run = answer(replace(spec(), horizon_months=36.0), OFFERS[0]).recommended
    assert run is not None
    assert run.cost.break_even is not None
    assert run.cost.break_even.expected_utilisation == 0.6


def test_utilisation_has_a_band_and_says_where_it_is_from() -> None:
    wanted = service()
    context = Context(spec=wanted, arch=LLAMA_8B, market=market(*OFFERS), assume=assumptions_for(wanted))
    share, source = context.use(0.3)
    assert (share.low, share.expected, share.high) == (0.3, 0.3, 0.3), "a service carries all of its servers"
    assert source == OWN_LOAD
    usual = context.use()[0]
    assert (usual.low, usual.expected, usual.high) == (0.4, 0.6, 0.8)
    assert replace(context, spec=replace(wanted, utilisation=0.95)).use(0.3)[0].high == 1.0


def test_what_a_service_uses_of_its_own_servers_makes_it_no_cheaper() -> None:
    """It carries all of them: no other use is assumed, so none is drawn, and none moves its cost."""
    found = answer(service(NIGHT))
    best = next(one for one in (found.recommended, *found.alternatives) if one and one.kind == "on_prem")
    assert amount_of(best.cost.model, "own_share") == pytest.approx(1.0)
    used = next(item for item in best.cost.model.inputs if item.name == "utilisation")
    assert used.value < 0.9, "of its servers it uses a part"
    assert used.low == used.value == used.high
    assert not any(driver.name == "utilisation" for driver in drivers(best.cost.model))


def test_use_moves_the_cost_of_bought_hardware_in_the_draws() -> None:
    certain = purchase(hours_needed=100_000.0)
    unsure = purchase(hours_needed=100_000.0, utilisation=replace(BAND, low=0.5, high=0.95))
    spread = [draw(model, assume=ASSUME, seed=3).total.std() for model in (certain, unsure)]
    assert spread[1] > 1.5 * spread[0]


def test_the_teams_own_server_is_the_one_that_would_be_bought() -> None:
    ours = replace(SYSTEM, slug="ours", price_low_usd=400_000.0, price_high_usd=400_000.0, own=True)
    found = recommend(long_spec(), replace(market(*OFFERS), systems=(SYSTEM, ours)))
    bought = [one.on_prem for one in (found.recommended, *found.alternatives) if one and one.kind == "on_prem"]
    assert set(bought) == {"ours"}


def test_the_site_of_owned_hardware_has_a_grid() -> None:
    wanted = replace(spec(), owned=(Owned(accelerator="h100-sxm5", count=16),))
    here = replace(HOLDING, country="USA")
    found = _owned(recommend(wanted, replace(market(*OFFERS), holdings=(here,))))
    assert (found.energy.g_per_kwh, told(found.energy.grid)) == (369.0, "Grid of United States, location-based")
    unknown = _owned(recommend(wanted, replace(market(*OFFERS), holdings=(HOLDING,))))
    assert unknown.energy.g_per_kwh is None


@pytest.mark.parametrize("months", [0.0, 36.0])
def test_energy_told_of_own_hardware_is_the_energy_that_is_paid(months: float) -> None:
    """With the room's cooling, the team's own where it says so, and idle hours as far as this work carries them."""
    wanted = replace(long_spec(), owned=(Owned(accelerator="h100-sxm5", count=16),), horizon_months=months)
    found = recommend(wanted, replace(market(*OFFERS), holdings=(HOLDING,)))
    own = [one for one in (found.recommended, *found.alternatives) if one and one.kind != "cloud"]
    assert "owned" in {one.kind for one in own}
    for one in own:
        lines = {line.name: line.amount for line in one.cost.model.lines}
        rented = lines.get("rented_hours", 0.0)
        elsewhere = rented * 1.275 * 0.75 * 1.25
        assert one.energy.kwh.expected == pytest.approx(lines["kwh"] + elsewhere)
        assert one.energy.kwh.low < one.energy.kwh.expected < one.energy.kwh.high
        # Of the data centre of a provider only where one is used.
        assert ("carbon.pue" in one.energy.kwh.because) == bool(rented)
