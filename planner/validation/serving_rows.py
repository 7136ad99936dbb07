"""Measured serving rows as published: what each says, and the usual choice where it is silent.

A row is refused only when its accelerator is unknown or something essential is not stated; the reason names it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from planner.engine.hardware import Device
from planner.engine.serving.shape import Shape
from planner.validation.rows import Refusal, Row, family

ACCELERATORS: Mapping[str, str] = {
    "A100-PCIe-80GB": "a100-pcie-80",
    "A100-SXM-40GB": "a100-sxm4-40",
    "A100-SXM-80GB": "a100-sxm4-80",
    "Apple-M1-Max-32c-64GB": "apple-m1-max",
    "Apple-M2-Ultra-76c-192GB": "apple-m2-ultra",
    "Apple-M3-Max-40c-64GB": "apple-m3-max",
    "Apple-M4-Max-64GB": "apple-m4-max",
    "Arc-Pro-B60-Dual-48GB": "arc-pro-b60-dual",
    "B200-SXM-180GB": "b200-sxm",
    "B300-SXM-288GB": "b300-sxm",
    "GB200-NVL72-186GB": "gb200",
    "GB200-NVL72-192GB": "gb200",
    "GB300-NVL72-288GB": "gb300",
    "GH200-144GB": "gh200-144",
    "GH200-96GB": "gh200-96",
    "Gaudi2-96GB": "gaudi2",
    "H100-PCIe-80GB": "h100-pcie",
    "H100-NVL-94GB": "h100-nvl",
    "H100-SXM-80GB": "h100-sxm5",
    "H200-NVL-141GB": "h200-nvl",
    "H200-SXM-141GB": "h200-sxm",
    "H200-SXM-141GB-1000W": "h200-sxm",
    "Intel-Max-1550-128GB": "max-1550",
    "MI250-128GB": "mi250",
    "MI300X-192GB": "mi300x",
    "MI325X-256GB": "mi325x",
    "MI355X-288GB": "mi355x",
    "NVIDIA-GB10-DGX-Spark-128GB": "dgx-spark-gb10",
    "RTX-4070Ti-12GB": "rtx-4070-ti",
    "RTX-3090Ti-24GB": "rtx-3090-ti",
    "RTX-3080Ti-12GB": "rtx-3080-ti",
    "RTX-PRO-6000-Blackwell-SE-96GB": "rtx-pro-6000-blackwell",
    "SN40L": "sambanova-sn40l",
    "TPU-v7x-Ironwood": "tpu7x",
    "Trainium1": "trainium1",
    "Trainium2": "trainium2",
    "Inferentia2": "inferentia2",
}
"""Names used by the sources → device slugs; others lose their memory size (`RTX-3090-24GB` → `rtx-3090`)."""

NOT_MODELLED = frozenset({"sambanova-sn40l", "graphcore-bow", "cerebras-cs2", "cerebras-cs3", "groq-lpu"})
_PRECISIONS: tuple[tuple[str, str], ...] = (
    ("nvfp4", "nvfp4"),
    ("mxfp4", "mxfp4"),
    ("fp8", "fp8"),
    ("int4", "int4"),
    ("int8", "int8"),
    ("q8_0", "q8"),
    ("q4_k", "q4"),
    ("fp16", "fp16"),
    ("bf16", "bf16"),
)
_BITS = {"q8": 8.5, "q6": 6.5, "q5": 5.5, "q4": 4.5}
"""Bits of a weight in MLX formats: the value plus scale and offset for 64."""
_OPENORCA_INPUT = 294.0
"""Mean prompt of the OpenOrca sample of MLPerf [token]; not in the logs, the sample's own statistics."""
_MEAN_INPUT = {"DeepSeek-R1": 800.0, "Mixtral-8x7B": 370.0, "GPT-J-6B": 780.0}
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
}
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

    @property
    def devices(self) -> int:
        """Accelerators of one replica."""
        return self.tp * self.pp * self.adp

    @property
    def group(self) -> str:
        """Rows that are left out together: accelerator × model × engine."""
        return f"{self.row['accelerator']}|{self.row['model']}|{self.row['engine']}"


def cases(rows: Sequence[Row], devices: Mapping[str, Device]) -> tuple[list[Case], list[Refusal]]:
    """Every row as a case, or as a refusal with its reason."""
    good: list[Case] = []
    bad: list[Refusal] = []
    for row in rows:
        try:
            good.append(_case(row, devices))
        except ValueError as fault:
            bad.append(Refusal(id=row["id"], source=family(row["source"]), reason=str(fault)))
    return good, bad


