"""Memory of the fullest accelerator, tensor class by tensor class [byte].

Beside the states stands the larger of two peaks: activations with the loss or with the layer that is computed again, and
what the optimizer step needs while no activations are held. Gradients belong to both, or to the second alone (`_alone`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.physics.activations import stored, tensors_of
from engine.physics.columns import Array
from engine.physics.holding import Holding
from engine.physics.layout import Spread
from engine.physics.profile import Profile
from engine.physics.shape import Shape, dense_layer_weights, expert_weights, vocabulary_weights


@dataclass(frozen=True, kw_only=True)
class MemoryParts:
    """Bytes on the fullest rank, by what they hold."""

    weights: Array
    gradients: Array
    optimizer: Array
    tables: Array
    activations: Array
    logits: Array
    update: Array
    """What the optimizer step needs beyond the activations that it takes the place of."""
    gathered: Array
    buffers: Array
    reserve: Array

    @property
    def total(self) -> Array:
        """Their sum: what the device shows as used."""
        return sum((getattr(self, field.name) for field in fields(self)), start=np.zeros(()))

    @property
    def allocated(self) -> Array:
        """What the framework's allocator has handed out at its peak."""
        return self.reserved - self.reserve

    @property
    def reserved(self) -> Array:
        """What the framework's allocator has taken from the device at its peak."""
        return self.total - self.buffers


@dataclass(frozen=True, kw_only=True)
class LayerBytes:
    """One layer and one micro-batch on one rank [byte]. Free of pipeline depth and replicas."""

    stored: Array
    """Kept from the forward to the backward pass."""
    working: Array
    """Needed once while a recomputed layer runs again."""
    logits: Array


@dataclass(frozen=True, kw_only=True)
class RankBytes:
    """States of one arrangement of ranks [byte]. Free of batch, recomputation and interleaving."""

    weights: Array
    gradients: Array
    optimizer: Array
    tables: Array
    """This rank's part of embedding tables and of their optimizer's state."""
    update: Array
    gathered: Array
    buffers: Array


@dataclass(frozen=True, kw_only=True)
class RankSums:
    """What a search needs of `RankBytes` [byte]: so little that it can be spread over all layouts."""

    fixed: Array
    """All that stays for the whole run, with what the allocator reserves around it."""
    gradients: Array
    update: Array


def memory_parts(shape: Shape, spread: Spread, profile: Profile, holding: Holding, assume: Assumptions) -> MemoryParts:
    """Memory of the first or last pipeline stage, whichever is fuller.

    Both carry one vocabulary table (and a multi-token module where there is one), so only activations differ: the first
    stage holds more micro-batches, the last one the logits.
    """
    layer, ranks = layer_bytes(shape, spread, holding, assume), rank_bytes(shape, spread, holding, assume)
    kept = _per_stage(shape, spread) * layer.stored
    first, last = _in_flight(spread, profile)
    # The loss is over before the first layer runs again, so only the larger of the two counts.
    ends = (last * kept + np.maximum(layer.logits, layer.working), first * kept + layer.working)
    losing = (ends[0] >= ends[1]) & (layer.logits >= layer.working)
    moving = np.maximum(*ends)
    # What is shown is what lies there at the peak: no gradients in a lone forward pass, one layer's activations at its end.
    alone, end = _alone(spread, holding), layer.stored + layer.working
    stepping = alone & (_step_bytes(layer, ranks, holding) > moving * (1.0 + holding.reserve_moving))
    gradients = np.where(alone & ~stepping, 0.0, ranks.gradients)
    moving = np.where(stepping, end, moving)
    update = np.where(alone & ~stepping, 0.0, np.maximum(ranks.update - moving, 0.0))
    logits = np.where(losing & ~stepping, layer.logits, 0.0)
    stays = _states_of(ranks) - ranks.gradients + gradients
    return MemoryParts(
        weights=ranks.weights,
        gradients=gradients,
        optimizer=ranks.optimizer,
        tables=ranks.tables,
        activations=moving - logits,
        logits=logits,
        update=update,
        gathered=ranks.gathered,
        buffers=ranks.buffers,
        reserve=holding.reserve * (stays + update) + holding.reserve_moving * moving,
    )


