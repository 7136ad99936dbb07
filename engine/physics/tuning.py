"""What fine-tuning adds to a step: adapters beside frozen matrices, weights unpacked from 4 bits, launches of small kernels."""

from __future__ import annotations

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.physics.chip import Chip
from engine.physics.columns import Array
from engine.physics.layout import Spread
from engine.physics.profile import Profile
from engine.physics.shape import Shape, dense_layer_weights, expert_weights


def unpacking_time(shape: Shape, spread: Spread, chip: Chip, assume: Assumptions) -> Array:
    """Quantised weights of the mean layer written out in 16 bits for one pass [s]; every pass of a layer does it again."""
    if np.all(spread.weight_bytes >= 2.0):  # a search shares these over all layouts: nothing to work out
        return np.zeros(())
    weights = dense_layer_weights(shape) / spread.tp + expert_weights(shape) / shape.layers / spread.expert_ranks
    moved = weights * assume["training.unpack_bytes"] / chip.memory_rate
    return np.where(spread.weight_bytes < 2.0, moved, 0.0)


def adapter_time(shape: Shape, spread: Spread, chip: Chip, profile: Profile) -> Array:
    """Adapters of the mean layer in one pass, where kernels run one by one [s]: dropout of each matrix's input, the narrow
    products, scaling and adding to its output. Every linear matrix has one.
    """
    if np.all(spread.trained >= 1.0):
        return np.zeros(())
    moved = spread.tokens * adapted_widths(shape) / spread.tp * profile.adapter_bytes / chip.memory_rate
    return np.where(spread.trained < 1.0, moved, 0.0)


def adapted_widths(shape: Shape) -> Array:
    """Inputs and outputs of all linear matrices of the mean layer [element]; routed experts have no adapters."""
    dense = (shape.dense_layers * shape.ffn + shape.moe_layers * shape.shared_width) / shape.layers
    attention = shape.attending * (4.0 * shape.hidden + 2.0 * shape.heads * shape.v_dim + 2.0 * shape.kv_width)
    return attention + np.where(dense > 0, shape.matrices * (shape.hidden + dense), 0.0)


def adapter_weights(shape: Shape, rank: float) -> float:
    """Weights of the adapters of all layers [parameter]: two matrices of that rank beside each (Hu et al. 2021, arXiv
    2106.09685, section 4.1)."""
    return float(rank * adapted_widths(shape) * shape.layers)


def layer_launches(spread: Spread, profile: Profile, assume: Assumptions) -> Array:
    """Host time of one layer and micro-batch, forward and backward [s]: adapters have kernels of their own, and DeepSpeed's
    third stage fetches and frees every matrix from the host."""
    adapters = np.where(
        (spread.trained < 1.0) & (profile.adapter_bytes > 0), 1.0 + assume["training.host_adapter"], 1.0
    )
    return profile.host_layer * adapters + np.where(spread.zero >= 3, profile.host_gather, 0.0)
