"""Which accelerators may work together, on the real catalog."""

from __future__ import annotations

from planner.engine.hardware import Cluster
from planner.engine.spec import Constraints, Spec, Training
from planner.engine.supply import Supplies, supplies_for
from planner.market import market_from_files

SPEC = Spec(
    name="Run",
    workload="training",
    model="llama-3.1-8b",
    training=Training(tokens=1e9),
    constraints=Constraints(accelerators=("h100-sxm5",), max_accelerators=1016),
)


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
