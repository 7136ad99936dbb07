"""Time of one scheduler step of a replica: prefill tokens, decode sequences, or both at once.

All functions broadcast: a `Setup` holds numbers or equal-length arrays of them, so one call prices every candidate.
Formulas: guide/serving §3 items 1 to 3; expected experts touched by T tokens: E (1 − (1 − k/E)^T).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.physics.token.machine import WEIGHT_BITS, Rates
from engine.physics.token.shape import Shape

Numbers = NDArray[np.float64]
_KERNEL_QUERIES = 8
"""Queries to a head of the cache for which TensorRT-LLM 0.9 had a tensor-core kernel: Llama-2-70B (8) runs at the usual
rate there, Mistral-7B (4) and Falcon-180B (29) at that of vector units."""
_LATENCY_GROWTH = 0.6
"""Small all-reduces over 2, 4, 8 accelerators take 6, 9.5, 16 µs (H100) and 10, 15, 25 µs (B200): NCCL 2.27 tables."""
_RAMP_BYTES = 4e6
"""Message at which half of what a large one adds is there: over 8 H100 the same tables have 20, 38, 79, 200 and 579 µs for 0.5,
2, 8, 34 and 134 MB, that is 18, 30, 46, 68 and 51 µs beyond the ring's own time at 445 GB/s."""
_PRODUCTS = 4
"""Dense products in a layer: into queries, keys and values, out of attention, into the feed-forward, out of it."""


@dataclass(frozen=True, kw_only=True)
class Setup:
    """One model on one replica layout (or arrays of them): work, bytes and delivered rates. SI units."""

    layers: Numbers
    hidden: Numbers
    exchanges: Numbers
    """All-reduces in a layer: two, or one where attention and feed-forward run side by side."""
    dense: Numbers
    expert: Numbers
    experts: Numbers
    top_k: Numbers
    head: Numbers
    dense_bytes: Numbers
    """Bytes of a weight that every token passes."""
    expert_bytes: Numbers
    """Bytes of a routed expert's weight."""
    fixed_bytes: Numbers
    """Bytes of embedding tables and output head: in 16 bits, but for GGUF and MLX, which quantise them too."""
    kv_full: Numbers
    """Cache bytes of a token in layers that see everything."""
    kv_window: Numbers
    window: Numbers
    score_full: Numbers
    score_window: Numbers
    score_decode: Numbers
    compute: Numbers
    expert_compute: Numbers
    dispatch_bytes: Numbers
    """Bytes moved in memory for each token and mixture layer to bring it to its experts and back."""
    head_compute: Numbers
    attention: Numbers
    decode_attention: Numbers
    """Rate of attention over the cache for the next token."""
    ridge_norm: Numbers
    """Norm that joins computing and reading weights."""
    bandwidth: Numbers
    expert_bandwidth: Numbers
    kv_bandwidth: Numbers
    memory: Numbers
    link: Numbers
    link_latency: Numbers
    link_ramp: Numbers
    """What a large all-reduce over 8 accelerators adds to a small one's latency: it is cut into pieces that pass one by one."""
    hop_s: Numbers
    layer_s: Numbers
    step_s: Numbers
    ahead: Numbers
    """1 where the engine schedules the next step while this one runs, else 0."""
    sequence_s: Numbers
    """Host time for each sequence in a step: sampling, detokenising, bookkeeping."""
    tp: Numbers
    pp: Numbers
    adp: Numbers
    """Attention data-parallel ranks: attention is replicated, experts are spread over all of them."""
    kv_split: Numbers
    """Ranks that the cache is split over (tensor ranks beyond the KV heads hold copies)."""
    imbalance: Numbers

    @property
    def devices(self) -> Numbers:
        """Accelerators in the replica."""
        return self.tp * self.pp * self.adp


