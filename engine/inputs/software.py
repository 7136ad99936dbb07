"""What software runs on which hardware, and what porting would take."""

from __future__ import annotations

from collections.abc import Mapping

from engine.inputs.finding import Finding, Ref, Value, finding
from engine.inputs.hardware import Device
from engine.inputs.named import device_ref

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


def software_fit(device: Device, *, framework: str, custom_kernels: bool, method: str = "") -> Finding | None:
    """Why that software cannot run on that device; None when it can.

    `framework` may be `auto` or `any`; `method` is the training method, empty for serving.
    """
    runtime = device.runtime
    here: dict[str, Value] = {"accelerator": device_ref(device), "runtime": Ref("runtime", runtime)}
    if custom_kernels and runtime != "cuda":
        if runtime not in PORTING_WEEKS:
            return finding("software.kernels", **here)
        low, high = PORTING_WEEKS[runtime]
        return finding("software.kernels.porting", **here, weeks_low=low, weeks_high=high)
    if framework in RUNS_ON and runtime not in RUNS_ON[framework]:
        works = tuple(Ref("runtime", key) for key in RUNS_ON[framework])
        return finding("software.framework", **here, framework=Ref("software", framework), runtimes=works)
    if method and runtime in ("metal", "other"):
        return finding("software.no_training", **here)
    if method == "qlora" and runtime in ("xla", "neuron"):
        return finding("software.qlora", **here)
    return None
