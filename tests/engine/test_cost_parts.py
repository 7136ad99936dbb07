"""The parts around compute: training data, spares, rental until delivery, managed service, the stack of a service."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from engine.answer import Estimate, Option
from engine.defaults import assumptions_for
from engine.entry import recommend
from engine.inputs.currency import Currency
from engine.inputs.hardware import Market, Offer
from engine.inputs.origin import told_by
from engine.inputs.spec import Constraints, Dataset, Operations, Owned, Serving, Spec
from engine.money.added import SHARES
from engine.money.arrays import round_to
from engine.money.converted import option_in
from engine.money.cost import amount_of, break_even, drivers, total_of
from engine.money.delivery import Bridge, Delivery
from engine.money.draws import Draws, probability_of_both
from engine.money.even_use import for_hours
from engine.money.expressions import cents
from engine.money.rented import DataStore, Tier
from engine.reliability.checkpoints import spare_nodes
from engine.reliability.formulas import job_hazard
from tests.engine.money_samples import ASSUME, days
from tests.engine.small_market import OFFERS, SYSTEM, answer, long_spec, market, offer, spec
from tests.engine.test_cost import serving, training
from tests.engine.test_onprem import purchase
from tests.refused import refused
from tests.told import told

STORE = DataStore(
    gb=2000.0,
    size_source="request",
    kept=Tier(name="object", usd_per_gb_month=0.023, low=0.02, high=0.03, source="test"),
    copied=Tier(name="parallel", usd_per_gb_month=0.14, low=0.03, high=0.19, source="test"),
)


def best(wanted: Spec, *offers: Offer) -> Option:
    """The recommended option."""
    found = answer(wanted, *offers).recommended
    assert found is not None
    return found


def described(dataset: Dataset | None, **changes: object) -> Spec:
    """The small run with that dataset."""
    wanted = spec(accelerators=("h100-sxm5",))
    assert wanted.training is not None
    return replace(wanted, training=replace(wanted.training, dataset=dataset, **changes))


def test_training_data_is_a_line_of_its_own() -> None:
    model = training(dataset=STORE)
    # 240 hours of work, half of 2 TB at 125 MB a second (2.22 h) and 14 days beside them.
    assert amount_of(model, "dataset") == 36.44  # 2,000 GB × 0.023 × 578.22/730
    assert amount_of(model, "fast_copy") == 92.05  # 2,000 GB × 0.14 × 240/730: while the work runs
    assert total_of(model) == round(52858.56 + 36.44 + 92.05, 2)


def test_without_a_dataset_tokens_are_counted_at_four_bytes() -> None:
    option = best(spec(accelerators=("h100-sxm5",)))
    size = next(item for item in option.cost.model.inputs if item.name == "dataset_gb")
    assert size.value == pytest.approx(80.0)  # 20 billion tokens of 4 bytes
    assert told_by(size.source, "sized.token")
    assert option.data_path is not None
    assert option.data_path.read_bandwidth == pytest.approx(4.0 * option.tokens_per_s.expected)
    assert not option.data_path.warning


def test_a_slow_tier_is_warned_about_before_accelerators_starve() -> None:
    # 1.6 PB over 20 billion tokens is 80 kB a token: what a long video costs.
    option = best(described(Dataset(bytes=1.6e15, location="nfs")))
    assert option.data_path is not None
    assert option.data_path.read_bandwidth == pytest.approx(80e3 * option.tokens_per_s.expected)
    assert option.data_path.starves
    assert option.warnings[0] == option.data_path.warning[0]
    assert "wait for data" in told(option.warnings[0])
    price = next(item for item in option.cost.model.inputs if item.name == "dataset_usd_per_gb_month")
    assert price.value == pytest.approx(0.3)
    copied = next(item for item in option.cost.model.inputs if item.name == "copy_usd_per_gb_month")
    assert copied.value == pytest.approx(0.14)  # of the parallel file system, while the work runs


def test_data_that_is_read_several_times_is_read_at_four_bytes_at_least() -> None:
    option = best(described(Dataset(bytes=8e9)))
    assert option.data_path is not None
    assert option.data_path.read_bandwidth == pytest.approx(4.0 * option.tokens_per_s.expected)


def test_spares_are_none_for_a_few_nodes_and_poisson_for_many() -> None:
    # 128 nodes × 24 h / (65,000 h / 8) = 0.378 down on average: P(0) + P(1) = 94.4 %, with P(2) 99.3 %.
    assert spare_nodes(8, 8, ASSUME) == 0
    assert spare_nodes(128, 8, ASSUME) == 2
    assert spare_nodes(128, 72, ASSUME) == 0


def test_spare_instances_are_paid_like_the_others() -> None:
    model = training(nodes=128, spares=2)
    assert amount_of(model, "spares") == pytest.approx(amount_of(model, "compute") * 2 / 128, abs=0.01)
    assert amount_of(model, "spares") == 26419.20  # 2 × 240 h × 55.04


def test_a_spare_server_is_bought_whole_where_the_share_is_less() -> None:
    assert amount_of(purchase(spare_servers=2), "spares") == 540000.00
    assert amount_of(purchase(nodes=80, devices=640, spare_servers=2), "spares") == 648000.00  # 3 % of 21.6 million


RENT = Delivery(bridge=Bridge(usd_per_hour=3.0, source="test", date="2026-01-01"))


def test_the_rental_until_delivery_is_a_line() -> None:
    model = purchase(delivery=RENT, horizon_months=60.0, hours_needed=64 * 20_000.0)
    assert amount_of(model, "lead_hours") == pytest.approx(3285.0)  # 4.5 months
    assert amount_of(model, "bridge") == 630720.00  # 3,285 h × 64 × 3.00: the work runs at its full pace


def test_a_short_horizon_is_not_bridged_beyond_its_end() -> None:
    assert amount_of(purchase(delivery=RENT, horizon_months=3.0, hours_needed=6400.0), "lead_hours") == pytest.approx(
        2190.0
    )


def test_bought_options_of_a_plan_hold_the_rental_until_delivery() -> None:
    found = answer(replace(long_spec(), utilisation=0.7))  # what nobody else uses costs the same however long it works
    bought = next(option for option in (found.recommended, *found.alternatives) if option and option.kind == "on_prem")
    inputs = {item.name: item.value for item in bought.cost.model.inputs}
    assert inputs["bridge_usd_per_hour"] == 3.0  # 24 USD for eight
    assert amount_of(bought.cost.model, "bridge") > 0
    assert {"run_hours", "goodput", "beyond_share"} <= {
        item.name for item in bought.cost.model.inputs if item.low < item.high
    }
    assert "run_hours" in [bar.name for bar in drivers(bought.cost.model)]
    worked = amount_of(bought.cost.model, "accelerator_hours")
    over = 1.0 + sum(inputs.get(name, 0.0) for name in SHARES)
    assert worked == pytest.approx(inputs["run_hours"] / inputs["goodput"] * over)
    assert worked == pytest.approx(bought.accelerator_hours.expected)
    rented, kept = (amount_of(bought.cost.model, name) for name in ("rented_hours", "owned_hours"))
    assert rented + kept == pytest.approx(worked)
    assert rented == pytest.approx(bought.count * amount_of(bought.cost.model, "lead_hours"))
    assert amount_of(bought.cost.model, "bridge") == pytest.approx(rented * 3.0, abs=0.01)


def test_nothing_is_bought_for_work_that_is_done_before_the_delivery() -> None:
    """It would all run on what is rented until then: days and money spoke of two plans."""
    short, long = (answer(wanted) for wanted in (replace(spec(), horizon_months=36.0), long_spec()))
    kinds = [{one.kind for one in (found.recommended, *found.alternatives) if one} for found in (short, long)]
    assert kinds == [{"cloud"}, {"cloud", "on_prem"}]


def test_payments_are_discounted_once() -> None:
    model = purchase()
    # Its hours are those of four years at full pace, in which it pays its share of five years of running:
    # 2,922,058.67 − (287,946.67 − 3,200.00) / 1.1⁵ + 383,694.56 × 5/48 × (1 − 1.1⁻⁴) / (1 − 1.1^(−1/12)), in months of equal length
    assert sum(year.present_value for year in model.years) == pytest.approx(4346730.54, rel=1e-4)
    assert "present_value" not in {line.name for line in model.lines}  # there were two of them in one workbook
    assert [year.year for year in model.years] == [2027, 2028, 2029, 2030, 2031, 2032]


def test_money_without_interest_is_worth_the_same_later() -> None:
    model = purchase(assume=ASSUME.override({"onprem.wacc": 0.0}))
    assert sum(year.present_value for year in model.years) == pytest.approx(total_of(model), abs=0.05)


def test_a_managed_scheduler_is_paid() -> None:
    plain = best(spec(accelerators=("h100-sxm5",)))
    managed = best(replace(spec(accelerators=("h100-sxm5",)), operations=Operations(scheduler="managed")))
    line = amount_of(managed.cost.model, "managed")
    assert line == pytest.approx(0.15 * amount_of(managed.cost.model, "compute"), abs=0.01)
    assert "managed" not in [item.name for item in plain.cost.model.lines]
    own = replace(spec(), operations=Operations(scheduler="managed"), assumptions={"cost.managed_premium": 0.2})
    assert assumptions_for(own)["cost.managed_premium"] == pytest.approx(0.2)


def test_a_service_pays_for_the_stack_around_it() -> None:
    model = serving()
    amounts = [amount_of(model, name) for name in ("balancer", "gateway", "registry", "monitoring")]
    assert amounts == [300.00, 3000.00, 1440.00, 1080.00]  # twelve months; 30 USD for each of three instances
    batch = [line.name for line in serving(interactive=False).lines]
    assert "balancer" not in batch
    assert "monitoring" in batch


def test_the_advice_names_what_the_stack_costs() -> None:
    wanted = Spec(
        name="Service",
        workload="serving",
        model="llama-3.1-8b",
        serving=Serving(requests_per_s=5.0, ttft_p95_ms=2000.0, tpot_p95_ms=100.0),
        constraints=Constraints(max_accelerators=64),
    )
    found = recommend(wanted, market(*OFFERS))
    assert found.recommended is not None
    reason = next(told(item.reason) for item in found.advice if item.rule == "serve.gateway")
    assert "USD 250 a month" in reason


@pytest.mark.parametrize(("devices", "hazard"), [(1, 0.01), (8, 0.01), (1024, 0.071), (16_384, 0.071)])
def test_the_failures_of_a_job_grow_with_it_between_two_known_ends(devices: float, hazard: float) -> None:
    assert job_hazard(devices, small=0.01, large=0.071) == pytest.approx(hazard)
    assert 0.01 < job_hazard(64, small=0.01, large=0.071) == pytest.approx(0.01 + 0.061 * 3 / 7)


def test_a_fleet_is_chosen_by_its_code_and_own_values_count_more() -> None:
    new = assumptions_for(replace(spec(), assumptions={"reliability.fleet": 1.0}))
    assert new["reliability.device_mtbf_h"] == 30_000
    mixed = {"reliability.fleet": 3.0, "reliability.job_hazard_per_h": 0.05}
    research = assumptions_for(replace(spec(), assumptions=mixed))
    assert research["reliability.device_mtbf_h"] == 82_000
    assert research["reliability.job_hazard_per_h"] == 0.05
    with refused("1 = new fleet"):
        assumptions_for(replace(spec(), assumptions={"reliability.fleet": 7.0}))


def test_both_limits_hold_together_only_in_draws_that_keep_both() -> None:
    pace = np.array([0.8, 0.9, 1.1, 1.2])
    dear = Draws(total=pace * 100, days=None, cash=pace * 100, authorised=pace * 100, pace=pace)
    assert probability_of_both(dear, 0.5, 85.0) == pytest.approx(0.25)
    assert probability_of_both(dear, 0.5, 1000.0) == pytest.approx(0.5)
    assert probability_of_both(dear, 0.5, 0.0) is None
    assert probability_of_both(dear, None, 85.0) is None


@pytest.mark.parametrize("in_time", [0.49, 0.51, 0.6, 0.62, 0.633, 0.875, 0.9])
def test_both_limits_are_no_likelier_than_one_of_them(in_time: float) -> None:
    pace = np.linspace(0.5, 1.5, 8)
    dear = Draws(total=pace * 100, days=None, cash=pace * 100, authorised=pace * 100, pace=pace)
    for budget in (40.0, 70.0, 100.0, 130.0, 160.0):
        both = probability_of_both(dear, in_time, budget)
        assert both is not None
        assert both <= min(in_time, float(np.mean(dear.cash <= budget)))


def test_a_plan_states_the_probability_of_both_limits() -> None:
    option = best(spec(budget_usd=round(best(spec(deadline_days=20.0)).cost.cash_needed * 1.5, 2), deadline_days=20.0))
    assert option.probability_of_both is not None
    assert option.probability_in_time is not None
    assert option.probability_in_budget is not None
    assert option.probability_of_both <= min(option.probability_in_time, option.probability_in_budget) + 1e-9
    assert any("and both with" in told(reason) for reason in option.reasons)


def test_speed_and_failures_are_among_the_largest_drivers() -> None:
    names = [bar.name for bar in answer(spec(accelerators=("h100-sxm5",))).drivers]
    assert {"run_hours", "goodput"} <= set(names)


def clean_market(*offers: Offer) -> Market:
    """Two countries, one with a grid of a twentieth of the other's intensity."""
    return replace(market(*offers), carbon_g_per_kwh={"USA": 369.0, "SWE": 18.0})


