"""How sure it is that replicas carry their peak and keep their promises: what they can serve, and what is asked of them.

A stack that is slower than thought is slower in all that it does: load and promises are taken to hold in the same draws, so
each is kept as surely as both are to be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device
from engine.kinds.service.work import ServingWork
from engine.odds.serving import log_sigma, surely


def load_sigma(device: Device, work: ServingWork, assume: Assumptions) -> float:
    """Standard deviation of ln(what replicas can serve ÷ what is asked of them) on hardware of that kind."""
    return math.hypot(size_sigma(device, work), assume["serving.demand_band"])


def size_sigma(device: Device, work: ServingWork) -> float:
    """Standard deviation of ln(measured ÷ predicted) throughput of that model on hardware of that kind."""
    return log_sigma(device, "throughput" if work.language else "sample", moe=work.arch.moe is not None)


@dataclass(frozen=True, kw_only=True)
class Shares:
    """Of each promise, how much a plan may use up."""

    ttft: float
    tpot: float


def shares_of(device: Device, work: ServingWork, assume: Assumptions) -> Shares:
    """What leaves room for other requests, and for the errors of what is predicted on hardware of that kind."""
    moe, most = work.arch.moe is not None, assume["serving.slo_margin"]
    tail, pace = ("ttft_tail", "tpot") if work.language else ("sample", "sample")
    return Shares(
        ttft=min(most, 1.0 / surely(log_sigma(device, tail, moe=moe), work.kept)),
        tpot=min(most, 1.0 / surely(log_sigma(device, pace, moe=moe), work.kept)),
    )


def carried(device: Device, work: ServingWork, assume: Assumptions) -> float:
    """What replicas must be able to serve at most, for each request of the peak; 1 of a batch, which has a deadline."""
    return 1.0 if work.batch is not None else max(surely(load_sigma(device, work, assume), work.sure), 1.0)


def given(rate: float, most: float, carry: float) -> float:
    """The rate that a replica is given of that it may be given, where it could carry so much at most. How surely it keeps a
    promise at that rate is in the rate."""
    return min(rate, most / carry)


T = TypeVar("T")


def of_each(devices: Iterable[Device], value: Callable[[Device], T]) -> list[T]:
    """That value for each of those, worked out once for a device: there are thousands of candidates and some fifty devices."""
    known: dict[str, T] = {}
    found = []
    for device in devices:
        if device.slug not in known:
            known[device.slug] = value(device)
        found.append(known[device.slug])
    return found
