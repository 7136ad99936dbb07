"""Schedulers by name: what each costs, whose instances it places on, what it cannot reach, and what is advised."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.answer import Option, Recommendation
from engine.entry import recommend
from engine.inputs.finding import Typed
from engine.inputs.hardware import Market, Offer
from engine.inputs.origin import origin
from engine.inputs.schedulers import MANAGED, QUEUES, SERVICES
from engine.inputs.spec import Operations, Owned, Scheduler, Spec, SpecError
from tests.engine.small_market import long_spec, market, offer
from tests.engine.small_market import spec as run
from tests.told import told

SELLERS = {name: service.provider for name, service in SERVICES.items()}


def on(provider: str, usd: float) -> Offer:
    return offer(provider, "h100-sxm5", usd)


CLOUDS = market(on("aws", 30.0), on("gcp", 28.0), on("azure", 29.0), on("small", 20.0))


def asked(scheduler: Scheduler, base: Spec | None = None) -> Spec:
    return replace(base or run(), operations=Operations(scheduler=scheduler))


def best(spec: Spec, on_market: Market = CLOUDS) -> tuple[Recommendation, Option]:
    found = recommend(spec, on_market)
    assert found.recommended is not None
    return found, found.recommended


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_places_on_its_own_providers_instances_at_its_surcharge(name: Scheduler) -> None:
    found, option = best(asked(name))
    assert option.offer is not None
    assert option.offer.provider == SELLERS[name]
    assert {other.offer.provider for other in found.alternatives if other.offer} <= {SELLERS[name]}
    left = next(one for one in found.rejected if one.code == "scheduler")
    assert left.count == len(CLOUDS.offers) - 1
    premium = next((item for item in option.cost.model.inputs if item.name == "managed_premium"), None)
    lines = {line.name: line.amount for line in option.cost.model.lines}
    service = SERVICES[name]
    if service.share:
        assert premium is not None
        assert (premium.value, premium.low, premium.high) == (service.share, service.low, service.high)
        assert premium.source == origin("asked.managed", which=Typed(name), source=service.source)
        assert lines["managed"] == pytest.approx(lines["compute"] * service.share, abs=0.02)
    else:
        assert not lines.get("managed")
    rule = next(item for item in found.advice if item.topic == "scheduler")
    assert rule.rule == f"ops.scheduler.{name}"
    assert f"{service.share:.0%}" in told(rule.reason)
    assert "air gap" in told(rule.reason)


@pytest.mark.parametrize("name", sorted(QUEUES))
def test_a_queue_on_kubernetes_costs_nothing_and_forbids_nothing(name: Scheduler) -> None:
    found, option = best(asked(name))
    _, free = best(run())
    assert option.cost.total == free.cost.total
    assert option.offer == free.offer
    rule = next(item for item in found.advice if item.topic == "scheduler")
    assert rule.rule == f"ops.scheduler.{name}"
    assert "o licence and no surcharge" in told(rule.reason)


def test_a_stated_surcharge_counts_instead_of_the_listed_one() -> None:
    stated = replace(asked("sagemaker"), assumptions={"cost.managed_service_share": 0.05})
    _, option = best(stated)
    assert next(item.value for item in option.cost.model.inputs if item.name == "managed_premium") == 0.05


@pytest.mark.parametrize("name", ["sagemaker", "vertex"])
def test_hardware_of_ones_own_is_out_of_its_reach(name: Scheduler) -> None:
    own = replace(run(), owned=(Owned(accelerator="h100-sxm5", count=64),))
    _, free = best(own)
    assert free.kind == "owned"
    found, option = best(asked(name, own))
    assert option.kind == "cloud"
    assert any(one.code == "scheduler_own" for one in found.rejected)
    for spec, kinds in ((long_spec(), {"cloud", "on_prem"}), (asked(name, long_spec()), {"cloud"})):
        found, option = best(spec)
        assert {one.kind for one in (option, *found.alternatives)} == kinds


def test_azure_ml_reaches_hardware_of_ones_own_through_arc() -> None:
    own = replace(run(), owned=(Owned(accelerator="h100-sxm5", count=64),))
    found, option = best(asked("azure-ml", own))
    assert option.kind == "owned"
    assert "Azure Arc" in told(next(item for item in found.advice if item.topic == "scheduler").reason)


@pytest.mark.parametrize("name", SERVICES)
def test_an_air_gap_and_another_provider_stand_against_a_service(name: Scheduler) -> None:
    gapped = replace(asked(name), operations=Operations(scheduler=name, security=("air-gapped",)))
    with pytest.raises(SpecError) as refused:
        recommend(gapped, CLOUDS)
    assert [fault.code for fault in refused.value.faults] == ["conflict.air_gapped"]
    elsewhere = replace(asked(name), constraints=replace(run().constraints, providers=("small",)))
    with pytest.raises(SpecError) as refused:
        recommend(elsewhere, CLOUDS)
    assert [fault.code for fault in refused.value.faults] == ["conflict.providers"]
    both = replace(asked(name), constraints=replace(run().constraints, providers=("small", SELLERS[name])))
    offered = best(both)[1].offer
    assert offered is not None
    assert offered.provider == SELLERS[name]


def test_each_name_is_of_one_kind() -> None:
    assert not MANAGED & QUEUES
    assert set(SERVICES) < MANAGED