def rank_sums(ranks: RankBytes, holding: Holding) -> RankSums:
    """The sums of one arrangement of ranks."""
    return RankSums(
        fixed=_states_of(ranks) * (1.0 + holding.reserve) + ranks.buffers,
        gradients=ranks.gradients,
        update=ranks.update,
    )


def total_bytes(
    shape: Shape, layer: LayerBytes, ranks: RankSums, spread: Spread, profile: Profile, holding: Holding
) -> Array:
    """Memory of the fullest accelerator [byte]: the sum of `memory_parts`, without taking it apart."""
    kept = _per_stage(shape, spread) * layer.stored
    first, last = _in_flight(spread, profile)
    moving = np.maximum(last * kept + np.maximum(layer.logits, layer.working), first * kept + layer.working)
    stays, moves = 1.0 + holding.reserve, 1.0 + holding.reserve_moving
    total = ranks.fixed + moving * moves
    if np.any(holding.update > 0):
        total = total + np.maximum(ranks.update - moving, 0.0) * stays
    if not np.any(holding.frees_gradients > 0):
        return total
    apart = ranks.fixed - ranks.gradients * stays + np.maximum(_step_bytes(layer, ranks, holding), moving * moves)
    return np.where(_alone(spread, holding), apart, total)


def _step_bytes(layer: LayerBytes, ranks: RankBytes | RankSums, holding: Holding) -> Array:
    """Where a backward pass ends and the weights are updated: gradients, and the larger of one layer and the update [byte]."""
    end = layer.stored + layer.working
    updating = ranks.gradients + np.maximum(ranks.update - end, 0.0)
    return updating * (1.0 + holding.reserve) + end * (1.0 + holding.reserve_moving)


def _alone(spread: Spread, holding: Holding) -> NDArray[np.bool_]:
    """Where no gradients lie beside the activations of a forward pass: one micro-batch a step, and they are freed after it."""
    return (holding.frees_gradients > 0) & (spread.accumulation <= 1.0)


def _states_of(ranks: RankBytes) -> Array:
    return ranks.weights + ranks.gradients + ranks.optimizer + ranks.gathered + ranks.tables


def layer_bytes(shape: Shape, spread: Spread, holding: Holding, assume: Assumptions) -> LayerBytes:
    """Activations of the mean layer and logits of one micro-batch."""
    tensors = tensors_of(shape, spread, holding, assume)
    boundary = spread.element * spread.tokens * shape.hidden / np.where(spread.sequence_parallel > 0, spread.tp, 1.0)
    kept = stored(tensors, spread, boundary)
    return LayerBytes(
        stored=kept,
        working=np.where(spread.kept < 1.0, tensors.whole, np.maximum(tensors.whole - kept, 0.0)),
        logits=spread.tokens * shape.vocab / spread.tp * holding.logits,
    )


def rank_bytes(shape: Shape, spread: Spread, holding: Holding, assume: Assumptions) -> RankBytes:
    """Weights, gradients, states, gathered layers and buffers of one rank."""
    weights, gradients, optimizer = held_bytes(shape, spread)
    updated = optimizer / np.maximum(spread.optimizer_bytes, 1e-9)
    at_once = np.where(spread.zero >= 3, np.minimum(updated, holding.update_most), updated)
    return RankBytes(
        weights=np.where(spread.offload > 1, 0.0, weights),
        gradients=gradients,
        optimizer=np.where(spread.offload > 0, 0.0, optimizer),
        tables=table_bytes(shape, spread, assume),
        update=np.where(
            spread.offload > 0, 0.0, holding.update * np.minimum(spread.optimizer_bytes / 2.0, 4.0) * at_once
        ),
        gathered=_gathered(shape, spread, assume) + np.where(spread.ranks > 1, holding.buckets, 0.0),
        buffers=assume["training.memory.context"]
        + np.where(spread.ranks > 1, assume["training.memory.communicators"], 0.0),
    )


