"""What software runs on which hardware, and what porting would take."""

from __future__ import annotations

from collections.abc import Mapping

from engine.inputs.hardware import Device

RUNTIME_NAMES: Mapping[str, str] = {
    "cuda": "CUDA",
    "rocm": "ROCm",
    "xla": "XLA (JAX or PyTorch/XLA)",
    "neuron": "AWS Neuron",
    "gaudi": "Intel Gaudi software",
    "metal": "Apple Metal",
    "other": "a software stack of its own",
}

RUNS_ON: Mapping[str, tuple[str, ...]] = {
    "megatron": ("cuda", "rocm"),
    "fsdp": ("cuda", "rocm", "gaudi"),
    "deepspeed": ("cuda", "rocm", "gaudi"),
    "maxtext": ("xla", "cuda"),
    "neuron": ("neuron",),
    "pytorch": ("cuda", "rocm"),
    "torchrec": ("cuda", "rocm"),
    "jax": ("xla",),
    "vllm": ("cuda", "rocm", "xla", "neuron", "gaudi"),
    "sglang": ("cuda", "rocm"),
    "tensorrt-llm": ("cuda",),
    "tgi": ("cuda", "rocm", "gaudi", "neuron"),
    "triton": ("cuda",),
    "jetstream": ("xla",),
    "llama.cpp": ("cuda", "rocm", "metal"),
}
"""Runtimes on which each framework is maintained (project documentation)."""

PORTING_WEEKS: Mapping[str, tuple[int, int]] = {"rocm": (4, 12), "xla": (8, 26), "neuron": (8, 26), "gaudi": (6, 20)}
"""Person-weeks, low to high, to bring custom CUDA kernels to another runtime: planning judgement."""


def software_fit(device: Device, *, framework: str, custom_kernels: bool, method: str = "") -> str:
    """Why that software cannot run on that device, as one sentence; empty when it can.

    `framework` may be `auto` or `any`; `method` is the training method, empty for serving.
    """
    runtime = RUNTIME_NAMES[device.runtime]
    if custom_kernels and device.runtime != "cuda":
        return f"{device.name} runs {runtime}, and the work needs custom CUDA kernels{_porting(device.runtime)}."
    if framework in RUNS_ON and device.runtime not in RUNS_ON[framework]:
        works = " or ".join(RUNTIME_NAMES[key] for key in RUNS_ON[framework])
        return f"{framework} needs {works}; {device.name} runs {runtime}."
    if method and device.runtime in ("metal", "other"):
        return f"{device.name} runs {runtime}, for which no distributed training framework is planned."
    if method == "qlora" and device.runtime in ("xla", "neuron"):
        return f"QLoRA needs 4-bit kernels (bitsandbytes) that {runtime} on {device.name} does not have: use LoRA."
    return ""


def _porting(runtime: str) -> str:
    if runtime not in PORTING_WEEKS:
        return ""
    low, high = PORTING_WEEKS[runtime]
    return f": porting takes about {low}–{high} person-weeks"
