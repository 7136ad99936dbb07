"""Time of one optimizer step, taken apart: every part is seconds of the whole step and the parts add up to the total.

What a layer takes depends on few choices, and so does what the replicas exchange. A search computes both once for each
combination of just those choices (`layer_terms`, `rank_terms`) and joins them for every candidate (`total_time`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.physics.chip import Chip
from engine.physics.columns import Array
from engine.physics.compute import layer_time, logits_time, lookup_time
from engine.physics.layout import Spread
from engine.physics.network import (
    context_time,
    data_time,
    expert_time,
    message_bytes,
    message_path,
    offload_time,
    pooled_bytes,
    pooled_path,
    rank_weights,
    sequence_time,
    sharded_time,
    tensor_time,
)
from engine.physics.profile import Profile
from engine.physics.shape import Shape, dense_layer_weights, vocabulary_weights
from engine.physics.tuning import adapter_time, layer_launches, unpacking_time


@dataclass(frozen=True, kw_only=True)
class StepTime:
    """Seconds of one step, by cause."""

    gemm: Array
    attention: Array
    memory: Array
    unpack: Array
    """Quantised weights written out in 16 bits, in every pass."""
    loss: Array
    recompute: Array
    tensor: Array
    context: Array
    expert: Array
    lookup: Array
    host: Array
    bubble: Array
    imbalance: Array
    transfer: Array
    pooled: Array
    data: Array
    optimizer: Array
    jitter: Array

    @property
    def total(self) -> Array:
        """Their sum."""
        return sum((getattr(self, field.name) for field in fields(self)), start=np.zeros(()))


@dataclass(frozen=True, kw_only=True)
class LayerTerms:
    """One layer and one micro-batch on one rank, forward and backward. Free of pipeline depth and replicas."""

    length: Array
    """The mean layer [s]."""
    loss: Array
    """Logits and loss [s]."""
    message: Array
    """What a pipeline stage hands on [byte]."""
    pooled: Array
    """Rows that embedding tables hand to the samples' ranks, and their gradients back [byte]."""


@dataclass(frozen=True, kw_only=True)
class RankTerms:
    """What depends on how ranks are arranged. Free of batch, recomputation and interleaving."""

    exchange: Array
    """Exchange of gradients and weights before overlap [s]: of a step, fully sharded of a micro-batch."""
    across: Array
    """Exchange between shard groups of fully sharded data parallel [s of a step]."""
    update: Array
    """Optimizer [s]."""
    streamed: Array
    """Weights fetched from the host for one micro-batch [s]."""
    path_rate: Array
    """Of pipeline messages [byte/s]."""
    path_latency: Array
    pooled_rate: Array
    """Of the exchange of embedding rows among all ranks [byte/s]."""
    pooled_latency: Array
    jitter: Array
    """Expected excess of the slowest of all ranks over the mean."""


@dataclass(frozen=True, kw_only=True)
class StageTerms:
    """Pipeline and micro-batches of a candidate. Free of the accelerator."""

    accumulation: Array
    widest: Array
    """Layers of the widest stage."""
    lighter: Array
    """How many fewer the last stage has."""
    mean: Array
    """Layers of the mean stage."""
    excess: Array
    """Share of what the logits take beyond that which counts."""
    bubble: Array
    """Stages of one micro-batch that the pipeline idles."""
    messages: Array
    """Transfers of one micro-batch through one stage that show."""


@dataclass(frozen=True, kw_only=True)
class _Schedule:
    """What the layers of all stages and micro-batches come to [s of one step], before the framework's factor."""

    busiest: Array
    """The slowest stage over all micro-batches."""
    bubble: Array
    transfer: Array
    pooled: Array
    exchange: Array
    update: Array

    @property
    def total(self) -> Array:
        return self.busiest + self.bubble + self.transfer + self.pooled + self.exchange + self.update


