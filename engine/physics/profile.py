"""How a training framework runs a step: what it overlaps, fuses and spends on the host. Named assumptions, no hidden constants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from engine.inputs.assumptions import Assumptions
from engine.physics.columns import Array, array

FRAMEWORKS = (
    "megatron",
    "megatron-2025",
    "mlperf",
    "megatron-plain",
    "megatron-2022",
    "fsdp",
    "fsdp-2023",
    "fsdp-compiled",
    "deepspeed",
    "deepspeed-2023",
    "maxtext",
    "neuron",
    "pytorch",
    "torchrec",
    "jax",
)
_CLASS = {
    "mlperf": "mlperf",
    "deepspeed": "deepspeed",
    "deepspeed-2023": "deepspeed",
    "neuron": "neuron",
} | dict.fromkeys(("maxtext", "jax"), "maxtext")
"""Frameworks whose tuned step time over the formulas is not that of Megatron-Core."""
STACKS = ("tuned", "documented", "own")
"""How tuned what a team runs is: a vendor's recipe for that hardware, a maintained framework as its documentation says, a
script of one's own."""


class Stack(NamedTuple):
    """What a team runs, beyond the framework's name."""

    tuning: str = "auto"
    """One of `STACKS`; auto = as documented, which for frameworks of the hardware's own maker is its recipe."""
    attention: str = "auto"
    """newest, flash-2, unfused; auto = as the framework and the tuning have it."""
    compiled: str = "auto"
    """yes or no, for PyTorch; auto = no."""


USUAL = Stack()


def tuning_of(tuning: str, framework: str) -> str:
    """The tuning meant: what documentation leads to, where none is named."""
    if tuning != "auto":
        return tuning
    return "tuned" if framework in ("maxtext", "jax", "neuron", "mlperf") else "documented"


ONCE = ("megatron", "megatron-2025")
"""Frameworks whose expert exchange is that of DeepEP and HybridEP."""
EAGER = ("fsdp", "fsdp-2023", "deepspeed", "deepspeed-2023", "pytorch", "torchrec")
"""PyTorch kernel by kernel, without the fusions of Megatron-Core or a compiler."""


@dataclass(frozen=True, kw_only=True)
class Profile:
    """One framework, or many."""

    tp_exposed: Array
    dp_hidden: Array
    dp_floor: Array
    fsdp_hidden: Array
    fsdp_floor: Array
    bucket: Array
    """Gradients in one call of data parallel without full sharding [parameter]; 0 = all in one."""
    bucket_rank: Array
    """The least of them for each rank that takes part [parameter]."""
    owner_call: Array
    """Time of ZeRO-1 and -2 for each rank that owns a part, beyond its bytes [s]."""
    free_stages: Array
    """1 where the last pipeline stage may get as few layers as suits the logits; else one fewer at most."""
    balanced: Array
    """1 where the stages are cut by their work, logits counted as layers (torchtitan, nanotron)."""
    pp_exposed: Array
    pp_wait: Array
    """What a message between stages waits for each further node and tensor rank, over the stages [s]."""
    bubble: Array
    """Share of the pipeline bubble of one forward, one backward that the schedule leaves."""
    holds_all: Array
    """1 where the activations of all micro-batches are held at once (GPipe)."""
    elementwise: Array
    fused_attention: Array
    old_attention: Array
    """1 where attention runs on FlashAttention 2, 2 where it runs on FlashAttention 1."""
    masks_window: Array
    """1 where a sliding window is a mask over all keys, not a span that the kernel keeps to."""
    once_per_rank: Array
    """1 where a token goes once to each rank that holds one of its experts, and once to each node; else once per expert."""
    grouped_n0: Array
    """Share of the block-scaled output-width loss that remains in grouped products."""
    grouped: Array
    """Time of grouped products over Megatron-Core's."""
    moe_sync: Array
    host_layer: Array
    host_gather: Array
    """What the host spends on fetching and freeing the weights of one fully sharded layer, in all its passes [s]."""
    adapter_bytes: Array
    """Bytes moved for each element that goes into or comes out of an adapted matrix, in one pass; 0 where fused."""
    host_model: Array
    """Host time of one micro-batch of a model given by its work per sample [s]."""
    host_step: Array
    factor: Array


