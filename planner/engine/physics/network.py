"""Time of communication, by kind: tensor, context, expert, pipeline and data parallel [s].

A collective of `bytes` on each rank among n ranks moves (n-1)/n of them over the bus (twice for an all-reduce). Groups
are laid out tensor first, then context, data, pipeline, so that tensor parallel stays in the scale-up domain as long as
it fits. A group that leaves the domain shares the NICs of the domain with its sisters.
"""

from __future__ import annotations

import numpy as np

from planner.engine.assumptions import Assumptions
from planner.engine.physics.chip import Chip
from planner.engine.physics.columns import Array
from planner.engine.physics.layout import Spread
from planner.engine.physics.profile import Profile
from planner.engine.physics.shape import Shape, dense_layer_weights, expert_weights, vocabulary_weights


def bus_time(size: Array, ranks: Array, stride: Array, chip: Chip) -> Array:
    """All-gather or reduce-scatter of `size` bytes over `ranks` that lie `stride` apart [s]."""
    inside = np.clip(np.floor(chip.domain / stride), 1.0, ranks)
    outside = np.maximum(ranks / inside, 1.0)
    fraction = (ranks - 1.0) / np.maximum(ranks, 1.0)
    local = size * fraction / chip.link + np.where(ranks > 1, chip.link_latency, 0.0)
    wide = size * fraction / np.minimum(chip.nic * inside, chip.link) + chip.nic_latency * (outside - 1.0)
    return np.where(outside > 1.0, np.maximum(local, wide), local)


def tensor_time(shape: Shape, spread: Spread, chip: Chip) -> Array:
    """Two all-reduces (or gather/scatter pairs) of one layer's forward pass; backward takes as long."""
    size = 2.0 * spread.tokens * shape.hidden
    routed = np.where(spread.ep > 1, shape.moe_layers / shape.layers, 0.0)
    return np.where(
        spread.tp > 1, (shape.blocks - routed) * 2.0 * bus_time(size, spread.tp, np.ones_like(spread.tp), chip), 0.0
    )


def context_time(shape: Shape, spread: Spread, chip: Chip) -> Array:
    """Keys and values passed round the ring in one layer's forward pass."""
    size = 2.0 * 2.0 * spread.tokens * spread.cp * shape.attending * shape.kv_width / spread.tp
    return np.where(spread.cp > 1, bus_time(size, spread.cp, spread.tp, chip), 0.0)


def expert_time(
    shape: Shape, spread: Spread, chip: Chip, profile: Profile, hideable: Array, assume: Assumptions
) -> Array:
    """Dispatch and combine of the mean layer's forward pass: two all-to-alls, each rank through its own links.

    Copies inside the scale-up domain and through the network flow side by side, so the slower of both counts. Interleaved
    stages let the network part run behind the compute of another micro-batch; `hideable`: forward compute of the layer [s].
    """
    token = 2.0 * spread.tokens * shape.expert_hidden / spread.tp
    inside = np.clip(chip.domain, 1.0, spread.ep)
    near = token * _copies(shape, spread.ep, np.ones_like(spread.ep), profile) / chip.link + chip.link_latency
    far = token * _copies(shape, spread.ep, inside, profile) / chip.nic + chip.nic_latency
    behind = np.where(spread.vpp > 1, assume["training.ep_hidden"] * profile.once_per_rank * hideable / 2.0, 0.0)
    shown = np.where(spread.ep > inside, np.maximum(near, far - behind), near) * assume["training.ep_exposed"]
    return np.where(spread.ep > 1, 2.0 * shown * shape.moe_layers / shape.layers, 0.0)


def _copies(shape: Shape, ranks: Array, group: Array, profile: Profile) -> Array:
    """Copies of one token that leave its group of `group` ranks, where its experts lie anywhere among `ranks`.

    Sent once for each expert: k·(1 − g/n). Sent once for each group: the expected number of other groups that hold one
    of k experts drawn at random, (n/g − 1)·(1 − (1 − g/n)^k).
    """
    share = group / ranks
    every = shape.top_k * (1.0 - share)
    once = (1.0 / share - 1.0) * (1.0 - (1.0 - share) ** shape.top_k)
    return np.where(profile.once_per_rank > 0, once, every)


