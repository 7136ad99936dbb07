"""Models that answer a sample at a time: encoders, vision, diffusion, speech, classifiers.

The time of a batch is in `physics.samples`. Batching: none, static (wait for a full batch) or dynamic (take what waits).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.answer import Autoscale, Estimate, Memory, Part, Percentiles, Rejection
from engine.inputs.architecture import counts_of
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import Finding, Ref, finding
from engine.inputs.hardware import Cluster, Device
from engine.inputs.named import device_ref, part
from engine.kinds.service.candidates import Candidate
from engine.kinds.service.capacity import planned_share
from engine.kinds.service.choices import choices_from, serving_replicas
from engine.kinds.service.load import carried, sample_share
from engine.kinds.service.outcome import ServingChoice, ServingDetail, ServingPhysics, ServingSearch
from engine.kinds.service.refused import too_many_of
from engine.kinds.service.replica_size import Sized
from engine.kinds.service.starting import start_seconds
from engine.kinds.service.unpromised import longest_first, unpromised
from engine.kinds.service.work import ServingWork, is_batch
from engine.odds.serving import band, log_sigma, surely
from engine.physics.samples import BATCHES, MANY, Sample, batch_seconds, launch_seconds, longest_text, sample_of
from engine.reliability.standing import host_down
from engine.supply import examples_of

_RATES = 19
"""Rates tried for each batch, evenly up to the busiest that is planned."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """One accelerator serving samples: largest batch, its time, the rate that holds the promise."""

    batch: int
    service_s: float
    rate: float
    """What it is given at the peak at most [sample/s]."""
    most: float
    """What it could serve at most within the promise, its queue still finite [sample/s]."""
    full: float
    """The same without any promise."""
    latency_ms: tuple[float, float, float]
    """p50, p95, p99 at that rate."""


def service_time(
    sample: Sample, device: Device, *, precision: str, batch: int, level: str, assume: Assumptions
) -> float:
    """Seconds for a batch on that stack."""
    return batch_seconds(sample, device, precision=precision, batch=batch, stack=level, assume=assume)


def server(
    work: ServingWork, device: Device, *, precision: str, level: str, batching: str, assume: Assumptions
) -> Server:
    """The batch and rate of one accelerator that hold the promise; rate 0 when none does.

    Where nothing is promised an answer comes within some times that of an idle server; a batch job just runs full.
    """
    sample = sample_of(work.arch, work.input_tokens, assume)
    room = device.memory_bytes * assume["serving.kv_share"] - assume["serving.workspace_gb"] * 1e9 - 2 * sample.weights
    busy = 1.0 if is_batch(work) else planned_share(assume)
    best = Server(batch=0, service_s=0.0, rate=0.0, most=0.0, full=0.0, latency_ms=(0.0, 0.0, 0.0))
    alone = service_time(sample, device, precision=precision, batch=1, level=level, assume=assume)
    longest = _longest(work, device, alone, assume)
    for batch in sample.batches if batching != "none" else (1,):
        if room < batch * sample.activation_bytes:
            break
        seconds = service_time(sample, device, precision=precision, batch=batch, level=level, assume=assume)
        rate, latency = _queue(batch, seconds, longest, batching, busy)
        if rate > best.rate:
            full = batch / seconds
            most = full if rate >= busy * full else rate
            best = Server(batch=batch, service_s=seconds, rate=rate, most=most, full=full, latency_ms=latency)
    return best


def _longest(work: ServingWork, device: Device, alone: float, assume: Assumptions) -> float:
    """Seconds that the p95 of an answer may take."""
    if is_batch(work):
        return math.inf
    if work.ttft_p95_ms:
        return (work.ttft_p95_ms * sample_share(device, work, assume) - work.network_latency_ms) / 1e3
    return longest_first(alone * 1e3, alone * 1e3, assume) / 1e3


def _queue(
    batch: int, seconds: float, longest: float, batching: str, busy: float
) -> tuple[float, tuple[float, float, float]]:
    """(rate, latency percentiles [ms]) of batches served one after the other under Poisson arrivals.

    Waiting of an M/D/1 queue of batches, exponential tail: P(W > t) = ρ exp(−2 (1−ρ) t / (ρ s)). A static batch also
    waits until it is full, a dynamic one at most for the batch in service. `busy`: share of time that is planned.
    """
    if busy >= 1:
        return batch / seconds, (seconds * 1e3,) * 3
    for step in range(_RATES, 0, -1):
        rate = busy * step / _RATES * batch / seconds
        latency = latency_of(batch, seconds, rate, batching)
        if latency[1] <= longest:
            return rate, (latency[0] * 1e3, latency[1] * 1e3, latency[2] * 1e3)
    return 0.0, (0.0, 0.0, 0.0)


def latency_of(batch: float, seconds: float, rate: float, batching: str) -> tuple[float, float, float]:
    """p50, p95 and p99 [s] of a server that takes batches of that size at that rate of samples."""
    busy = rate * seconds / batch
    fill = (batch - 1) / rate if batching == "static" else min((batch - 1) / rate, seconds)
    tails = [max(math.log(busy / p), 0.0) * busy * seconds / (2 * (1 - busy)) for p in (0.5, 0.05, 0.01)]
    return seconds + fill / 2 + tails[0], seconds + fill + tails[1], seconds + fill + tails[2]


def at_rate(
    work: ServingWork,
    device: Device,
    *,
    precision: str,
    level: str,
    rate: float,
    most: int = MANY[-1],
    assume: Assumptions,
) -> Server:
    """One accelerator under the load that it gets: of the batches up to `most` that keep up, the one that answers
    soonest."""
    sample = sample_of(work.arch, work.input_tokens, assume)
    found = []
    for batch in (size for size in sample.batches if size <= most):
        seconds = service_time(sample, device, precision=precision, batch=batch, level=level, assume=assume)
        if is_batch(work) or rate * seconds / batch <= planned_share(assume) * (1 + 1e-9):
            p50, p95, p99 = (seconds,) * 3 if is_batch(work) else latency_of(batch, seconds, rate, "dynamic")
            latency = (p50 * 1e3, p95 * 1e3, p99 * 1e3)
            found.append(
                Server(
                    batch=batch,
                    service_s=seconds,
                    rate=rate,
                    most=batch / seconds,
                    full=batch / seconds,
                    latency_ms=latency,
                )
            )
    return max(found, key=lambda one: one.most) if is_batch(work) else min(found, key=lambda one: one.latency_ms[1])


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
    slow: list[Ref] = []
    large: list[Ref] = []
    many: list[Ref] = []
    for cluster in clusters:
        found = _choices(work, cluster, assume)
        if found is None:
            (slow if _fits(work, cluster.device, assume) else large).append(device_ref(cluster.device))
        elif not found:
            many.append(device_ref(cluster.device))
        choices += found or []
    rejected = [
        Rejection(code=code, reason=reason, count=len(devices), nearest=examples_of(devices[:1]))
        for code, reason, devices in (
            ("latency", finding("left_out.latency.samples"), slow),
            ("memory", finding("left_out.memory.samples"), large),
            ("count", too_many_of(work), many),
        )
        if devices
    ]
    choices.sort(key=lambda c: (c.accelerators, c.ttft_p95_ms))
    return ServingSearch(choices=tuple(choices), rejected=tuple(rejected), searched=len(clusters) * len(BATCHES))


def quickest_sample(work: ServingWork, clusters: Sequence[Cluster], assume: Assumptions) -> float | None:
    """The least promise [ms] that an idle accelerator which holds the model keeps as surely as is asked; None without any."""
    sample = sample_of(work.arch, work.input_tokens, assume)
    promised = [
        (
            service_time(
                sample,
                cluster.device,
                precision=_precision(cluster.device, work.precision),
                batch=1,
                level=_level(cluster.device),
                assume=assume,
            )
            * 1e3
            + work.network_latency_ms
        )
        / sample_share(cluster.device, work, assume)
        for cluster in clusters
        if _fits(work, cluster.device, assume)
    ]
    return min(promised, default=None)


def _fits(work: ServingWork, device: Device, assume: Assumptions) -> bool:
    sample = sample_of(work.arch, work.input_tokens, assume)
    room = device.memory_bytes * assume["serving.kv_share"] - assume["serving.workspace_gb"] * 1e9
    return room >= 2 * sample.weights + sample.activation_bytes


def _choices(work: ServingWork, cluster: Cluster, assume: Assumptions) -> list[ServingChoice] | None:
    """What accelerators of that cluster make of the work, empty where too many are needed; None where one does not do."""
    device = cluster.device
    precision = _precision(device, work.precision)
    one = server(work, device, precision=precision, level=_level(device), batching="dynamic", assume=assume)
    if one.rate <= 0:
        return None
    candidate = Candidate(
        cluster=cluster,
        engine=work.framework if work.framework != "auto" else "triton",
        precision=precision,
        kv_precision="fp16",
        tp=1,
        pp=1,
        ep=1,
        adp=1,
    )
    first = one.latency_ms[1] + work.network_latency_ms
    sized = Sized(rate=one.rate, most=one.most, full=one.full, ttft_p95_ms=first, tpot_p95_ms=0.0)
    start_s, sure = _start(work.arch.parameters, assume), surely(_sigma(device), work.sure)
    return choices_from(
        candidate,
        sized,
        one.batch,
        work,
        start_s=start_s,
        surely=sure,
        carry=carried(device, work, assume),
        down=host_down(cluster.devices_per_node, assume),
    )


def _sigma(device: Device) -> float:
    """Of ln(measured ÷ predicted) samples per second: of the band that is told and of the deadline that is kept."""
    return log_sigma(device, "sample")


def _start(parameters: float, assume: Assumptions) -> float:
    """Seconds until an accelerator answers; no graphs are captured."""
    return start_seconds(2 * parameters, assume) - assume["serving.graphs_s"]


def describe_samples(work: ServingWork, choice: ServingChoice, assume: Assumptions) -> ServingDetail:
    """The choice described: one batch's time, latency of a whole answer as TTFT; each sample is one answer and pays all."""
    device = choice.cluster.device
    level = _level(device)
    sample = sample_of(work.arch, work.input_tokens, assume)
    sigma = _sigma(device)
    batch_job = is_batch(work)
    rate = choice.rate_per_replica if batch_job else work.requests_per_s / choice.replicas
    one = at_rate(
        work, device, precision=choice.precision, level=level, rate=rate, most=choice.max_batch, assume=assume
    )
    every = serving_replicas(choice)
    shared = work.requests_per_s / every
    normal = (
        at_rate(
            work, device, precision=choice.precision, level=level, rate=shared, most=choice.max_batch, assume=assume
        )
        if every > choice.replicas and not batch_job
        else None
    )
    mean = sum(work.load_curve) / len(work.load_curve) if work.load_curve else 1.0
    count = work.batch.requests if batch_job and work.batch else work.requests_per_s * 86400 * mean
    launch = launch_seconds(sample, level, assume) * 1e3
    wait = max(one.latency_ms[0] - one.service_s * 1e3, 0.0)
    time = (
        Part(key="network", label=part("latency.network"), value=work.network_latency_ms, unit="ms"),
        Part(key="queue", label=part("latency.batch"), value=wait, unit="ms"),
        Part(key="compute", label=part("latency.computing"), value=one.service_s * 1e3 - launch, unit="ms"),
        Part(key="overhead", label=part("latency.launch"), value=launch, unit="ms"),
    )
    return ServingDetail(
        layout=choice.layout,
        precision=choice.precision,
        kv_precision=choice.kv_precision,
        engine=choice.engine,
        memory=_memory(sample, choice, assume),
        time=time,
        result=_physics(work, choice, one, rate, sigma, assume, sample),
        tokens_per_s=band(rate * choice.replicas, sigma, f"{counts_of(work.arch)}/s"),
        accelerator_hours=band(choice.accelerator_hours, sigma, "accelerator·h"),
        input_share=0.0,
        requests=count,
        input_tokens=0.0,
        output_tokens=count,
        log_sigma=sigma,
        normal_ms=normal.latency_ms[1] + work.network_latency_ms if normal else None,
        because=(f"device:{device.slug}", f"serving.sample_traffic.{level}", f"serving.sample_launch_us.{level}"),
        warnings=tuple(_warnings(work, assume)),
    )


