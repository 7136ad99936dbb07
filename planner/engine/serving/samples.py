"""Models that answer a sample at a time: encoders, vision, diffusion, speech, classifiers.

Service time of a batch is the longer of its work and its weight reading (2-norm), plus a launch overhead that
compilation lowers. Batching: none, static (wait for a full batch) or dynamic (take what waits).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from planner.engine.architecture import Architecture
from planner.engine.assumptions import Assumptions
from planner.engine.hardware import Cluster, Device
from planner.engine.result import Autoscale, Estimate, Layout, Memory, Part, Percentiles, Rejection
from planner.engine.serving.bands import band, log_sigma
from planner.engine.serving.machine import compute_format, platform_of
from planner.engine.serving.outcome import ServingChoice, ServingDetail, ServingPhysics, ServingSearch
from planner.engine.serving.work import ServingWork

BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_BUSY = 0.75
"""Highest share of time that a server without a promise is kept busy."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Work and bytes of one sample."""

    operations: float
    """All forward passes of a sample [FLOP]."""
    passes: float
    weights: float
    """Parameters."""
    activation_bytes: float
    layers: int


@dataclass(frozen=True, kw_only=True)
class Server:
    """One accelerator serving samples: largest batch, its time, the rate that holds the promise."""

    batch: int
    service_s: float
    rate: float
    latency_ms: tuple[float, float, float]
    """p50, p95, p99 at that rate."""


def sample_of(arch: Architecture, tokens: float, assume: Assumptions) -> Sample:
    """Work of one sample: stated for generic models, 2 × parameters × tokens plus attention for encoders."""
    passes = assume["serving.diffusion_steps"] if arch.modality == "diffusion" else 1.0
    if arch.kind == "generic":
        operations = arch.flops_per_sample or 2.0 * arch.generic_parameters
    else:
        length = (
            float(arch.positions or min(tokens, 512))
            if arch.modality != "text"
            else min(tokens, float(arch.positions or 512))
        )
        operations = (
            2 * (arch.parameters - arch.vocab * arch.hidden) * length + 4 * arch.layers * arch.q_width * length**2
        )
    active = arch.activation_bytes_per_sample or 8.0 * max(arch.hidden, 1024) * 512
    return Sample(
        operations=operations * passes,
        passes=passes,
        weights=arch.parameters,
        activation_bytes=active / 8,
        layers=arch.layers or 50,
    )


def service_time(
    sample: Sample, device: Device, *, precision: str, batch: int, level: str, assume: Assumptions
) -> float:
    """Seconds for a batch: work and weight reading as a 2-norm, plus launches at that level of compilation."""
    platform = platform_of(device)
    chosen = compute_format(device, precision)
    rates = device.dense_flops
    peak = rates.get(chosen) or rates.get("fp16") or rates.get("bf16") or rates.get("fp32") or 1.0
    share = assume[f"serving.sample_compute.{level}"] * assume[f"serving.platform_compute.{platform}"]
    filled = batch / (batch + assume["serving.sample_half_batch"])
    work = sample.operations * batch / (peak * share * filled)
    bandwidth = device.memory_bandwidth * assume["serving.bandwidth_share"]
    read = sample.passes * sample.weights * (1.0 if chosen in ("fp8", "int8") else 2.0) / bandwidth
    launch = sample.passes * sample.layers * assume[f"serving.sample_launch_us.{level}"] * 1e-6
    return math.hypot(work, read) + launch


def server(
    work: ServingWork, device: Device, *, precision: str, level: str, batching: str, assume: Assumptions
) -> Server:
    """The batch and rate of one accelerator that hold the promise; rate 0 when none does."""
    sample = sample_of(work.arch, work.input_tokens, assume)
    room = device.memory_bytes * assume["serving.kv_share"] - assume["serving.workspace_gb"] * 1e9 - 2 * sample.weights
    promise = (
        work.ttft_p95_ms * assume["serving.slo_margin"] - work.network_latency_ms if work.ttft_p95_ms else math.inf
    )
    best = Server(batch=0, service_s=0.0, rate=0.0, latency_ms=(0.0, 0.0, 0.0))
    for batch in BATCHES if batching != "none" else (1,):
        if room < batch * sample.activation_bytes:
            break
        seconds = service_time(sample, device, precision=precision, batch=batch, level=level, assume=assume)
        rate, latency = _queue(batch, seconds, promise / 1e3, batching)
        if rate > best.rate:
            best = Server(batch=batch, service_s=seconds, rate=rate, latency_ms=latency)
    return best


def _queue(batch: int, seconds: float, promise: float, batching: str) -> tuple[float, tuple[float, float, float]]:
    """(rate, latency percentiles [ms]) of batches served one after the other under Poisson arrivals.

    Waiting of an M/D/1 queue of batches, exponential tail: P(W > t) = ρ exp(−2 (1−ρ) t / (ρ s)). A static batch also
    waits until it is full, a dynamic one at most for the batch in service.
    """
    for step in range(19, 0, -1):
        rate = _BUSY * step / 19 * batch / seconds
        latency = _latency(batch, seconds, rate, batching)
        if latency[1] <= promise:
            return rate, (latency[0] * 1e3, latency[1] * 1e3, latency[2] * 1e3)
    return 0.0, (0.0, 0.0, 0.0)