def test_the_clean_grid_wins_when_carbon_ranks_and_is_allowed() -> None:
    north = replace(offer("north", "h100-sxm5", 40.0), country="SWE")
    wanted = spec(accelerators=("h100-sxm5",))
    for objective, provider in (("cost", "one"), ("carbon", "north")):
        found = recommend(replace(wanted, objective=objective), clean_market(*OFFERS, north)).recommended
        assert found is not None
        assert found.offer is not None
        assert found.offer.provider == provider
    home = replace(wanted, objective="carbon", constraints=replace(wanted.constraints, residency="us"))
    found = recommend(home, clean_market(*OFFERS, north)).recommended
    assert found is not None
    assert found.offer is not None
    assert found.offer.country == "USA"


def test_break_even_speaks_the_currency_of_the_plan() -> None:
    point = break_even(
        cloud_per_accelerator_hour=6.88,
        system=SYSTEM,
        nodes=8,
        devices=64,
        utilisation=0.6,
        assume=ASSUME,
    )
    into = Currency(code="EUR", rate=0.5, date="2026-01-01")
    option = best(spec(accelerators=("h100-sxm5",)))
    said = option_in(
        replace(option, cost=replace(option.cost, break_even=point)), into, date(2026, 1, 1)
    ).cost.break_even
    assert said is not None
    assert "EUR 3.44 per accelerator-hour" in told(said.told)
    assert "USD" not in told(said.told)