def step_time(shape: Shape, spread: Spread, chip: Chip, profile: Profile, assume: Assumptions) -> StepTime:
    """One optimizer step, taken apart: the parts of the mean stage, and what the others wait for."""
    parts, host = layer_parts(shape, spread, chip, profile, assume)
    layer = layer_terms(shape, spread, chip, profile, assume)
    ranks = rank_terms(shape, spread, chip, profile, assume)
    stages = stage_terms(shape, spread, profile, assume)
    schedule = _schedule(layer, ranks, stages, spread.zero >= 3, profile)
    rounds = spread.accumulation * stages.mean * profile.factor
    mean_stage = spread.accumulation * (stages.mean * layer.length + layer.loss / spread.pp)
    whole = schedule.total * profile.factor + profile.host_step
    return StepTime(
        **{name: value * rounds for name, value in parts.items()},
        loss=spread.accumulation * layer.loss / spread.pp * profile.factor,
        host=host * rounds + profile.host_step,
        bubble=schedule.bubble * profile.factor,
        imbalance=(schedule.busiest - mean_stage) * profile.factor,
        transfer=schedule.transfer * profile.factor,
        pooled=schedule.pooled * profile.factor,
        data=schedule.exchange * profile.factor,
        optimizer=schedule.update * profile.factor,
        jitter=whole * ranks.jitter,
    )


def total_time(
    layer: LayerTerms, ranks: RankTerms, stages: StageTerms, sharded: NDArray[np.bool_], profile: Profile
) -> Array:
    """Time of one optimizer step [s]: the sum of `step_time`, without taking it apart."""
    total = _schedule(layer, ranks, stages, sharded, profile).total
    return (total * profile.factor + profile.host_step) * (1.0 + ranks.jitter)


def layer_terms(shape: Shape, spread: Spread, chip: Chip, profile: Profile, assume: Assumptions) -> LayerTerms:
    """The mean layer and the logits, for one micro-batch on one rank."""
    parts, host = layer_parts(shape, spread, chip, profile, assume)
    return LayerTerms(
        length=sum(parts.values(), start=host),
        loss=logits_time(shape, spread, chip, assume),
        message=message_bytes(shape, spread),
        pooled=pooled_bytes(shape, spread),
    )


def layer_parts(
    shape: Shape, spread: Spread, chip: Chip, profile: Profile, assume: Assumptions
) -> tuple[dict[str, Array], Array]:
    """Seconds of the mean layer by cause, and what the host needs beyond them."""
    layer = layer_time(shape, spread, chip, profile, assume)
    tensor = tensor_time(shape, spread, chip) * profile.tp_exposed
    expert = expert_time(shape, spread, chip, profile, layer.forward, assume)
    ring = np.maximum(context_time(shape, spread, chip) - assume["training.cp_hidden"] * layer.attention, 0.0)
    whole = spread.tp * spread.cp <= shape.heads  # each rank needs at least one head of its own
    exchanged = (assume["training.cp_all_to_all"] >= 0.5) & whole
    context = np.where(exchanged, sequence_time(shape, spread, chip), ring)
    unpack, adapters = unpacking_time(shape, spread, chip, assume), adapter_time(shape, spread, chip, profile)
    parts = {
        "gemm": layer.gemm * (2.0 + spread.trained),
        "attention": layer.attention + layer.attention_backward,
        "memory": layer.memory + layer.memory_backward + 2.0 * adapters,
        "unpack": (2.0 + spread.recompute) * unpack,
        "recompute": spread.recompute * (layer.forward + tensor + expert + adapters),
        "tensor": 2.0 * tensor,
        "context": 3.0 * context,
        "expert": 2.0 * expert + layer.expert_overhead,
        "lookup": lookup_time(shape, spread, chip, assume),
    }
    # Four collectives of a layer's forward and backward pass; twice as many where they gather and scatter.
    calls = np.where(spread.tp > 1, 4.0 * (1.0 + spread.sequence_parallel), 0.0)
    launches = 1.0 + assume["training.host_call"] * calls
    each = np.where(shape.generic > 0, profile.host_model, layer_launches(spread, profile, assume) * launches)
    floor = each * (1.0 + spread.recompute / 3.0)
    return parts, np.maximum(floor - sum(parts.values(), start=np.zeros(())), 0.0)


