"""Time of a batch of samples: encoders, vision, detection, diffusion, speech, recommenders.

A batch computes, moves activations and weights and takes in indices at the same time, as a p-norm of all, while the host launches
kernels; whichever takes longer shows, as a 2-norm. How often activations are moved, and how long launches take, is a
matter of the stack: eager frameworks, their graphs, compilers, TensorRT. Judged on measured rows (docs/serving.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from engine.inputs.architecture import Architecture
from engine.inputs.hardware import Device
from engine.physics.token.machine import compute_format

STACKS = ("eager", "graph", "compiled", "tensorrt")
"""How a network is run: framework without compilation, graph of a framework, graph compiler, TensorRT."""
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
MANY = (*BATCHES, 1024, 4096, 16_384, 65_536)
"""Batches of recommenders, whose samples are small: tens of thousands in MLPerf Inference."""
_BYTES: Mapping[str, float] = {"fp32": 4.0, "tf32": 4.0, "fp8": 1.0, "int8": 1.0}
_SHARES: Mapping[str, str] = {"int8": "int8", "fp8": "fp8", "nvfp4": "fp8", "tf32": "tf32", "fp32": "fp32"}


_SYSTOLIC = frozenset({"neuron", "xla"})
"""Runtimes of chips whose matrix unit is one large array."""
_ROWS = 128
"""Rows of work in which such an array loads its next tile of weights: with fewer for a weight it waits (AWS Neuron documentation,
NeuronCore-v2: 128 x 128)."""
_UNFUSED = frozenset({"graph"})
"""Stacks that write attention scores to memory. PyTorch's own attention is fused, compiled or not; a compiler for a systolic
array writes them too, for its matrix unit reads both sides of a product from memory."""
_VOLUMES = frozenset({"u-net-3d"})
_WARP_PRODUCTS = 0.63
"""What products of single warps reach of Hopper's peak, which only products of four warps together do (Luo et al. 2024, arXiv
2402.13499: 62.9 %): libraries have none of these for convolutions over three dimensions."""
_KEPT: Mapping[str, float] = {"neuron": 24e6}
"""Memory beside the matrix unit of each core that a compiler keeps what layers write in [byte] (AWS Neuron documentation,
NeuronCore-v2: 24 MiB); other chips have caches, which nobody plans."""
_INSTANCE_PASSES = 3.0
"""How often a normalisation by a sample's own statistics moves what a convolution wrote: read for the statistics, read and
written again. Statistics of training (batch normalisation) are folded into the convolution's weights instead."""


class Values(Protocol):
    """Coefficients by name."""

    def __getitem__(self, name: str) -> float: ...


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Work and bytes of one sample."""

    operations: float
    """All forward passes of a sample [FLOP]."""
    passes: float
    elements: float
    """What the layers of one pass write."""
    scores: float
    """Attention scores of one pass, which only unfused attention writes [element]."""
    convolved: bool
    """Are its products convolutions?"""
    volume: bool
    """Are they convolutions over three dimensions?"""
    normalised: bool
    """Does a normalisation and an activation of its own follow each convolution, read and written once more?"""
    by_itself: bool
    """Is each sample normalised by its own statistics, which no compiler folds into a convolution?"""
    weights: float
    """Parameters that are held."""
    read: float
    """Parameters read for a batch, whatever its size."""
    fed: float
    """Bytes that come over the host's bus for each sample: indices into embedding tables, 4 bytes each."""
    read_each: float
    """Parameters read for each sample: rows of embedding tables."""
    activation_bytes: float
    layers: int
    batches: tuple[int, ...] = BATCHES
    steps: int = 0
    """Tokens written one after the other."""
    step_read: float = 0.0
    """Parameters read for each of them, whatever the batch."""
    step_bytes: float = 0.0
    """Keys and values that one sample reads for each of them [byte]."""


def sample_of(arch: Architecture, tokens: float, assume: Values) -> Sample:
    """Work of one sample: stated for generic models, 2 × parameters × tokens plus attention for encoders."""
    guided = assume["serving.diffusion_steps"] * assume["serving.diffusion_guidance"]
    passes = guided if arch.modality == "diffusion" else 1.0
    length = _length(arch, tokens)
    if arch.kind == "generic":
        operations = arch.flops_per_sample or 2.0 * arch.generic_parameters
    else:
        operations = (
            2 * (arch.parameters - arch.vocab * arch.hidden) * length + 4 * arch.layers * arch.q_width * length**2
        )
    active = arch.activation_bytes_per_sample or 8.0 * max(arch.hidden, 1024) * 512
    tables = arch.tables
    return Sample(
        operations=operations * passes,
        passes=passes,
        elements=elements_of(arch, length),
        scores=arch.scores_per_sample if arch.kind == "generic" else arch.layers * arch.heads * length**2,
        convolved=arch.kind == "generic" and arch.modality == "image" and arch.family not in ("vit", "clip", "swin"),
        volume=arch.family in _VOLUMES,
        normalised=arch.batch_norm or arch.instance_norm,
        by_itself=arch.instance_norm,
        weights=arch.parameters,
        read=arch.generic_parameters if tables else arch.parameters - arch.vocab * arch.hidden,
        fed=4.0 * tables.lookups if tables else 0.0,
        read_each=float(tables.lookups) * tables.width if tables else 0.0,
        activation_bytes=active / 8,
        layers=arch.layers * (1 if arch.kind == "generic" else 8) or (10 if tables else 50),
        batches=MANY if tables else BATCHES,
        steps=arch.decoder.tokens if arch.decoder else 0,
        step_read=arch.decoder.parameters if arch.decoder else 0.0,
        step_bytes=arch.decoder.cache_bytes if arch.decoder else 0.0,
    )


