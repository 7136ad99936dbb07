"""Activations of one layer, tensor by tensor, and which of them stay from the forward to the backward pass [byte].

After Korthikanti et al. 2022 (arXiv 2205.05198), without dropout masks and with grouped-query attention and gated
feed-forwards. A recomputation policy names the tensors that stay; what it drops comes back one layer at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.physics.columns import Array
from engine.physics.holding import Holding
from engine.physics.layout import Spread
from engine.physics.shape import Shape

POLICIES = ("all", "core", "light", "wide", "operators")
"""What stays of a layer: everything; all but the scores; all but outputs of norms and activation functions; the same
without the feed-forward's inner tensors; every second matrix product and the attention's output (torchtitan)."""
_STAYS: dict[str, tuple[float, ...]] = {
    "norm_in": (1.0, 1.0, 1.0, 1.0, 0.0),
    "norm_out": (1.0, 1.0, 0.0, 0.0, 0.0),
    "projected": (1.0, 1.0, 1.0, 1.0, 0.5),
    "attended": (1.0, 1.0, 1.0, 1.0, 1.0),
    "scores": (1.0, 0.0, 0.0, 0.0, 0.0),
    "inner": (1.0, 1.0, 1.0, 0.0, 0.5),
    "activated": (1.0, 1.0, 0.0, 0.0, 0.0),
    "returned": (0.0, 0.0, 0.0, 0.0, 0.5),
}
"""Share of each tensor class that stays, by policy in the order of `POLICIES`."""


@dataclass(frozen=True, kw_only=True)
class Tensors:
    """Bytes of one mean layer and one micro-batch on one rank, by what they are."""

    norm_in: Array
    norm_out: Array
    projected: Array
    """Queries, keys and values, and what state-space blocks project."""
    attended: Array
    """Output of the attention core."""
    scores: Array
    inner: Array
    """Outputs of the feed-forward's first matrices."""
    activated: Array
    """Output of the activation function, and its product with the gate."""
    returned: Array
    """What attention and feed-forward add to the stream: kept by lists of operators only."""

    @property
    def whole(self) -> Array:
        """What stays where nothing is computed again."""
        return sum(
            (getattr(self, field.name) for field in fields(self) if _STAYS[field.name][0] > 0), start=np.zeros(())
        )


def stored(tensors: Tensors, spread: Spread, boundary: Array) -> Array:
    """Kept of the mean layer from the forward to the backward pass: at least the input of each."""
    policy = np.asarray(spread.policy, dtype=np.intp)
    kept = sum(
        (np.take(_STAYS[field.name], policy) * getattr(tensors, field.name) for field in fields(tensors)),
        start=np.zeros(()),
    )
    return boundary + spread.kept * np.maximum(
        kept - np.where(policy == POLICIES.index("operators"), 0.0, boundary), 0.0
    )


def tensors_of(shape: Shape, spread: Spread, holding: Holding, assume: Assumptions) -> Tensors:
    """The tensors of the mean layer, counted at 2 bytes an element."""
    tokens = spread.tokens * spread.element / 2.0
    stream = shape.blocks * shape.hidden / np.where(spread.sequence_parallel > 0, spread.tp, 1.0)
    dense = (shape.dense_layers * shape.ffn + shape.moe_layers * shape.shared_width) / shape.layers
    routed = shape.moe_layers / shape.layers * shape.top_k
    inner = (dense + routed * shape.expert_ffn) / spread.tp
    sorted_in = routed * 4.0 * shape.expert_hidden / spread.tp
    scan = 2.0 * shape.ssm_share * (4.0 * shape.ssm_inner + shape.ssm_extra) / spread.tp
    heads = shape.attending / spread.tp
    scores = heads * shape.heads * spread.sequence * assume["training.memory.score_bytes"]
    copies = 2.0 * (1.0 + holding.activation_copies * (shape.matrices > 2))
    return Tensors(
        norm_in=tokens * (2.0 * stream + shape.generic_activation_bytes),
        norm_out=tokens * (_norm_bytes(shape, spread, holding) - 2.0) * stream,
        projected=tokens * (heads * (2.0 * shape.heads * shape.v_dim + 4.0 * shape.kv_width) + scan),
        attended=tokens * heads * 2.0 * shape.heads * shape.v_dim,
        scores=tokens * np.where(holding.fused_attention > 0, 0.0, scores),
        inner=tokens * (2.0 * np.maximum(shape.matrices - 1.0, 0.0) * inner + sorted_in),
        activated=tokens * copies * inner,
        returned=tokens * 2.0 * stream,
    )


def _norm_bytes(shape: Shape, spread: Spread, holding: Holding) -> Array:
    """What a norm keeps for each element of its input, counted at 2 bytes an element. PyTorch's LayerNorm is one kernel: under autocast it
    keeps its input in FP32 and hands on its output in 16 bits; in FP32 both as they are."""
    whole = np.where(spread.element > 2.0, 4.0, 6.0)
    return np.where(shape.layer_norm > 0, np.minimum(holding.norm, whole), holding.norm)