def _latency(batch: int, seconds: float, rate: float, batching: str) -> tuple[float, float, float]:
    """p50, p95 and p99 [s] of a server that takes batches of that size at that rate of samples."""
    busy = rate * seconds / batch
    fill = (batch - 1) / rate if batching == "static" else min((batch - 1) / rate, seconds)
    tails = [max(math.log(busy / p), 0.0) * busy * seconds / (2 * (1 - busy)) for p in (0.5, 0.05, 0.01)]
    return seconds + fill / 2 + tails[0], seconds + fill + tails[1], seconds + fill + tails[2]


def at_rate(
    work: ServingWork, device: Device, *, precision: str, level: str, rate: float, assume: Assumptions
) -> Server:
    """One accelerator under the load that it gets: the smallest batch that keeps up, and its latencies."""
    sample = sample_of(work.arch, work.input_tokens, assume)
    for batch in BATCHES:
        seconds = service_time(sample, device, precision=precision, batch=batch, level=level, assume=assume)
        if rate * seconds / batch <= _BUSY + 1e-9:
            break
    p50, p95, p99 = _latency(batch, seconds, min(rate, _BUSY * batch / seconds), "dynamic")
    return Server(batch=batch, service_s=seconds, rate=rate, latency_ms=(p50 * 1e3, p95 * 1e3, p99 * 1e3))


def _level(device: Device) -> str:
    """Usual compilation: TensorRT on NVIDIA, the graph compiler of the others."""
    return "tensorrt" if device.runtime == "cuda" else "compiled"


def _precision(device: Device, wanted: str) -> str:
    if wanted != "auto":
        return wanted
    return "fp16" if "fp16" in device.dense_flops else "bf16"


def search_samples(work: ServingWork, clusters: Sequence[Cluster], *, assume: Assumptions) -> ServingSearch:
    """One accelerator is one replica; the best batch for each cluster."""
    choices = []
    slow: list[str] = []
    large: list[str] = []
    for cluster in clusters:
        choice = _choice(work, cluster, assume)
        if choice is None:
            (slow if _fits(work, cluster.device, assume) else large).append(cluster.device.name)
        elif choice.accelerators <= min(cluster.max_devices, work.max_accelerators):
            choices.append(choice)
    rejected = [
        Rejection(code=code, reason=reason, count=len(names), nearest=names[0])
        for code, reason, names in (
            ("latency", "too slow even for a single sample", slow),
            ("memory", "the model does not fit into one accelerator", large),
        )
        if names
    ]
    choices.sort(key=lambda c: (c.accelerators, c.ttft_p95_ms))
    return ServingSearch(choices=tuple(choices), rejected=tuple(rejected), searched=len(clusters) * len(BATCHES))


def _fits(work: ServingWork, device: Device, assume: Assumptions) -> bool:
    sample = sample_of(work.arch, work.input_tokens, assume)
    room = device.memory_bytes * assume["serving.kv_share"] - assume["serving.workspace_gb"] * 1e9
    return room >= 2 * sample.weights + sample.activation_bytes


def _choice(work: ServingWork, cluster: Cluster, assume: Assumptions) -> ServingChoice | None:
    device = cluster.device
    precision = _precision(device, work.precision)
    one = server(work, device, precision=precision, level=_level(device), batching="dynamic", assume=assume)
    if one.rate <= 0:
        return None
    batch = work.batch is not None and not work.requests_per_s
    seconds = work.batch.deadline_hours * 3600 if batch and work.batch else 1.0
    demand = work.batch.requests / seconds if batch and work.batch else work.requests_per_s
    replicas = max(math.ceil(demand / one.rate), 1)
    spare = 0 if batch else work.spare_replicas
    curve = tuple(max(math.ceil(share * demand / one.rate), 1) + spare for share in work.load_curve)
    hours = work.batch.requests / (replicas * one.rate) / 3600 if batch and work.batch else 24.0
    mean = sum(curve) / len(curve) if curve else float(replicas + spare)
    return ServingChoice(
        cluster=cluster,
        engine=work.framework if work.framework != "auto" else "triton",
        precision=precision,
        kv_precision="fp16",
        layout=Layout(),
        accelerators_per_replica=1,
        replicas=replicas,
        spare_replicas=spare,
        accelerators=replicas + spare,
        nodes=math.ceil((replicas + spare) / cluster.devices_per_node),
        rate_per_replica=one.rate,
        max_batch=one.batch,
        replicas_by_hour=curve,
        accelerator_hours_per_day=hours * mean,
        hours=hours,
        ttft_p95_ms=one.latency_ms[1] + work.network_latency_ms,
        tpot_p95_ms=0.0,
    )