def _number(row: Row, name: str, default: float | None = None) -> float:
    text = (row.get(name) or "").strip()
    if text and text != "max":
        return float(text)
    if default is None:
        raise ValueError(f"{name} not stated")
    return default


def _case(row: Row, devices: Mapping[str, Device]) -> Case:
    device = device_of(row, devices)
    gpus = int(_number(row, "gpus"))
    pp = int(_number(row, "pp", 1))
    adp = int(_number(row, "attention_dp", 1))
    tp = _tensor_ranks(row, device, gpus, pp, adp)
    inside = re.search(r"gpus=(\d+)", row.get("row_note", ""))
    if inside:
        gpus = int(inside.group(1))
    replicas = max(gpus / (tp * pp * adp), 1.0)
    case = Case(
        id=row["id"],
        source=family(row["source"]),
        row=row,
        kind=kind_of(row["scenario"]),
        device=device,
        shape=shape_of_row(row),
        precision=precision_of(row["weight_precision"]),
        bits=_bits(row["weight_precision"]),
        kv_precision=_cache_precision(row),
        engine=engine_of(row),
        tp=tp,
        pp=pp,
        ep=int(_number(row, "ep", 1)),
        adp=adp,
        replicas=replicas,
        inputs=_inputs(row),
        outputs=_number(row, "output_len", 128.0),
        batch=_number(row, "concurrency_or_batch", 0.0) / replicas,
        rate=0.0,
        limits=(0.0, 0.0),
        spread=(0.0, 0.0),
        accepted=0.0,
        delivery=_delivery(row),
        apart="uncertain" if row.get("uncertain") == "1" else "",
        requests=0,
    )
    return _scenario(case, row)


def device_of(row: Row, devices: Mapping[str, Device]) -> Device:
    """The device of a row. ValueError names an accelerator that the catalog does not hold."""
    name = row["accelerator"]
    slug = ACCELERATORS.get(name) or re.sub(r"-\d+gb$", "", name.lower())
    if slug not in devices:
        raise ValueError(f"accelerator {name} is not in the catalog")
    if devices[slug].slug in NOT_MODELLED:
        raise ValueError(f"accelerator {name} is not planned with: no defensible model")
    return devices[slug]


