"""Requests drawn at random, so that what must hold for every answer is asked beyond the gallery. Each follows from its number."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from random import Random
from typing import Any

from engine.inputs.hardware import Market
from engine.inputs.kind import Kind, PerKind
from engine.inputs.spec import Spec
from engine.reliability.patterns import PATTERNS as NAMED
from lab.gallery.requests import DAY, Request
from planner.request.parse import spec_from

Json = dict[str, Any]
LANGUAGE = (
    "llama-3.1-8b", "llama-3.1-70b", "mistral-7b-v0.3", "qwen3-32b", "mixtral-8x7b", "gpt-3-175b", "llama-3.2-3b", "llama-3.1-405b",
    "deepseek-v3", "gemma-2-9b", "llama-2-13b", "qwen3-30b-a3b",
)  # fmt: skip
OTHER = ("resnet-50", "vit-l-16", "sdxl", "bert-large", "whisper-large-v3")
ACCELERATORS = (
    "h100-sxm5", "h200-sxm", "b200-sxm", "a100-sxm4-80", "mi300x", "a100-sxm4-40", "l40s", "l4", "tpu-v5e", "tpu-v6e", "t4",
    "gaudi3", "b300-sxm", "rtx-a6000", "mi355x",
)  # fmt: skip
PATTERNS = ("auto", *NAMED)
PROVIDERS = ("aws", "gcp", "azure", "lambda", "nebius", "oci", "runpod")


def drawn(market: Market, numbers: range, *, as_of: date = DAY) -> list[Request]:
    """A request for each of those numbers, the same on every machine."""
    return [Request(name=f"drawn-{number}", spec=_spec(market, number, as_of)) for number in numbers]


def _spec(market: Market, number: int, as_of: date) -> Spec:
    random = Random(number)  # noqa: S311 - requests, no secrets
    body: Json = {"name": f"Drawn {number}", "constraints": _limits(random), **_around(random)}
    kind = random.choice(_KINDS)
    models = LANGUAGE if random.random() < 0.8 else OTHER
    body["model"] = random.choice(models)
    language = body["model"] in LANGUAGE
    body |= _WORK[kind](random, language)
    body["constraints"] |= _MONEY[kind](random)
    body |= _STANDS[kind](number, body)
    if random.random() < 0.15:
        body["taxes"] = _taxes(random)
    spec = spec_from(body, text=False, rates=market.fx_usd)
    return replace(spec, as_of=as_of)


def _standing(number: int, serving: Json) -> Json:
    """How it stands by, from numbers of its own, so that all else is drawn as it was before there were patterns."""
    random = Random(f"standing {number}")  # noqa: S311 - requests, no secrets
    draws: dict[str, tuple[float, Any]] = {
        "availability": (0.4, random.choice((0.9, 0.999, 0.9995, 0.9999, 0.99999))),
        "pattern": (0.4, random.choice(PATTERNS if "spare_replicas" not in serving else ("auto", "recovery-half"))),
        "keep_capacity": (0.3 * ("load_curve" in serving), True),
    }
    return {name: value for name, (share, value) in draws.items() if random.random() < share}


def _between(random: Random, low: float, high: float) -> float:
    """Evenly on the logarithmic scale, to three digits, as people write numbers."""
    return float(f"{math.exp(random.uniform(math.log(low), math.log(high))):.3g}")


def _limits(random: Random) -> Json:
    draws: dict[str, tuple[float, Any]] = {
        "accelerators": (0.35, random.sample(ACCELERATORS, random.choice((1, 1, 2, 4)))),
        "providers": (0.15, random.sample(PROVIDERS, random.choice((1, 2, 3)))),
        "residency": (0.2, random.choice(("eu", "us", "uk"))),
        "spot": (0.4, False),
        "commitments": (0.3, False),
        "max_accelerators": (0.4, random.choice((1, 2, 4, 8, 16, 32, 64, 256, 2048))),
        "custom_kernels": (0.08, True),
    }
    return {name: value for name, (share, value) in draws.items() if random.random() < share}


def _around(random: Random) -> Json:
    """What stands beside the work: horizon, own hardware, objective, currency."""
    own = {"accelerator": random.choice(ACCELERATORS[:6]), "count": random.choice((1, 4, 8, 16, 64))}
    draws: dict[str, tuple[float, Any]] = {
        "horizon_months": (0.25, random.choice((6, 12, 24, 36, 60))),
        "owned": (0.15, [own]),
        "objective": (0.2, random.choice(("time", "balanced", "carbon"))),
        "currency": (0.1, random.choice(("EUR", "JPY", "GBP"))),
    }
    return {name: value for name, (share, value) in draws.items() if random.random() < share}


def _taxes(random: Random) -> Json:
    draws: dict[str, tuple[float, Any]] = {
        "purchases": (0.8, random.choice((0.0725, 0.19, 0.25))),
        "services": (0.7, random.choice((0.1, 0.19, 0.25))),
        "import_duty": (0.3, random.choice((0.02, 0.25))),
    }
    found = {name: value for name, (share, value) in draws.items() if random.random() < share}
    taxed = "purchases" in found or "services" in found
    return found | ({"recovered": random.choice((0.3, 1.0))} if taxed and random.random() < 0.3 else {})


def _money_and_time(random: Random, low: float, high: float) -> Json:
    draws: dict[str, tuple[float, Any]] = {
        "deadline_days": (0.6, _between(random, 0.5, 400.0)),
        "budget_usd": (0.4, _between(random, low, high)),
        "budget_basis": (0.15, random.choice(("cash", "allocated"))),
    }
    return {name: value for name, (share, value) in draws.items() if random.random() < share}


def _training(random: Random, *, language: bool) -> Json:
    more = {"runs": random.choice((2, 5, 12))} if random.random() < 0.25 else {}
    if not language:
        return {"samples": _between(random, 1e5, 1e8), **more}
    return {
        "method": random.choice(("pretrain", "continue", "finetune", "lora")),
        "tokens": _between(random, 1e8, 2e12),
        "sequence_length": random.choice((2048, 4096, 8192)),
        **more,
    }


def _run(random: Random, language: bool) -> Json:
    return {"workload": "training", "training": _training(random, language=language)}


def _service(random: Random, language: bool) -> Json:
    asked = _lengths(random, language)
    asked["requests_per_s"] = _between(random, 0.01, 60)
    draws: dict[str, tuple[float, Any]] = {
        "ttft_p95_ms": (0.6 * language, _between(random, 200, 20_000)),
        "tpot_p95_ms": (0.4 * language, _between(random, 15, 200)),
        "load_curve": (0.3, [round(random.uniform(0.1, 1.0), 2) for _ in range(24)]),
        "spare_replicas": (0.15, random.choice((0, 1, 2))),
    }
    more = {name: value for name, (share, value) in draws.items() if random.random() < share}
    return {"workload": "serving", "serving": asked | more}


def _batch(random: Random, language: bool) -> Json:
    asked = _lengths(random, language)
    job = {"requests": _between(random, 1e3, 3e7), "deadline_hours": _between(random, 2, 500)}
    return {"workload": "serving", "serving": asked | {"batch": job}}


def _lengths(random: Random, language: bool) -> Json:
    """Of what is sent to a language model and comes back."""
    if not language:
        return {}
    return {"input_tokens": _between(random, 50, 30_000), "output_tokens": _between(random, 5, 3000)}


def _money(random: Random) -> Json:
    return {"budget_usd": _between(random, 1e3, 5e6)} if random.random() < 0.3 else {}


_KINDS: tuple[Kind, ...] = ("run", "run", "service", "service", "batch")
"""As often as each is drawn."""
_WORK: PerKind[Callable[[Random, bool], Json]] = {"run": _run, "service": _service, "batch": _batch}
_MONEY: PerKind[Callable[[Random], Json]] = {
    "run": lambda random: _money_and_time(random, 50.0, 3e6),
    "service": _money,
    "batch": _money,
}
_STANDS: PerKind[Callable[[int, Json], Json]] = {
    "run": lambda _number, _body: {},
    "service": lambda number, body: {"operations": _standing(number, body["serving"])},
    "batch": lambda _number, _body: {},
}