def setup(
    shape: Shape,
    rates: Rates,
    *,
    precision: str,
    kv_precision: str,
    tp: int = 1,
    pp: int = 1,
    ep: int = 1,
    adp: int = 1,
    assume: Assumptions,
) -> dict[str, float]:
    """The numbers of one candidate, by field of `Setup`."""
    machine = machine_numbers(shape, rates, precision=precision, kv_precision=kv_precision, assume=assume)
    return {**machine, **layout_numbers(shape, rates, tp=tp, pp=pp, ep=ep, adp=adp, assume=assume)}


def machine_numbers(
    shape: Shape, rates: Rates, *, precision: str, kv_precision: str, assume: Assumptions
) -> dict[str, float]:
    """Those of them that are the same in every layout."""
    kv = assume[f"serving.bytes.{WEIGHT_BITS[kv_precision]}"]
    weight = assume[f"serving.bytes.{WEIGHT_BITS[precision]}"]
    moe = shape.moe
    plain = moe and keeps_dense_plain(precision, latent=shape.latent)
    dense = assume[f"serving.dense_bytes.{precision}"] if plain else weight
    return {
        "layers": shape.layers,
        "hidden": shape.hidden,
        "exchanges": shape.exchanges,
        "dense": shape.dense,
        "expert": shape.expert,
        "experts": shape.experts,
        "top_k": shape.top_k,
        "head": shape.head,
        "dense_bytes": dense,
        "expert_bytes": weight,
        "fixed_bytes": (weight if rates.local else 2.0) * (shape.embedding + shape.head),
        "kv_full": shape.kv_full * kv,
        "kv_window": shape.kv_window * kv,
        "window": shape.window,
        "score_full": shape.score_full,
        "score_window": shape.score_window,
        "score_decode": shape.score_decode,
        "compute": rates.head_compute if plain else rates.compute,
        "expert_compute": rates.compute
        * (_expert_share(shape, assume) * rates.experts if moe and not rates.local else 1.0),
        "dispatch_bytes": 2.0 * shape.hidden * shape.top_k * assume["serving.moe_passes"] if moe else 0.0,
        "head_compute": rates.head_compute,
        "attention": rates.attention * (assume["serving.mla_prefill"] if shape.latent else 1.0),
        "decode_attention": _decode_attention(shape, rates, assume),
        "ridge_norm": assume["serving.ridge_norm"],
        "bandwidth": rates.bandwidth,
        "expert_bandwidth": rates.bandwidth * (assume["serving.moe_bandwidth"] if moe else 1.0),
        "kv_bandwidth": rates.kv_bandwidth,
        "memory": rates.memory,
        "hop_s": rates.hop_s,
        "layer_s": rates.layer_s
        + (assume["serving.moe_layer_us"] * 1e-6 if moe else 0.0)
        + (_PRODUCTS * rates.scaling_s if not plain else 0.0),
        "step_s": rates.step_s,
        "ahead": float(rates.ahead),
        "sequence_s": rates.sequence_s,
    }


def layout_numbers(
    shape: Shape, rates: Rates, *, tp: int, pp: int, ep: int, adp: int, assume: Assumptions
) -> dict[str, float]:
    """Those that follow from how a replica is laid out."""
    joined = tp * adp <= rates.scaleup
    return {
        "link": rates.link if joined else rates.bus,
        "link_latency": rates.link_latency if joined else rates.bus_latency,
        "link_ramp": rates.link_ramp if joined else 0.0,
        "tp": tp,
        "pp": pp,
        "adp": adp,
        "kv_split": min(tp, shape.kv_heads),
        "imbalance": assume["serving.expert_imbalance"] if ep > 1 else 1.0,
    }


def _expert_share(shape: Shape, assume: Assumptions) -> float:
    """Rate of expert products against dense ones: narrow experts leave the hardware idle."""
    width = shape.expert / max(shape.layers * shape.experts * 3 * shape.hidden, 1.0)
    return assume["serving.moe_compute"] * width / (width + assume["serving.moe_width"])


