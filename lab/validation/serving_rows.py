"""Measured serving rows as published: what each says, and the usual choice where it is silent.

A row is refused only when its accelerator is unknown or something essential is not stated; the reason names it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.inputs.hardware import Device
from engine.physics.token.shape import Shape, exchanges_of, shape_of
from lab.validation.row_model import architecture, number, text_of
from lab.validation.rows import Refusal, Row, family
from lab.validation.serving_names import (
    bits_of,
    cache_precision,
    delivery,
    device_of,
    engine_of,
    kind_of,
    precision_of,
)

_OPENORCA_INPUT = 294.0
"""Mean prompt of the OpenOrca sample of MLPerf [token]; not in the logs, the sample's own statistics."""
_MEAN_INPUT = {"DeepSeek-R1": 800.0, "Mixtral-8x7B": 370.0, "GPT-J-6B": 780.0, "gpt-oss-120b": 4400.0}
"""Mean prompts of other samples of MLPerf [token]; of gpt-oss the articles of PubMed that it sums up, 3,016 words in the mean
(Cohan et al. 2018)."""
# MLPerf limits [ms]: (TTFT p99, TPOT p99) by model and scenario, from the benchmark rules
_RULES: Mapping[tuple[str, str], tuple[float, float]] = {
    ("Llama-2-70B", "Server"): (2000.0, 200.0),
    ("Llama-2-70B", "Interactive"): (450.0, 40.0),
    ("Llama-3.1-405B", "Server"): (6000.0, 175.0),
    ("Llama-3.1-405B", "Interactive"): (4500.0, 80.0),
    ("Llama-3.1-8B", "Server"): (2000.0, 100.0),
    ("Llama-3.1-8B", "Interactive"): (500.0, 30.0),
    ("Mixtral-8x7B", "Server"): (2000.0, 200.0),
    ("DeepSeek-R1", "Server"): (2000.0, 80.0),
    ("DeepSeek-R1", "Interactive"): (1500.0, 15.0),
    ("gpt-oss-120b", "Server"): (3000.0, 80.0),
    ("gpt-oss-120b", "Interactive"): (2000.0, 20.0),
}
_LONGEST = 1e6
_MOST_DEVICES = 16384
_REQUESTS: Mapping[tuple[int, int], int] = {
    (128, 128): 30000,
    (128, 2048): 3000,
    (128, 4096): 1500,
    (500, 2000): 3000,
    (1000, 1000): 3000,
    (1000, 2000): 3000,
    (1024, 2048): 3000,
    (2048, 128): 3000,
    (2048, 2048): 1500,
    (5000, 500): 1500,
    (20000, 2000): 1000,
}
"""Requests sent in the published saturated runs, by input and output length."""


_SAME: tuple[tuple[str, str], ...] = (
    (r"DeepSeek-(R1|V3)\b.*", "DeepSeek-V3"),
    (r"(?:Meta-)?Llama-3(?:\.[13])?-(\d+B).*", r"Llama-3.1-\1"),
)
"""Names of models that differ in their weights alone."""


def same_model(name: str) -> str:
    """One name for a model under each of its names."""
    return next((re.sub(pattern, plain, name) for pattern, plain in _SAME if re.fullmatch(pattern, name)), name)


@dataclass(frozen=True, kw_only=True)
class Pool:
    """Workers of one phase."""

    workers: int
    tp: int
    ep: int
    adp: int


@dataclass(frozen=True, kw_only=True)
class Case:
    """One measured row with nothing left open."""

    id: str
    source: str
    row: Row
    kind: str
    """static | saturated | closed | open | promise | users | first | local."""
    device: Device
    shape: Shape
    precision: str
    bits: float
    """Bits of a weight where the format is not one of the engine's; 0 otherwise."""
    kv_precision: str
    engine: str
    tp: int
    pp: int
    ep: int
    adp: int
    replicas: float
    inputs: float
    outputs: float
    batch: float
    """Sequences in flight in one replica; 0 = as many as fit."""
    rate: float
    """Requests per second of one replica in an open loop."""
    limits: tuple[float, float]
    """TTFT and TPOT that the 99th percentile may reach [ms]."""
    spread: tuple[float, float]
    """Coefficients of variation of input and output lengths."""
    accepted: float
    delivery: tuple[str, str]
    """Ids of the steps and of the milliseconds between the first token and the client that measured it."""
    apart: str
    """Why the row stands apart from the headline; empty = it counts."""
    requests: int
    pools: tuple[Pool, Pool] | None = None
    """Prefill and decode, where they are apart."""

    @property
    def devices(self) -> int:
        """Accelerators of one replica."""
        return self.tp * self.pp * self.adp

    @property
    def group(self) -> str:
        """Rows that are left out together: accelerator × model × engine, a model under each of its names."""
        model = same_model(text_of(self.row, "model"))
        return "|".join((text_of(self.row, "accelerator"), model, text_of(self.row, "engine")))


