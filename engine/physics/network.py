"""Time of communication, by kind: tensor, context, expert, pipeline and data parallel [s].

A collective of `bytes` on each rank among n ranks moves (n-1)/n of them over the bus (twice for an all-reduce). Groups
are laid out tensor first, then context, data, pipeline, so that tensor parallel stays in the scale-up domain as long as
it fits. A group that leaves the domain shares the NICs of the domain with its sisters.
"""

from __future__ import annotations

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.physics.chip import Chip
from engine.physics.columns import Array
from engine.physics.layout import Spread
from engine.physics.profile import Profile
from engine.physics.shape import Shape, dense_layer_weights, expert_weights, vocabulary_weights


def bus_time(size: Array, ranks: Array, stride: Array, chip: Chip) -> Array:
    """All-gather or reduce-scatter of `size` bytes over `ranks` that lie `stride` apart [s]."""
    inside = np.clip(np.floor(chip.domain / stride), 1.0, ranks)
    outside = np.maximum(ranks / inside, 1.0)
    fraction = (ranks - 1.0) / np.maximum(ranks, 1.0)
    link = local_rate(ranks * stride, chip)
    local = size * fraction / link + np.where(ranks > 1, chip.link_latency, 0.0)
    wide = size * fraction / np.minimum(chip.nic * inside, link) + ring_latency(ranks, stride, chip)
    return np.where(outside > 1.0, np.maximum(local, wide), local)


def local_rate(reach: Array, chip: Chip) -> Array:
    """Bus bandwidth of a group inside a node that reaches over so many accelerators: links that join fewer, as bridges do
    two, leave the rest of the way to the host's bus."""
    return np.where(reach > chip.joined, chip.bus, chip.link)


def ring_latency(ranks: Array, stride: Array, chip: Chip) -> Array:
    """Time of one all-gather or reduce-scatter of nothing [s]: a ring passes every other rank, and every other node."""
    inside = np.clip(np.floor(chip.domain / stride), 1.0, ranks)
    nodes = np.maximum(ranks / inside, 1.0)
    across = chip.nic_latency * (nodes - 1.0) + chip.ring_hop * (ranks - nodes)
    return np.where(nodes > 1.0, across, np.where(ranks > 1, chip.link_latency, 0.0))


def tensor_time(shape: Shape, spread: Spread, chip: Chip) -> Array:
    """Two all-reduces (or gather/scatter pairs) of one layer's forward pass; backward takes as long."""
    size = spread.element * spread.tokens * shape.hidden
    routed = np.where(spread.ep > 1, shape.moe_layers / shape.layers, 0.0)
    nodes = spread.tp / np.clip(chip.domain, 1.0, spread.tp)
    waits = np.where(nodes > 1.0, chip.tensor_wait * nodes, 0.0)
    each = bus_time(size, spread.tp, np.ones_like(spread.tp), chip) + waits
    return np.where(spread.tp > 1, (shape.blocks - routed) * 2.0 * each, 0.0)


def context_time(shape: Shape, spread: Spread, chip: Chip) -> Array:
    """Keys and values passed round the ring in one layer's forward pass."""
    size = 2.0 * spread.element * spread.tokens * spread.cp * shape.attending * shape.kv_width / spread.tp
    return np.where(spread.cp > 1, bus_time(size, spread.cp, spread.tp, chip), 0.0)


def sequence_time(shape: Shape, spread: Spread, chip: Chip) -> Array:
    """Queries, keys, values and results exchanged all-to-all in one layer's forward pass (DeepSpeed-Ulysses,
    arXiv 2309.14509 §3): instead of a ring, and in plain sight, since attention waits for it."""
    widths = shape.attending * (shape.heads * shape.v_dim + shape.kv_width)
    size = 2.0 * spread.element * spread.tokens * widths / spread.tp
    return np.where(spread.cp > 1, bus_time(size, spread.cp, spread.tp, chip), 0.0)


def expert_time(
    shape: Shape, spread: Spread, chip: Chip, profile: Profile, hideable: Array, assume: Assumptions
) -> Array:
    """Dispatch and combine of the mean layer's forward pass: two all-to-alls, each rank through its own links.

    Copies inside the scale-up domain and through the network flow side by side, so the slower of both counts. Interleaved
    stages let the network part run behind the compute of another micro-batch; `hideable`: forward compute of the layer [s].
    """
    token = spread.element * spread.tokens * shape.expert_hidden / spread.tp
    inside = np.clip(chip.domain, 1.0, spread.ep)
    # On a torus every hop takes a link away from others: the mean path is a quarter of each ring (Dally and Towles, ch. 3).
    hops = np.where(chip.torus > 0, chip.torus * spread.ep ** (1.0 / np.maximum(chip.torus, 1.0)) / 4.0, 1.0)
    rate = local_rate(spread.ep * spread.tp, chip) / np.maximum(hops, 1.0)
    near = token * _copies(shape, spread.ep, np.ones_like(spread.ep), profile) / rate + chip.link_latency
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


def pooled_bytes(shape: Shape, spread: Spread) -> Array:
    """Pooled rows of one micro-batch and their gradients, in 16 bits, for the samples of one rank [byte]."""
    return 2.0 * 2.0 * spread.tokens * shape.pooled


def pooled_path(shape: Shape, spread: Spread, chip: Chip) -> tuple[Array, Array]:
    """Rate [byte/s] and latency [s] of the two all-to-alls, each rank through its own links; the slower path counts."""
    ranks = spread.ranks
    inside = np.clip(chip.domain, 1.0, ranks)
    near, far = (inside - 1.0) / ranks / local_rate(ranks, chip), (1.0 - inside / ranks) / chip.nic
    hops = 2.0 * (chip.link_latency + np.where(ranks > inside, chip.nic_latency, 0.0))
    used = (shape.pooled > 0) & (ranks > 1)
    return 1.0 / np.maximum(np.maximum(near, far), 1e-15), np.where(used, hops, 0.0)