def _warnings(work: ServingWork, assume: Assumptions) -> Iterator[Finding]:
    if work.arch.kind != "generic" and work.arch.modality == "text" and work.input_tokens > longest_text(work.arch):
        yield finding("warning.cut", positions=longest_text(work.arch), asked=work.input_tokens)
    if not work.ttft_p95_ms and not is_batch(work):
        yield unpromised(assume)


def _memory(sample: Sample, choice: ServingChoice, assume: Assumptions) -> Memory:
    weights = 2 * sample.weights / 1e9
    active = choice.max_batch * sample.activation_bytes / 1e9
    workspace = assume["serving.workspace_gb"]
    capacity = choice.cluster.device.memory_bytes / 1e9
    used = weights + active + workspace
    kept = min(capacity * (1.0 - assume["serving.kv_share"]), max(capacity - used, 0.0))
    parts = (
        Part(key="weights", label=part("memory.weights"), value=weights, unit="GB"),
        Part(key="activations", label=part("memory.batch_activations"), value=active, unit="GB"),
        Part(key="context", label=part("memory.context"), value=workspace, unit="GB"),
        Part(key="free", label=part("memory.free_for_batches"), value=max(capacity - used - kept, 0.0), unit="GB"),
        Part(key="kept_free", label=part("memory.kept_free"), value=kept, unit="GB"),
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
    warm = _start(sample.weights, assume)
    return ServingPhysics(
        replicas=choice.replicas,
        spare_replicas=choice.spare_replicas,
        accelerators_per_replica=1,
        engine=choice.engine,
        kv_precision=choice.kv_precision,
        max_batch=choice.max_batch,
        batch_at_peak=float(one.batch),
        utilisation=rate / choice.rate_per_replica,
        requests_per_s_per_replica=band(choice.rate_per_replica, sigma, f"{counts_of(work.arch)}/s"),
        ttft_ms=latency,
        tpot_ms=nothing,
        e2e_ms=latency,
        output_tokens_per_s_per_gpu=band(rate, sigma, f"{counts_of(work.arch)}/s"),
        autoscale=Autoscale(min=min(curve), max=max(*curve, total), warmup_s=round(warm, 1)),
        bound="compute",
        simulated=False,
    )
