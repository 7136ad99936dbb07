"""Models and services that the serving tests share."""

from __future__ import annotations

from typing import Any

from engine.choice.select import SELECT_ASSUMPTIONS
from engine.inputs.architecture import Architecture
from engine.inputs.assumptions import Assumptions
from engine.inputs.spec import FixedLayout
from engine.kinds.service import SERVING_ASSUMPTIONS, ServingWork
from engine.reliability.assumptions import RELIABILITY_ASSUMPTIONS

ASSUME = Assumptions({**SELECT_ASSUMPTIONS, **SERVING_ASSUMPTIONS, **RELIABILITY_ASSUMPTIONS})

QWEN3_32B = Architecture(
    slug="qwen3-32b",
    name="Qwen3-32B",
    family="qwen3",
    layers=64,
    hidden=5120,
    heads=64,
    kv_heads=8,
    head_dim=128,
    ffn=25600,
    vocab=151936,
    qk_norm=True,
)
RESNET50 = Architecture(
    slug="resnet-50",
    name="ResNet-50",
    family="resnet",
    kind="generic",
    modality="image",
    generic_parameters=25.6e6,
    flops_per_sample=8.2e9,
    activation_bytes_per_sample=1e8,
)


def service(**changes: Any) -> ServingWork:
    """A chat service on Qwen3-32B: 40 requests/s, 1500 tokens in, 400 out, TTFT p95 800 ms."""
    asked: dict[str, Any] = {
        "arch": QWEN3_32B,
        "requests_per_s": 40.0,
        "input_tokens": 1500.0,
        "output_tokens": 400.0,
        "ttft_p95_ms": 800.0,
        "tpot_p95_ms": 50.0,
        "framework": "vllm",
        "fixed": FixedLayout(),
        "requests": 600,
    }
    return ServingWork(**(asked | changes))
