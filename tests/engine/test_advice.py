"""Advice: the rule fires where it should, and its reason carries the numbers of the option."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from engine.answer import BreakEven, Option
from engine.choice.advice import advise, software_fit
from engine.defaults import assumptions_for
from engine.inputs.finding import finding
from engine.inputs.hardware import Runtime
from engine.inputs.spec import BatchJob, Constraints, Operations, Serving, Spec, Training
from tests.engine.money_samples import H100
from tests.plans import stored
from tests.told import told


def planned(name: str) -> Option:
    """What the engine recommends there."""
    best = stored(name).recommendation.recommended
    assert best
    assert best.offer
    return best


TRAINING = replace(planned("training"), count=64, nodes=8)
SERVING = planned("serving")
RENT = TRAINING.offer
assert RENT


def training_spec(**changes: Any) -> Spec:
    """A training workload, changed."""
    plain: dict[str, Any] = {
        "name": "t",
        "workload": "training",
        "model": "llama-3.1-70b",
        "training": Training(tokens=15e9),
    }
    return Spec(**{**plain, **changes})


def serving_spec(serving: Serving, **changes: Any) -> Spec:
    """A serving workload."""
    return Spec(name="s", workload="serving", model="qwen3-32b", serving=serving, **changes)


@dataclass(frozen=True)
class Said:
    """One piece of advice as a reader gets it."""

    topic: str
    choice: str
    reason: str


def rules(spec: Spec, option: Option) -> dict[str, Said]:
    """The advice by rule."""
    return {
        item.rule: Said(item.topic, told(item.choice), told(item.reason))
        for item in advise(spec, option, device=H100, assume=assumptions_for(spec))
    }


def with_point(utilisation: float | None) -> Option:
    """The training option with that break-even."""
    point = BreakEven(
        utilisation=utilisation,
        hours=None,
        months=None,
        cloud_per_accelerator_hour=3.0,
        told=(finding("break_even.no_horizon"),),
        expected_utilisation=0.6,
    )
    return replace(TRAINING, cost=replace(TRAINING.cost, break_even=point))


def test_a_large_training_gets_slurm_and_says_how_large_it_is() -> None:
    found = rules(training_spec(), TRAINING)["ops.scheduler.slurm-large-training"]
    assert found.choice == "Slurm"
    assert "64 accelerators" in found.reason


@pytest.mark.parametrize(
    ("nodes", "rule"), [(1, "ops.scheduler.single-node"), (2, "ops.scheduler.kubernetes-small-training")]
)
def test_the_scheduler_follows_the_size(nodes: int, rule: str) -> None:
    assert rule in rules(training_spec(), replace(TRAINING, nodes=nodes))


def test_what_was_asked_for_is_respected() -> None:
    asked = training_spec(operations=Operations(scheduler="kubernetes"))
    assert rules(asked, TRAINING)["ops.scheduler.as-asked"].choice == "Kubernetes"
    vendor = training_spec(operations=Operations(operator="vendor"))
    assert "ops.scheduler.managed" in rules(vendor, TRAINING)


def test_the_checkpoint_rule_says_minutes_steps_and_storage() -> None:
    found = rules(training_spec(), TRAINING)["train.checkpoint.cadence"]
    assert TRAINING.checkpoint is not None
    assert f"{TRAINING.checkpoint.interval_steps:,} steps" in found.choice
    assert "GB" in found.reason


def test_spot_is_used_where_it_is_cheapest_and_explained_where_not() -> None:
    spot = replace(TRAINING, offer=replace(RENT, option="spot"))
    found = rules(training_spec(), spot)
    assert "train.spot.use" in found
    assert "source.spot" in found
    assert "train.spot.avoid" in rules(training_spec(), TRAINING)
    refused = training_spec(constraints=Constraints(spot=False))
    assert "train.spot.avoid" not in rules(refused, TRAINING)


def test_precision_says_why() -> None:
    assert "loss scaling" in rules(training_spec(), replace(TRAINING, precision="fp16"))["train.precision.fp16"].reason
    assert "range" in rules(training_spec(), replace(TRAINING, precision="bf16"))["train.precision.bf16"].reason


@pytest.mark.parametrize(
    ("horizon", "pays", "choice"),
    [
        (0.0, None, "Rent"),
        (36.0, False, "Rent"),
        (36.0, True, "Rent now, and ask for a quote of servers"),
    ],
)
def test_rent_or_buy_has_one_verdict_and_it_is_that_of_the_recommendation(
    horizon: float, pays: bool | None, choice: str
) -> None:
    """Four rows told a reader to rent, to own the base load, to commit to the night and that owning pays."""
    spec = training_spec(horizon_months=horizon, utilisation=0.6)
    rented = with_point(0.3)
    assert rented.cost.break_even is not None
    rented = replace(rented, cost=replace(rented.cost, break_even=replace(rented.cost.break_even, owning_pays=pays)))
    assert [row.choice for row in rules(spec, rented).values() if row.topic == "rent_or_buy"] == [choice]
    bought = replace(rented, kind="on_prem", offer=None)
    found = [row.choice for row in rules(spec, bought).values() if row.topic == "rent_or_buy"]
    assert len(found) == 1
    assert found[0].startswith("Buy")
    assert not [row for row in rules(spec, bought).values() if row.topic == "how_to_rent"]


def test_security_rules_each_get_an_answer_even_unknown_ones() -> None:
    spec = training_spec(
        operations=Operations(security=("HIPAA", "house rule")), constraints=Constraints(residency="us")
    )
    found = rules(spec, TRAINING)
    assert {"ops.security.hipaa", "ops.security.other", "ops.security.residency", "source.regulated"} <= set(found)
    assert "house rule" in found["ops.security.other"].choice


def test_data_of_two_sites_stay_in_both() -> None:
    """Half of a fleet stood elsewhere, and the advice was to stay in the region of the other half."""
    serving, offer = SERVING.serving, SERVING.offer
    assert serving
    assert serving.standing
    assert offer
    standing = replace(serving.standing, second=replace(offer, region="west"), second_replicas=1)
    place = replace(SERVING, offer=replace(offer, region="east"), serving=replace(serving, standing=standing))
    found = rules(serving_spec(Serving(requests_per_s=40), constraints=Constraints(residency="us")), place)
    assert found["ops.security.residency-sites"].choice == "Stay in east and west"


def test_a_service_gets_the_stack_around_it() -> None:
    found = rules(serving_spec(Serving(requests_per_s=40)), SERVING)
    assert {"serve.gateway", "serve.balancer.least-requests", "serve.registry", "serve.probes"} <= set(found)
    scaled = "serve.autoscale.in-flight" in found
    assert ("an autoscaler" in found["ops.scheduler.kubernetes-serving"].reason) == scaled
    assert not [rule for rule in found if rule.startswith("train.")]


def test_a_batch_gets_a_queue_and_no_balancer() -> None:
    found = rules(serving_spec(Serving(batch=BatchJob(requests=1e6, deadline_hours=12))), SERVING)
    assert "1,000,000 requests" in found["serve.batch.queue"].reason
    assert not {"serve.balancer.least-requests", "ops.scheduler.kubernetes-serving"} & set(found)
    assert "queue" in found["ops.scheduler.kubernetes-batch"].reason


def test_three_nines_need_somebody_on_call() -> None:
    promised = Operations(availability=0.999)
    found = rules(serving_spec(Serving(requests_per_s=40), operations=promised), SERVING)
    assert "43.2 minutes of outage a month" in found["ops.on-call.needed"].reason
    staffed = replace(promised, on_call=True)
    assert "ops.on-call.needed" not in rules(serving_spec(Serving(requests_per_s=40), operations=staffed), SERVING)


def test_a_load_with_a_peak_is_scaled() -> None:
    peaked = Serving(requests_per_s=40, load_curve=(0.2,) * 18 + (1.0,) * 6)
    assert "source.variable-load" in rules(serving_spec(peaked), SERVING)
    assert "source.steady-load" in rules(serving_spec(Serving(requests_per_s=40)), SERVING)


def test_capacity_that_is_kept_is_not_told_as_a_flat_load() -> None:
    """A service whose load fell to a tenth at night was told that its load is flat, and that its capacity would stand idle."""
    peaked = Serving(requests_per_s=40, load_curve=(0.1,) * 18 + (1.0,) * 6)
    found = rules(serving_spec(peaked, operations=Operations(keep_capacity=True)), SERVING)
    assert "flat" not in found["serve.autoscale.fixed"].reason
    assert "kept at all hours" in found["source.kept-load"].reason
    assert not {"source.variable-load", "source.steady-load"} & set(found)


def test_every_piece_of_advice_has_a_reason_of_its_own() -> None:
    for found in (rules(training_spec(), TRAINING), rules(serving_spec(Serving(requests_per_s=40)), SERVING)):
        assert len(found) >= 9
        assert all(item.reason.endswith(".") and item.choice and item.topic for item in found.values())


@pytest.mark.parametrize(
    ("runtime", "framework", "custom", "method", "fits"),
    [
        ("cuda", "megatron", True, "pretrain", True),
        ("rocm", "megatron", False, "pretrain", True),
        ("rocm", "any", True, "pretrain", False),
        ("xla", "megatron", False, "pretrain", False),
        ("xla", "maxtext", False, "pretrain", True),
        ("neuron", "auto", False, "qlora", False),
        ("neuron", "auto", False, "lora", True),
        ("gaudi", "deepspeed", False, "finetune", True),
        ("metal", "auto", False, "pretrain", False),
        ("metal", "llama.cpp", False, "", True),
        ("rocm", "tensorrt-llm", False, "", False),
    ],
)
def test_software_runs_where_it_is_maintained(
    runtime: Runtime, framework: str, custom: bool, method: str, fits: bool
) -> None:
    reason = software_fit(replace(H100, runtime=runtime), framework=framework, custom_kernels=custom, method=method)
    assert (reason is None) is fits


def test_porting_is_put_in_weeks() -> None:
    reason = software_fit(replace(H100, runtime="rocm"), framework="any", custom_kernels=True)
    assert "4–12 person-weeks" in told(reason)


def test_people_are_priced_on_own_hardware_and_said_on_rented() -> None:
    rented = rules(training_spec(), TRAINING)["ops.staff.rented"]
    assert "not in the total" in rented.choice
    nodes, days = TRAINING.nodes, TRAINING.days.expected
    people = 0.5 * max(0.5, nodes / 75)
    assert f"about USD {people * 200_000 * days / 365:,.0f}" in rented.reason
    changed = rules(training_spec(assumptions={"onprem.usd_per_fte": 100_000.0}), TRAINING)["ops.staff.rented"]
    assert f"about USD {people * 100_000 * days / 365:,.0f}" in changed.reason
    own = rules(training_spec(), replace(TRAINING, kind="owned", offer=None))
    assert "ops.staff.own" in own
    assert "ops.staff.rented" not in own


@pytest.mark.parametrize("nodes", [1, 8])
@pytest.mark.parametrize(
    ("framework", "launches"), [("megatron", True), ("fsdp", True), ("maxtext", False), ("jax", False)]
)
def test_only_what_pytorch_starts_is_started_by_its_launcher(framework: str, launches: bool, nodes: int) -> None:
    option = replace(TRAINING, framework=framework, nodes=nodes)
    texts = [f"{item.choice} {item.reason}" for item in rules(training_spec(), option).values()]
    assert any("torchrun" in text for text in texts) == launches
