"""Time of one optimizer step, taken apart: every part is seconds of the whole step and the parts add up to the total."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from planner.engine.assumptions import Assumptions
from planner.engine.physics.chip import Chip
from planner.engine.physics.columns import Array
from planner.engine.physics.compute import layer_time, logits_time
from planner.engine.physics.layout import Spread
from planner.engine.physics.network import (
    context_time,
    data_time,
    expert_time,
    pipeline_time,
    rank_weights,
    sharded_time,
    tensor_time,
)
from planner.engine.physics.profile import Profile
from planner.engine.physics.shape import Shape


@dataclass(frozen=True, kw_only=True)
class StepTime:
    """Seconds of one step, by cause."""

    gemm: Array
    attention: Array
    memory: Array
    loss: Array
    recompute: Array
    tensor: Array
    context: Array
    expert: Array
    host: Array
    bubble: Array
    imbalance: Array
    transfer: Array
    data: Array
    optimizer: Array
    jitter: Array

    @property
    def total(self) -> Array:
        """Their sum."""
        return sum((getattr(self, field.name) for field in fields(self)), start=np.zeros(()))


def step_time(shape: Shape, spread: Spread, chip: Chip, profile: Profile, assume: Assumptions) -> StepTime:
    """One optimizer step: 1F1B (interleaved where vpp > 1) over the stages, then exchange and update."""
    layer = layer_time(shape, spread, chip, profile, assume)
    backward = 1.0 + spread.trained
    tensor = tensor_time(shape, spread, chip) * profile.tp_exposed
    expert = expert_time(shape, spread, chip, assume)
    context = np.maximum(context_time(shape, spread, chip) - assume["training.cp_hidden"] * layer.attention, 0.0)
    again = spread.recompute * (layer.forward + tensor + expert)
    parts = {
        "gemm": layer.gemm * (1.0 + backward),
        "attention": layer.attention + layer.attention_backward,
        "memory": layer.memory + layer.memory_backward,
        "recompute": again,
        "tensor": 2.0 * tensor,
        "context": 3.0 * context,
        "expert": 2.0 * expert + layer.expert_overhead,
    }
    busy = sum(parts.values(), start=np.zeros(()))
    host = np.maximum(profile.host_layer * (1.0 + spread.recompute / 3.0) - busy, 0.0)
    slot = busy + host
    return _pipeline(parts, slot, host, shape, spread, chip, profile, assume)


def _pipeline(
    parts: dict[str, Array],
    slot: Array,
    host: Array,
    shape: Shape,
    spread: Spread,
    chip: Chip,
    profile: Profile,
    assume: Assumptions,
) -> StepTime:
    """Spread the layers over stages and micro-batches; add what the stages wait for."""
    loss = logits_time(shape, spread, chip, assume)
    layers = shape.layers + shape.mtp
    even = (spread.pp > 1) & (np.mod(shape.layers, spread.pp) > 0) & (np.mod(shape.layers + 2.0, spread.pp) == 0)
    widest = np.where(even, (layers + 2.0) / spread.pp, np.ceil(layers / spread.pp))
    mean = layers / spread.pp
    last = np.where(even, widest - 1.0, widest) * slot + loss
    stage = widest * slot
    busiest = np.where(
        spread.pp > 1, stage + assume["training.stage_excess"] * np.maximum(last - stage, 0.0), stage + loss
    )
    waiting = spread.accumulation * busiest - spread.accumulation * (mean * slot + loss / spread.pp)
    bubble = (spread.pp - 1.0) / spread.vpp * stage
    transfer = spread.accumulation * pipeline_time(shape, spread, chip, profile)
    hideable = mean * slot
    exchange = np.where(
        spread.zero >= 3,
        spread.accumulation * sharded_time(shape, spread, chip, profile, hideable),
        data_time(shape, spread, chip, profile, hideable),
    )
    scale = spread.accumulation * mean * profile.factor
    factor = profile.factor
    update = _optimizer(shape, spread, chip, assume)
    known = {name: value * scale for name, value in parts.items()}
    rest = {
        "loss": spread.accumulation * loss / spread.pp * factor,
        "bubble": bubble * factor,
        "imbalance": waiting * factor,
        "transfer": transfer * factor,
        "data": exchange * factor,
        "optimizer": update * factor,
        "host": host * scale + profile.host_step,
    }
    total = sum(known.values(), start=np.zeros(())) + sum(rest.values(), start=np.zeros(()))
    jitter = total * assume["training.jitter"] * np.sqrt(2.0 * np.log(np.maximum(spread.ranks, 1.0)))
    return StepTime(**known, **rest, jitter=jitter)


def _optimizer(shape: Shape, spread: Spread, chip: Chip, assume: Assumptions) -> Array:
    """Update of the states that this rank holds."""
    dense, experts = rank_weights(shape, spread)
    shards = np.where(spread.zero > 0, spread.shards, 1.0)
    expert_shards = np.where(spread.zero > 0, spread.expert_replicas, 1.0)
    held = (dense / shards + experts / expert_shards) * spread.trained
    return held * assume["training.optimizer_bytes"] / chip.memory_rate