@pytest.mark.parametrize("owned", [(), (Owned(accelerator="h100-sxm5", count=16),)])
def test_every_way_to_have_hardware_shows_the_plans_currency(owned: tuple[Owned, ...]) -> None:
    euros = replace(market(*OFFERS), fx_usd={"EUR": (1.25, "2026-01-01")})
    asked = replace(spec(), owned=owned, horizon_months=24.0)
    dollars = recommend(asked, euros)
    found = recommend(replace(asked, currency="EUR"), euros)
    assert found.recommended is not None
    assert dollars.recommended is not None
    for option, same in zip(
        (found.recommended, *found.alternatives), (dollars.recommended, *dollars.alternatives), strict=True
    ):
        lines = len(option.cost.model.lines)
        assert option.cost.total.currency == option.cost.model.currency == "EUR"
        assert total_of(option.cost.model) == pytest.approx(total_of(same.cost.model) * 0.8, abs=0.01 * lines)


def test_arrays_round_ties_and_negatives_as_one_amount_does() -> None:
    random = np.random.default_rng(7)
    ties = (random.integers(-(10**9), 10**9, 3000) * 2 + 1) / 200.0
    sizes = random.normal(size=3000) * 10.0 ** random.integers(-8, 13, 3000)
    edges = np.array([0.0, 1.005, -1.005, 2.675, 97.17499999999998, -0.005, 1e12, 999_999_999_999.995])
    values = np.concatenate([ties, sizes, edges])
    assert round_to(values).tolist() == [cents(float(value)) for value in values]
    assert float(round_to(-2.345)) == -2.35


