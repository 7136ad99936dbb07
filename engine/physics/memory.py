"""Memory of the fullest accelerator, tensor class by tensor class [byte].

Activations are counted tensor by tensor after Korthikanti et al. 2022 (arXiv 2205.05198), without dropout masks and with
grouped-query attention and gated feed-forwards; fused attention keeps no scores.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.physics.columns import Array
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
    gathered: Array
    buffers: Array
    reserve: Array

    @property
    def total(self) -> Array:
        """Their sum: what the device shows as used."""
        return sum((getattr(self, field.name) for field in fields(self)), start=np.zeros(()))

    @property
    def allocated(self) -> Array:
        """What the framework's allocator reports at its peak."""
        return self.total - self.buffers - self.reserve


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
    gathered: Array
    buffers: Array


def memory_parts(shape: Shape, spread: Spread, profile: Profile, assume: Assumptions) -> MemoryParts:
    """Memory of the first or last pipeline stage, whichever is fuller.

    Both carry one vocabulary table (and a multi-token module where there is one), so only activations differ: the first
    stage holds more micro-batches, the last one the logits.
    """
    layer, ranks = layer_bytes(shape, spread, profile, assume), rank_bytes(shape, spread, assume)
    activations, logits = _activations(shape, layer, spread, profile)
    known = ranks.weights + ranks.gradients + ranks.optimizer + activations + logits + ranks.gathered + ranks.tables
    return MemoryParts(
        weights=ranks.weights,
        gradients=ranks.gradients,
        optimizer=ranks.optimizer,
        tables=ranks.tables,
        activations=activations,
        logits=logits,
        gathered=ranks.gathered,
        buffers=ranks.buffers,
        reserve=assume["training.memory.reserve"] * known,
    )


def total_bytes(
    shape: Shape, layer: LayerBytes, ranks: RankBytes, spread: Spread, profile: Profile, assume: Assumptions
) -> Array:
    """Memory of the fullest accelerator [byte]: the sum of `memory_parts`, without taking it apart."""
    activations, logits = _activations(shape, layer, spread, profile)
    states = ranks.weights + ranks.gradients + ranks.optimizer + ranks.gathered + ranks.tables
    return (states + activations + logits) * (1.0 + assume["training.memory.reserve"]) + ranks.buffers


def layer_bytes(shape: Shape, spread: Spread, profile: Profile, assume: Assumptions) -> LayerBytes:
    """Activations of the mean layer and logits of one micro-batch."""
    whole = _layer_activations(shape, spread, profile, assume)
    boundary = 2.0 * spread.tokens * shape.hidden / np.where(spread.sequence_parallel > 0, spread.tp, 1.0)
    return LayerBytes(
        stored=boundary + spread.kept * np.maximum(whole - boundary, 0.0),
        working=np.where(spread.kept < 1.0, whole, 0.0),
        logits=spread.tokens * shape.vocab / spread.tp * assume["training.memory.logits_bytes"],
    )


def rank_bytes(shape: Shape, spread: Spread, assume: Assumptions) -> RankBytes:
    """Weights, gradients, states, gathered layers and buffers of one rank."""
    weights, gradients, optimizer = held_bytes(shape, spread)
    return RankBytes(
        weights=np.where(spread.offload > 1, 0.0, weights),
        gradients=gradients,
        optimizer=np.where(spread.offload > 0, 0.0, optimizer),
        tables=table_bytes(shape, spread, assume),
        gathered=_gathered(shape, spread, assume),
        buffers=assume["training.memory.context"] + np.where(spread.ranks > 1, assume["training.memory.buckets"], 0.0),
    )


def held_bytes(shape: Shape, spread: Spread) -> tuple[Array, Array, Array]:
    """Weights, gradients and optimizer states of one rank, wherever they lie [byte]."""
    tables = np.where((spread.pp <= 1) & (shape.tied < 1), 2.0, 1.0)
    per_stage = _per_stage(shape, spread)
    dense = (dense_layer_weights(shape) * per_stage + vocabulary_weights(shape) * tables) / spread.tp
    experts = expert_weights(shape) / shape.layers * per_stage / spread.expert_ranks
    return _states(dense, experts, spread)


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


def _activations(shape: Shape, layer: LayerBytes, spread: Spread, profile: Profile) -> tuple[Array, Array]:
    """Activations and logits of the fuller end of the pipeline."""
    stored = _per_stage(shape, spread) * layer.stored
    first, last = _in_flight(spread, profile)
    is_last = last * stored + layer.logits >= first * stored
    return np.where(is_last, last, first) * stored + layer.working, np.where(is_last, layer.logits, 0.0)


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


def _layer_activations(shape: Shape, spread: Spread, profile: Profile, assume: Assumptions) -> Array:
    """Stored by the mean layer for one micro-batch without recomputation [byte]."""
    hidden = 4.0 * shape.blocks * shape.hidden / np.where(spread.sequence_parallel > 0, spread.tp, 1.0)
    dense = (shape.dense_layers * shape.ffn + shape.moe_layers * shape.shared_width) / shape.layers
    attention = shape.attending * (4.0 * shape.heads * shape.v_dim + 4.0 * shape.kv_width)
    scan = 2.0 * shape.ssm_share * (4.0 * shape.ssm_inner + shape.ssm_extra)
    inner = (attention + scan + 2.0 * shape.matrices * dense) / spread.tp
    mixture = shape.moe_layers / shape.layers
    routed = mixture * shape.top_k * (4.0 * shape.expert_hidden + 2.0 * shape.matrices * shape.expert_ffn) / spread.tp
    scores = (
        np.where(
            profile.fused_attention > 0, 0.0, shape.heads * spread.sequence * assume["training.memory.score_bytes"]
        )
        / spread.tp
    )
    return spread.tokens * (hidden + inner + routed + scores + shape.generic_activation_bytes)