def pipeline_time(shape: Shape, spread: Spread, chip: Chip, profile: Profile) -> Array:
    """Transfers of one micro-batch through one stage, forward and backward, that are not hidden."""
    size = 2.0 * spread.tokens * shape.hidden / np.where(spread.sequence_parallel > 0, spread.tp, 1.0)
    near = spread.tp * spread.cp * spread.dp * 2.0 <= chip.domain
    one = size / np.where(near, chip.link, chip.nic) + np.where(near, chip.link_latency, chip.nic_latency)
    return np.where(spread.pp > 1, 2.0 * spread.vpp * one * profile.pp_exposed, 0.0)


def rank_weights(shape: Shape, spread: Spread) -> tuple[Array, Array]:
    """Weights on the fullest rank [parameter]: those outside routed experts, and routed experts."""
    per_stage = np.ceil(shape.layers / spread.pp)
    vocabulary = vocabulary_weights(shape) * np.where(spread.pp > 1, 1.0, np.where(shape.tied > 0, 1.0, 2.0))
    dense = (
        dense_layer_weights(shape) * (per_stage + np.where(spread.pp > 1, 0.0, shape.mtp)) + vocabulary
    ) / spread.tp
    experts = expert_weights(shape) / shape.layers * per_stage / spread.expert_ranks
    return dense, experts


def data_time(shape: Shape, spread: Spread, chip: Chip, profile: Profile, hideable: Array) -> Array:
    """Gradient and weight exchange of one step that shows, for ZeRO 0–2. `hideable`: compute of one micro-batch [s]."""
    dense, experts = rank_weights(shape, spread)
    element = spread.grad_bytes + 2.0
    twice = np.where(spread.zero > 0, element, 2.0 * spread.grad_bytes) * spread.trained
    whole = bus_time(dense * twice, spread.replicas, spread.tp, chip)
    part = bus_time(dense * twice, spread.shards, spread.tp, chip)
    across = np.maximum(spread.replicas / spread.shards, 1.0)
    rest = bus_time(
        2.0 * dense * spread.grad_bytes * spread.trained / spread.shards, across, spread.tp * spread.shards, chip
    )
    routed = bus_time(experts * twice, spread.expert_replicas, spread.expert_ranks, chip)
    owners = np.where(spread.zero > 0, profile.owner_call * (spread.shards - 1.0), 0.0)
    total = np.where((spread.zero > 0) & (across > 1), part + rest, whole) + routed + owners
    return np.maximum(total - profile.dp_hidden * hideable, profile.dp_floor * total)


def sharded_time(shape: Shape, spread: Spread, chip: Chip, profile: Profile, hideable: Array) -> Array:
    """Exchange of fully sharded data parallel for one micro-batch that shows [s]."""
    dense, experts = rank_weights(shape, spread)
    weights = dense + experts
    shards, stride = spread.shards, spread.tp
    gather = bus_time(2.0 * weights, shards, stride, chip) * np.where(spread.recompute > 0.9, 2.0, 2.0)
    reduce = bus_time(spread.grad_bytes * weights * spread.trained, shards, stride, chip)
    across = np.maximum(spread.replicas / shards, 1.0)
    rest = bus_time(2.0 * weights * spread.grad_bytes * spread.trained / shards, across, stride * shards, chip)
    calls = (
        shape.layers
        * 3.0
        * (chip.link_latency + chip.nic_latency * np.maximum(shards * stride / chip.domain - 1.0, 0.0))
    )
    total = gather + reduce + np.where(across > 1, rest / np.maximum(spread.accumulation, 1.0), 0.0) + calls
    return np.maximum(total - profile.fsdp_hidden * hideable, profile.fsdp_floor * total)
