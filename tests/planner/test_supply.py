"""Which accelerators may work together, on the real catalog."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.context import Context
from engine.defaults import default_assumptions
from engine.inputs.agreed import with_agreed
from engine.inputs.hardware import Cluster, Market
from engine.inputs.known import Known
from engine.inputs.spec import AgreedPrice, Constraints, Owned, Spec, Training
from engine.supply import Supplies, supplies_for
from planner.market import market_from_files
from planner.request.parse import architecture_of

SPEC = Spec(
    name="Run",
    workload="training",
    model="llama-3.1-8b",
    training=Training(tokens=1e9),
    constraints=Constraints(accelerators=("h100-sxm5",), max_accelerators=1016),
)


def context(wanted: Spec, market: Market, known: Known) -> Context:
    """That request on that market, to somebody who remembers."""
    model = architecture_of(wanted)
    return Context(spec=wanted, arch=model, market=market, assume=default_assumptions(), known=known)


def cluster(found: Supplies, start: str) -> Cluster:
    """The cluster behind the first source whose id starts so."""
    supply = next(supply for supply in found.supplies if supply.id.startswith(start))
    return found.clusters[supply.cluster]


def test_a_known_network_pools_and_the_rest_stands_alone() -> None:
    found = supplies_for(SPEC, market_from_files())
    big = cluster(found, "aws/p5.48xlarge/")
    assert (big.devices_per_node, big.nic_bandwidth, big.max_devices) == (8, 50e9, 1016)
    alone = cluster(found, "lambda/gpu_8x_h100_sxm5/")
    assert (alone.nic_bandwidth, alone.max_devices) == (0.0, 8)
    assert cluster(found, "aws/p5.4xlarge/").max_devices == 1


def test_offers_at_different_prices_share_one_cluster() -> None:
    found = supplies_for(SPEC, market_from_files())
    p5 = {supply.cluster for supply in found.supplies if supply.id.startswith("aws/p5.48xlarge/")}
    assert len(p5) == 1
    assert len(found.clusters) < len(found.supplies)


@pytest.mark.parametrize(
    "other",
    [
        replace(SPEC, name="Other", objective="time", horizon_months=24.0, currency="EUR"),
        replace(SPEC, model="llama-3.1-70b", training=Training(tokens=5e12, sequence_length=4096, precision="fp8")),
        replace(SPEC, constraints=replace(SPEC.constraints, deadline_days=3.0, budget_usd=1e5)),
        replace(SPEC, assumptions={"training.hbm_share": 0.5}),
    ],
)
def test_sources_are_found_once_for_all_that_they_do_not_depend_on(other: Spec) -> None:
    market, known = market_from_files(), Known()
    first = context(SPEC, market, known).supplies
    assert context(other, market, known).supplies is first
    assert supplies_for(other, market) == first


@pytest.mark.parametrize(
    "other",
    [
        replace(SPEC, constraints=replace(SPEC.constraints, spot=not SPEC.constraints.spot)),
        replace(SPEC, constraints=replace(SPEC.constraints, residency="eu")),
        replace(SPEC, operations=replace(SPEC.operations, security=("air-gapped",))),
        replace(SPEC, owned=(Owned(accelerator="h100-sxm5", count=16),)),
        replace(SPEC, agreed=(AgreedPrice(item="aws/p5.48xlarge/us-east-1/on_demand", what="instance_hour", usd=1.0),)),
    ],
)
def test_other_limits_have_sources_of_their_own(other: Spec) -> None:
    market, known = market_from_files(), Known()
    first = context(SPEC, market, known).supplies
    agreed = with_agreed(market, other)
    assert context(other, agreed, known).supplies == supplies_for(other, agreed) != first
    assert context(SPEC, replace(market, offers=()), known).supplies.supplies != first.supplies
