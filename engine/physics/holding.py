"""What a training framework holds in memory beside the model itself: copies that kernels keep, gradients, the update.

Four habits cover the frameworks. Fused kernels (Megatron-Core, Transformer Engine) keep the fewest tensors; PyTorch kernel
by kernel keeps FP32 copies in norms and in the loss; compilers recompute cheap tensors by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.physics.columns import Array, array
from engine.physics.profile import tuning_of

FUSED = ("megatron", "megatron-2025", "megatron-plain", "megatron-2022", "mlperf")
COMPILED = ("fsdp-compiled", "maxtext", "neuron", "jax")
SET_TO_NONE = ("fsdp", "fsdp-compiled", "pytorch")
"""Frameworks that free gradients after each step (`zero_grad(set_to_none=True)`, PyTorch's default since 2.0): where a step is one
micro-batch they come while activations go, and the two peaks do not add up."""
OWN_BUCKETS = ("deepspeed", "deepspeed-2023")
"""Frameworks that gather gradients and weights in buckets of their own, and widen their gradients to FP32 at the step."""

_SIXTEEN_BIT = ("mlperf", *OWN_BUCKETS)
"""Frameworks that keep and exchange gradients in the precision of their weights: submissions to MLPerf, and DeepSpeed's ZeRO, whose
`data_types.grad_accum_dtype` is the model's unless it is set (deepspeed/runtime/engine.py, read 28 November 2026)."""
_BY_RECIPE = ("megatron", "megatron-2025")
"""Megatron-LM sums and exchanges gradients of BF16 weights in FP32 unless `--grad-reduce-in-bf16` is given
(megatron/training/arguments.py, read 28 November 2026), which NVIDIA's recipes for performance do (`ddp.grad_reduce_in_fp32` off in NeMo's
and Megatron-Bridge's). Peaks of 31 measured layouts as documented come out 3 % too small with four bytes (SimuMax,
`lab/data/measured`)."""

SUB_GROUP = 1e9
"""Weights that DeepSpeed's third stage updates at a time (`sub_group_size`)."""


@dataclass(frozen=True, kw_only=True)
class Holding:
    """One framework, or many."""

    norm: Array
    """Bytes that a norm keeps for each element of its input, the input and the output with it."""
    activation_copies: Array
    """Tensors of the feed-forward's inner width beyond one for each matrix."""
    logits: Array
    """Bytes that the loss holds for each logit at its peak."""
    fused_attention: Array
    """0 where the scores are kept."""
    update: Array
    """Copies of the updated weights that the optimizer step makes, while no activations are held."""
    frees_gradients: Array
    """1 where no gradients are held while a step's first forward pass runs."""
    update_most: Array
    """Most weights that it updates at a time where they are fully sharded."""
    buckets: Array
    """Bytes that the framework sets aside for exchange where there is more than one rank."""
    reserve: Array
    """Share that the allocator reserves beyond what stays for the whole run."""
    reserve_moving: Array
    """The same, of what comes and goes in each micro-batch."""


def gradient_bytes(framework: str, tuning: str, precision: str) -> float:
    """Bytes of one gradient as it is kept and exchanged; `tuning` as in `profile.Stack`. FP32 is the rule: PyTorch's autocast, FSDP's
    reduction, MaxText and Neuron keep gradients beside weights of FP32."""
    if precision in ("fp32", "tf32"):
        return 4.0
    short = framework in _SIXTEEN_BIT or (precision == "fp16" and framework in FUSED)
    recipe = framework in _BY_RECIPE and tuning_of(tuning, framework) == "tuned"
    return 2.0 if short or recipe else 4.0


def holding_of(framework: str, assume: Assumptions) -> Holding:
    """The habits of one framework of `profile.FRAMEWORKS`; each field is an array without axes."""
    fused, compiled = framework in FUSED, framework in COMPILED
    eager = not (fused or compiled)
    habit = "eager" if eager else "compiled" if compiled else "fused"
    own = framework in OWN_BUCKETS
    values = {
        "norm": assume["training.memory.norm_eager"] if eager else 4.0,
        "activation_copies": 1.0 if eager else 0.0,
        "logits": assume[f"training.memory.logits_{habit}"],
        "fused_attention": float(framework != "megatron-2022"),
        "update": assume["training.memory.update"] if eager else 0.0,
        "frees_gradients": float(framework in SET_TO_NONE),
        "update_most": SUB_GROUP if own else np.inf,
        "buckets": assume["training.memory.buckets"] if own else 0.0,
        "reserve": assume["training.memory.reserve"],
        "reserve_moving": assume["training.memory.reserve_eager" if eager else "training.memory.reserve"],
    }
    return Holding(**{name: array(value) for name, value in values.items()})
