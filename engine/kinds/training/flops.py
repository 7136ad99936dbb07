"""Model FLOPs: what a run needs whatever the hardware, without recomputation, causal attention counted by half.

2 for each multiply-add, forward; training takes three times that, adapters two. Only weights that work on a token count.
"""

from __future__ import annotations

from engine.inputs.architecture import (
    Architecture,
    attention_parameters,
    expert_parameters,
    ffn_parameters,
    ssm_parameters,
)
from engine.kinds.training.work import TrainingWork
from engine.physics.shape import shape_of


def forward_flops(arch: Architecture, sequence: int) -> float:
    """FLOPs of the forward pass of one sequence (or sample)."""
    if arch.kind == "generic":
        return arch.flops_per_sample
    return sequence * (matmul_flops(arch) + attention_flops(arch, sequence))


def matmul_flops(arch: Architecture) -> float:
    """Forward FLOPs of all matrix products for one token: projections, feed-forward, router, logits."""
    weights = arch.attending_layers * attention_parameters(arch) + ssm_parameters(arch)
    weights += arch.dense_ffn_layers * ffn_parameters(arch, arch.ffn)
    if arch.moe is not None:
        moe = arch.moe
        shared = moe.shared_experts * ffn_parameters(arch, moe.shared_ffn or moe.expert_ffn)
        weights += arch.moe_layers * (
            moe.top_k * expert_parameters(arch, moe) + shared + arch.hidden * (moe.experts + 2 * moe.latent)
        )
    per_layer = weights / max(arch.layers, 1)
    return 2.0 * (weights + arch.mtp_layers * per_layer + (1 + arch.mtp_layers) * arch.vocab * arch.hidden)


def attention_flops(arch: Architecture, sequence: int) -> float:
    """Forward FLOPs of scores and weighted sums for one token of a sequence, averaged over its positions."""
    shape = shape_of(arch)
    window = min(arch.window, sequence)
    # A windowed token sees up to `window` keys; the first ones of a sequence see fewer.
    windowed = window * (1.0 - window / (2.0 * sequence)) if window else 0.0
    share = float(shape.window_share)
    span = (1.0 - share) * sequence * float(shape.causal) + share * windowed
    return arch.layers * float(shape.attending) * 2.0 * arch.heads * span * float(shape.qk_dim + shape.v_dim)


def train_flops(work: TrainingWork, batch: int) -> float:
    """Model FLOPs of one optimizer step."""
    passes = 2.0 if work.adapters else 3.0
    return passes * batch * forward_flops(work.arch, work.sequence)
