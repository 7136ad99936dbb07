"""Every coefficient of serving: value, plausible range, meaning and source.

Values marked "fitted" were shrunk towards the hand-set value of the guide and fitted to the measured rows of
`lab/data/measured/serving.csv`, whole accelerator × model × engine groups left out to judge them
(`docs/serving.md`). None belongs to one row, one model or one accelerator alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.inputs.assumptions import Assumption, Limits
from engine.inputs.names import engine_name
from engine.physics.sample_coefficients import SAMPLE_PRIORS, fitted
from engine.physics.token.fitted import FITTED

_FITTED = "fitted to measured serving rows, shrunk to the hand-set value (docs/serving.md)"
_KERNELS = "measured kernel tables, ai-dynamo/aiconfigurator @ 095f58a51 (Apache-2.0), read as efficiency curves"
_STARTS = (
    "fitted by hand to twelve measured starts of vLLM without the machine's own (lab/data/measured/cold_start.csv: Run:ai Model Streamer's "
    "benchmarks, vLLM blog on sleep mode); upper end: nothing compiled before, vLLM #19824"
)
_VENDOR = "format definition: bits of a value plus its share of the block scale"

_REACHED = Limits(0.01, 1)
"""A share of a rate that hardware has: never none of it, never more."""
_FACTOR = Limits(0.01, 10)
"""Against a central share."""
_DELAY = Limits(0, 1e5)
"""Microseconds or milliseconds of the host."""

_DEEPSEEK = "attention in 16 bits, its output projection and the shared experts in 4: two published checkpoints differ"

# name, value, low, high, limits, unit, meaning, source
_TABLE: tuple[tuple[str, float, float, float, Limits, str, str, str], ...] = (
    (
        "compute_share.fp16",
        0.60,
        0.45,
        0.75,
        _REACHED,
        "",
        "Share of the dense 16-bit peak that matrix products reach",
        _FITTED,
    ),
    (
        "compute_share.fp8",
        0.55,
        0.40,
        0.70,
        _REACHED,
        "",
        "Share of the dense 8-bit peak that matrix products reach",
        _FITTED,
    ),
    (
        "compute_share.fp4",
        0.45,
        0.30,
        0.60,
        _REACHED,
        "",
        "Share of the dense 4-bit peak that matrix products reach",
        _FITTED,
    ),
    (
        "bandwidth_share",
        0.75,
        0.65,
        0.88,
        _REACHED,
        "",
        "Share of memory bandwidth reached while weights are read",
        _FITTED,
    ),
    (
        "kv_bandwidth_share",
        0.62,
        0.45,
        0.80,
        _REACHED,
        "",
        "Share of memory bandwidth reached while the KV cache is read",
        _FITTED,
    ),
    (
        "attention_share",
        0.40,
        0.25,
        0.60,
        _REACHED,
        "",
        "Share of the dense 16-bit peak reached by prefill attention",
        _FITTED,
    ),
    (
        "vector_share",
        0.20,
        0.10,
        0.40,
        _REACHED,
        "",
        "Share of the 32-bit vector peak that attention over the cache reaches where no tensor-core kernel fits it",
        _FITTED,
    ),
    (
        "ridge_norm",
        1.5,
        1.0,
        3.0,
        Limits(1, 20),
        "",
        "Norm that joins computing and reading weights: 1 = one after the other, large = the longer hides the shorter",
        _FITTED,
    ),
    (
        "moe_compute",
        0.65,
        0.40,
        0.90,
        Limits(0.01, 2),
        "",
        "Expert matrix products against dense ones: share of the compute rate",
        _FITTED,
    ),
    (
        "moe_bandwidth",
        0.95,
        0.70,
        1.00,
        Limits(0.01, 2),
        "",
        "Expert weights against dense ones: share of the reading rate",
        _FITTED,
    ),
    (
        "moe_native",
        1.1,
        0.85,
        1.5,
        _FACTOR,
        "",
        "Grouped expert products in a 4-bit format that the matrix units know, over those in 8 and 16 bits",
        _FITTED,
    ),
    (
        "moe_unpacked",
        0.9,
        0.6,
        1.1,
        _FACTOR,
        "",
        "Grouped expert products in a 4-bit format unpacked before they are multiplied, over those in 8 and 16 bits",
        _FITTED,
    ),
    (
        "mla_prefill",
        0.47,
        0.30,
        0.70,
        Limits(0.01, 2),
        "",
        "Prefill attention over a latent cache: share of the usual rate",
        _FITTED,
    ),
    (
        "moe_width",
        1000.0,
        300.0,
        2500.0,
        Limits(0, 1e6),
        "element",
        "Expert width at which half of the rate is reached",
        _FITTED,
    ),
    (
        "moe_passes",
        6.0,
        3.0,
        12.0,
        Limits(0, 1000),
        "",
        "Passes over the routed activations in memory for dispatch and combine",
        _FITTED,
    ),
    (
        "local_hop_ms",
        0.15,
        0.05,
        0.4,
        Limits(0, 1000),
        "ms",
        "Handing over to the next card when llama.cpp splits layers",
        _FITTED,
    ),
    ("moe_layer_us", 10.0, 3.0, 25.0, _DELAY, "µs", "Routing and dispatch for each mixture layer and step", _FITTED),
    (
        "expert_imbalance",
        1.33,
        1.1,
        1.6,
        Limits(1, 100),
        "",
        "Busiest against mean accelerator under expert parallelism",
        _FITTED,
    ),
    (
        "allreduce_us",
        20.0,
        14.0,
        30.0,
        _DELAY,
        "µs",
        "One small all-reduce over 8 accelerators on a scale-up fabric",
        _KERNELS,
    ),
    (
        "allreduce_fused_us",
        11.0,
        7.0,
        20.0,
        Limits(0, 1e5),
        "µs",
        "One small all-reduce over 8 accelerators on a scale-up fabric in engines since 2025, by one-shot kernels of their own",
        _FITTED,
    ),
    (
        "allreduce_pcie_us",
        45.0,
        25.0,
        80.0,
        _DELAY,
        "µs",
        "One small all-reduce over 8 accelerators on the host bus",
        _KERNELS,
    ),
    (
        "link_share",
        0.65,
        0.50,
        0.80,
        _REACHED,
        "",
        "Bus bandwidth of an all-reduce against the link's, scale-up fabric",
        _KERNELS,
    ),
    (
        "pcie_link_share",
        0.38,
        0.20,
        0.55,
        _REACHED,
        "",
        "Bus bandwidth of an all-reduce against the link's, host bus",
        _KERNELS,
    ),
    ("hop_us", 12.0, 6.0, 25.0, _DELAY, "µs", "Handing activations to the next pipeline stage", _FITTED),
    (
        "kv_share",
        0.915,
        0.85,
        0.95,
        Limits(0.05, 1),
        "",
        "Share of device memory that an engine claims (weights, cache, workspace)",
        _FITTED,
    ),
    (
        "workspace_gb",
        1.5,
        0.8,
        3.0,
        Limits(0, 100),
        "GB",
        "Context, graphs and communication buffers on each accelerator",
        _FITTED,
    ),
    (
        "saturation_share",
        0.93,
        0.85,
        1.0,
        Limits(0.1, 1.2),
        "",
        "Share of the closed-form rate that a saturated engine delivers",
        _FITTED,
    ),
    (
        "token_budget",
        8192.0,
        2048.0,
        16384.0,
        Limits(16, 1e6, whole=True),
        "token",
        "Most tokens in one step (chunked prefill)",
        "engine defaults 2025–26",
    ),
    (
        "mixed_share",
        1.0,
        0.8,
        1.2,
        Limits(0.01, 10),
        "",
        "Cost of prefill tokens inside a decode step against a step of their own",
        _FITTED,
    ),
    (
        "unified_share",
        0.93,
        0.88,
        0.97,
        Limits(0.05, 1),
        "",
        "Share of the accelerator's part of unified memory that an engine may claim",
        "hand-set; the catalog already counts only the part that the accelerator may use",
    ),
    ("bytes.fp16", 2.0, 2.0, 2.0, Limits(0.1, 8), "byte", "Weight or KV value in 16 bits", _VENDOR),
    ("bytes.fp8", 1.0, 1.0, 1.03, Limits(0.1, 8), "byte", "Weight or KV value in 8 bits, scale included", _VENDOR),
    ("bytes.int8", 1.0, 1.0, 1.06, Limits(0.1, 8), "byte", "Weight in 8-bit integers, scale included", _VENDOR),
    (
        "bytes.int4",
        0.531,
        0.52,
        0.57,
        Limits(0.1, 8),
        "byte",
        "Weight in 4-bit integers with one scale for 64–128 values",
        _VENDOR,
    ),
    ("bytes.nvfp4", 0.5625, 0.5625, 0.5625, Limits(0.1, 8), "byte", "NVFP4: 4 bits plus 8 bits for 16 values", _VENDOR),
    (
        "bytes.mxfp4",
        0.53125,
        0.53125,
        0.53125,
        Limits(0.1, 8),
        "byte",
        "MXFP4: 4 bits plus 8 bits for 32 values",
        _VENDOR,
    ),
    (
        "dense_bytes.mxfp4",
        2.0,
        1.0,
        2.0,
        Limits(0.1, 8),
        "byte",
        "Weight outside the experts, MXFP4 mixtures",
        "gpt-oss: 16 bits",
    ),
    (
        "dense_bytes.int4",
        2.0,
        1.0,
        2.0,
        Limits(0.1, 8),
        "byte",
        "Weight outside the experts, INT4 mixtures",
        "Kimi-K2: 16 bits",
    ),
    (
        "dense_bytes.nvfp4",
        1.2,
        1.0,
        2.0,
        Limits(0.1, 8),
        "byte",
        "Weight outside the experts, NVFP4 mixtures with latent attention",
        _DEEPSEEK,
    ),
    ("bytes.q4", 0.604, 0.56, 0.62, Limits(0.1, 8), "byte", "GGUF Q4_K_M, mean over tensors", _VENDOR),
    ("bytes.q8", 1.0625, 1.06, 1.07, Limits(0.1, 8), "byte", "GGUF Q8_0", _VENDOR),
    (
        "slo_margin",
        0.88,
        0.80,
        0.95,
        Limits(0.1, 1),
        "",
        "Share of a promised percentile that a plan uses up, so that ten times the requests still hold",
        "own simulations with other seeds",
    ),
    (
        "headroom",
        0.10,
        0.05,
        0.30,
        Limits(0.001, 0.9),
        "",
        "Share of what a service can do at most that is left free at the peak, so that its queue stays short",
        "planning convention: at nine tenths of its capacity a queue is finite and outlives a burst",
    ),
    (
        "demand_band",
        0.10,
        0.05,
        0.25,
        Limits(0, 2),
        "",
        "Standard deviation of the log of the peak load against what is stated: traffic, lengths of answers, turns of agents",
        "planning judgement: a stated peak is a forecast; a twentieth where traffic is measured, a quarter for a new product",
    ),
    (
        "unpromised_wait",
        10.0,
        3.0,
        30.0,
        Limits(1, 10_000),
        "",
        "Longest p95 to the first token (to the answer of a sample) where none is promised, in whole answers on an idle "
        "replica",
        "planning convention: nobody waits for ten others one after the other",
    ),
    (
        "unpromised_wait_s",
        10.0,
        3.0,
        30.0,
        Limits(0, 1e5),
        "s",
        "Longest wait (p95) before the first token where none is promised, beyond what an idle replica needs",
        "Nielsen, Usability Engineering (1993), chapter 5: about 10 s keep a person's attention on the dialogue",
    ),
    (
        "unpromised_share",
        0.1,
        0.03,
        0.3,
        Limits(0, 100),
        "",
        "Longest wait (p95) before the first token where none is promised, as a share of the mean whole answer; the longer holds",
        "planning convention: who waits minutes for an answer does not mind a tenth of it",
    ),
    (
        "diffusion_steps",
        30.0,
        20.0,
        50.0,
        Limits(1, 10_000),
        "pass",
        "Denoising passes for one image",
        "usual samplers, 20–50 passes",
    ),
    (
        "diffusion_guidance",
        2.0,
        1.0,
        2.0,
        Limits(1, 10),
        "",
        "Passes of the network for a denoising step: with the text and without it",
        "Ho and Salimans 2022, arXiv 2207.12598",
    ),
    (
        "table_rate",
        0.5,
        0.25,
        0.8,
        _REACHED,
        "",
        "Share of the streaming memory rate that reads of scattered embedding rows reach",
        "judgement; MLPerf Inference v5.1 DLRM-DCNv2 reads about 27 kB for each of 12 million pairs/s on one H100",
    ),
    (
        "boot_s",
        90.0,
        30.0,
        240.0,
        Limits(0, 1e5),
        "s",
        "Machine or container start before weights load",
        "vLLM #19824: P2P check 60 s; image pull varies",
    ),
    (
        "load_gb_s",
        2.0,
        0.5,
        7.0,
        Limits(0.001, 10_000),
        "GB/s",
        "Weights read from store into one node",
        "vLLM #19824: 10 s for 70 GB when cached; object store slower",
    ),
    (
        "compile_s",
        20.0,
        5.0,
        85.0,
        Limits(0, 1e5),
        "s",
        "Compilation when a replica starts",
        _STARTS,
    ),
    ("graphs_s", 15.0, 5.0, 60.0, Limits(0, 1e5), "s", "Capturing graphs when a replica starts", _STARTS),
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
    for name, value, low, high, limits, unit, meaning, source in _TABLE:
        yield Assumption(
            id=f"serving.{name}",
            value=value,
            low=low,
            high=high,
            limits=limits,
            unit=unit,
            meaning=meaning,
            source=source,
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
                meaning=f"Delay of the first token in published benchmarks ({bench}); only measured rows use it",
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
                meaning=f"Share of memory bandwidth that llama.cpp and MLX reach on {memory} memory ({bits})",
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
                meaning=f"Share of {kind} reached on {platform} hardware against the central share",
                source=_FITTED,
            )


def _engine_entries(engine: str, values: tuple[float, ...]) -> Iterator[Assumption]:
    names = (
        ("layer_us", _DELAY, "µs", "Host and launch time for each layer and step"),
        ("step_ms", _DELAY, "ms", "Scheduling and sampling time for each step"),
        ("sequence_us", _DELAY, "µs", "Host time for each sequence in a step"),
        ("kernel_share", _FACTOR, "", "Rate of its kernels against the central shares"),
        ("first_steps", Limits(0, 1000), "step", "Steps between the first token and its delivery"),
        ("first_ms", _DELAY, "ms", "Fixed time between the first token and its delivery"),
        (
            "max_batch",
            Limits(1, 1e6, whole=True),
            "sequence",
            "Most sequences scheduled together on one attention rank",
        ),
    )
    for (name, limits, unit, meaning), value in zip(names, values, strict=True):
        yield Assumption(
            id=f"serving.{name}.{engine}",
            value=value,
            low=value * 0.5,
            high=value * (8.0 if name == "first_steps" else 2.0),
            limits=limits,
            unit=unit,
            meaning=f"{meaning} ({engine_name(engine)})",
            source=_FITTED,
        )


def _fitted(entry: Assumption) -> Assumption:
    """The entry at its fitted value; its range moves along and stays as wide, and its source tells the prior."""
    if entry.id not in FITTED:
        return entry
    value = FITTED[entry.id]
    return entry.at(value, f"{entry.source}; hand-set {entry.value:g}" if value != entry.value else entry.source)


PRIORS: Mapping[str, Assumption] = {entry.id: entry for entry in _entries()}
"""Hand-set values, to which a fit is shrunk."""
SERVING_ASSUMPTIONS: Mapping[str, Assumption] = {key: _fitted(entry) for key, entry in PRIORS.items()} | {
    key: fitted(entry) for key, entry in SAMPLE_PRIORS.items()
}
