"""A model as the formulas of a step see it: widths, counts and weights, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.inputs.architecture import Architecture, Mla, Ssm, Tables, attention_parameters
from engine.physics.columns import Array, array


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Lengths in elements, weights in parameters. Fields of a generic model are zero, save the last eight."""

    layers: Array
    hidden: Array
    heads: Array
    qk_dim: Array
    v_dim: Array
    kv_width: Array
    """Width of keys, and of values, that context parallelism passes round."""
    attention_weights: Array
    """Matmul weights of one attention block."""
    matrices: Array
    """Matrices of a feed-forward: 3 gated, 2 not."""
    ffn: Array
    dense_layers: Array
    moe_layers: Array
    experts: Array
    top_k: Array
    expert_ffn: Array
    shared_width: Array
    """Inner width of all shared experts together."""
    vocab: Array
    tied: Array
    mtp: Array
    window: Array
    window_share: Array
    """Share of layers that attend to a window only."""
    attending: Array
    """Share of layers with softmax attention."""
    blocks: Array
    """Blocks of a layer that end in the residual stream: 2 in a transformer, 1 in a hybrid of single blocks."""
    ssm_share: Array
    """Share of layers with a state-space block."""
    ssm_inner: Array
    """Width of all its heads together."""
    ssm_extra: Array
    """Width of what all heads share: input and output states of its groups, and the step sizes."""
    expert_hidden: Array
    """Width in which routed experts work: the model's own, or a latent one."""
    latent: Array
    """That width where it is latent, else 0."""
    causal: Array
    """Share of the attention matrix that is needed: 1/2 causal, 1 bidirectional."""
    norm_weights: Array
    layer_norm: Array
    """1 where norms take the mean off as well (LayerNorm, one kernel everywhere), 0 for RMSNorm."""
    generic: Array
    """1 for a model given by parameters and work per sample."""
    generic_weights: Array
    generic_flops: Array
    """Forward FLOPs of one sample."""
    generic_activation_bytes: Array
    table_weights: Array
    """Elements of all embedding tables, split over all ranks."""
    table_rows: Array
    pooled: Array
    """Elements that the tables hand on for one sample: one row for each table."""
    looked_up: Array
    """Elements read from the tables for one sample."""


def shape_of(arch: Architecture) -> Shape:
    """The shape of one architecture; each field is an array without axes."""
    values = _generic(arch) if arch.kind == "generic" else _transformer(arch)
    return Shape(**{name: array(value) for name, value in values.items()})


def _transformer(arch: Architecture) -> dict[str, float]:
    moe = arch.moe
    qk, v, kv = _head_widths(arch, arch.mla)
    return {
        "layers": arch.layers,
        "hidden": arch.hidden,
        "heads": arch.heads,
        "qk_dim": qk,
        "v_dim": v,
        "kv_width": kv,
        "attention_weights": attention_parameters(arch),
        "matrices": 3 if arch.gated else 2,
        "ffn": arch.ffn,
        "dense_layers": arch.dense_ffn_layers,
        "moe_layers": arch.moe_layers,
        "experts": moe.experts if moe else 0,
        "top_k": moe.top_k if moe else 0,
        "expert_ffn": moe.expert_ffn if moe else 0,
        "shared_width": moe.shared_experts * (moe.shared_ffn or moe.expert_ffn) if moe else 0,
        "vocab": arch.vocab,
        "tied": arch.tied,
        "mtp": arch.mtp_layers,
        "window": arch.window,
        "window_share": _window_share(arch),
        "attending": arch.attending_layers / arch.layers,
        "expert_hidden": (moe.latent or arch.hidden) if moe else arch.hidden,
        "latent": moe.latent if moe else 0,
        **_state_space(arch, arch.ssm),
        "causal": 0.5 if arch.modality == "text" and arch.token_types == 0 else 1.0,
        "norm_weights": arch.norms_per_layer * arch.norm_weights * arch.hidden,
        "layer_norm": arch.norm_weights != 1,
        "generic": 0,
        "generic_weights": 0,
        "generic_flops": 0,
        "generic_activation_bytes": 0,
        **_tables(None),
    }


def _tables(tables: Tables | None) -> dict[str, float]:
    """What embedding tables hold and move; nothing without any."""
    if tables is None:
        return dict.fromkeys(("table_weights", "table_rows", "pooled", "looked_up"), 0.0)
    return {
        "table_weights": tables.parameters,
        "table_rows": float(tables.rows),
        "pooled": float(tables.count) * tables.width,
        "looked_up": float(tables.lookups) * tables.width,
    }


def _state_space(arch: Architecture, ssm: Ssm | None) -> dict[str, float]:
    """What a hybrid adds, averaged over its layers."""
    blocks = (
        arch.layers + arch.feeding_layers if ssm is None else arch.attending_layers + arch.feeding_layers + ssm.layers
    )
    return {
        "blocks": blocks / arch.layers,
        "ssm_share": ssm.layers / arch.layers if ssm else 0.0,
        "ssm_inner": ssm.heads * ssm.head_dim if ssm else 0.0,
        "ssm_extra": 2 * ssm.groups * ssm.state + ssm.heads if ssm else 0.0,
    }


def _generic(arch: Architecture) -> dict[str, float]:
    names = Shape.__dataclass_fields__
    work = {
        "layers": 1.0,
        "dense_layers": 1.0,
        "causal": 1.0,
        "generic": 1.0,
        "generic_weights": arch.generic_parameters,
        "generic_flops": arch.flops_per_sample,
        "generic_activation_bytes": arch.activation_bytes_per_sample,
        **_tables(arch.tables),
    }
    return {name: work.get(name, 0.0) for name in names}


def _head_widths(arch: Architecture, mla: Mla | None) -> tuple[float, float, float]:
    """Widths of a query/key head and of a value head, and of all keys (or values) together."""
    if mla is None:
        return arch.head_dim, arch.head_dim, arch.kv_width
    qk = mla.qk_nope_head_dim + mla.qk_rope_head_dim
    return qk, mla.v_head_dim, arch.heads * (qk + mla.v_head_dim) / 2


def _window_share(arch: Architecture) -> float:
    return 1.0 - arch.global_layers / arch.attending_layers if arch.attending_layers else 0.0


def dense_layer_weights(shape: Shape) -> Array:
    """Weights of one layer outside routed experts, averaged over the layers [parameter]."""
    feed_forward = shape.dense_layers * shape.ffn + shape.moe_layers * shape.shared_width
    router = shape.moe_layers * shape.hidden * shape.experts
    matrices = (shape.matrices * shape.hidden * feed_forward + router + shape.generic_weights) / shape.layers
    latent = 2.0 * shape.moe_layers / shape.layers * shape.hidden * shape.latent
    return shape.attending * shape.attention_weights + ssm_weights(shape) + matrices + latent + shape.norm_weights


def ssm_weights(shape: Shape) -> Array:
    """Projection weights of state-space blocks, averaged over the layers [parameter]."""
    return shape.ssm_share * shape.hidden * (3.0 * shape.ssm_inner + shape.ssm_extra)


def expert_weights(shape: Shape) -> Array:
    """Weights of all routed experts of the model [parameter]."""
    return shape.moe_layers * shape.experts * shape.matrices * shape.expert_hidden * shape.expert_ffn


def vocabulary_weights(shape: Shape) -> Array:
    """Weights of one vocabulary matrix [parameter]; an untied model has two."""
    return shape.vocab * shape.hidden


def local(values: Array, share: Array) -> Array:
    """`values` split over `share` ranks, never less than one part."""
    return values / np.maximum(share, 1.0)