def cases(rows: Sequence[Row], devices: Mapping[str, Device]) -> tuple[list[Case], list[Refusal]]:
    """Every row as a case, or as a refusal with its reason."""
    good: list[Case] = []
    bad: list[Refusal] = []
    for place, row in enumerate(rows, start=1):
        name = text_of(row, "id") or f"row {place}"
        try:
            good.append(_case(row, name, devices))
        except ValueError as fault:
            bad.append(Refusal(id=name, source=family(text_of(row, "source")), reason=str(fault)))
    return good, bad


def measured(row: Row, metric: str) -> float | None:
    """The measured figure; None where the row does not state a positive number."""
    try:
        value = number(row, metric, 0.0)
    except ValueError:
        return None
    return value if value > 0 else None


def _whole(row: Row, name: str, default: int | None = None, *, most: int = _MOST_DEVICES) -> int:
    """A whole number from 1 to `most`; `default` where the row is silent or says zero."""
    value = number(row, name, None if default is None else float(default))
    if value == 0 and default is not None:
        return default
    if not 1 <= value <= most:
        raise ValueError(f"{name} must be between 1 and {most:,}")
    return round(value)


def _length(row: Row, name: str, default: float) -> float:
    """Tokens; `default` where the row is silent or says zero."""
    value = number(row, name, default)
    if not 0 <= value <= _LONGEST:
        raise ValueError(f"{name} must be between 1 and {_LONGEST:,.0f}")
    return max(value, 1.0) if value else default


def _batch(row: Row) -> float:
    """Sequences in flight over all replicas; 0 = as many as fit."""
    if text_of(row, "concurrency_or_batch").lower() == "max":
        return 0.0
    value = number(row, "concurrency_or_batch", 0.0)
    if not 0 <= value <= 1e6:
        raise ValueError("concurrency_or_batch must be between 0 and 1,000,000")
    return value


def _case(row: Row, name: str, devices: Mapping[str, Device]) -> Case:
    device = device_of(row, devices)
    gpus = _whole(row, "gpus")
    pp = min(_whole(row, "pp", 1), gpus)
    adp = min(_whole(row, "attention_dp", 1), gpus)
    tp = _tensor_ranks(row, device, gpus, pp, adp)
    inside = re.search(r"gpus=([1-9]\d{0,4})\b", text_of(row, "row_note"))
    if inside:
        gpus = int(inside.group(1))
    replicas = max(gpus / (tp * pp * adp), 1.0)
    precision = _format(row, device)
    shape = shape_of_row(row)
    if shape.latent and adp == 1 and _audited(row) and tp > 1:
        # The latent cache is the same on every tensor rank: audited deployments run attention data parallel.
        adp, tp = tp, 1
    case = Case(
        id=name,
        source=family(text_of(row, "source")),
        row=row,
        kind=kind_of(text_of(row, "scenario")),
        device=device,
        shape=shape,
        precision=precision_of(precision),
        bits=bits_of(precision),
        kv_precision=cache_precision(row),
        engine=engine_of(row),
        tp=tp,
        pp=pp,
        ep=_whole(row, "ep", 1),
        adp=adp,
        replicas=replicas,
        inputs=_inputs(row),
        outputs=_length(row, "output_len", 128.0),
        batch=_batch(row) / replicas,
        rate=0.0,
        limits=(0.0, 0.0),
        spread=(0.0, 0.0),
        accepted=0.0,
        delivery=delivery(row),
        apart="uncertain" if text_of(row, "uncertain") in ("1", "1.0") else "",
        requests=0,
    )
    return _scenario(case, row)


