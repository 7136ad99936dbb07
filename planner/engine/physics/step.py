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


@dataclass(frozen=True, kw_only=True)
class _Slot:
    """One layer and one micro-batch on one rank [s], forward and backward."""

    parts: dict[str, Array]
    host: Array
    """What the host needs beyond the accelerator's time."""
    length: Array


@dataclass(frozen=True, kw_only=True)
class _Schedule:
    """What the layers of all stages and micro-batches come to [s of one step], before the framework's factor."""

    busiest: Array
    """The slowest stage over all micro-batches."""
    mean: Array
    """Layers of one stage."""
    loss: Array
    bubble: Array
    transfer: Array
    exchange: Array
    update: Array

    @property
    def total(self) -> Array:
        return self.busiest + self.bubble + self.transfer + self.exchange + self.update


def step_total(shape: Shape, spread: Spread, chip: Chip, profile: Profile, assume: Assumptions) -> Array:
    """Time of one optimizer step [s]: the sum of `step_time`, without taking it apart."""
    slot = _slot(shape, spread, chip, profile, assume)
    schedule = _schedule(slot.length, shape, spread, chip, profile, assume)
    return (schedule.total * profile.factor + profile.host_step) * (1.0 + _jitter(spread, assume))


def step_time(shape: Shape, spread: Spread, chip: Chip, profile: Profile, assume: Assumptions) -> StepTime:
    """One optimizer step, taken apart: the parts of the mean stage, and what the others wait for."""
    slot = _slot(shape, spread, chip, profile, assume)
    schedule = _schedule(slot.length, shape, spread, chip, profile, assume)
    rounds = spread.accumulation * schedule.mean * profile.factor
    mean_stage = spread.accumulation * (schedule.mean * slot.length + schedule.loss / spread.pp)
    whole = schedule.total * profile.factor + profile.host_step
    return StepTime(
        **{name: value * rounds for name, value in slot.parts.items()},
        loss=spread.accumulation * schedule.loss / spread.pp * profile.factor,
        host=slot.host * rounds + profile.host_step,
        bubble=schedule.bubble * profile.factor,
        imbalance=(schedule.busiest - mean_stage) * profile.factor,
        transfer=schedule.transfer * profile.factor,
        data=schedule.exchange * profile.factor,
        optimizer=schedule.update * profile.factor,
        jitter=whole * _jitter(spread, assume),
    )


def _slot(shape: Shape, spread: Spread, chip: Chip, profile: Profile, assume: Assumptions) -> _Slot:
    """The mean layer: arithmetic, what is computed again, communication that shows, waiting for the host."""
    layer = layer_time(shape, spread, chip, profile, assume)
    tensor = tensor_time(shape, spread, chip) * profile.tp_exposed
    expert = expert_time(shape, spread, chip, profile, layer.forward, assume)
    context = np.maximum(context_time(shape, spread, chip) - assume["training.cp_hidden"] * layer.attention, 0.0)
    parts = {
        "gemm": layer.gemm * (2.0 + spread.trained),
        "attention": layer.attention + layer.attention_backward,
        "memory": layer.memory + layer.memory_backward,
        "recompute": spread.recompute * (layer.forward + tensor + expert),
        "tensor": 2.0 * tensor,
        "context": 3.0 * context,
        "expert": 2.0 * expert + layer.expert_overhead,
    }
    busy = sum(parts.values(), start=np.zeros(()))
    floor = profile.host_layer * (1.0 + spread.recompute / 3.0)
    return _Slot(parts=parts, host=np.maximum(floor - busy, 0.0), length=np.maximum(busy, floor))


def _schedule(
    slot: Array, shape: Shape, spread: Spread, chip: Chip, profile: Profile, assume: Assumptions
) -> _Schedule:
    """Stages and micro-batches: 1F1B, interleaved where vpp > 1; embedding and head count as layers where that divides."""
    loss = logits_time(shape, spread, chip, assume)
    layers = shape.layers + shape.mtp
    even = (spread.pp > 1) & (np.mod(shape.layers, spread.pp) > 0) & (np.mod(shape.layers + 2.0, spread.pp) == 0)
    widest = np.where(even, (layers + 2.0) / spread.pp, np.ceil(layers / spread.pp))
    stage = widest * slot
    spare = np.where(spread.pp > 1, widest * spread.pp - layers, 0.0)
    lighter = np.where(even, 1.0, np.minimum(spare, np.where(profile.free_stages > 0, widest, 1.0)))
    excess = np.maximum(loss - lighter * slot, 0.0)
    counts = np.where(spread.pp > 1, assume["training.stage_excess"], 1.0)
    mean = layers / spread.pp
    return _Schedule(
        busiest=spread.accumulation * (stage + counts * excess),
        mean=mean,
        loss=loss,
        bubble=(spread.pp - 1.0) / spread.vpp * stage,
        transfer=spread.accumulation * pipeline_time(shape, spread, chip, profile),
        exchange=_exchange(shape, spread, chip, profile, mean * slot),
        update=_optimizer(shape, spread, chip, assume),
    )


def _exchange(shape: Shape, spread: Spread, chip: Chip, profile: Profile, hideable: Array) -> Array:
    """Gradient and weight exchange of one step that shows, by ZeRO stage."""
    if spread.zero.ndim:
        sharded = spread.accumulation * sharded_time(shape, spread, chip, profile, hideable)
        return np.where(spread.zero >= 3, sharded, data_time(shape, spread, chip, profile, hideable))
    if spread.zero >= 3:
        return spread.accumulation * sharded_time(shape, spread, chip, profile, hideable)
    return data_time(shape, spread, chip, profile, hideable)


def _jitter(spread: Spread, assume: Assumptions) -> Array:
    """Expected excess of the slowest of all ranks over the mean."""
    return assume["training.jitter"] * np.sqrt(2.0 * np.log(np.maximum(spread.ranks, 1.0)))


def _optimizer(shape: Shape, spread: Spread, chip: Chip, assume: Assumptions) -> Array:
    """Update of the states that this rank holds."""
    dense, experts = rank_weights(shape, spread)
    shards = np.where(spread.zero > 0, spread.shards, 1.0)
    expert_shards = np.where(spread.zero > 0, spread.expert_replicas, 1.0)
    held = (dense / shards + experts / expert_shards) * spread.trained
    return held * assume["training.optimizer_bytes"] / chip.memory_rate
