"""Names that published serving rows use: accelerator, way of loading, formats, engine, benchmark client."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from catalog.aliases import accelerator_slug
from engine.inputs.hardware import Device
from engine.physics.token.machine import sixteen_bit_peak
from lab.validation.row_model import Row, text_of

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
    "DGX Spark": "dgx-spark-gb10",
    "NVIDIA-GB10-DGX-Spark-128GB": "dgx-spark-gb10",
    "RTX-4070Ti-12GB": "rtx-4070-ti",
    "RTX-3090Ti-24GB": "rtx-3090-ti",
    "RTX-3080Ti-12GB": "rtx-3080-ti",
    "RTX-PRO-6000-Blackwell-SE-96GB": "rtx-pro-6000-blackwell",
    "SN40L": "sambanova-sn40l",
    "TPU-v7x-Ironwood": "tpu7x",
    "Trainium1": "trainium1",
    "Trn1": "trainium1",
    "Trn2": "trainium2",
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
    ("w8a8", "int8"),
    ("w4a16", "int4"),
    ("awq", "int4"),
    ("gptq", "int4"),
    ("q8_0", "q8"),
    ("q4_k", "q4"),
    ("fp16", "fp16"),
    ("bf16", "bf16"),
    ("fp4", "nvfp4"),
    ("4-bit", "int4"),
    ("4bit", "int4"),
    ("8-bit", "int8"),
    ("8bit", "int8"),
)
_GGUF_BITS = {"q2": 2.6, "q3": 3.9, "q4": 4.83, "q5": 5.68, "q6": 6.56, "q8": 8.5}
"""Bits of a weight in GGUF formats of that width, mean over tensors and variants."""
_MLX_BITS = {"q8": 8.5, "q6": 6.5, "q5": 5.5, "q4": 4.5}
"""Bits of a weight in MLX formats: the value plus scale and offset for 64."""


def device_of(row: Row, devices: Mapping[str, Device]) -> Device:
    """The device of a row. ValueError names an accelerator that the catalog does not hold or plan with."""
    name = text_of(row, "accelerator")
    slug = next((slug for slug in _slugs(name) if slug in devices), "")
    if not slug:
        raise ValueError(f"accelerator {name or 'unnamed'} is not in the catalog")
    if slug in NOT_MODELLED or not sixteen_bit_peak(devices[slug]):
        raise ValueError(f"accelerator {name} is not planned with: no defensible model")
    return devices[slug]


def _slugs(name: str) -> Iterator[str]:
    """Slugs that a name may stand for: this table, the catalog's, and both without maker, memory size or variant."""
    plain = re.sub(r"nvidia|amd|intel|google|aws|instinct|geforce|tesla|[dh]gx", " ", name.lower())
    plain = "-".join(re.sub(r"[\s_()/]+", "-", plain).strip("-").split("-"))
    words = re.sub(r"(?<=\d)\s?gi?b\b", "", plain).strip("-").split("-")
    short = ["-".join(words[:length]) for length in range(len(words), 0, -1)]
    for text in (name, plain, re.sub(r"-\d+(\.\d+)?gi?b$", "", plain), *short):
        yield ACCELERATORS.get(text) or accelerator_slug(text) or text


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
    """The engine's name of a weight format; 16 bits where nothing is known of it."""
    lowered = text.lower()
    known = next((name for word, name in _PRECISIONS if word in lowered), "")
    return known or ("q4" if bits_of(text) else "bf16")


def bits_of(text: str) -> float:
    """Bits of a weight where the format is not one of the engine's; 0 otherwise."""
    lowered = text.lower().strip()
    stated = re.search(r"exl[23] ([\d.]+) ?bpw", lowered)
    if stated:
        return float(stated.group(1))
    gguf = re.match(r"i?(q[234568])_", lowered)
    if gguf and not lowered.startswith(("q8_0", "q4_k")):
        return _GGUF_BITS[gguf.group(1)]
    return _MLX_BITS.get(lowered, 0.0)


def cache_precision(row: Row) -> str:
    """As stated; TensorRT-LLM keeps the cache of quantised checkpoints in 8 bits where the source is silent."""
    stated = text_of(row, "kv_precision").lower()
    if stated.startswith("int8"):
        return "int8"
    quantised = precision_of(text_of(row, "weight_precision")) in ("fp8", "nvfp4")
    silent = not stated and "tensorrt" in text_of(row, "engine").lower() and quantised
    return "fp8" if stated.startswith("fp8") or silent else "fp16"


def engine_of(row: Row) -> str:
    """Coefficient set: the engine, its 2024 form, or the device's own stack; vLLM stands for unknown ones."""
    name, version = text_of(row, "engine").lower(), text_of(row, "engine_version")
    if "neuron" in name or "nxd" in name:
        return "neuron"
    if any(word in name for word in ("llama.cpp", "llama-cpp", "exllama", "mlx", "ollama", "gguf")):
        return "llama.cpp"
    if _early(name, version) and not _LATER.match(text_of(row, "accelerator")):
        return "tensorrt-llm-2024" if "tensorrt" in name else "stack-2024"
    words = ("jetstream", "tensorrt", "sglang", "tgi", "text-generation-inference", "triton")
    found = next((word for word in words if word in name), "vllm")
    return {"tensorrt": "tensorrt-llm", "text-generation-inference": "tgi"}.get(found, found)


_LATER = re.compile("B200|B300|GB200|GB300|MI350|MI355|RTX-50|RTX-PRO|Arc-Pro")
"""Accelerators sold from 2025 on: no stack of 2024 ran on them, whatever number its router or image has."""


def _early(name: str, version: str) -> bool:
    """Is it a stack of 2024 or before? Releases were numbered apart: TensorRT-LLM 0.9 is early, vLLM 0.9 is not."""
    if version.startswith("2024") or any(word in name for word in ("deepspeed", "samba", "transformers", "lmi")):
        return True
    found = re.match(r"v?0\.(\d+)", version)
    last = 9 if "tensorrt" in name else 6 if "vllm" in name else -1
    return bool(found) and int(found.group(1) if found else 0) <= last


def delivery(row: Row) -> tuple[str, str]:
    """Benchmarks stream in bundles of tokens: InferenceX with its own flags, the others with few."""
    name = engine_of(row) if text_of(row, "source_kind").startswith("InferenceX") else "plain"
    name = name if name in ("tensorrt-llm", "sglang", "vllm") else "plain"
    return f"serving.bench_steps.{name}", f"serving.bench_ms.{name}"
