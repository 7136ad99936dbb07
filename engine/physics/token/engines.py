"""Serving engines against each other: dated factors with an interval and the reason, by kind of hardware.

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
    reason: str
    source: str
    chosen: bool = False


_MLPERF = "MLPerf Inference v5.1, Llama-2-70B offline, 8 accelerators"
_HAND = "no comparable measurement found; hand-set"

# runtime: (engine, factor, low, high, date, reason, source)
_TABLE: dict[str, tuple[tuple[str, float, float, float, str, str, str], ...]] = {
    "cuda": (
        ("tensorrt-llm", 1.0, 0.9, 1.0, "2025-09", "fastest kernels; a build for each model and card", _MLPERF),
        ("sglang", 0.89, 0.75, 1.05, "2025-09", "shares prefixes between requests; strong on mixtures", _MLPERF),
        ("vllm", 0.73, 0.65, 1.0, "2025-09", "widest range of models and hardware, quickest to run", _MLPERF),
        ("triton", 1.0, 0.9, 1.0, "2025-09", "a front for TensorRT-LLM; many models side by side", "as its backend"),
        ("tgi", 0.65, 0.45, 0.95, "2024-10", "small, close to the Hugging Face hub; in maintenance", _HAND),
        ("llama.cpp", 0.2, 0.05, 0.4, "2025-06", "made for one user at a time and quantised weights", _HAND),
    ),
    "rocm": (
        ("vllm", 1.0, 0.85, 1.0, "2025-09", "AMD's own submissions run on it", _MLPERF),
        ("sglang", 1.0, 0.8, 1.15, "2025-09", "AMD keeps kernels for DeepSeek models in it", _HAND),
        ("tgi", 0.95, 0.7, 1.2, "2024-10", "was ahead of vLLM on MI300X in 2024", "dstack, Llama-3.1-405B, 2024"),
        ("llama.cpp", 0.2, 0.05, 0.4, "2025-06", "made for one user at a time and quantised weights", _HAND),
    ),
    "xla": (
        ("jetstream", 1.0, 0.8, 1.0, "2024-08", "made for TPU", _HAND),
        ("vllm", 0.95, 0.7, 1.2, "2025-11", "the TPU back end takes JetStream's place", "vLLM-TPU rows, 2025 and 2026"),
    ),
    "neuron": (("neuron", 1.0, 0.8, 1.0, "2025-01", "compiled ahead for Inferentia and Trainium", "AWS Neuron pages"),),
    "gaudi": (
        ("vllm", 1.0, 0.8, 1.0, "2025-06", "Intel's fork follows vLLM", _HAND),
        ("tgi", 0.8, 0.55, 1.05, "2024-10", "Intel's fork follows behind", _HAND),
    ),
    "metal": (
        (
            "llama.cpp",
            1.0,
            0.8,
            1.0,
            "2025-10",
            "GGUF or MLX; 0.52 of bandwidth with 4 bits, 0.85 with 16",
            "M1–M4 rows",
        ),
    ),
    "other": (("vllm", 1.0, 0.6, 1.0, "2025-06", "the only engine with a back end there", _HAND),),
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
            reason=reason,
            source=source,
            chosen=engine == chosen,
        )
        for engine, factor, low, high, date, reason, source in rows
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
