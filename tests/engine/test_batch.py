"""A batch is counted once, not once for each of its days: hours, energy, carbon, cost for a token, owned hardware."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from random import Random
from statistics import NormalDist
from typing import Any

import pytest

from engine.answer import Option, Recommendation
from engine.entry import recommend
from engine.inputs.known import Known
from engine.inputs.spec import BatchJob, Constraints, Operations, Owned, Serving, Spec, SpecError
from engine.kinds.service import sizing
from engine.odds.normal import P90
from tests.engine.answers import answered
from tests.engine.devices import LLAMA_8B, LLAMA_70B
from tests.engine.serving_helpers import RESNET50
from tests.engine.small_market import OFFERS, market, offer
from tests.told import told
from voice.speech import fault_text

MARKET = market(*OFFERS, offer("three", "h100-sxm5", 11.0, option="spot"))
HOURS_PER_MONTH = 730.0


def wanted(requests: float, hours: float, **changes: Any) -> Spec:
    asked = Serving(input_tokens=800, output_tokens=200, batch=BatchJob(requests=requests, deadline_hours=hours))
    limits = Constraints(max_accelerators=64)
    return replace(Spec(name="Batch", workload="serving", model="x", serving=asked, constraints=limits), **changes)


def answer(spec: Spec, model: Any = LLAMA_8B) -> Recommendation:
    return answered(replace(spec, model=model), MARKET)


def options(found: Recommendation) -> list[Option]:
    assert found.recommended is not None
    return [found.recommended, *found.alternatives]


BATCHES = [
    (wanted(1e6, 24.0), LLAMA_8B),
    (wanted(6e7, 400.0), LLAMA_8B),
    (wanted(6e7, 100.0), LLAMA_8B),
    (wanted(6e7, 400.0, owned=(Owned(accelerator="a100-sxm4-80", count=8),)), LLAMA_8B),
    (wanted(2e8, 900.0, horizon_months=36.0), LLAMA_8B),
    (wanted(5e9, 200.0), RESNET50),
]


@pytest.mark.parametrize(("spec", "model"), BATCHES)
def test_every_amount_of_a_batch_is_that_of_the_whole_batch(spec: Spec, model: Any) -> None:
    asked = spec.serving
    assert asked is not None
    assert asked.batch is not None
    for option in options(answer(spec, model)):
        hours, total = option.accelerator_hours.expected, option.cost.total.expected
        assert hours == pytest.approx(option.days.expected * 24 * option.count)
        if option.kind == "owned":
            assert option.energy.kwh.expected == _line(option, "kwh")
        else:
            assert option.energy.kwh.expected / hours == pytest.approx(_kilowatts(option), rel=0.01)
        assert option.cost.price_per_accelerator_hour == pytest.approx(total / hours)
        assert option.serving is not None
        assert option.serving.monthly is None
        tokens = (asked.input_tokens, asked.output_tokens) if model is LLAMA_8B else (1.0, 1.0)
        prices = (option.serving.price_per_million_input, option.serving.price_per_million_output)
        millions = [asked.batch.requests * each / 1e6 for each in tokens]
        paid = sum(price.expected * many for price, many in zip(prices, millions, strict=True))
        rounding = sum(0.00005 * many for many in millions)
        assert paid == pytest.approx(total, rel=0.001, abs=rounding)
        assert _compute(option) == pytest.approx(
            _instances(option) * option.days.expected * 24 * _price(option), abs=0.01
        )


def _kilowatts(option: Option) -> float:
    """Of one accelerator with its share of everything around it, the same in every option with that accelerator."""
    smallest = answer(wanted(1e5, 24.0, constraints=Constraints(accelerators=(option.accelerator,))))
    assert smallest.recommended is not None
    found = smallest.recommended.energy.kwh.expected / smallest.recommended.accelerator_hours.expected
    assert 0.3 < found < 2.0
    return found


def _line(option: Option, name: str) -> float:
    return sum(line.amount for line in option.cost.model.lines if line.name == name)


def _compute(option: Option) -> float:
    return _line(option, "compute")


def _instances(option: Option) -> float:
    return option.nodes if option.offer else 0.0


def _price(option: Option) -> float:
    return option.offer.usd_per_hour if option.offer else 0.0


def test_ten_times_the_batch_takes_ten_times_of_everything() -> None:
    """On as many accelerators, but for the minutes until they work: under two per cent of five hours."""
    same = Constraints(max_accelerators=8, accelerators=("h100-sxm5",))
    asked = [wanted(requests, hours, constraints=same) for requests, hours in ((6e6, 40.0), (6e7, 400.0))]
    small, large = (answer(spec).recommended for spec in asked)
    assert small is not None
    assert large is not None
    assert large.id == small.id
    pairs = [
        (large.accelerator_hours, small.accelerator_hours),
        (large.days, small.days),
        (large.energy.kwh, small.energy.kwh),
        (large.energy.kg_co2e, small.energy.kg_co2e),
        (large.cost.total, small.cost.total),
    ]
    for more, less in pairs:
        assert more is not None
        assert less is not None
        assert more.expected / less.expected == pytest.approx(10.0, rel=0.02)
    assert large.energy.water_l == pytest.approx(10.0 * small.energy.water_l, rel=0.02)
    assert large.energy.embodied_kg == pytest.approx(10.0 * small.energy.embodied_kg, rel=0.02)


def test_the_cheapest_batch_is_chosen_by_its_own_cost_not_by_that_of_a_month() -> None:
    found = answer(wanted(6e7, 400.0))
    costs = [option.cost.at_confidence for option in options(found)]
    assert costs[0] == min(costs)
    assert found.frontier
    for point in found.frontier:
        option = next(one for one in options(found) if one.id == point.option_id)
        assert point.days == pytest.approx(option.days.expected)
        assert point.ttft_p95_ms is None


def random_batch(seed: int) -> tuple[Spec, Any]:
    """A batch of text or of samples, small or large, on rented, owned or bought hardware, alone or within limits."""
    random = Random(seed)
    model = (LLAMA_8B, LLAMA_70B, RESNET50)[seed % 3]
    serving = Serving(
        input_tokens=random.choice([100, 2000, 30_000]),
        output_tokens=random.choice([1, 200, 4000]),
        length_spread=0.5 if model is RESNET50 else random.choice([0.0, 0.5, 1.0]),
        batch=BatchJob(requests=10 ** random.uniform(3, 7), deadline_hours=10 ** random.uniform(0, 2.5)),
    )
    limits = Constraints(
        max_accelerators=random.choice([1, 7, 64, 1000]),
        spot=random.random() < 0.5,
        accelerators=random.choice([(), ("a100-sxm4-80",)]),
    )
    owned = (Owned(accelerator="h100-sxm5", count=random.choice([3, 8])),) if random.random() < 0.3 else ()
    horizon = random.choice([0.0, 36.0])
    spec = Spec(
        name="Batch", workload="serving", model="x", serving=serving, constraints=limits, owned=owned,
        horizon_months=horizon,
    )  # fmt: skip
    return spec, model


@pytest.mark.parametrize("seed", range(30))
def test_a_later_deadline_never_makes_a_batch_dearer(seed: int) -> None:
    spec, model = random_batch(seed)
    asked = spec.serving
    assert asked is not None
    assert asked.batch is not None
    known, before = Known(), None
    for factor in (1.0, 1.3, 2.0, 4.0, 30.0, 300.0):
        hours = asked.batch.deadline_hours * factor
        later = replace(spec, serving=replace(asked, batch=replace(asked.batch, deadline_hours=hours)))
        found = recommend(replace(later, model=model), MARKET, known=known).recommended
        assert found is not None or before is None, "possible before, refused with more time"
        if found is None:
            continue
        assert found.days.expected * 24 <= hours
        # The search keeps what needs least in the mean; minutes of start-up, which are certain, make half a per cent of difference.
        assert before is None or found.cost.at_confidence <= before * 1.005 + 0.05
        before = found.cost.at_confidence


@pytest.mark.parametrize("seed", range(12))
def test_the_rough_cost_of_a_batch_ranks_as_the_exact_one(seed: int) -> None:
    spec, model = random_batch(seed)
    for option in options(answer(spec, model)) if answer(spec, model).feasible else []:
        fewer = replace(spec.constraints, max_accelerators=option.count, accelerators=(option.accelerator,))
        held = answer(replace(spec, constraints=fewer), model).recommended
        best = answer(spec, model).recommended
        assert held is not None
        assert best is not None
        assert best.cost.at_confidence <= held.cost.at_confidence + 0.05


def test_who_asks_for_the_soonest_end_of_a_batch_gets_it() -> None:
    soon, cheap = (answer(wanted(6e7, 400.0, objective=aim)).recommended for aim in ("time", "cost"))
    assert soon is not None
    assert cheap is not None
    assert soon.count == 64
    assert soon.days.expected < cheap.days.expected
    assert soon.cost.total.expected > cheap.cost.total.expected


def test_a_batch_starts_before_it_works() -> None:
    short = answer(wanted(100.0, 1.0)).recommended
    assert short is not None
    assert short.serving is not None
    assert short.days.expected * 86_400 > short.serving.autoscale.warmup_s


def test_uneven_answers_keep_a_batch_longer_than_even_ones() -> None:
    """The closed form knows the mean length only; in a full cache long answers keep others waiting."""
    even, uneven = (
        answer(
            wanted(
                1e5, 900.0, constraints=Constraints(max_accelerators=8, accelerators=("a100-sxm4-80",)),
                serving=Serving(
                    input_tokens=200, output_tokens=8000, length_spread=spread,
                    batch=BatchJob(requests=1e5, deadline_hours=900.0),
                ),
            )
        ).recommended
        for spread in (0.0, 1.5)
    )  # fmt: skip
    assert even is not None
    assert uneven is not None
    assert uneven.accelerator_hours.expected > even.accelerator_hours.expected * 1.02


def test_a_point_of_a_service_has_a_latency_and_no_days() -> None:
    spec = wanted(1.0, 1.0, serving=Serving(requests_per_s=5.0, input_tokens=800, output_tokens=200, ttft_p95_ms=900.0))
    found = answer(spec)
    assert found.frontier
    for point in found.frontier:
        option = next(one for one in options(found) if one.id == point.option_id)
        assert option.serving is not None
        assert (point.days, point.ttft_p95_ms) == (None, option.serving.ttft_ms.p95.expected)


def test_own_accelerators_work_as_long_as_the_batch_takes() -> None:
    spec = wanted(6e7, 400.0, owned=(Owned(accelerator="h100-sxm5", count=8),))
    own = next(option for option in options(answer(spec)) if option.kind == "owned")
    power = next(line.amount for line in own.cost.model.lines if line.name == "kwh")
    assert power == pytest.approx(own.energy.kwh.expected, rel=0.1)
    rented = answer(wanted(6e7, 400.0)).recommended
    assert rented is not None
    assert own.cost.total.expected < rented.cost.total.expected
    assert answer(spec).recommended == replace(own, reasons=answer(spec).recommended.reasons)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "beside",
    [{"requests_per_s": 2.0}, {"load_curve": (0.5, 1.0)}, {"ttft_p95_ms": 800.0}, {"tpot_p95_ms": 40.0}],
    ids=lambda beside: next(iter(beside)),
)
def test_what_belongs_to_a_service_is_refused_beside_a_batch(beside: dict[str, Any]) -> None:
    spec = wanted(1e6, 24.0)
    assert spec.serving is not None
    with pytest.raises(SpecError) as refused:
        answer(replace(spec, serving=replace(spec.serving, **beside)))
    (fault,) = refused.value.faults
    assert (fault.path, fault.code.split(".")[0]) == (f"serving.{next(iter(beside))}", "conflict")
    assert "beside an offline batch" in fault_text(fault)


def test_nothing_of_a_service_is_told_of_a_batch() -> None:
    found = answer(wanted(6e7, 400.0))
    assert found.recommended is not None
    model = found.recommended.cost.model
    texts = [
        told(found.recommended.reasons),
        *(told(one.label) for one in (*model.inputs, *model.lines)),
        told(found.headline),
    ]
    texts += [told((one.choice, *one.reason)) for one in found.advice]
    for text in texts:
        for word in ("peak", "promise", "of service", "one month", "over the day"):
            assert word not in text.lower(), text


@pytest.mark.parametrize(("spec", "model"), BATCHES)
def test_what_is_uncertain_of_a_batch_is_how_long_it_takes(spec: Spec, model: Any) -> None:
    """Five instances are paid, not between 3.87 and 6.46: throughput moves the hours."""
    for option in options(answer(spec, model)):
        inputs = {item.name: item for item in option.cost.model.inputs}
        length = inputs["batch_hours"]
        assert (length.unit, length.value) == ("h", pytest.approx(option.days.expected * 24))
        assert length.low == pytest.approx(option.days.low * 24)
        assert length.high == pytest.approx(option.days.high * 24)
        assert all(item.low == item.value == item.high for name, item in inputs.items() if name.startswith("instances"))


@pytest.mark.parametrize(("spec", "model"), BATCHES)
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95])
def test_a_batch_keeps_its_deadline_as_surely_as_a_run(spec: Spec, model: Any, confidence: float) -> None:
    """Not at the middle of its band, where it is late every other time."""
    asked = spec.serving
    assert asked is not None
    assert asked.batch is not None
    at_ease = answer(spec, model).recommended
    assert at_ease is not None
    hours = at_ease.days.expected * 24 * 1.1
    tight = replace(spec, serving=replace(asked, batch=replace(asked.batch, deadline_hours=hours)))
    found = answer(replace(tight, assumptions={"select.confidence": confidence}), model)
    for option in options(found) if found.feasible else []:
        chance = option.probability_in_time
        assert chance is not None
        assert option.meets_deadline
        assert chance >= confidence - 1e-9
        sigma = math.log(option.days.high / option.days.expected) / P90
        assert chance == pytest.approx(NormalDist().cdf(math.log(hours / 24 / option.days.expected) / sigma), abs=1e-6)


def test_a_refused_batch_is_offered_a_deadline_that_it_keeps() -> None:
    tight = wanted(6e7, 4.0)
    refused = answer(tight)
    assert not refused.feasible
    way = next(one for one in refused.nearest if one.field == "serving.batch.deadline_hours")
    assert tight.serving is not None
    later = BatchJob(requests=6e7, deadline_hours=way.changes[0].needed.value)
    found = answer(replace(tight, serving=replace(tight.serving, batch=later))).recommended
    assert found is not None
    assert found.probability_in_time is not None
    assert found.probability_in_time >= 0.8
    (left_out,) = (one for one in refused.rejected if one.code == "count")
    assert left_out.nearest.code == "example.late_batch"
    assert left_out.nearest.values["hours"].value > 4.0 * 3600.0


def test_both_limits_of_a_batch_are_told_in_the_same_draw() -> None:
    spec = wanted(6e7, 60.0)
    free = answer(spec).recommended
    assert free is not None
    budget = free.cost.total.expected * 1.5
    held = answer(replace(spec, constraints=replace(spec.constraints, budget_usd=budget))).recommended
    assert held is not None
    in_time, inside, both = held.probability_in_time, held.probability_in_budget, held.probability_of_both
    assert in_time is not None
    assert inside is not None
    assert both is not None
    assert in_time + inside - 1 - 1e-3 <= both <= min(in_time, inside) + 1e-3


AIR_GAPPED = Operations(security=("air-gapped",))


@pytest.mark.parametrize(
    ("changes", "hours"),
    [
        ({"horizon_months": 36.0, "operations": AIR_GAPPED}, 72.0),
        ({"owned": (Owned(accelerator="h100-sxm5", count=8, available_from=date(2026, 9, 30)),)}, 400.0),
    ],
    ids=["bought", "owned"],
)
def test_hardware_that_comes_after_the_deadline_does_no_batch(changes: dict[str, Any], hours: float) -> None:
    spec = wanted(1e6, hours, as_of=date(2026, 7, 1), **changes)
    found = answer(spec)
    assert all(option.kind == "cloud" for option in (options(found) if found.feasible else []))
    assert any(one.code == "delivery" for one in found.rejected)
    later = replace(spec, serving=replace(spec.serving, batch=BatchJob(requests=1e6, deadline_hours=9000.0)))  # type: ignore[type-var]
    held = next(option for option in options(answer(later)) if option.kind != "cloud")
    assert held.days.low > 90, "the wait is part of the time until it is done"
    assert held.days.expected * 24 * held.count > held.accelerator_hours.expected * 10
    assert held.finish is not None
    assert held.finish >= date(2026, 9, 30)


def test_owned_hardware_that_comes_later_serves_nobody_before() -> None:
    asked = Serving(requests_per_s=2.0, input_tokens=800, output_tokens=200, ttft_p95_ms=900.0)
    own = Owned(accelerator="h100-sxm5", count=8, available_from=date(2026, 9, 30))
    spec = wanted(1.0, 1.0, serving=asked, owned=(own,), as_of=date(2026, 7, 1))
    found = answer(spec)
    assert found.recommended is not None
    assert found.recommended.kind == "cloud"
    assert any(one.code == "delivery" for one in found.rejected)
    there = answer(replace(spec, start=date(2026, 10, 1))).recommended
    assert there is not None
    assert there.kind == "owned"


@pytest.mark.parametrize(("spec", "model"), BATCHES)
def test_choices_that_others_beat_are_left_out_and_no_other(
    spec: Spec, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a choice needs is told once of the choice and once of arrays of them: the same is chosen without the arrays."""
    quick = answer(spec, model)
    made = sizing.choices_from
    monkeypatch.setattr(sizing, "choices_from", lambda *args, **named: made(*args, **{**named, "beside": None}))
    assert recommend(replace(spec, model=model), MARKET) == quick
