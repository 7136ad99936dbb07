"""How a run is laid out, as arrays: parallel sizes, batch, precision-independent switches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.physics.columns import Array


@dataclass(frozen=True, kw_only=True)
class Spread:
    """One layout, or many. Counts are whole numbers held as floats; switches are 0 or 1."""

    sequence: Array
    """Tokens of one sequence (1 for models that count samples)."""
    tp: Array
    pp: Array
    vpp: Array
    cp: Array
    ep: Array
    dp: Array
    """Replicas of the whole model; context-parallel ranks are not counted here."""
    zero: Array
    """ZeRO stage 0–3; fully sharded data parallel is 3."""
    shard_group: Array
    """Ranks over which ZeRO shards; 0 = all data-parallel ranks."""
    micro_batch: Array
    accumulation: Array
    """Micro-batches of one step on each replica."""
    recompute: Array
    """Share of a layer's forward pass that is computed again, 0–1."""
    policy: Array
    """Place in `activations.POLICIES`: which tensors of a layer stay from the forward to the backward pass."""
    kept: Array
    """Share of layers that follow the policy, 0–1; of the others only the input stays."""
    sequence_parallel: Array
    grad_bytes: Array
    """Bytes of one gradient element as it is kept and reduced."""
    trained: Array
    """Share of weights that are trained: 1, or nearly 0 for adapters."""
    weight_bytes: Array
    """Bytes of one weight as it is kept: 2 in mixed precision, 4 in FP32, about 0.55 in 4-bit adapters' base."""
    optimizer_bytes: Array
    """Bytes of optimizer state for each trained parameter, master weight included."""
    offload: Array
    """0 = all states on the accelerator, 1 = optimizer states in host memory, 2 = weights too, states on its drives."""
    dropped: Array
    """1 where a mixture drops overflowing tokens, so that all shapes are static."""

    @cached_property
    def tokens(self) -> Array:
        """Tokens of one micro-batch on one rank."""
        return self.micro_batch * self.sequence / self.cp

    @cached_property
    def element(self) -> Array:
        """Bytes of one element of an activation: 4 where weights are FP32 (TF32 too), else 2."""
        return np.maximum(self.weight_bytes, 2.0)

    @cached_property
    def ranks(self) -> Array:
        """Accelerators."""
        return self.tp * self.pp * self.cp * self.dp

    @cached_property
    def replicas(self) -> Array:
        """Ranks that hold the same dense weights."""
        return self.dp * self.cp

    @cached_property
    def shards(self) -> Array:
        """Ranks over which ZeRO shards the dense states; 1 without sharding."""
        whole = np.where(self.shard_group > 0, np.minimum(self.shard_group, self.replicas), self.replicas)
        return np.where(self.zero > 0, whole, 1.0)

    @cached_property
    def expert_ranks(self) -> Array:
        """Ranks over which one set of experts is split: expert parallel, else tensor parallel."""
        return np.where(self.ep > 1, self.ep, self.tp)

    @cached_property
    def expert_replicas(self) -> Array:
        """Ranks that hold the same experts."""
        return np.maximum(1.0, self.tp * self.cp * self.dp / self.expert_ranks)
