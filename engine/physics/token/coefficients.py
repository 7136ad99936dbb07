"""Every coefficient of serving: value, plausible range and source.

Values marked "fitted" were shrunk towards the hand-set value of the guide and fitted to the measured rows of
`lab/data/measured/serving.csv`, whole accelerator × model × engine groups left out to judge them
(`docs/serving.md`). None belongs to one row, one model or one accelerator alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.inputs.assumptions import Assumption, Limits
from engine.inputs.finding import Finding
from engine.inputs.origin import origin, quoted
from engine.physics.sample_coefficients import SAMPLE_PRIORS, fitted
from engine.physics.token.fitted import FITTED

_FITTED, _KERNELS, _STARTS, _VENDOR = (origin(ground) for ground in ("fitted", "kernel_curves", "starts", "formats"))

_REACHED = Limits(0.01, 1)
"""A share of a rate that hardware has: never none of it, never more."""
_FACTOR = Limits(0.01, 10)
"""Against a central share."""
_DELAY = Limits(0, 1e5)
"""Microseconds or milliseconds of the host."""

# name, value, low, high, limits, unit, and the source that several have in common
_TABLE: tuple[tuple[str, float, float, float, Limits, str, Finding | None], ...] = (
    (
        "compute_share.fp16",
        0.60,
        0.45,
        0.75,
        _REACHED,
        "",
        _FITTED,
    ),
    (
        "compute_share.fp8",
        0.55,
        0.40,
        0.70,
        _REACHED,
        "",
        _FITTED,
    ),
    (
        "compute_share.fp4",
        0.45,
        0.30,
        0.60,
        _REACHED,
        "",
        _FITTED,
    ),
    (
        "bandwidth_share",
        0.75,
        0.65,
        0.88,
        _REACHED,
        "",
        _FITTED,
    ),
    (
        "kv_bandwidth_share",
        0.62,
        0.45,
        0.80,
        _REACHED,
        "",
        _FITTED,
    ),
    (
        "attention_share",
        0.40,
        0.25,
        0.60,
        _REACHED,
        "",
        _FITTED,
    ),
    (
        "vector_share",
        0.20,
        0.10,
        0.40,
        _REACHED,
        "",
        _FITTED,
    ),
    (
        "ridge_norm",
        1.5,
        1.0,
        3.0,
        Limits(1, 20),
        "",
        _FITTED,
    ),
    (
        "moe_compute",
        0.65,
        0.40,
        0.90,
        Limits(0.01, 2),
        "",
        _FITTED,
    ),
    (
        "moe_bandwidth",
        0.95,
        0.70,
        1.00,
        Limits(0.01, 2),
        "",
        _FITTED,
    ),
    (
        "moe_native",
        1.1,
        0.85,
        1.5,
        _FACTOR,
        "",
        _FITTED,
    ),
    (
        "moe_unpacked",
        0.9,
        0.6,
        1.1,
        _FACTOR,
        "",
        _FITTED,
    ),
    (
        "mla_prefill",
        0.47,
        0.30,
        0.70,
        Limits(0.01, 2),
        "",
        _FITTED,
    ),
    (
        "moe_width",
        1000.0,
        300.0,
        2500.0,
        Limits(0, 1e6),
        "element",
        _FITTED,
    ),
    (
        "moe_passes",
        6.0,
        3.0,
        12.0,
        Limits(0, 1000),
        "",
        _FITTED,
    ),
    (
        "local_hop_ms",
        0.15,
        0.05,
        0.4,
        Limits(0, 1000),
        "ms",
        _FITTED,
    ),
    ("moe_layer_us", 10.0, 3.0, 25.0, _DELAY, "µs", _FITTED),
    (
        "expert_imbalance",
        1.33,
        1.1,
        1.6,
        Limits(1, 100),
        "",
        _FITTED,
    ),
    (
        "allreduce_us",
        20.0,
        14.0,
        30.0,
        _DELAY,
        "µs",
        _KERNELS,
    ),
    (
        "allreduce_fused_us",
        11.0,
        7.0,
        20.0,
        Limits(0, 1e5),
        "µs",
        _FITTED,
    ),
    (
        "allreduce_pcie_us",
        45.0,
        25.0,
        80.0,
        _DELAY,
        "µs",
        _KERNELS,
    ),
    (
        "allreduce_ramp_us",
        40.0,
        20.0,
        70.0,
        _DELAY,
        "µs",
        _KERNELS,
    ),
    (
        "scaling_us",
        5.0,
        1.0,
        10.0,
        _DELAY,
        "µs",
        _KERNELS,
    ),
    (
        "link_share",
        0.80,
        0.60,
        0.99,
        _REACHED,
        "",
        _KERNELS,
    ),
    (
        "pcie_link_share",
        0.38,
        0.20,
        0.55,
        _REACHED,
        "",
        _KERNELS,
    ),
    ("hop_us", 12.0, 6.0, 25.0, _DELAY, "µs", _FITTED),
    (
        "kv_share",
        0.915,
        0.85,
        0.95,
        Limits(0.05, 1),
        "",
        _FITTED,
    ),
    (
        "workspace_gb",
        1.5,
        0.8,
        3.0,
        Limits(0, 100),
        "GB",
        _FITTED,
    ),
    (
        "saturation_share",
        0.93,
        0.85,
        1.0,
        Limits(0.1, 1.2),
        "",
        _FITTED,
    ),
    (
        "token_budget",
        8192.0,
        2048.0,
        16384.0,
        Limits(16, 1e6, whole=True),
        "token",
        None,
    ),
    (
        "mixed_share",
        1.0,
        0.8,
        1.2,
        Limits(0.01, 10),
        "",
        _FITTED,
    ),
    (
        "unified_share",
        0.93,
        0.88,
        0.97,
        Limits(0.05, 1),
        "",
        None,
    ),
    ("bytes.fp16", 2.0, 2.0, 2.0, Limits(0.1, 8), "byte", _VENDOR),
    ("bytes.fp8", 1.0, 1.0, 1.03, Limits(0.1, 8), "byte", _VENDOR),
    ("bytes.int8", 1.0, 1.0, 1.06, Limits(0.1, 8), "byte", _VENDOR),
    (
        "bytes.int4",
        0.531,
        0.52,
        0.57,
        Limits(0.1, 8),
        "byte",
        _VENDOR,
    ),
    ("bytes.nvfp4", 0.5625, 0.5625, 0.5625, Limits(0.1, 8), "byte", _VENDOR),
    (
        "bytes.mxfp4",
        0.53125,
        0.53125,
        0.53125,
        Limits(0.1, 8),
        "byte",
        _VENDOR,
    ),
    (
        "dense_bytes.mxfp4",
        2.0,
        1.0,
        2.0,
        Limits(0.1, 8),
        "byte",
        None,
    ),
    (
        "dense_bytes.int4",
        2.0,
        1.0,
        2.0,
        Limits(0.1, 8),
        "byte",
        None,
    ),
    (
        "dense_bytes.nvfp4",
        1.2,
        1.0,
        2.0,
        Limits(0.1, 8),
        "byte",
        None,
    ),
    ("bytes.q4", 0.604, 0.56, 0.62, Limits(0.1, 8), "byte", _VENDOR),
    ("bytes.q8", 1.0625, 1.06, 1.07, Limits(0.1, 8), "byte", _VENDOR),
    (
        "slo_margin",
        0.88,
        0.80,
        0.95,
        Limits(0.1, 1),
        "",
        None,
    ),
    (
        "headroom",
        0.10,
        0.05,
        0.30,
        Limits(0.001, 0.9),
        "",
        None,
    ),
    (
        "demand_band",
        0.10,
        0.05,
        0.25,
        Limits(0, 2),
        "",
        None,
    ),
    (
        "unpromised_wait",
        10.0,
        3.0,
        30.0,
        Limits(1, 10_000),
        "",
        None,
    ),
    (
        "unpromised_wait_s",
        10.0,
        3.0,
        30.0,
        Limits(0, 1e5),
        "s",
        None,
    ),
    (
        "unpromised_share",
        0.1,
        0.03,
        0.3,
        Limits(0, 100),
        "",
        None,
    ),
    (
        "diffusion_steps",
        30.0,
        20.0,
        50.0,
        Limits(1, 10_000),
        "pass",
        None,
    ),
    (
        "diffusion_guidance",
        2.0,
        1.0,
        2.0,
        Limits(1, 10),
        "",
        None,
    ),
    (
        "table_rate",
        0.5,
        0.25,
        0.8,
        _REACHED,
        "",
        None,
    ),
    (
        "boot_s",
        90.0,
        30.0,
        240.0,
        Limits(0, 1e5),
        "s",
        None,
    ),
    (
        "load_gb_s",
        2.0,
        0.5,
        7.0,
        Limits(0.001, 10_000),
        "GB/s",
        None,
    ),
    (
        "compile_s",
        20.0,
        5.0,
        85.0,
        Limits(0, 1e5),
        "s",
        _STARTS,
    ),
    ("graphs_s", 15.0, 5.0, 60.0, Limits(0, 1e5), "s", _STARTS),
)

# engine: µs per layer and step, ms per step, µs per sequence and step, share of kernel rates,
# steps until the first token leaves, ms until the first token leaves, most sequences together (defaults of 2025–26)
_ENGINES: dict[str, tuple[float, float, float, float, float, float, float]] = {
    "tensorrt-llm": (8.5, 1.6, 3.0, 1.0, 1.0, 15.0, 2048.0),
    "sglang": (14.0, 3.0, 5.0, 1.0, 1.0, 15.0, 2048.0),
    "vllm": (27.0, 1.2, 8.0, 1.0, 1.0, 15.0, 1024.0),
    "tgi": (27.0, 3.0, 8.0, 0.95, 1.0, 15.0, 256.0),
    "triton": (8.5, 1.6, 3.0, 1.0, 1.0, 15.0, 2048.0),
    "llama.cpp": (6.0, 0.4, 3.0, 1.0, 1.0, 5.0, 64.0),
    "jetstream": (14.0, 3.0, 5.0, 1.0, 1.0, 20.0, 512.0),
    "neuron": (20.0, 2.0, 20.0, 1.0, 1.0, 20.0, 256.0),
    "tensorrt-llm-2024": (12.0, 2.0, 5.0, 0.95, 1.0, 15.0, 2048.0),
    "stack-2024": (14.0, 3.1, 15.0, 0.9, 1.0, 20.0, 256.0),
}

# benchmark client: steps and ms until its first token, with the flags it was run with
_BENCHES: dict[str, tuple[float, float]] = {
    "tensorrt-llm": (14.0, 5.0),
    "sglang": (10.0, 90.0),
    "vllm": (6.0, 3.0),
    "plain": (0.3, 35.0),
}

# platform: share of compute, of bandwidth, and of prefill attention against the central values
_PLATFORMS: dict[str, tuple[float, float, float]] = {
    "hopper": (1.0, 1.0, 1.0),
    "blackwell": (0.95, 1.0, 1.0),
    "ampere": (1.1, 1.0, 1.0),
    "ada": (0.9, 1.05, 1.0),
    "gddr": (0.9, 1.1, 1.0),
    "volta": (0.9, 0.95, 0.5),
    "cdna": (0.55, 0.80, 0.8),
    "cdna3": (0.65, 0.85, 0.8),
    "gaudi": (0.6, 0.8, 0.8),
    "tpu": (0.7, 0.85, 0.8),
    "neuron": (0.5, 0.7, 0.3),
    "unified": (1.0, 1.1, 0.7),
    "xe": (0.2, 0.35, 0.5),
    "other": (0.5, 0.7, 0.5),
}

# memory of a local machine: share of its bandwidth that GGUF and MLX runtimes reach with 4-bit weights, wider ones,
# and while the cache is read
_LOCAL: dict[str, tuple[float, float, float]] = {
    "gddr": (0.75, 0.86, 0.40),
    "gb10": (0.80, 0.87, 0.40),
    "apple": (0.52, 0.85, 0.30),
    "hbm": (0.40, 0.65, 0.25),
}


def _entries() -> Iterator[Assumption]:
    for name, value, low, high, limits, unit, source in _TABLE:
        yield Assumption(
            id=f"serving.{name}",
            value=value,
            low=low,
            high=high,
            limits=limits,
            unit=unit,
            source=source or origin(f"serving.{name}"),
        )
    for engine, values in _ENGINES.items():
        yield from _engine_entries(engine, values)
    for bench, (steps, milliseconds) in _BENCHES.items():
        for name, value, unit in (("bench_steps", steps, "step"), ("bench_ms", milliseconds, "ms")):
            yield Assumption(
                id=f"serving.{name}.{bench}",
                value=value,
                low=value * 0.5,
                high=value * 2.0,
                limits=_DELAY,
                unit=unit,
                source=_FITTED,
                editable=False,
            )
    for memory, shares in _LOCAL.items():
        for bits, value in zip(("q4", "wide", "cache"), shares, strict=True):
            yield Assumption(
                id=f"serving.local_share.{memory}.{bits}",
                value=value,
                low=value * 0.85,
                high=min(value * 1.12, 1.0),
                limits=_REACHED,
                unit="",
                source=_FITTED,
            )
    for platform, shares in _PLATFORMS.items():
        for kind, value in zip(("compute", "bandwidth", "attention"), shares, strict=True):
            yield Assumption(
                id=f"serving.platform_{kind}.{platform}",
                value=value,
                low=value * 0.8,
                high=value * 1.2,
                limits=_FACTOR,
                unit="",
                source=_FITTED,
            )


def _engine_entries(engine: str, values: tuple[float, ...]) -> Iterator[Assumption]:
    names = (
        ("layer_us", _DELAY, "µs"),
        ("step_ms", _DELAY, "ms"),
        ("sequence_us", _DELAY, "µs"),
        ("kernel_share", _FACTOR, ""),
        ("first_steps", Limits(0, 1000), "step"),
        ("first_ms", _DELAY, "ms"),
        ("max_batch", Limits(1, 1e6, whole=True), "sequence"),
    )
    for (name, limits, unit), value in zip(names, values, strict=True):
        yield Assumption(
            id=f"serving.{name}.{engine}",
            value=value,
            low=value * 0.5,
            high=value * (8.0 if name == "first_steps" else 2.0),
            limits=limits,
            unit=unit,
            source=_FITTED,
        )


def _fitted(entry: Assumption) -> Assumption:
    """The entry at its fitted value; its range moves along and stays as wide, and its source tells the prior."""
    if entry.id not in FITTED:
        return entry
    value, before = FITTED[entry.id], entry.source
    return entry.at(
        value, before if value == entry.value else origin("from_hand", source=quoted(before), prior=entry.value)
    )


PRIORS: Mapping[str, Assumption] = {entry.id: entry for entry in _entries()}
"""Hand-set values, to which a fit is shrunk."""
SERVING_ASSUMPTIONS: Mapping[str, Assumption] = {key: _fitted(entry) for key, entry in PRIORS.items()} | {
    key: fitted(entry) for key, entry in SAMPLE_PRIORS.items()
}