def _length(arch: Architecture, tokens: float) -> float:
    """Tokens of one sample: of a text as long as it is, of a picture as many as it has patches."""
    if arch.modality != "text":
        return float(arch.positions or min(tokens, 512))
    return min(tokens, longest_text(arch))


def longest_text(arch: Architecture) -> float:
    """Tokens that an encoder of texts takes at most: its positions, or what it was published for [token]."""
    return float(arch.positions or arch.max_sequence or 512)


def elements_of(arch: Architecture, length: float) -> float:
    """Elements that the layers write in one pass: a quarter of the bytes that training stores, which holds each twice."""
    if arch.activation_bytes_per_sample:
        return arch.activation_bytes_per_sample / 4.0
    return 14.0 * arch.layers * length * arch.hidden


def batch_seconds(
    sample: Sample,
    device: Device,
    *,
    precision: str,
    batch: float,
    stack: str,
    assume: Values,
    host: bool = False,
    queued: bool = True,
) -> float:
    """Seconds for a batch. `host`: a pipeline that prepares and finishes each sample on the host, as reference code of
    detection does. `queued`: another batch waits, so that its beginning hides behind the one before."""
    chosen = precision if precision in ("fp32", "tf32") and precision in device.dense_flops else ""
    chosen = chosen or compute_format(device, precision)
    rates = device.dense_flops
    peak = rates.get(chosen) or rates.get("fp16") or rates.get("bf16") or rates.get("fp32") or 1.0
    share = assume[f"serving.sample_share.{_SHARES.get(chosen, 'fp16')}"]
    width = _BYTES.get(chosen, 2.0)
    ridge = assume["serving.sample_ridge"]
    loaded = 0.0
    if device.runtime in _SYSTOLIC:
        loaded = 2.0 * sample.read * sample.passes * _ROWS / (peak * share)
        share *= assume["serving.sample_systolic_convolution"] if sample.convolved else 1.0
    if sample.volume and device.generation.startswith("hopper"):
        share *= _WARP_PRODUCTS
    computed = max(sample.operations * batch / (peak * share), loaded)
    moved = _moved(sample, device, batch=batch, width=width, stack=stack, assume=assume)
    fed = batch * sample.fed / (device.pcie_bandwidth * assume["serving.pcie_link_share"]) if sample.fed else 0.0
    worked = (computed**ridge + moved**ridge + fed**ridge) ** (1.0 / ridge)
    launched, begun = launch_seconds(sample, stack, assume), assume[f"serving.sample_batch_us.{stack}"] * 1e-6
    by_hand = batch * assume["serving.sample_host_ms"] * 1e-3 if host else 0.0
    shown = math.hypot(worked, launched + begun) if queued else math.hypot(worked, launched) + begun
    return shown + _decoding(sample, device, batch, width, stack, assume) + by_hand


def launch_seconds(sample: Sample, stack: str, assume: Values) -> float:
    """Host time of the launches of all passes over a batch."""
    return sample.passes * sample.layers * assume[f"serving.sample_launch_us.{stack}"] * 1e-6


def _moved(sample: Sample, device: Device, *, batch: float, width: float, stack: str, assume: Values) -> float:
    """Seconds of memory traffic: activations of each sample, weights of each pass, rows of tables."""
    times = assume[f"serving.sample_traffic.{stack}"]
    if not sample.normalised and stack in ("eager", "graph"):
        times *= assume["serving.sample_traffic_plain"]
    if sample.by_itself and stack not in ("eager", "graph"):
        times += _INSTANCE_PASSES
    unfused = stack in _UNFUSED or (stack == "compiled" and device.runtime in _SYSTOLIC)
    scores = sample.scores * assume["serving.sample_score_passes"] if unfused else 0.0
    activations = batch * (sample.elements * times * _beyond(sample, device, batch * width) + scores)
    tables = batch * sample.read_each / assume["serving.table_rate"]
    elements = sample.passes * (activations + sample.read + tables)
    return elements * width / (device.memory_bandwidth * assume["serving.bandwidth_share"])


def _beyond(sample: Sample, device: Device, times: float) -> float:
    """Share of what layers write that leaves the chip: what a layer reads and writes has room there, or has not. `times`: bytes
    of an element in all samples of a batch."""
    kept = _KEPT.get(device.runtime, 0.0)
    return max(1.0 - kept / (2.0 * times * sample.elements / sample.layers), 0.0) if kept else 1.0


def _decoding(sample: Sample, device: Device, batch: float, width: float, stack: str, assume: Values) -> float:
    """Seconds in which a batch writes its tokens: each reads the decoder once and every sample's keys and values, is picked
    and kept account of."""
    if not sample.steps:
        return 0.0
    read = sample.step_read * width / assume["serving.bandwidth_share"]
    cached = batch * sample.step_bytes / assume["serving.sample_cross_share"]
    each = batch * assume["serving.sample_token_us"] * 1e-6
    return sample.steps * ((read + cached) / device.memory_bandwidth + launch_seconds(sample, stack, assume) + each)