def test_failures_and_speed_are_counted_once() -> None:
    """10 days from 9 to 11 with a goodput of 0.9 from 0.85 to 0.95: what is left of the band is the computing time."""
    share = Estimate(low=0.85, expected=0.9, high=0.95, unit="")
    model = training(days=days(10.0, 0.9, 1.1), goodput=share)
    hours = next(item for item in model.inputs if item.name == "run_hours")
    assert hours.value == pytest.approx(216.0)
    assert hours.high / 216.0 == pytest.approx(math.exp(math.sqrt(math.log(1.1) ** 2 - math.log(0.9 / 0.85) ** 2)))
    assert hours.low > 216.0 * 0.9


def test_a_managed_scheduler_is_not_sold_for_servers_of_ones_own() -> None:
    wanted = replace(
        spec(),
        owned=(Owned(accelerator="h100-sxm5", count=16),),
        operations=Operations(scheduler="managed"),
    )
    found = answer(wanted)
    assert found.recommended is not None
    assert found.recommended.kind == "owned"
    assert next(item.rule for item in found.advice if item.topic == "scheduler") == "ops.scheduler.managed-own"


def test_raw_text_is_tokenised_on_processors_of_its_own() -> None:
    model, without = training(dataset=replace(STORE, raw_tokens=1e12)), training(dataset=STORE)
    assert amount_of(model, "cpu_hours") == pytest.approx(1e12 / 5e5 / 3600)
    assert amount_of(model, "tokenising") == pytest.approx(25.0, abs=0.005)
    assert total_of(model) == pytest.approx(total_of(without) + 25.0)
    assert "tokenising" not in {line.name for line in without.lines}


