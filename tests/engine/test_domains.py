"""Over which accelerators a scale-up fabric reaches: a part of a server is joined with nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.inputs.hardware import Cluster
from engine.kinds.service.candidates import layouts
from engine.physics.token.shape import shape_of
from tests.engine.devices import H100, LLAMA_70B, NODES
from tests.engine.serving_helpers import service

RACK = replace(H100, slug="rack", scaleup_domain=72)


def of(per_node: int, *, rack: bool, most: int = 4096) -> Cluster:
    return replace(NODES, device=RACK if rack else H100, devices_per_node=per_node, max_devices=most)


@pytest.mark.parametrize(
    ("cluster", "domain"),
    [
        (of(8, rack=False), 8),
        (of(2, rack=False), 2),
        (of(1, rack=False), 1),
        (of(16, rack=False), 16),
        (of(1, rack=True), 1),
        (of(2, rack=True), 2),
        (of(4, rack=True), 72),
        (of(72, rack=True), 72),
        (of(4, rack=True, most=32), 32),
    ],
)
def test_a_domain_joins_whole_servers_of_a_rack_and_no_parts(cluster: Cluster, domain: int) -> None:
    assert cluster.domain == domain


def test_no_replica_is_cut_by_tensors_over_machines_that_no_fabric_joins() -> None:
    """One accelerator of a rack, rented as a machine of its own, was laid out sixteen to a replica."""
    shape, work = shape_of(LLAMA_70B), service(arch=LLAMA_70B)
    widest = {rack: max(tp for tp, *_ in layouts(of(1, rack=rack), shape, work)) for rack in (False, True)}
    assert widest == {False: 1, True: 1}
    assert max(tp for tp, *_ in layouts(of(4, rack=True), shape, work)) == 16