def _audited(row: Row) -> bool:
    return text_of(row, "scenario").startswith("MLPerf")


def _format(row: Row, device: Device) -> str:
    """The stated format. Audited TensorRT-LLM submissions whose log names 16 bits, the checkpoint's format, computed in 8
    where the accelerator has them: NVIDIA's published configurations of all rounds since v3.1 do."""
    stated = text_of(row, "weight_precision")
    eight = "fp8" in device.dense_flops and "tensorrt" in text_of(row, "engine").lower()
    return "fp8" if _audited(row) and eight and precision_of(stated) in ("fp16", "bf16") else stated


def _tensor_ranks(row: Row, device: Device, gpus: int, pp: int, adp: int) -> int:
    """Tensor ranks in devices; attention data parallelism splits the GPUs, llama.cpp splits layers."""
    cores = 2 if device.runtime == "neuron" or device.slug == "tpu7x" else 1
    stated = min(_whole(row, "tp", 0) // cores, gpus)
    if adp > 1 and stated * adp != gpus:
        return max(gpus // adp // pp, 1)
    return max(stated or _usual_ranks(row, device, gpus) // pp, 1)


def _usual_ranks(row: Row, device: Device, gpus: int) -> int:
    """Tensor ranks where the source is silent: MLPerf takes as few as hold the weights comfortably, others take all."""
    if not text_of(row, "scenario").startswith("MLPerf"):
        return min(gpus, 8)
    bits = {"nvfp4": 4.5, "mxfp4": 4.25, "int4": 4.25, "fp8": 8.0, "int8": 8.0}.get(
        precision_of(_format(row, device)), 16.0
    )
    weights = shape_of_row(row).total * bits / 8
    return next((n for n in (1, 2, 4, 8) if weights <= 0.55 * device.memory_bytes * n), min(gpus, 8))


def _inputs(row: Row) -> float:
    audited = text_of(row, "scenario").startswith("MLPerf")
    usual = _MEAN_INPUT.get(text_of(row, "model"), _OPENORCA_INPUT) if audited else 128.0
    return _length(row, "input_len", usual)


def shape_of_row(row: Row) -> Shape:
    """The model of a row: its own columns; the catalog's model of that name where they are missing."""
    needed = ("params_b", "layers", "hidden", "heads")
    if not all(text_of(row, name) for name in needed):
        return shape_of(architecture(row))
    return _stated_shape(row)


def _size(row: Row, name: str, default: float | None = None) -> float:
    """Parameters from a column in billions."""
    value = number(row, name, default)
    if not 0.001 <= value <= 1e5:
        raise ValueError(f"{name} must be between 0.001 and 100,000 billion parameters")
    return value * 1e9


def _stated_shape(row: Row) -> Shape:
    """Routed experts follow from total and active parameters."""
    layers, hidden = _whole(row, "layers", most=10_000), _whole(row, "hidden", most=1_000_000)
    heads = _whole(row, "heads", most=100_000)
    kv = min(_whole(row, "kv_heads", heads, most=100_000), heads)
    width = _whole(row, "head_dim", max(hidden // heads, 1), most=100_000)
    total = _size(row, "params_b")
    active = min(_size(row, "active_params_b", total / 1e9), total)
    experts = float(_whole(row, "moe_experts", 1))
    top = min(float(_whole(row, "moe_topk", 1)), experts)
    table = min(float(_whole(row, "vocab", 50_257, most=10_000_000)) * hidden, 0.45 * total)
    expert = (total - active) / (1 - top / experts) if top < experts else 0.0
    expert = min(expert, 0.99 * total)
    attention = text_of(row, "attn_type")
    latent = attention.startswith("MLA")
    full = {"hybrid": 0.25, "GQA + a": 0.5}.get(
        next((w for w in ("hybrid", "GQA + a") if attention.startswith(w)), ""), 1.0
    )
    window = 128.0 if "sliding window 128" in attention else 0.0
    cached = 576.0 if latent else 2.0 * kv * width
    return Shape(
        slug=text_of(row, "model"),
        layers=layers,
        hidden=hidden,
        total=total,
        dense=max(total - expert - 2 * table, 0.01 * total),
        expert=expert,
        experts=experts,
        top_k=top,
        head=table,
        embedding=table,
        kv_full=layers * full * cached,
        kv_window=layers * (1 - full) * cached if window else 0.0,
        window=window,
        score_full=layers * full * (2.0 * heads * 320 if latent else 4.0 * heads * width),
        score_window=layers * (1 - full) * 4.0 * heads * width if window else 0.0,
        score_decode=layers * full * (2.0 * heads * 1088 if latent else 4.0 * heads * width),
        latent=latent,
        kv_heads=kv,
        exchanges=exchanges_of(text_of(row, "model")),
    )


def _mlperf_spread(row: Row) -> tuple[float, float]:
    """Coefficients of variation of prompts and answers: long documents and short summaries vary less than chats."""
    if text_of(row, "model") == "Llama-3.1-405B":
        return 0.33, 0.4  # its documents end at 20,000 tokens, 2.1 times their mean
    if text_of(row, "model") in ("Llama-3.1-8B", "GPT-J-6B"):
        return 0.45, 0.4
    return 0.6, 0.8


def _scenario(case: Case, row: Row) -> Case:
    """What belongs to the way of loading: length spread, rates, limits, remarks."""
    note, scenario = text_of(row, "row_note"), text_of(row, "scenario")
    if text_of(row, "disagg") in ("1", "1.0") and text_of(row, "decode_gpus"):
        case = replace(case, pools=(_pool(row, "prefill"), _pool(row, "decode")))
    if "disaggregated" in note and "exclude" in note:
        case = replace(case, apart="disaggregated")
    if text_of(row, "spec_decode"):
        case = replace(case, accepted=3.0)
    if case.kind == "closed" and "0.8-1.0" in text_of(row, "notes") and "fixed input/output" not in note:
        case = replace(case, spread=(0.064, 0.064), inputs=case.inputs * 0.9, outputs=case.outputs * 0.9)
    if case.kind == "saturated":
        mlperf = scenario.startswith("MLPerf")
        count = 24_000 if mlperf else _REQUESTS.get((round(case.inputs), round(case.outputs)), 3000)
        return replace(case, batch=0.0, requests=count, spread=_mlperf_spread(row) if mlperf else (0.0, 0.0))
    if case.kind == "promise":
        return _promise(case, row, scenario)
    if case.kind == "users":
        return replace(case, limits=(2000.0, 50.0))
    if case.kind == "open":
        found = re.search(r"(\d+(?:\.\d+)?) ?(?:qps|req)", scenario)
        rate = float(found.group(1)) if found else number(row, "requests_per_s", 1.0)
        return replace(case, rate=max(rate, 0.01), spread=(1.2, 1.0), requests=1000)
    if case.kind == "local":
        return replace(case, batch=max(case.batch, 1.0))
    return case


def _pool(row: Row, phase: str) -> Pool:
    """Workers of a phase: attention data parallel where the ranks of data are stated, tensor parallel where they are not."""
    workers, gpus = _whole(row, f"{phase}_workers", 1), _whole(row, f"{phase}_gpus")
    each = max(gpus // workers, 1)
    adp = min(_whole(row, f"{phase}_dp", 1), each)
    return Pool(workers=workers, tp=max(each // adp, 1), ep=_whole(row, f"{phase}_ep", 1), adp=adp)


def _promise(case: Case, row: Row, scenario: str) -> Case:
    """MLPerf Server and Interactive: limits of the rules, the published rate."""
    rate = number(row, "requests_per_s", (measured(row, "total_output_tokens_per_s") or 0.0) / case.outputs)
    if not 0 < rate <= 1e7:
        raise ValueError("requests_per_s not stated")
    if (text_of(row, "model"), scenario) == ("DeepSeek-R1", "MLPerf Interactive"):
        # The rules of that scenario bring the model's own head for drafts, three tokens at a time.
        case = replace(case, accepted=2.5)
    limits = _RULES.get((text_of(row, "model"), [*scenario.split(), "", ""][1]), (2000.0, 200.0))
    return replace(case, limits=limits, rate=rate / case.replicas, spread=_mlperf_spread(row))