def _decode_attention(shape: Shape, rates: Rates, assume: Assumptions) -> float:
    """Rate of attention over the cache: tensor cores, but in stacks of 2024 only where eight queries share a head."""
    queries = shape.score_decode / (2 * shape.kv_full) if shape.kv_full else _KERNEL_QUERIES
    if rates.vector and not shape.latent and round(queries) != _KERNEL_QUERIES:
        return rates.vector
    return rates.attention * (assume["serving.mla_prefill"] if shape.latent else 1.0)


def keeps_dense_plain(precision: str, *, latent: bool) -> bool:
    """Do published mixture checkpoints in that format quantise the experts only? (gpt-oss, Kimi; DeepSeek in NVFP4)"""
    return precision in ("mxfp4", "int4") or (precision == "nvfp4" and latent)


def stack(candidates: list[dict[str, float]]) -> Setup:
    """Candidates as one struct of arrays, shape (n, 1) so that a grid of batches broadcasts along the second axis."""
    return Setup(**_columns(candidates, [f.name for f in fields(Setup)]))


def stack_laid(machines: list[dict[str, float]], place: NDArray[np.intp], layouts: list[dict[str, float]]) -> Setup:
    """The same of candidates of which many are layouts of one machine: `place` says of which."""
    laid = list(layouts[0]) if layouts else []
    once = _columns(machines, [f.name for f in fields(Setup) if f.name not in laid])
    return Setup(**{name: column[place] for name, column in once.items()}, **_columns(layouts, laid))


def _columns(candidates: list[dict[str, float]], names: list[str]) -> dict[str, Numbers]:
    return {name: np.array([c[name] for c in candidates], dtype=float)[:, None] for name in names}


def single(candidate: dict[str, float]) -> Setup:
    """One candidate as zero-dimensional arrays."""
    return Setup(**{f.name: np.asarray(candidate[f.name], dtype=float) for f in fields(Setup)})


def context_of(window: Numbers, context: Numbers) -> Numbers:
    """Tokens that a sliding-window layer holds of such a context."""
    return np.minimum(window, context)


def matrix_time(s: Setup, tokens: Numbers, outputs: Numbers) -> Numbers:
    """Seconds of all matrix products for `tokens` in a step of which `outputs` need logits.

    Computing and reading weights join in a norm between sum and maximum: near the ridge both cost.
    """
    group = s.tp * s.adp
    tokens = np.maximum(tokens / s.pp, np.minimum(tokens, 1.0))
    outputs = outputs / s.pp
    local = np.maximum(tokens / s.adp, 1e-9)
    dense_work = 2 * s.dense * local / (s.compute * s.tp)
    dense_read = s.dense * s.dense_bytes / (s.bandwidth * s.tp)
    head_work = 2 * s.head * outputs / (s.head_compute * group)
    head_read = 2 * s.head / (s.bandwidth * group)
    head = np.hypot(head_work, head_read)
    if not np.any(s.experts > 1):
        return _joined(s, dense_work, dense_read) + head
    dispatch = tokens * s.layers * s.dispatch_bytes / (s.bandwidth * group)
    return _joined(s, dense_work, dense_read) + _expert_time(s, tokens, group) + head + dispatch


def _expert_time(s: Setup, tokens: Numbers, group: Numbers) -> Numbers:
    """Seconds of the experts' products in a step of so many tokens; nothing where there are none."""
    touched = s.experts * (1 - (1 - s.top_k / s.experts) ** np.maximum(tokens, 1.0))
    touched = np.where(s.experts > 1, touched, 0.0)
    work = 2 * s.expert * s.top_k / s.experts * tokens / (s.expert_compute * group) * s.imbalance
    read = s.expert * touched / s.experts * s.expert_bytes / (s.expert_bandwidth * group) * s.imbalance
    return _joined(s, work, read)


def _joined(s: Setup, work: Numbers, read: Numbers) -> Numbers:
    """Seconds of products that take `work` to compute and `read` to fetch their weights."""
    joined: Numbers = (work**s.ridge_norm + read**s.ridge_norm) ** (1 / s.ridge_norm)
    return joined


