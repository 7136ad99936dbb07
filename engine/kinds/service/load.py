"""How sure it is that replicas carry their peak and keep their promises: what they can serve, and what is asked of them.

A stack that is slower than thought is slower in all that it does: load and promises are taken to hold in the same draws, so
each is kept as surely as both are to be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device
from engine.kinds.service.drawn import drawn, p95
from engine.kinds.service.work import ServingWork
from engine.odds.serving import Floats, first_share, first_sigma, log_sigma, prefill_sigma, surely


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


@dataclass(frozen=True, kw_only=True)
class ManyShares:
    """The same of many candidates, in their order."""

    ttft: Floats
    tpot: Floats

    def __getitem__(self, row: int) -> Shares:
        return Shares(ttft=float(self.ttft[row]), tpot=float(self.tpot[row]))

    def of(self, rows: NDArray[np.intp]) -> ManyShares:
        """Those of some rows."""
        return ManyShares(ttft=self.ttft[rows], tpot=self.tpot[rows])


@dataclass(frozen=True, kw_only=True)
class Devices:
    """What thousands of candidates stand on: some fifty kinds of devices, of which each value is worked out once."""

    kinds: tuple[Device, ...]
    place: NDArray[np.intp]
    """Which of them each candidate stands on."""

    def each(self, value: Callable[[Device], float]) -> Floats:
        """That value of each candidate."""
        return np.array([value(one) for one in self.kinds], dtype=float)[self.place]


def devices_of(every: Iterable[Device]) -> Devices:
    """The device of each candidate, grouped."""
    kinds: dict[str, Device] = {}
    places: dict[str, int] = {}
    place = []
    for device in every:
        kinds.setdefault(device.slug, device)
        place.append(places.setdefault(device.slug, len(places)))
    return Devices(kinds=tuple(kinds.values()), place=np.array(place, dtype=np.intp))


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Standard deviations of the two parts of a first token: ln(measured ÷ predicted)."""

    prompt: float
    """Of the prompt alone."""
    wait: float
    """Of all else: other requests, the engine, the way to the client."""


def parts_of(device: Device, work: ServingWork, *, tokens: float) -> Parts:
    """How well both are known on hardware of that kind, of prompts of that length."""
    moe = work.arch.moe is not None
    return Parts(prompt=prefill_sigma(device, tokens, moe=moe), wait=log_sigma(device, "ttft_tail", moe=moe))


def shares_of(devices: Devices, work: ServingWork, assume: Assumptions, *, prompt_ms: Floats) -> ManyShares:
    """What leaves room for other requests, and for the errors of what is predicted on hardware of each kind. `prompt_ms`: the
    prompt alone on each of them, which is known better than a wait."""
    most = assume["serving.slo_margin"]
    paces = devices.each(lambda device: pace_share(device, work, assume))
    if not work.ttft_p95_ms:
        return ManyShares(ttft=np.full(len(paces), most), tpot=paces)
    tokens = longest_prompt(work)
    prompt = devices.each(lambda device: parts_of(device, work, tokens=tokens).prompt)
    wait = devices.each(lambda device: parts_of(device, work, tokens=tokens).wait)
    firsts = np.minimum(first_share(prompt, wait, prompt_ms / work.ttft_p95_ms, work.kept), most)
    return ManyShares(ttft=firsts, tpot=paces)


def longest_prompt(work: ServingWork) -> float:
    """Tokens that 19 of 20 prompts do not exceed, as far as they must be computed."""
    return p95(drawn(work).inputs.astype(float))


def sample_share(device: Device, work: ServingWork, assume: Assumptions) -> float:
    """The same of the promised time of a sample."""
    return min(assume["serving.slo_margin"], 1.0 / surely(log_sigma(device, "sample"), work.kept))


def pace_share(device: Device, work: ServingWork, assume: Assumptions) -> float:
    """The same of the promised pace of answers alone."""
    return min(assume["serving.slo_margin"], 1.0 / surely(_pace_sigma(device, work), work.kept))


def promise_for(device: Device, work: ServingWork, assume: Assumptions, *, first_ms: float, prompt_ms: float) -> float:
    """The least promise [ms] that a first token of that expected length keeps as surely as is asked."""
    parts = parts_of(device, work, tokens=longest_prompt(work))
    sigma = first_sigma(parts.prompt, parts.wait, prompt_ms / first_ms)
    return first_ms * max(surely(sigma, work.kept), 1.0 / assume["serving.slo_margin"])


def _pace_sigma(device: Device, work: ServingWork) -> float:
    return log_sigma(device, "tpot", moe=work.arch.moe is not None)


def carried(device: Device, work: ServingWork, assume: Assumptions) -> float:
    """What replicas must be able to serve at most, for each request of the peak; 1 of a batch, which has a deadline."""
    return 1.0 if work.batch is not None else max(surely(load_sigma(device, work, assume), work.sure), 1.0)


def given(rate: float, most: float, carry: float) -> float:
    """The rate that a replica is given of that it may be given, where it could carry so much at most. How surely it keeps a
    promise at that rate is in the rate."""
    return min(rate, most / carry)
