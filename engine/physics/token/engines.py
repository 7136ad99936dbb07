"""Serving engines against each other: dated factors with an interval, by kind of hardware.

A factor compares output tokens/s of a saturated replica with the fastest engine of that hardware. None is a constant of
nature: versions alone move a point by 9 %. Guide/serving §3 items 10 and 13 holds the measurements.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.inputs.finding import Finding, Ref, Typed, finding
from engine.inputs.hardware import Device


@dataclass(frozen=True, kw_only=True)
class EngineAdvice:
    """One engine on one kind of hardware."""

    engine: str
    factor: float
    """Saturated throughput against the fastest engine there."""
    low: float
    high: float
    date: str
    """Month of the measurements."""
    chosen: bool = False


# runtime: (engine, factor, low, high, month). cuda: MLPerf Inference v5.1, Llama-2-70B offline on 8 accelerators, whose
# backend Triton has, and by hand TGI and llama.cpp; rocm: the same for vLLM, dstack's Llama-3.1-405B of 2024 for TGI; xla:
# vLLM-TPU's own rows of 2025 and 2026; neuron: AWS's pages; metal: rows of M1 to M4; all others by hand, with wide ends.
_TABLE: dict[str, tuple[tuple[str, float, float, float, str], ...]] = {
    "cuda": (
        ("tensorrt-llm", 1.0, 0.9, 1.0, "2025-09"),
        ("sglang", 0.89, 0.75, 1.05, "2025-09"),
        ("vllm", 0.73, 0.65, 1.0, "2025-09"),
        ("triton", 1.0, 0.9, 1.0, "2025-09"),
        ("tgi", 0.65, 0.45, 0.95, "2024-10"),
        ("llama.cpp", 0.2, 0.05, 0.4, "2025-06"),
    ),
    "rocm": (
        ("vllm", 1.0, 0.85, 1.0, "2025-09"),
        ("sglang", 1.0, 0.8, 1.15, "2025-09"),
        ("tgi", 0.95, 0.7, 1.2, "2024-10"),
        ("llama.cpp", 0.2, 0.05, 0.4, "2025-06"),
    ),
    "xla": (("jetstream", 1.0, 0.8, 1.0, "2024-08"), ("vllm", 0.95, 0.7, 1.2, "2025-11")),
    "neuron": (("neuron", 1.0, 0.8, 1.0, "2025-01"),),
    "gaudi": (("vllm", 1.0, 0.8, 1.0, "2025-06"), ("tgi", 0.8, 0.55, 1.05, "2024-10")),
    "metal": (("llama.cpp", 1.0, 0.8, 1.0, "2025-10"),),
    "other": (("vllm", 1.0, 0.6, 1.0, "2025-06"),),
}


def engine_advice(device: Device, chosen: str) -> tuple[EngineAdvice, ...]:
    """Engines that run on the device, the fastest first; the chosen one is marked."""
    rows = _TABLE.get(device.runtime, _TABLE["other"])
    found = [
        EngineAdvice(
            engine=engine,
            factor=factor,
            low=low,
            high=high,
            date=date,
            chosen=engine == chosen,
        )
        for engine, factor, low, high, date in rows
    ]
    return tuple(sorted(found, key=lambda one: (-one.factor, one.engine)))


def comparison(device: Device, chosen: str) -> tuple[Finding, ...]:
    """The chosen engine and the next ones with factor, interval and month; nothing without others."""
    found = engine_advice(device, chosen)
    others = [one for one in found if not one.chosen][:3]
    own = next((one for one in found if one.chosen), None)
    if not others or own is None:
        return ()
    said = tuple(
        finding(
            "engines.one",
            engine=Ref("software", one.engine),
            factor=one.factor / own.factor,
            low=one.low / own.factor,
            high=one.high / own.factor,
            month=Typed(one.date),
        )
        for one in others
    )
    return (finding("engines.compared", engine=Ref("software", own.engine), others=said),)