def describe_samples(work: ServingWork, choice: ServingChoice, assume: Assumptions) -> ServingDetail:
    """The choice described: one batch's time, latency of a whole answer as TTFT, samples as tokens."""
    device = choice.cluster.device
    level = _level(device)
    sample = sample_of(work.arch, work.input_tokens, assume)
    sigma = log_sigma(device, "static")
    batch_job = work.batch is not None and not work.requests_per_s
    rate = choice.rate_per_replica if batch_job else work.requests_per_s / choice.replicas
    one = at_rate(work, device, precision=choice.precision, level=level, rate=rate, assume=assume)
    mean = sum(work.load_curve) / len(work.load_curve) if work.load_curve else 1.0
    per_day = work.batch.requests if batch_job and work.batch else work.requests_per_s * 86400 * mean
    launch = sample.passes * sample.layers * assume[f"serving.sample_launch_us.{level}"] * 1e-3
    wait = max(one.latency_ms[0] - one.service_s * 1e3, 0.0)
    time = (
        Part(key="network", label="Distance to users", value=work.network_latency_ms, unit="ms"),
        Part(key="queue", label="Waiting for the batch", value=wait, unit="ms"),
        Part(key="compute", label="Computing the batch", value=one.service_s * 1e3 - launch, unit="ms"),
        Part(key="communication", label="Exchange between accelerators", value=0.0, unit="ms"),
        Part(key="overhead", label="Launching kernels", value=launch, unit="ms"),
    )
    return ServingDetail(
        layout=choice.layout,
        precision=choice.precision,
        kv_precision=choice.kv_precision,
        engine=choice.engine,
        memory=_memory(sample, choice, assume),
        time=time,
        result=_physics(work, choice, one, rate, sigma, assume, sample),
        tokens_per_s=band(rate * choice.replicas, sigma, "sample/s"),
        accelerator_hours_per_day=band(choice.accelerator_hours_per_day, sigma, "accelerator·h"),
        input_share=0.5,
        requests_per_day=per_day,
        input_tokens_per_day=per_day,
        output_tokens_per_day=per_day,
        log_sigma=sigma,
        because=(f"device:{device.slug}", f"serving.sample_compute.{level}", f"serving.sample_launch_us.{level}"),
        warnings=("Requests are samples: a million tokens reads as a million samples.",),
    )


def _memory(sample: Sample, choice: ServingChoice, assume: Assumptions) -> Memory:
    weights = 2 * sample.weights / 1e9
    active = choice.max_batch * sample.activation_bytes / 1e9
    workspace = assume["serving.workspace_gb"]
    capacity = choice.cluster.device.memory_bytes / 1e9
    used = weights + active + workspace
    parts = (
        Part(key="weights", label="Weights", value=weights, unit="GB"),
        Part(key="kv_cache", label="KV cache", value=0.0, unit="GB"),
        Part(key="activations", label="Activations of a batch", value=active, unit="GB"),
        Part(key="context", label="Context, graphs and buffers", value=workspace, unit="GB"),
        Part(key="reserve", label="Left to the system", value=max(capacity - used, 0.0), unit="GB"),
    )
    return Memory(
        parts=parts, total_gb=Estimate(low=used * 0.9, expected=used, high=used * 1.1, unit="GB"), capacity_gb=capacity
    )


def _physics(
    work: ServingWork,
    choice: ServingChoice,
    one: Server,
    rate: float,
    sigma: float,
    assume: Assumptions,
    sample: Sample,
) -> ServingPhysics:
    p50, p95, p99 = (band(value + work.network_latency_ms, sigma, "ms") for value in one.latency_ms)
    latency = Percentiles(p50=p50, p95=p95, p99=p99)
    nothing = Percentiles(p50=band(0.0, sigma, "ms"), p95=band(0.0, sigma, "ms"), p99=band(0.0, sigma, "ms"))
    total = choice.replicas + choice.spare_replicas
    curve = choice.replicas_by_hour or (total,)
    warm = (
        assume["serving.boot_s"] + 2 * sample.weights / 1e9 / assume["serving.load_gb_s"] + assume["serving.compile_s"]
    )
    return ServingPhysics(
        replicas=choice.replicas,
        spare_replicas=choice.spare_replicas,
        accelerators_per_replica=1,
        engine=choice.engine,
        kv_precision=choice.kv_precision,
        max_batch=choice.max_batch,
        batch_at_peak=float(one.batch),
        utilisation=min(rate / choice.rate_per_replica, 1.0),
        requests_per_s_per_replica=band(choice.rate_per_replica, sigma, "sample/s"),
        ttft_ms=latency,
        tpot_ms=nothing,
        e2e_ms=latency,
        output_tokens_per_s_per_gpu=band(rate, sigma, "sample/s"),
        autoscale=Autoscale(min=min(curve), max=max(*curve, total), warmup_s=round(warm, 1)),
        bound="compute",
        simulated=False,
    )
