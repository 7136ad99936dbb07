"""The space of replicas on one cluster: tensor × pipeline × expert layouts, precisions, engines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.inputs.hardware import Cluster, Device
from engine.kinds.service.work import ServingWork
from engine.physics.token.machine import cache_format, engines_for, own_format, published_on
from engine.physics.token.shape import Shape


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """One replica on one cluster."""

    cluster: Cluster
    engine: str
    precision: str
    kv_precision: str
    tp: int
    pp: int
    ep: int
    adp: int

    @property
    def devices(self) -> int:
        """Accelerators in the replica."""
        return self.tp * self.pp * self.adp


def _powers(limit: int) -> list[int]:
    return [2**i for i in range(20) if 2**i <= limit]


def layouts(cluster: Cluster, shape: Shape, work: ServingWork) -> Iterator[tuple[int, int, int, int]]:
    """(tp, pp, ep, attention ranks) that the cluster can hold."""
    most = min(cluster.max_devices, work.max_accelerators)
    tensor = min(cluster.domain, most, 16)
    deep = most if cluster.nic_bandwidth > 0 else min(cluster.domain, most)
    fixed = work.fixed
    for tp in [fixed.tp] if fixed.tp else _powers(tensor):
        for pp in [fixed.pp] if fixed.pp else [p for p in (1, 2, 4, 8) if tp * p <= deep]:
            if tp <= tensor and tp * pp <= deep and pp <= shape.layers and _count_fits(tp * pp, work):
                yield tp, pp, fixed.ep or 1, 1
    if shape.latent and not (fixed.tp or fixed.pp):
        for ranks in _powers(min(tensor, 8)):
            if ranks >= 4 and _count_fits(ranks, work):
                yield 1, 1, ranks, ranks


def _count_fits(devices: int, work: ServingWork) -> bool:
    return not work.fixed.count or work.fixed.count % devices == 0


def _precision(device: Device, engine: str, work: ServingWork) -> str:
    """The wanted format of the weights; left open it is the publisher's own, whose quality is what was accepted with the model."""
    if work.precision == "auto":
        return published_on(device, work.arch.published_format)
    return own_format(work.precision) if engine == "llama.cpp" else work.precision


def candidates(cluster: Cluster, shape: Shape, work: ServingWork) -> list[Candidate]:
    """Every replica that may be considered; empty when the wanted engine does not run on the device."""
    found = []
    for engine in engines_for(cluster.device, work.framework):
        precision = _precision(cluster.device, engine, work)
        kv = work.kv_precision if work.kv_precision != "auto" else cache_format(precision)
        found += [
            Candidate(
                cluster=cluster, engine=engine, precision=precision, kv_precision=kv, tp=tp, pp=pp, ep=ep, adp=adp
            )
            for tp, pp, ep, adp in layouts(cluster, shape, work)
        ]
    return found