def profile_of(framework: str, assume: Assumptions, schedule: str = "auto", *, stack: Stack = USUAL) -> Profile:
    """The profile of one framework of `FRAMEWORKS` in that stack; each field is an array without axes.

    `schedule`: auto and 1f1b are what every framework here runs, interleaved where virtual stages > 1.
    """
    tuning = tuning_of(stack.tuning, framework)
    if stack.compiled == "yes" and framework in ("fsdp", "pytorch"):
        framework = "fsdp-compiled"
    old = framework == "megatron-2022"
    compiled = framework in ("maxtext", "neuron", "jax")
    overlaps_tp = framework in ("megatron", "megatron-2025", "mlperf", "maxtext", "jax")
    # The fused kernels and the expert exchange of NVIDIA's recipes serve PyTorch as well (Transformer Engine, DeepEP).
    fused = tuning == "tuned" and framework == "fsdp"
    habit = "elementwise_eager" if framework in EAGER else "elementwise_old"
    eager = framework in (*EAGER, "megatron-2022") and not fused
    values = {
        "tp_exposed": assume["training.tp_exposed_overlap" if overlaps_tp else "training.tp_exposed_plain"],
        "dp_hidden": assume["training.dp_hidden_plain" if old else "training.dp_hidden"],
        "dp_floor": assume["training.dp_floor"],
        "fsdp_hidden": assume["training.fsdp_hidden"],
        "fsdp_floor": assume["training.fsdp_floor"],
        "bucket": _bucket(framework, assume),
        "bucket_rank": 1e6 if framework.startswith("megatron") or framework == "mlperf" else 0.0,
        "owner_call": assume["training.owner_call"] if framework.startswith("deepspeed") else 0.0,
        "free_stages": float(framework in ("megatron", "megatron-2025", "mlperf")),
        "balanced": float(framework in ("fsdp", "fsdp-compiled", "pytorch")),
        "pp_exposed": 1.0 if old else assume["training.pp_exposed"],
        "pp_wait": assume["training.pipeline_wait"] if messages_wait(framework, tuning) else 0.0,
        "bubble": assume["training.bubble_zero"] if schedule == "zero-bubble" else 1.0,
        "holds_all": float(schedule == "gpipe"),
        "elementwise": assume["training.elementwise"] * (assume[f"training.{habit}"] if eager else 1.0),
        "old_attention": _old_attention(framework, stack.attention, fused=fused),
        "masks_window": float(_masks_window(framework, stack.attention, tuning)),
        "once_per_rank": float(framework in ONCE or fused),
        "fused_attention": float(stack.attention != "unfused" if stack.attention != "auto" else not old),
        "grouped_n0": assume["training.grouped_n0"] if framework == "megatron" else 1.0,
        "grouped": assume["training.grouped_xla"] if compiled else 1.0,
        "moe_sync": assume["training.moe_sync_current" if framework == "megatron" or compiled else "training.moe_sync"],
        "host_layer": _host_layer(framework, tuning, assume),
        "host_gather": assume["training.host_gather"] if framework.startswith("deepspeed") else 0.0,
        "adapter_bytes": assume["training.adapter_bytes"] if framework in EAGER else 0.0,
        "host_model": 0.0 if compiled or framework in ("torchrec", "mlperf") else assume["training.host_generic"],
        "host_step": _host_step(framework, assume),
        "factor": assume[f"training.class.{_class(framework)}"] * _tuning_factor(framework, tuning, assume),
    }
    return Profile(**{name: array(value) for name, value in values.items()})


def _old_attention(framework: str, asked: str, *, fused: bool) -> float:
    """2 for FlashAttention 1, 1 for FlashAttention 2, 0 for the newest kernels."""
    if asked != "auto":
        return float(asked == "flash-2")
    if framework in ("fsdp-2023", "deepspeed-2023"):
        return 2.0
    return float(framework in ("fsdp", "fsdp-compiled", "pytorch", "deepspeed") and not fused)


def _masks_window(framework: str, asked: str, tuning: str) -> bool:
    """PyTorch's own attention takes a window as a mask, which is what the Transformers library trains with unless a kernel is named
    (its `sdpa_attention.py` and `masking_utils.py`, 5.17); recipes and scripts of one's own take kernels that skip what lies outside."""
    return framework in EAGER and tuning == "documented" and asked == "auto"


def messages_wait(framework: str, tuning: str) -> bool:
    """Do messages between stages and tensor-parallel collectives wait for each other? Measured of current own scripts."""
    return tuning == "own" and framework != "megatron-2022"


def _host_layer(framework: str, tuning: str, assume: Assumptions) -> float:
    """Host time of one layer and micro-batch [s]: what a compiler or captured graphs leave, else launch by launch."""
    if framework == "megatron-2022":
        return assume["training.host_layer_2022"]
    if framework in ("maxtext", "neuron", "jax", "fsdp-compiled"):
        return assume["training.host_layer_compiled"]
    return assume[f"training.host_layer.{tuning}"]


def _bucket(framework: str, assume: Assumptions) -> float:
    """Gradients that one call exchanges [parameter], as the framework's documentation has it."""
    if framework.startswith("megatron") or framework in ("mlperf", "neuron"):
        return 0.0 if framework == "megatron-2022" else assume["training.bucket.megatron"]
    if framework.startswith("deepspeed"):
        return assume["training.bucket.deepspeed"]
    return 0.0 if framework in ("maxtext", "jax") else assume["training.bucket.pytorch"]


def _tuning_factor(framework: str, tuning: str, assume: Assumptions) -> float:
    """Step time of that tuning over the tuned one; frameworks of a past time were measured as they were run then."""
    if framework in ("mlperf", "megatron-2022") or tuning == "tuned":
        return 1.0
    return assume[f"training.stack.{tuning}"]


def _host_step(framework: str, assume: Assumptions) -> float:
    """Host time of one step outside the layers [s]."""
    if framework == "mlperf":
        return 0.0
    return assume["training.host_step_tables" if framework == "torchrec" else "training.host_step"]


def _class(framework: str) -> str:
    return _CLASS.get(framework, "megatron")