def held_bytes(shape: Shape, spread: Spread) -> tuple[Array, Array, Array]:
    """Weights, gradients and optimizer states of one rank, wherever they lie [byte].

    Vocabulary tables stay in 16 bits where the layers are quantised (Dettmers 2023, arXiv 2305.14314, section 4).
    """
    tables = np.where((spread.pp <= 1) & (shape.tied < 1), 2.0, 1.0)
    wide = spread.element / spread.weight_bytes
    layers = dense_layer_weights(shape) * _per_stage(shape, spread) / spread.tp
    vocabulary = vocabulary_weights(shape) * tables / spread.tp
    experts = expert_weights(shape) / shape.layers * _per_stage(shape, spread) / spread.expert_ranks
    inside = _states(layers, experts, spread)
    around = _states(vocabulary, np.zeros(()), spread)
    return inside[0] + wide * around[0], inside[1] + around[1], inside[2] + around[2]


def table_bytes(shape: Shape, spread: Spread, assume: Assumptions) -> Array:
    """Embedding tables and the state of their optimizer on the fullest rank [byte].

    Whole tables, blocks of rows and columns are dealt out over all ranks, as TorchRec and HugeCTR do. Rows are kept in
    FP32 beside one scalar each (row-wise AdaGrad); the update is fused into the backward pass, so no gradients are kept.
    """
    whole = 4.0 * shape.table_weights + assume["training.tables_state"] * shape.table_rows
    return whole / spread.ranks * np.where(spread.ranks > 1, assume["training.tables_imbalance"], 1.0)


def offloaded_bytes(shape: Shape, spread: Spread) -> Array:
    """What the host of one rank holds: optimizer states, and weights from the second level [byte]."""
    inside = held_bytes(shape, spread)
    return np.where(spread.offload > 0, inside[2], 0.0) + np.where(spread.offload > 1, inside[0], 0.0)


def _per_stage(shape: Shape, spread: Spread) -> Array:
    return np.ceil(shape.layers / spread.pp) + shape.mtp


def _gathered(shape: Shape, spread: Spread, assume: Assumptions) -> Array:
    """Layers that are held whole although they live elsewhere: under ZeRO-3 or with weights on the host."""
    layer = (dense_layer_weights(shape) + expert_weights(shape) / shape.layers) / spread.tp
    size = (spread.weight_bytes + spread.grad_bytes * spread.trained) * layer
    return np.where((spread.zero >= 3) | (spread.offload > 1), size * assume["training.memory.gathered_layers"], 0.0)


def _states(dense: Array, experts: Array, spread: Spread) -> tuple[Array, Array, Array]:
    """Weights, gradients and optimizer states held by one rank under its ZeRO stage."""
    everywhere, routed = spread.shards, np.where(spread.zero > 0, spread.expert_replicas, 1.0)
    held = []
    for stage, size in (
        (3, spread.weight_bytes),
        (2, spread.grad_bytes * spread.trained),
        (1, spread.optimizer_bytes * spread.trained),
    ):
        split = spread.zero >= stage
        held.append(size * (dense / np.where(split, everywhere, 1.0) + experts / np.where(split, routed, 1.0)))
    return held[0], held[1], held[2]


def _in_flight(spread: Spread, profile: Profile) -> tuple[Array, Array]:
    """Micro-batches whose activations the first and the last stage hold: p and 1 under 1F1B, more when interleaved."""
    deeper = np.where(spread.vpp > 1, (spread.pp - 1.0) / np.maximum(spread.vpp, 1.0), 0.0)
    first = np.where(profile.holds_all > 0, spread.accumulation, spread.pp + deeper)
    last = np.where(profile.holds_all > 0, spread.accumulation, 1.0 + deeper)
    return np.minimum(first, spread.accumulation), np.minimum(last, spread.accumulation)