def rank_terms(shape: Shape, spread: Spread, chip: Chip, profile: Profile, assume: Assumptions) -> RankTerms:
    """Exchange, update and paths of one arrangement of ranks."""
    weights = rank_weights(shape, spread)
    sharded, across = sharded_time(shape, spread, chip, weights)
    replicated = data_time(spread, chip, profile, weights)
    held = _held(spread, weights)
    update, streamed = offload_time(spread, chip, held, weights, assume)
    kept = held * assume["training.optimizer_bytes"] / chip.memory_rate
    rate, latency = message_path(spread, chip, profile)
    pooled_rate, pooled_latency = pooled_path(shape, spread, chip)
    return RankTerms(
        exchange=np.where(spread.zero >= 3, sharded, replicated),
        across=np.where(spread.zero >= 3, across, 0.0),
        update=np.where(spread.offload > 0, update, kept),
        streamed=streamed,
        path_rate=rate,
        path_latency=latency,
        pooled_rate=pooled_rate,
        pooled_latency=pooled_latency,
        jitter=assume["training.jitter"] * np.sqrt(2.0 * np.log(np.maximum(spread.ranks, 1.0))),
    )


def stage_terms(shape: Shape, spread: Spread, profile: Profile, assume: Assumptions) -> StageTerms:
    """Layers of the stages; the last gets the spare ones, so that the logits fit beside them.

    Embedding and head count as layers where only that divides; stages that are cut by their work count the head as the
    layers that it weighs. The bubble is (p − 1)/v stages of one micro-batch
    (arXiv 2104.04473, section 2.2), times what the schedule leaves of it.
    """
    layers = shape.layers + shape.mtp
    even = (spread.pp > 1) & (np.mod(shape.layers, spread.pp) > 0) & (np.mod(shape.layers + 2.0, spread.pp) == 0)
    head = np.round(vocabulary_weights(shape) / np.maximum(dense_layer_weights(shape), 1.0))
    cut = (profile.balanced > 0) & (spread.pp > 1)
    even &= ~cut
    units = layers + np.where(cut, head, 0.0)
    widest = np.where(even, (layers + 2.0) / spread.pp, np.ceil(units / spread.pp))
    spare = np.where(spread.pp > 1, widest * spread.pp - layers, 0.0)
    most = np.where((profile.free_stages > 0) | cut, widest, 1.0)
    return StageTerms(
        accumulation=spread.accumulation,
        widest=widest,
        lighter=np.where(even, 1.0, np.minimum(spare, most)),
        mean=layers / spread.pp,
        excess=np.where(spread.pp > 1, assume["training.stage_excess"], 1.0),
        bubble=(spread.pp - 1.0) / spread.vpp * profile.bubble * widest,
        messages=np.where(spread.pp > 1, 2.0 * spread.vpp * profile.pp_exposed, 0.0),
    )


def _schedule(
    layer: LayerTerms, ranks: RankTerms, stages: StageTerms, sharded: NDArray[np.bool_], profile: Profile
) -> _Schedule:
    """All stages and micro-batches of one step."""
    excess = stages.excess * np.maximum(layer.loss - stages.lighter * layer.length, 0.0)
    message = layer.message / ranks.path_rate + ranks.path_latency
    return _Schedule(
        busiest=stages.accumulation * (stages.widest * layer.length + excess),
        bubble=stages.bubble * layer.length,
        transfer=stages.accumulation * stages.messages * message,
        pooled=stages.accumulation * (layer.pooled / ranks.pooled_rate + ranks.pooled_latency),
        exchange=_shown(ranks, stages, sharded, profile, stages.mean * layer.length)
        + stages.accumulation * ranks.streamed,
        update=ranks.update,
    )


def _shown(
    ranks: RankTerms, stages: StageTerms, sharded: NDArray[np.bool_], profile: Profile, hideable: Array
) -> Array:
    """Gradient and weight exchange of one step that compute does not hide; `hideable`: compute of one micro-batch [s]."""
    hidden = np.where(sharded, profile.fsdp_hidden, profile.dp_hidden)
    floor = np.where(sharded, profile.fsdp_floor, profile.dp_floor)
    total = ranks.exchange + ranks.across / stages.accumulation
    shown = np.maximum(total - hidden * hideable, floor * total)
    return np.where(sharded, stages.accumulation, 1.0) * shown


def _held(spread: Spread, weights: tuple[Array, Array]) -> Array:
    """Trained weights whose states this rank updates [parameter]."""
    dense, experts = weights
    shards = np.where(spread.zero > 0, spread.shards, 1.0)
    expert_shards = np.where(spread.zero > 0, spread.expert_replicas, 1.0)
    return (dense / shards + experts / expert_shards) * spread.trained