def message_bytes(shape: Shape, spread: Spread) -> Array:
    """What one stage hands to the next for one micro-batch [byte]."""
    return spread.element * spread.tokens * shape.hidden / np.where(spread.sequence_parallel > 0, spread.tp, 1.0)


def message_path(spread: Spread, chip: Chip, profile: Profile) -> tuple[Array, Array]:
    """Rate [byte/s] and latency [s] between neighbouring stages.

    Where nothing orders messages and tensor-parallel collectives, each waits for the other: the longer, the more ranks and
    nodes take part and the more layers a stage has.
    """
    reach = spread.tp * spread.cp * spread.dp * 2.0
    near = reach <= chip.domain
    latency = np.where(near, chip.link_latency, chip.nic_latency)
    further = np.ceil(spread.ranks / chip.domain) - 1.0
    rate = np.where(near, local_rate(reach, chip), chip.nic)
    return rate, latency + profile.pp_wait * further * spread.tp / spread.pp


def rank_weights(shape: Shape, spread: Spread) -> tuple[Array, Array]:
    """Weights on the fullest rank [parameter]: those outside routed experts, and routed experts."""
    per_stage = np.ceil(shape.layers / spread.pp)
    vocabulary = vocabulary_weights(shape) * np.where(spread.pp > 1, 1.0, np.where(shape.tied > 0, 1.0, 2.0))
    dense = (
        dense_layer_weights(shape) * (per_stage + np.where(spread.pp > 1, 0.0, shape.mtp)) + vocabulary
    ) / spread.tp
    experts = expert_weights(shape) / shape.layers * per_stage / spread.expert_ranks
    return dense, experts


def data_time(spread: Spread, chip: Chip, profile: Profile, weights: tuple[Array, Array]) -> Array:
    """Gradient and weight exchange of one step under ZeRO 0–2, before overlap [s]."""
    dense, experts = weights
    twice = np.where(spread.zero > 0, spread.grad_bytes + spread.element, 2.0 * spread.grad_bytes) * spread.trained
    whole = bus_time(dense * twice, spread.replicas, spread.tp, chip)
    part = bus_time(dense * twice, spread.shards, spread.tp, chip)
    across = np.maximum(spread.replicas / spread.shards, 1.0)
    rest = bus_time(
        2.0 * dense * spread.grad_bytes * spread.trained / spread.shards, across, spread.tp * spread.shards, chip
    )
    routed = bus_time(experts * twice, spread.expert_replicas, spread.expert_ranks, chip)
    owners = np.where(spread.zero > 0, profile.owner_call * (spread.shards - 1.0), 0.0)
    bucket = np.maximum(profile.bucket, profile.bucket_rank * spread.replicas)
    calls = dense * spread.trained / np.where(profile.bucket > 0, bucket, np.inf)
    waits = 2.0 * np.maximum(calls - 1.0, 0.0) * ring_latency(spread.replicas, spread.tp, chip)
    return np.where((spread.zero > 0) & (across > 1), part + rest, whole) + routed + owners + waits


def sharded_time(shape: Shape, spread: Spread, chip: Chip, weights: tuple[Array, Array]) -> tuple[Array, Array]:
    """Exchange of fully sharded data parallel before overlap [s]: for one micro-batch, and between shard groups for one step.

    Weights are gathered for the forward and for the backward pass, gradients reduced once; each layer is a call.
    """
    held = weights[0] + weights[1]
    shards, stride = spread.shards, spread.tp
    gather = 2.0 * bus_time(spread.weight_bytes * held, shards, stride, chip)
    reduce = bus_time(spread.grad_bytes * held * spread.trained, shards, stride, chip)
    calls = (
        shape.layers
        * 3.0
        * (chip.link_latency + np.where(shards * stride > chip.domain, ring_latency(shards, stride, chip), 0.0))
    )
    across = np.maximum(spread.replicas / shards, 1.0)
    rest = bus_time(2.0 * held * spread.grad_bytes * spread.trained / shards, across, stride * shards, chip)
    return gather + reduce + calls, np.where(across > 1, rest, 0.0)


def offload_time(
    spread: Spread, chip: Chip, held: Array, weights: tuple[Array, Array], assume: Assumptions
) -> tuple[Array, Array]:
    """Update where optimizer states live on the host [s of a step], and weights streamed from there [s of a micro-batch].

    Gradients go down and weights come back over the host bus; the host's processors update; from level 2 the states
    pass through its drives and the weights stay with the host too (ZeRO-Offload, arXiv 2101.06840; ZeRO-Infinity, 2104.07857).
    Each rank fetches its share of the weights only where the others hand it theirs, which is stage 3 (2104.07857, section
    6.1, whose exchange `sharded_time` counts); below that it fetches all of them. What the host's memory cannot hold
    is read from the drives.
    """
    bus = held * (spread.grad_bytes + 2.0) / chip.pcie
    host = held * assume["training.optimizer_bytes"] / assume["training.offload.host_rate"]
    drives = held * 2.0 * spread.optimizer_bytes / assume["training.offload.nvme_rate"]
    whole = spread.weight_bytes * (weights[0] + weights[1])
    fetched = whole / np.where(spread.zero >= 3, spread.shards, 1.0)
    kept = np.minimum(fetched, assume["training.offload.host_bytes"])
    read = np.where(fetched > kept, (fetched - kept) / assume["training.offload.nvme_rate"], 0.0)
    streamed = 3.0 * (fetched / chip.pcie + read)
    return bus + host + np.where(spread.offload > 1, drives, 0.0), np.where(spread.offload > 1, streamed, 0.0)
