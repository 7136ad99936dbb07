"""Step time and memory as labelled parts for people; they add up to the total."""

from __future__ import annotations

from dataclasses import fields

from engine.answer import Estimate, Memory, Part
from engine.odds.bands import Band
from engine.odds.chances import chance_within
from engine.physics.memory import MemoryParts
from engine.physics.step import StepTime

TIME_LABELS = {
    "gemm": "Matrix products",
    "attention": "Attention",
    "memory": "Norms and activations",
    "unpack": "Unpacking of quantised weights",
    "loss": "Logits and loss",
    "recompute": "Recomputation",
    "tensor": "Tensor-parallel exchange",
    "context": "Context-parallel exchange",
    "expert": "Expert exchange and routing",
    "lookup": "Embedding lookups and updates",
    "host": "Host and kernel launch",
    "bubble": "Pipeline bubble",
    "imbalance": "Uneven pipeline stages",
    "transfer": "Pipeline transfers",
    "pooled": "Embedding exchange",
    "data": "Gradient and weight exchange",
    "optimizer": "Optimizer update",
    "jitter": "Slowest of many",
}
MEMORY_LABELS = {
    "weights": "Weights",
    "gradients": "Gradients",
    "optimizer": "Optimizer states",
    "tables": "Embedding tables",
    "activations": "Activations",
    "logits": "Logits and loss",
    "update": "Optimizer step",
    "gathered": "Gathered layers",
    "buffers": "Context and buffers",
    "reserve": "Allocator reserve",
}


def time_parts(parts: StepTime, factor: float) -> tuple[Part, ...]:
    """Seconds of one step by cause, those above zero; `factor` is the shift by own measurements."""
    values = {field.name: float(getattr(parts, field.name)) * factor for field in fields(parts)}
    return tuple(
        Part(key=key, label=TIME_LABELS[key], value=value, unit="s") for key, value in values.items() if value > 0
    )


def memory_block(parts: MemoryParts, capacity: float, width: Band) -> Memory:
    """Memory of the fullest accelerator [GB] with its band, and how likely that is to fit into `capacity` [byte]."""
    values = {field.name: float(getattr(parts, field.name)) / 1e9 for field in fields(parts)}
    total = sum(values.values())
    labelled = tuple(
        Part(key=key, label=MEMORY_LABELS[key], value=value, unit="GB") for key, value in values.items() if value > 0
    )
    estimate = Estimate(low=width.low(total), expected=total, high=width.high(total), unit="GB", because=width.because)
    chance = chance_within(capacity / 1e9, total, estimate.high)
    return Memory(parts=labelled, total_gb=estimate, capacity_gb=capacity / 1e9, probability_fits=chance)
