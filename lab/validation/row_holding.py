"""How the stack of a measured row holds memory, where its text says more than the framework's name."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.physics.holding import Holding, holding_of
from lab.validation.row_model import text_of
from lab.validation.rows import Run

OWN_SUMS = 6.0
"""Bytes of gradients where 16-bit ones and their FP32 sums stand side by side."""
PIECEWISE = ("cut cross entropy", "lc-ce", "chunked loss", "liger", "unsloth")
"""Losses that never hold all logits."""
UNFUSED = re.compile(r"torch 2\.1\b|nvidia bert|transformers 4\.[23]\d?\b")
"""Stacks whose models kept attention scores unless they had a kernel of their own (before PyTorch's became the default)."""
OWN_KERNEL = ("qwen",)
"""Models whose code took FlashAttention by itself at that time."""
VARIED = 1.0
"""Share reserved beyond what comes and goes where each batch has another length. One source (ms-swift) says so."""


def gradient_bytes(run: Run) -> float:
    """Bytes of one gradient as they are kept; sums beside them are needed only over several micro-batches."""
    if "fp32 gradient accumulation" in text_of(run.row, "notes"):
        return OWN_SUMS if run.global_batch > run.dp * run.micro_batch else 2.0
    return run.tuning.gradient_bytes or run.grad_bytes


def holding_of_row(run: Run, assume: Assumptions) -> Holding:
    """The framework's habits with what the row says of kernels, loss, optimizer and lengths."""
    about = f"{text_of(run.row, 'method_note')} {text_of(run.row, 'notes')}".lower()
    compiled = run.framework == "fsdp" and (" compile" in about or "torch.compile" in about)
    usual = holding_of("fsdp-compiled" if compiled else run.framework, assume)
    nothing = np.zeros(())
    if any(word in text_of(run.row, "method_note").lower() for word in PIECEWISE):
        usual = replace(usual, logits=nothing)
    if "no flash attention" in about or _unfused(run):
        usual = replace(usual, fused_attention=nothing)
    if "fused" in text_of(run.row, "optimizer").lower():
        usual = replace(usual, update=nothing)
    return replace(usual, reserve_moving=np.asarray(VARIED)) if "lengths" in text_of(run.row, "notes") else usual


def _unfused(run: Run) -> bool:
    return bool(UNFUSED.search(text_of(run.row, "framework").lower())) and not any(
        name in run.arch.name.lower() for name in OWN_KERNEL
    )
