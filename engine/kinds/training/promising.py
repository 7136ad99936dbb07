"""Which clusters a training run is looked at on first, while somebody types: those that the data sheets speak for.

What one accelerator computes in an hour of its price (or of its emissions) orders them, without any layout. The first
number comes of these; all the others are searched before a number is called settled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from engine.choice.patience import longest_run
from engine.context import Context
from engine.inputs.hardware import Device
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.kinds.training.flops import train_flops
from engine.kinds.training.work import OPTIMIZER_BYTES, TrainingWork, precisions, weight_bytes
from engine.money.schedule import programme_factor
from engine.physics.chip import curve_of, peak
from engine.supply import Supplies, Supply

MOST = 10
"""Clusters of the first look."""
_USED = 0.5
"""Share of its best matrix product that a whole step reaches, roughly: enough to tell who could be in time."""
_ROOM = 0.9
"""Share of the memory that states may take."""


def promising(context: Context, work: TrainingWork, supplies: Supplies, rates: Sequence[float]) -> list[int]:
    """Places of the clusters in `supplies.clusters` that could hold the work, the most promising first. `rates`: the `best_rate`
    of each cluster."""
    return list(dict.fromkeys(place for *_, place in sorted(_marks(context, work, supplies, rates))))


def _marks(
    context: Context, work: TrainingWork, supplies: Supplies, rates: Sequence[float]
) -> Iterator[tuple[bool, float, int]]:
    """For each source that could hold the model: is it too slow, what is minimised, and the place of its cluster."""
    limits = context.spec.constraints
    deadline = limits.deadline_days / programme_factor(context) if limits.deadline_days else math.inf
    longest = min(deadline, longest_run(context))
    hours = run_flops(work) / 3600.0
    bytes_each = weight_bytes(work, "bf16", context.assume["training.qlora_weight_bytes"]) + work.trained_share * (
        2.0 + OPTIMIZER_BYTES[work.optimizer]
    )
    for supply in supplies.supplies:
        cluster = supplies.clusters[supply.cluster]
        rate = rates[supply.cluster] * _USED
        size = min(cluster.poolable, limits.max_accelerators, supply.slots or math.inf)
        if not rate or supply.kind == "on_prem":
            continue
        if _state_bytes(work, bytes_each) > _ROOM * size * cluster.device.memory_bytes:
            continue
        least = hours / rate / size / 24.0
        yield least > longest, _mark(context, supply, rate, least), supply.cluster


def _state_bytes(work: TrainingWork, bytes_each: float) -> float:
    """What all accelerators together must hold [byte]; embedding tables in FP32."""
    tables = work.arch.tables.parameters if work.arch.tables else 0.0
    return bytes_each * (work.arch.parameters - tables) + 4.0 * tables


def run_flops(work: TrainingWork) -> float:
    """Model FLOPs of one run."""
    return train_flops(work, 1) * work.total / work.sequence


def best_rate(context: Context, work: TrainingWork, device: Device) -> float:
    """FLOP/s of the best matrix product of one accelerator; 0 where it cannot run the work."""
    found = precisions(work, device)
    best = context.assume[f"training.gemm_best.{curve_of(device)}"]
    return peak(device, found[0]) * best if found else 0.0


def _mark(context: Context, supply: Supply, rate: float, least_days: float) -> float:
    """What is minimised, for one FLOP and in any unit that is the same for all."""
    offer, objective = supply.offer, context.spec.objective
    if objective == "time":
        return least_days
    if objective == "carbon":
        grid = context.grid(offer, supply.holding.country if supply.holding else "")
        return supply.device.tdp_w * grid[0] / rate if grid else math.inf
    price = offer.usd_per_hour / offer.devices / rate if offer else 0.0
    if offer and offer.term_months and not context.spec.horizon_months:
        price *= max(offer.term_months * HOURS_PER_MONTH / 24.0 / max(least_days, 1e-9), 1.0)
    return price * least_days if objective == "balanced" else price