@pytest.mark.parametrize(("raw", "code"), [(0.0, "data.unprepared"), (1.0, "data.tokenised")])
def test_what_of_making_the_data_ready_is_paid_is_said(raw: float, code: str) -> None:
    wanted = replace(spec(accelerators=("h100-sxm5",)), assumptions={"data.raw_text": raw})
    found = answer(wanted)
    assert found.recommended is not None
    assert found.recommended.offer is not None
    said = {one.code: one for piece in found.advice for one in piece.reason if one.code.startswith("data.")}
    assert code in said
    assert said.keys().isdisjoint({"data.unprepared", "data.tokenised", "data.tokenised.own"} - {code})
    assert "deduplicating" in told((said[code],))
    assert ("tokenising" in {line.name for line in found.recommended.cost.model.lines}) == (raw > 0)


def test_no_hour_of_hardware_is_dearer_for_data_that_is_kept_before_and_after_the_work() -> None:
    """A run of 44 minutes told that renting costs 57 dollars an hour, since its data are kept for two weeks."""
    plain, kept = training(), training(dataset=replace(STORE, copied=None))
    shared = amount_of(kept, "programme_hours") / amount_of(kept, "stored_hours")
    assert for_hours(kept) == pytest.approx(for_hours(plain) + shared * amount_of(kept, "dataset"), abs=0.01)
    assert amount_of(kept, "dataset") * (1.0 - shared) > 10.0
