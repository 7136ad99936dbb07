"""Time of the arithmetic of one layer and of the logits: matrix products, attention, memory-bound passes [s].

All times are of one micro-batch on one rank. Forward is separate from backward because recomputation repeats it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.physics.chip import Chip
from engine.physics.columns import Array
from engine.physics.layout import Spread
from engine.physics.profile import Profile
from engine.physics.shape import Shape


@dataclass(frozen=True, kw_only=True)
class LayerTime:
    """Mean layer of the model, one micro-batch, one rank [s]."""

    gemm: Array
    """Forward products of attention projections and feed-forward."""
    attention: Array
    attention_backward: Array
    memory: Array
    """Forward norms, residuals, activations, sorting of tokens."""
    memory_backward: Array
    expert_overhead: Array
    """Routing and waiting of mixture layers, forward and backward."""

    @property
    def forward(self) -> Array:
        return self.gemm + self.attention + self.memory


def layer_time(shape: Shape, spread: Spread, chip: Chip, profile: Profile, assume: Assumptions) -> LayerTime:
    """Time of the mean layer."""
    attention = _attention(shape, spread, chip, profile, assume)
    memory = _elementwise(shape, spread, chip, profile, assume)
    mixture = shape.moe_layers / shape.layers
    waiting = _generic_waiting(shape, spread, chip, assume)
    return LayerTime(
        gemm=_dense_gemm(shape, spread, chip, assume)
        + mixture * _expert_gemm(shape, spread, chip, profile, assume)
        + _generic(shape, spread, chip, assume),
        attention=attention,
        attention_backward=attention
        * np.where(profile.fused_attention > 0, assume["training.attention_backward"], 2.0),
        memory=memory + waiting,
        memory_backward=memory * assume["training.elementwise_backward"] + 2.0 * waiting,
        expert_overhead=mixture * profile.moe_sync * np.where(spread.dropped > 0, 0.5, 1.0),
    )


def logits_time(shape: Shape, spread: Spread, chip: Chip, assume: Assumptions) -> Array:
    """Forward and backward of the output projection and the loss, multi-token prediction included."""
    heads = 1.0 + shape.mtp
    local = spread.tokens * shape.vocab / spread.tp
    product = 3.0 * 2.0 * local * shape.hidden / chip.bf16_rate
    return heads * (product + local * assume["training.loss_bytes"] / chip.memory_rate)


def _pair(width_in: Array, width_out: Array, chip: Chip, *, scaling: float | Array = 1.0) -> Array:
    """Slow-down, over the ideal time, of a product that maps `width_in` to `width_out`: start-up and part-filled tiles."""
    whole = _tiles(width_in, chip) * _tiles(width_out, chip)
    return whole * (1.0 + scaling * chip.gemm_n0 / width_out + chip.gemm_k0 / width_in)


def _tiles(width: Array, chip: Chip) -> Array:
    """Width rounded up to whole tiles, over the width; a narrower one fills part of a single tile."""
    return np.ceil(width / chip.tile) * chip.tile / width


def _dense_gemm(shape: Shape, spread: Spread, chip: Chip, assume: Assumptions) -> Array:
    """Forward products outside routed experts, averaged over layers; attention as one product in and one out."""
    per_token = 2.0 / (chip.gemm_rate * spread.tp)
    width = np.maximum(shape.attention_weights / (2.0 * np.maximum(shape.hidden, 1.0)), 1.0) / spread.tp
    hidden = np.maximum(shape.hidden, 1.0)
    attention = (
        shape.attending * 0.5 * shape.attention_weights * (_pair(hidden, width, chip) + _pair(width, hidden, chip))
    )
    feed_forward = (shape.dense_layers * shape.ffn + shape.moe_layers * shape.shared_width) / shape.layers
    inner = np.maximum(np.where(shape.dense_layers > 0, shape.ffn, shape.shared_width), 1.0) / spread.tp
    into = (shape.matrices - 1.0) * _pair(hidden, np.maximum((shape.matrices - 1.0) * inner, 1.0), chip)
    block = hidden * feed_forward * (into + _pair(inner, hidden, chip))
    tokens = spread.tokens + assume["training.gemm_m0.dense"]
    return tokens * per_token * (attention + _hybrid(shape, spread, chip) + np.where(shape.generic > 0, 0.0, block))


def _hybrid(shape: Shape, spread: Spread, chip: Chip) -> Array:
    """Projections of state-space blocks and into latent experts: weights times slow-down, averaged over the layers."""
    hidden = np.maximum(shape.hidden, 1.0)
    out = np.maximum(shape.ssm_inner, 1.0) / spread.tp
    into = np.maximum(2.0 * shape.ssm_inner + shape.ssm_extra, 1.0) / spread.tp
    weights = shape.ssm_share * hidden * spread.tp
    ssm = weights * (into * _pair(hidden, into, chip) + out * _pair(out, hidden, chip))
    latent = np.maximum(shape.latent, 1.0)
    experts = shape.moe_layers / shape.layers * hidden * shape.latent
    return ssm + experts * (_pair(hidden, latent, chip) + _pair(latent, hidden, chip))


def _expert_gemm(shape: Shape, spread: Spread, chip: Chip, profile: Profile, assume: Assumptions) -> Array:
    """Forward products of routed experts of one mixture layer: many small products side by side."""
    routed = spread.tokens * shape.top_k / spread.tp
    per_expert = np.maximum(routed * spread.expert_ranks / np.maximum(shape.experts, 1.0), 1e-3)
    inner = np.maximum(shape.expert_ffn, 1.0) / np.where(spread.ep > 1, 1.0, spread.tp)
    few = 1.0 + assume["training.gemm_m0.expert"] / per_expert
    hidden = np.maximum(shape.expert_hidden, 1.0)
    scaling = np.where(chip.block_scaled > 0, profile.grouped_n0, 1.0)
    into = (shape.matrices - 1.0) * _pair(hidden, (shape.matrices - 1.0) * inner, chip, scaling=scaling)
    work = (
        2.0
        * routed
        * hidden
        * shape.expert_ffn
        * (into + _pair(inner, hidden, chip, scaling=scaling))
        * profile.grouped
    )
    sort = routed * hidden * assume["training.moe_permute"] / chip.memory_rate
    return (work * few / chip.gemm_rate + sort / 3.0) * assume["training.moe_imbalance"]


def _generic(shape: Shape, spread: Spread, chip: Chip, assume: Assumptions) -> Array:
    """Forward of a model that is given by its work per sample; a small micro-batch does not fill the accelerator."""
    return shape.generic * (spread.tokens * shape.generic_flops + assume["training.generic_fill"]) / chip.generic_rate


def _generic_waiting(shape: Shape, spread: Spread, chip: Chip, assume: Assumptions) -> Array:
    """What the forward pass of such a model waits for memory beyond its arithmetic [s]: convolutions, normalisation and
    activations of small channels move more than they compute. The tables of a recommender count by themselves."""
    wide = spread.element / 2.0
    bytes_each = shape.generic_activation_bytes * assume["training.generic_passes"] / 3.0 * wide
    moved = spread.tokens * bytes_each / chip.memory_rate
    arithmetic = spread.tokens * shape.generic_flops / chip.generic_rate
    return np.where((shape.generic > 0) & (shape.pooled <= 0), np.maximum(moved - arithmetic, 0.0), 0.0)


def lookup_time(shape: Shape, spread: Spread, chip: Chip, assume: Assumptions) -> Array:
    """Rows read in the forward pass, read and written again in the fused update, on the busiest rank [s].

    A rank holds 1/n of the tables and looks up for the samples of all n ranks: as many rows as its own samples need.
    """
    moved = 4.0 * spread.tokens * shape.looked_up * assume["training.tables_passes"]
    return moved * assume["training.tables_imbalance"] / (chip.memory_rate * assume["training.tables_rate"])


def _attention(shape: Shape, spread: Spread, chip: Chip, profile: Profile, assume: Assumptions) -> Array:
    """Forward of the attention core. Fused kernels skip the masked half; unfused ones move every score to memory."""
    heads = shape.attending * shape.heads * spread.tokens / spread.tp
    width = shape.qk_dim + shape.v_dim
    fused = (
        2.0
        * heads
        * _span(shape, spread, profile, assume)
        * width
        / _attention_rate(shape, spread, chip, profile, assume)
    )
    misaligned = np.where(np.mod(shape.qk_dim, 8.0) > 0, assume["training.attention_misaligned"], 1.0)
    moved = heads * spread.sequence * assume["training.attention_unfused_bytes"] / chip.memory_rate
    unfused = 2.0 * heads * spread.sequence * width / (0.5 * chip.bf16_rate) * misaligned + moved
    return np.where(profile.fused_attention > 0, fused, unfused)


def _span(shape: Shape, spread: Spread, profile: Profile, assume: Assumptions) -> Array:
    """Keys that the kernel works through for one query, averaged over layers; a window is rounded up to whole tiles, or every key is
    worked through where the window is a mask."""
    causal = spread.sequence * shape.causal
    tiles = np.minimum(shape.window + assume["training.attention_tile"], causal)
    masked = np.where(shape.window < spread.sequence, spread.sequence, causal)
    window = np.where(profile.masks_window > 0, masked, tiles)
    return (1.0 - shape.window_share) * causal + shape.window_share * window


def _attention_rate(shape: Shape, spread: Spread, chip: Chip, profile: Profile, assume: Assumptions) -> Array:
    """FLOP/s of the fused kernel of that time at that head width and length; context parallel kernels see parts of it.

    In FP32 and TF32 its products take as long as other products do there, and softmax and the filling of the kernel what they take
    in 16 bits: a share of the slower peak would count these as many times longer as the products are.
    """
    rate = np.where(
        profile.old_attention > 1,
        chip.attention_first,
        np.where(profile.old_attention > 0, chip.attention_old, chip.attention_rate),
    )
    d0 = np.where(profile.old_attention > 0, assume["training.attention_d0_old"], chip.attention_d0)
    narrow = 1.0 + d0 * (1.0 / np.maximum(shape.v_dim, 1.0) - 1.0 / 128.0)
    sixteen = rate / (narrow * (1.0 + chip.attention_s0 * spread.cp / spread.sequence))
    beside = np.maximum(1.0 / sixteen - 1.0 / chip.sixteen_rate, 0.0)
    wide = np.maximum(chip.wide_rate, 1.0)
    return np.where(chip.wide_rate > 0, wide / (1.0 + wide * beside), sixteen)


def _elementwise(shape: Shape, spread: Spread, chip: Chip, profile: Profile, assume: Assumptions) -> Array:
    """Forward norms (8 bytes an element), residual adds (12) and activations, by tensors read and written."""
    hidden = 10.0 * shape.blocks * shape.hidden / np.where(spread.sequence_parallel > 0, spread.tp, 1.0)
    feed_forward = (
        shape.dense_layers * shape.ffn + shape.moe_layers * (shape.shared_width + shape.top_k * shape.expert_ffn)
    ) / shape.layers
    attention = 4.0 * shape.attending * shape.heads * shape.qk_dim
    scan = 2.0 * assume["training.ssm_passes"] * shape.ssm_share * (2.0 * shape.ssm_inner + shape.ssm_extra)
    inner = (2.0 * shape.matrices * feed_forward + attention + scan) / spread.tp
    return profile.elementwise * spread.element / 2.0 * spread.tokens * (hidden + inner) / chip.memory_rate
