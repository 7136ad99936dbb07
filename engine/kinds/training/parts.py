"""Step time and memory as labelled parts for people; they add up to the total."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from engine.answer import Estimate, Memory, Part
from engine.inputs.assumptions import Assumptions
from engine.odds.normal import P90
from engine.physics.memory import MemoryParts
from engine.physics.step import StepTime

TIME_LABELS = {
    "gemm": "Matrix products",
    "attention": "Attention",
    "memory": "Norms and activations",
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


def memory_block(parts: MemoryParts, capacity: float, assume: Assumptions) -> Memory:
    """Memory of the fullest accelerator [GB] with its band."""
    values = {field.name: float(getattr(parts, field.name)) / 1e9 for field in fields(parts)}
    total = sum(values.values())
    spread = float(np.exp(P90 * assume["training.band.memory"]))
    labelled = tuple(
        Part(key=key, label=MEMORY_LABELS[key], value=value, unit="GB") for key, value in values.items() if value > 0
    )
    estimate = Estimate(
        low=total / spread, expected=total, high=total * spread, unit="GB", because=("training.band.memory",)
    )
    return Memory(parts=labelled, total_gb=estimate, capacity_gb=capacity / 1e9)