def _tensor_ranks(row: Row, device: Device, gpus: int, pp: int, adp: int) -> int:
    """Tensor ranks in devices; attention data parallelism splits the GPUs, llama.cpp splits layers."""
    cores = 2 if device.runtime == "neuron" or device.slug == "tpu7x" else 1
    stated = int(_number(row, "tp", 0)) // cores
    if adp > 1 and stated * adp != gpus:
        return max(gpus // adp // pp, 1)
    return max(stated or _usual_ranks(row, device, gpus) // pp, 1)


def _usual_ranks(row: Row, device: Device, gpus: int) -> int:
    """Tensor ranks where the source is silent: MLPerf takes as few as hold the weights comfortably, others take all."""
    if not row["scenario"].startswith("MLPerf"):
        return min(gpus, 8)
    bits = {"nvfp4": 4.5, "mxfp4": 4.25, "int4": 4.25, "fp8": 8.0, "int8": 8.0}.get(
        precision_of(row["weight_precision"]), 16.0
    )
    weights = _number(row, "params_b") * 1e9 * bits / 8
    return next((n for n in (1, 2, 4, 8) if weights <= 0.55 * device.memory_bytes * n), min(gpus, 8))


def kind_of(scenario: str) -> str:
    """How a scenario loads the server."""
    words = (
        ("offline static", "static"),
        ("offline max", "saturated"),
        ("MLPerf Offline", "saturated"),
        ("MLPerf", "promise"),
        ("SLO capacity", "users"),
        ("online closed", "closed"),
        ("online open", "open"),
        ("batch-1 prefill", "first"),
    )
    return next((kind for word, kind in words if scenario.startswith(word)), "local")


def precision_of(text: str) -> str:
    """The engine's name of a weight format."""
    lowered = text.lower()
    return next(
        (name for word, name in _PRECISIONS if word in lowered),
        "q4" if "bpw" in lowered or lowered in _BITS else "bf16",
    )


def _cache_precision(row: Row) -> str:
    """As stated; TensorRT-LLM keeps the cache of quantised checkpoints in 8 bits where the source is silent."""
    stated = row["kv_precision"]
    silent = (
        not stated and "tensorrt" in row["engine"].lower() and precision_of(row["weight_precision"]) in ("fp8", "nvfp4")
    )
    return "fp8" if stated.startswith("fp8") or silent else "fp16"


def _bits(text: str) -> float:
    found = re.search(r"EXL2 ([\d.]+)bpw", text)
    return float(found.group(1)) if found else _BITS.get(text.lower(), 0.0)


def engine_of(row: Row) -> str:
    """Coefficient set: the engine, its 2024 form, or the device's own stack."""
    name, version = row["engine"].lower(), row["engine_version"]
    if "neuron" in name or "nxd" in name:
        return "neuron"
    if "llama.cpp" in name or "exllama" in name or "mlx" in name:
        return "llama.cpp"
    if version.startswith(("2024", "0.9.0", "0.6.")) or "deepspeed" in name or "samba" in name:
        return "tensorrt-llm-2024" if "tensorrt" in name else "stack-2024"
    if "jetstream" in name:
        return "jetstream"
    return "tensorrt-llm" if "tensorrt" in name else "sglang" if "sglang" in name else "vllm"


def _delivery(row: Row) -> tuple[str, str]:
    """Benchmarks stream in bundles of tokens: InferenceX with its own flags, the others with few."""
    name = engine_of(row) if row["source_kind"].startswith("InferenceX") else "plain"
    name = name if name in ("tensorrt-llm", "sglang", "vllm") else "plain"
    return f"serving.bench_steps.{name}", f"serving.bench_ms.{name}"


def _inputs(row: Row) -> float:
    if row["input_len"]:
        return float(row["input_len"])
    if row["scenario"].startswith("MLPerf"):
        return _MEAN_INPUT.get(row["model"], _OPENORCA_INPUT)
    return 128.0


def shape_of_row(row: Row) -> Shape:
    """The model of a row from its own columns: routed experts follow from total and active parameters."""
    layers, hidden, heads = (int(_number(row, name)) for name in ("layers", "hidden", "heads"))
    kv, width = int(_number(row, "kv_heads")), int(_number(row, "head_dim"))
    total, active = _number(row, "params_b") * 1e9, _number(row, "active_params_b") * 1e9
    experts, top = _number(row, "moe_experts", 1.0), _number(row, "moe_topk", 1.0)
    table = _number(row, "vocab") * hidden
    expert = (total - active) / (1 - top / experts) if experts > 1 else 0.0
    latent = row["attn_type"].startswith("MLA")
    full = {"hybrid": 0.25, "GQA + a": 0.5}.get(
        next((w for w in ("hybrid", "GQA + a") if row["attn_type"].startswith(w)), ""), 1.0
    )
    window = 128.0 if "sliding window 128" in row["attn_type"] else 0.0
    cached = 576.0 if latent else 2.0 * kv * width
    return Shape(
        slug=row["model"],
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
    )


def _mlperf_spread(row: Row) -> tuple[float, float]:
    """Coefficients of variation of prompts and answers: long documents and short summaries vary less than chats."""
    if row["model"] in ("Llama-3.1-405B", "Llama-3.1-8B", "GPT-J-6B"):
        return 0.45, 0.4
    return 0.6, 0.8


def _scenario(case: Case, row: Row) -> Case:
    """What belongs to the way of loading: length spread, rates, limits, remarks."""
    if "disaggregated" in row["row_note"] and "exclude" in row["row_note"]:
        case = replace(case, apart="disaggregated")
    if row["spec_decode"]:
        case = replace(case, accepted=3.0)
    if case.kind == "closed" and "0.8-1.0" in row["notes"] and "fixed input/output" not in row["row_note"]:
        case = replace(case, spread=(0.064, 0.064), inputs=case.inputs * 0.9, outputs=case.outputs * 0.9)
    if case.kind == "saturated":
        mlperf = row["scenario"].startswith("MLPerf")
        count = 24_000 if mlperf else _REQUESTS.get((round(case.inputs), round(case.outputs)), 3000)
        return replace(case, batch=0.0, requests=count, spread=_mlperf_spread(row) if mlperf else (0.0, 0.0))
    if case.kind == "promise":
        scenario = row["scenario"].split()[1]
        limits = _RULES.get((row["model"], scenario), (2000.0, 200.0))
        return replace(
            case, limits=limits, rate=_number(row, "requests_per_s") / case.replicas, spread=_mlperf_spread(row)
        )
    if case.kind == "users":
        return replace(case, limits=(2000.0, 50.0))
    if case.kind == "open":
        found = re.search(r"(\d+) qps", row["scenario"])
        return replace(case, rate=float(found.group(1)) if found else 1.0, spread=(1.2, 1.0), requests=1000)
    if case.kind == "local":
        return replace(case, batch=max(case.batch, 1.0))
    return case
