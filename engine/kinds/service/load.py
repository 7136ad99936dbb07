"""How sure it is that replicas carry their peak and keep their promises: what they can serve, and what is asked of them.

A stack that is slower than thought is slower in all that it does: load and promises are taken to hold in the same draws, so
each is kept as surely as both are to be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

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


def shares_of(devices: Sequence[Device], work: ServingWork, assume: Assumptions, *, prompt_ms: Floats) -> list[Shares]:
    """What leaves room for other requests, and for the errors of what is predicted on hardware of each kind. `prompt_ms`: the
    prompt alone on each of them, which is known better than a wait."""
    most = assume["serving.slo_margin"]
    paces = of_each(devices, lambda device: pace_share(device, work, assume))
    if not work.ttft_p95_ms:
        return [Shares(ttft=most, tpot=pace) for pace in paces]
    tokens = longest_prompt(work)
    parts = of_each(devices, lambda device: parts_of(device, work, tokens=tokens))
    prompt, wait = np.array([one.prompt for one in parts]), np.array([one.wait for one in parts])
    firsts = np.minimum(first_share(prompt, wait, prompt_ms / work.ttft_p95_ms, work.kept), most).tolist()
    return [Shares(ttft=first, tpot=pace) for first, pace in zip(firsts, paces, strict=True)]


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
