"""Accelerators that are paid for, because machines are had whole, and that the work does not use."""

from __future__ import annotations

from collections.abc import Iterator

from engine.answer import Option
from engine.inputs.finding import Finding, finding
from engine.inputs.named import device_ref
from engine.supply import Supply

IDLE = "reason.idle"


def idle_beside(option: Option, supply: Supply, per_node: int) -> Iterator[Finding]:
    """How many of those machines' accelerators stand idle; nothing where none does, and for what is owned already, which other
    work may use. `per_node`: accelerators of one machine."""
    held = option.nodes * per_node
    if supply.kind != "owned" and option.count < held:
        yield finding(IDLE, idle=held - option.count, held=held, accelerator=device_ref(supply.device))
