"""What the simulated people type: for each form the field that one changes next, and its new text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from random import Random

Text = Callable[[Random], str]


def _about(low: float, high: float, unit: str = "") -> Text:
    """Any value between the two, evenly on a logarithmic scale, with three digits: hardly ever the same twice."""

    def text(chance: Random) -> str:
        value = math.exp(chance.uniform(math.log(low), math.log(high)))
        return f"{float(f'{value:.3g}'):g}{unit}"

    return text


def _one_of(*values: str) -> Text:
    return lambda chance: chance.choice(values)


_LANGUAGE = ("llama-3.1-8b", "llama-3.1-70b", "qwen3-32b", "qwen2.5-7b", "mistral-7b", "deepseek-v3", "gpt-oss-120b")
TYPED: Mapping[str, Mapping[str, Text]] = {
    "train": {
        "model": _one_of("llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b", "qwen3-32b", "mixtral-8x7b"),
        "training.tokens": _about(2.0, 900.0, " B"),
        "training.sequence_length": _one_of("2048", "4096", "8192", "16384", "32768"),
        "constraints.deadline_days": _about(20.0, 300.0, " days"),
        "constraints.budget_usd": _about(300.0, 30_000.0, "k"),
        "constraints.residency": _one_of("any", "us", "eu"),
        "objective": _one_of("cost", "time", "balanced", "carbon"),
    },
    "finetune": {
        "model": _one_of("llama-3.1-8b", "llama-3.1-70b", "qwen3-32b"),
        "training.method": _one_of("lora", "qlora", "finetune"),
        "training.samples": _about(5.0, 500.0, "k"),
        "training.epochs": _one_of("1", "2", "3", "4"),
        "training.sequence_length": _one_of("1024", "2048", "4096", "8192"),
        "constraints.deadline_days": _about(1.0, 20.0, " days"),
        "constraints.budget_usd": _about(2.0, 200.0, "k"),
        "objective": _one_of("cost", "time", "balanced", "carbon"),
    },
    "serve": {
        "model": _one_of(*_LANGUAGE),
        "serving.requests_per_s": _about(1.0, 150.0, " rps"),
        "serving.input_tokens": _about(200.0, 8000.0),
        "serving.output_tokens": _about(50.0, 1500.0),
        "serving.ttft_p95_ms": _about(500.0, 4000.0, " ms"),
        "serving.tpot_p95_ms": _about(25.0, 120.0, " ms"),
        "constraints.residency": _one_of("any", "us", "eu"),
        "constraints.budget_usd": _about(1.0, 40.0, "M"),
    },
}
"""Every field in sight of each form. A person changes any of them with equal chance."""
EXAMPLES = {
    "train": ("llama-70b-15b", "small-from-scratch"),
    "finetune": ("lora-8b", "qlora-70b"),
    "serve": ("qwen-32b-40rps", "llama-8b-agents"),
}


def next_change(kind: str, chance: Random, now: Mapping[str, str]) -> tuple[str, str]:
    """The field that is changed next, and its new text, which differs from what stands there."""
    while True:
        name = chance.choice(list(TYPED[kind]))
        text = TYPED[kind][name](chance)
        if now.get(name) != text:
            return name, text