def exchange_time(s: Setup, tokens: Numbers) -> Numbers:
    """Seconds of the all-reduces (or all-to-alls) in every layer, and of the hops between pipeline stages."""
    ranks = s.tp * s.adp
    ring = 2 * (ranks - 1) / ranks
    message = (tokens / s.pp) / s.adp * s.hidden * 2
    latency = (s.link_latency + s.link_ramp * message / (message + _RAMP_BYTES)) * (ranks / 8) ** _LATENCY_GROWTH
    one = latency + ring * message / s.link
    hops = (s.pp - 1) * (s.hop_s + tokens / s.pp * s.hidden * 2 / s.link)
    return np.where(ranks > 1, s.exchanges * s.layers * one, 0.0) + hops


def pipeline_wait_time(s: Setup, tokens: Numbers, outputs: Numbers) -> Numbers:
    """Seconds that batches in flight in a pipeline wait for each other in one round of all stages.

    Every one of them pays for a scheduler step, and the stage with the output head is the slowest: all keep its pace.
    """
    flight = np.clip(tokens, 1.0, s.pp)
    group = s.tp * s.adp
    head = np.hypot(2 * s.head * outputs / flight / (s.head_compute * group), 2 * s.head / (s.bandwidth * group))
    return (flight - 1) * (head + s.step_s)


def cache_time(s: Setup, sequences: Numbers, context: Numbers) -> Numbers:
    """Seconds to read the cache of `sequences` with that mean context, once for the next token of each."""
    bytes_each = context * s.kv_full + context_of(s.window, context) * s.kv_window
    own = sequences / s.pp / s.adp
    work = context * s.score_decode / (s.decode_attention * s.tp)
    return own * np.hypot(bytes_each / (s.kv_bandwidth * s.kv_split), work)


def prefill_attention_time(s: Setup, tokens: Numbers, length: Numbers) -> Numbers:
    """Seconds of causal attention for `tokens` new tokens of prompts of that length (half the square is masked)."""
    pairs_full = tokens * length / 2
    pairs_window = tokens * np.minimum(length / 2, s.window)
    work = pairs_full * s.score_full + pairs_window * s.score_window
    return work / s.pp / (s.attention * s.tp * s.adp)


def overhead_time(s: Setup, busy: Numbers) -> Numbers:
    """Seconds that launches, scheduling and sampling add to a step whose products and exchange take `busy` seconds.

    An engine that schedules ahead hides the host's part behind the accelerator's as far as it can.
    """
    launches = s.layers * s.layer_s
    hidden = np.hypot(busy + launches, s.step_s) - busy
    return np.where(s.ahead > 0, hidden, launches + s.step_s)


def step_time(s: Setup, *, prefill: Numbers, length: Numbers, sequences: Numbers, context: Numbers) -> Numbers:
    """Seconds of one step that advances `sequences` by a token and digests `prefill` prompt tokens.

    With a pipeline every stage works on 1/pp of the tokens and a token passes pp stages, so the sum over stages stands.
    """
    tokens = prefill + sequences
    outputs = sequences + prefill / np.maximum(length, 1.0)
    busy = matrix_time(s, tokens, outputs) + exchange_time(s, tokens)
    return (
        busy
        + overhead_time(s, busy)
        + cache_time(s, sequences, context)
        + prefill_attention_time(s, prefill, length)
        + pipeline_wait_time(s, tokens, outputs)
        + s.sequence_s * sequences
    )


def decode_time(s: Setup, sequences: Numbers, context: Numbers) -> Numbers:
    """Seconds of a step without prompts."""
    zero = np.zeros_like(np.asarray(sequences, dtype=float))
    return step_time(s, prefill=zero, length=np.ones_like(zero), sequences=sequences, context=context)


def prefill_time(s: Setup, tokens: Numbers, length: Numbers) -> Numbers:
    """Seconds of a step of prompts only. One prompt crosses all stages of a pipeline, so pp does not shorten it."""
    zero = np.zeros_like(np.asarray(tokens, dtype=float))
    return step_time(s, prefill=np.asarray(tokens, dtype=float), length=length, sequences=zero, context=zero)
