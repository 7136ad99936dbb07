"""How a training framework runs a step: what it overlaps, fuses and spends on the host. Named assumptions, no hidden constants."""

from __future__ import annotations

from dataclasses import dataclass

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
_LIKE = {"pytorch": "fsdp", "torchrec": "fsdp", "jax": "maxtext"}
"""Frameworks without measured runs of their own, and the one whose step time over the formulas they share."""

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
    owner_call: Array
    """Time of ZeRO-1 and -2 for each rank that owns a part, beyond its bytes [s]."""
    free_stages: Array
    """1 where the last pipeline stage may get as few layers as suits the logits; else one fewer at most."""
    pp_exposed: Array
    bubble: Array
    """Share of the pipeline bubble of one forward, one backward that the schedule leaves."""
    holds_all: Array
    """1 where the activations of all micro-batches are held at once (GPipe)."""
    elementwise: Array
    fused_attention: Array
    old_attention: Array
    """1 where attention runs on FlashAttention 2, 2 where it runs on FlashAttention 1."""
    once_per_rank: Array
    """1 where a token goes once to each rank that holds one of its experts, and once to each node; else once per expert."""
    grouped_n0: Array
    """Share of the block-scaled output-width loss that remains in grouped products."""
    grouped: Array
    """Time of grouped products over Megatron-Core's."""
    moe_sync: Array
    host_layer: Array
    host_model: Array
    """Host time of one micro-batch of a model given by its work per sample [s]."""
    host_step: Array
    factor: Array


def profile_of(framework: str, assume: Assumptions, schedule: str = "auto") -> Profile:
    """The profile of one framework of `FRAMEWORKS`; each field is an array without axes.

    `schedule`: auto and 1f1b are what every framework here runs, interleaved where virtual stages > 1.
    """
    old = framework == "megatron-2022"
    compiled = framework in ("maxtext", "neuron", "jax")
    fused_host = compiled or framework == "fsdp-compiled"
    overlaps_tp = framework in ("megatron", "megatron-2025", "mlperf", "maxtext", "jax")
    habit = "elementwise_eager" if framework in EAGER else "elementwise_old"
    eager = framework in (*EAGER, "megatron-2022")
    host = "host_layer_2022" if old else "host_layer_compiled" if fused_host else "host_layer"
    values = {
        "tp_exposed": assume["training.tp_exposed_overlap" if overlaps_tp else "training.tp_exposed_plain"],
        "dp_hidden": assume["training.dp_hidden_plain" if old else "training.dp_hidden"],
        "dp_floor": assume["training.dp_floor"],
        "fsdp_hidden": assume["training.fsdp_hidden"],
        "fsdp_floor": assume["training.fsdp_floor"],
        "owner_call": assume["training.owner_call"] if framework.startswith("deepspeed") else 0.0,
        "free_stages": float(framework in ("megatron", "megatron-2025", "mlperf")),
        "pp_exposed": 1.0 if old else assume["training.pp_exposed"],
        "bubble": assume["training.bubble_zero"] if schedule == "zero-bubble" else 1.0,
        "holds_all": float(schedule == "gpipe"),
        "elementwise": assume["training.elementwise"] * (assume[f"training.{habit}"] if eager else 1.0),
        "old_attention": {
            "fsdp": 1.0,
            "pytorch": 1.0,
            "fsdp-compiled": 1.0,
            "fsdp-2023": 2.0,
            "deepspeed": 1.0,
            "deepspeed-2023": 2.0,
        }.get(framework, 0.0),
        "once_per_rank": float(framework in ONCE),
        "fused_attention": 0.0 if old else 1.0,
        "grouped_n0": assume["training.grouped_n0"] if framework == "megatron" else 1.0,
        "grouped": assume["training.grouped_xla"] if compiled else 1.0,
        "moe_sync": assume["training.moe_sync_current" if framework == "megatron" or compiled else "training.moe_sync"],
        "host_layer": assume[f"training.{host}"],
        "host_model": 0.0 if compiled or framework in ("torchrec", "mlperf") else assume["training.host_generic"],
        "host_step": _host_step(framework, assume),
        "factor": assume[f"training.class.{_class(framework)}"],
    }
    return Profile(**{name: array(value) for name, value in values.items()})


def _host_step(framework: str, assume: Assumptions) -> float:
    """Host time of one step outside the layers [s]."""
    if framework == "mlperf":
        return 0.0
    return assume["training.host_step_tables" if framework == "torchrec" else "training.host_step"]


def _class(framework: str) -> str:
    """The framework whose step time over the formulas was measured."""
    return _LIKE.get(framework) or framework.removesuffix("-2025").removesuffix("-2023").removesuffix("-compiled")
