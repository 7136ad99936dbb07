"""What is run: the widths of a decoder and how one step is cut, read from a plan or from a config.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

FRAMEWORKS = ("auto", "any", "fsdp", "pytorch")
"""Frameworks of a plan that a run of plain PyTorch speaks for."""


class NotMeasurable(ValueError):
    """What this run would not be a measurement of; the message is one sentence for a person."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A decoder by its widths [elements]."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    gated: bool
    vocab: int
    tied: bool


@dataclass(frozen=True, kw_only=True)
class Work:
    """One optimizer step: the model, sequence [token], samples of one pass on one accelerator, passes, and how weights lie."""

    shape: Shape
    sequence: int
    micro_batch: int
    accumulate: int
    zero_stage: int
    """0 = whole on each accelerator (DDP), 3 = split over all of them (FSDP2)."""
    recompute: bool
    compiled: bool = False
    """torch.compile of every layer."""
    lora_rank: int = 0
    """Rank of adapters beside every matrix of a layer, whose own weights are frozen in bf16; 0 = all weights are trained."""
    transformers: bool = False
    """Hugging Face's library as its documentation trains (bf16 autocast, PEFT for adapters) instead of the decoder here."""
    precision: str = "bf16"
    """bf16 (autocast over FP32 weights), bf16-weights (nothing is kept in FP32), tf32 or fp32."""
    window: int = 0
    """Tokens that each layer attends to; 0 = all before."""
    experts: int = 0
    """Of a mixture's feed-forward, in the library's model only; 0 = dense."""
    top_k: int = 0


def shape_of(architecture: Mapping[str, Any]) -> Shape:
    """The widths of an architecture as the API states it. NotMeasurable for what is no plain decoder."""
    other = next((name for name in ("moe", "mla", "ssm", "decoder", "tables") if architecture.get(name)), None)
    if architecture.get("kind", "transformer") != "transformer" or other or architecture.get("window"):
        part = other or ("window" if architecture.get("window") else "kind")
        raise NotMeasurable(f"The model is no plain decoder (“{part}”): measure it with your own training script.")
    heads, hidden = int(architecture["heads"]), int(architecture["hidden"])
    if not (heads and hidden and architecture["layers"] and architecture["ffn"] and architecture["vocab"]):
        raise NotMeasurable(
            "The model lacks layers, hidden, heads, ffn or vocab: measure it with your own training script."
        )
    return Shape(
        layers=int(architecture["layers"]),
        hidden=hidden,
        heads=heads,
        kv_heads=int(architecture.get("kv_heads") or heads),
        head_dim=int(architecture.get("head_dim") or hidden // heads),
        ffn=int(architecture["ffn"]),
        gated=bool(architecture.get("gated", True)),
        vocab=int(architecture["vocab"]),
        tied=bool(architecture.get("tied", False)),
    )


def shape_of_config(config: Mapping[str, Any]) -> Shape:
    """The widths of a Hugging Face config.json of a plain decoder. NotMeasurable for others."""
    if any(config.get(name) for name in ("num_experts", "num_local_experts", "n_routed_experts", "kv_lora_rank")):
        raise NotMeasurable("The model is no plain decoder: measure it with your own training script.")
    try:
        return shape_of(
            {
                "layers": config["num_hidden_layers"],
                "hidden": config["hidden_size"],
                "heads": config["num_attention_heads"],
                "kv_heads": config.get("num_key_value_heads"),
                "head_dim": config.get("head_dim"),
                "ffn": config["intermediate_size"],
                "vocab": config["vocab_size"],
                "tied": config.get("tie_word_embeddings", False),
            }
        )
    except KeyError as missing:
        raise NotMeasurable(f"The config.json lacks {missing}: give that of a plain decoder.") from missing


def check_plan(draft: Mapping[str, Any]) -> None:
    """NotMeasurable where the plan's runs are others than bf16 steps of PyTorch with AdamW, of all weights or of adapters."""
    if draft.get("workload") != "training":
        raise NotMeasurable("The plan is no training run: its speed is not measured by training steps.")
    asked = draft["training"]
    allowed = {
        "method": ("pretrain", "continue", "finetune", "lora"),
        "precision": ("auto", "bf16"),
        "optimizer": ("adamw",),
        "framework": FRAMEWORKS,
        "recompute": ("auto", "none", "full"),
        "compiled": ("auto", "no", "yes"),
    }
    for name, values in allowed.items():
        if asked.get(name, values[0]) not in values:
            raise NotMeasurable(
                f"The plan has {name} “{asked[name]}”; this run measures {' or '.join(values)}: "
                "measure it with your own training script."
            )


def measurement(work: Work, *, accelerator: str, count: int, step_time_s: float) -> dict[str, Any]:
    """One own measurement as the API takes it (`measured` of a request): step time [s], global batch [token]."""
    return {
        "accelerator": accelerator,
        "count": count,
        "step_time_s": round(step_time_s, 6),
        "layout": {
            "tp": 1,
            "pp": 1,
            "cp": 1,
            "ep": 1,
            "dp": count,
            "zero_stage": work.zero_stage,
            "micro_batch": work.micro_batch,
        },
        "global_batch_tokens": count * work.micro_batch * work.accumulate * work.sequence,
    }
