"""Step time and memory as named parts; they add up to the total."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from engine.answer import Estimate, Memory, Part
from engine.inputs.named import part
from engine.odds.bands import Band
from engine.odds.chances import chance_within
from engine.physics.memory import MemoryParts
from engine.physics.step import StepTime


def time_parts(parts: StepTime, factor: float) -> tuple[Part, ...]:
    """Seconds of one step by cause, those above zero; `factor` is the shift by own measurements."""
    values = {field.name: float(getattr(parts, field.name)) * factor for field in fields(parts)}
    return _above_zero("time", values, "s")


def memory_block(parts: MemoryParts, capacity: float, width: Band) -> Memory:
    """Memory of the fullest accelerator [GB] with its band, and how likely that is to fit into `capacity` [byte]."""
    values = {field.name: float(getattr(parts, field.name)) / 1e9 for field in fields(parts)}
    total = sum(values.values())
    estimate = Estimate(low=width.low(total), expected=total, high=width.high(total), unit="GB", because=width.because)
    chance = chance_within(capacity / 1e9, total, estimate.high)
    parted = _above_zero("memory", values, "GB")
    return Memory(parts=parted, total_gb=estimate, capacity_gb=capacity / 1e9, probability_fits=chance)


def _above_zero(whole: str, values: Mapping[str, float], unit: str) -> tuple[Part, ...]:
    return tuple(
        Part(key=key, label=part(f"{whole}.{key}"), value=value, unit=unit)
        for key, value in values.items()
        if value > 0
    )
