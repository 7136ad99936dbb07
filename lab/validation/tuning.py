"""How a measured row fine-tunes: trained share, bytes of base weights, of optimizer states and of gradients.

All of it stands in free text (`method_note`, `optimizer`, `notes`), in the words that the sources use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.inputs.architecture import Architecture
from lab.validation.row_model import Row, text_of

STATES: tuple[tuple[str, float], ...] = (
    ("4-bit", 1.1),
    ("8-bit", 2.1),
    ("8bit", 2.1),
    ("adafactor", 0.1),
    ("muon", 4.0),
    ("sgd", 4.0),
)
"""Bytes of optimizer states for one trained weight, without a master copy; the first word that occurs counts."""
TWO_MOMENTS = 8.0
QUANTISED: tuple[tuple[str, float], ...] = (
    ("int8", 1.06),
    ("8-bit base", 1.06),
    ("int4", 0.56),
    ("4-bit", 0.56),
    ("nf4", 0.56),
)
"""Bytes of one quantised base weight with its scales."""
OFF = "cpu offload"
UNUSUAL_RANK = 8


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """What of a model is trained, and what is kept of each weight [byte]."""

    trained: float = 1.0
    weight_bytes: float = 2.0
    optimizer_bytes: float = 12.0
    gradient_bytes: float = 0.0
    """0 = as the framework usually keeps them."""

    @property
    def quantised(self) -> bool:
        return self.weight_bytes < 2.0


def tuning_of(row: Row, arch: Architecture, mode: str) -> Tuning:
    """What that row trains and keeps."""
    note, optimizer = text_of(row, "method_note").lower(), text_of(row, "optimizer").lower()
    about = f"{note} {text_of(row, 'notes').lower()}"
    states = next((size for word, size in STATES if word in optimizer), TWO_MOMENTS)
    if mode in ("lora", "qlora"):
        return Tuning(
            trained=_adapter_share(note, arch),
            weight_bytes=next((size for word, size in QUANTISED if word in note), 2.0),
            optimizer_bytes=states + 4.0
            if text_of(row, "zero_stage").startswith(("zero", "fsdp"))
            else states / 2.0 + 2.0,
        )
    if "pure bf16" in about or "weights bf16" in about:
        wide = TWO_MOMENTS / 2.0 if states == TWO_MOMENTS else states
        return Tuning(optimizer_bytes=wide, gradient_bytes=2.0)
    return Tuning(optimizer_bytes=states + 4.0)


def _adapter_share(note: str, arch: Architecture) -> float:
    """Weights of the adapters over those of the model; trained vocabulary tables count with them."""
    rank = int(found.group(1)) if (found := re.search(r"rank (\d+)", note)) else UNUSUAL_RANK
    widths = _attention_widths(arch)
    if any(word in note for word in ("w1", "all linear", "target all", "all layers")):
        widths += 3 * (arch.hidden + (arch.ffn or arch.hidden))
    weights = rank * widths * arch.layers
    if "embedding and output" in note:
        weights += 2 * arch.vocab * arch.hidden
    return min(1.0, weights / max(arch.parameters, 1.0))


def _attention_widths(arch: Architecture) -> int:
    """Input and output widths of the attention projections together."""
    return 4 * arch.hidden + 2 * arch.q_width + 2 * arch.kv_width
