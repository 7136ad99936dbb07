"""Plans as the engine makes them, where samples written by hand would prove less."""

from __future__ import annotations

from functools import cache
from typing import Any

from engine.answer import Option
from lab.gallery.requests import requests
from planner.estimate import estimate
from planner.frozen.snapshot import Plan
from planner.market import market_from_files
from planner.request.parse import spec_from
from tests.once import once

REQUESTS: dict[str, dict[str, Any]] = {
    "rented": {
        "name": "Rented", "workload": "training", "model": "llama-3.1-70b", "start": "2027-01-25",
        "training": {"tokens": 6e10}, "constraints": {"deadline_days": 40, "budget_usd": 100000},
    },
    "bought": {
        "name": "Bought", "workload": "training", "model": "llama-3.1-8b", "start": "2027-01-25",
        "training": {"tokens": 4e11, "runs": 2},
        "constraints": {"deadline_days": 150, "accelerators": ["h100-sxm5"]}, "horizon_months": 30,
        "operations": {"security": ["air-gapped"]},
    },
    "served": {
        "name": "Served", "workload": "serving", "model": "qwen3-32b", "horizon_months": 12,
        "serving": {"requests_per_s": 36, "input_tokens": 1500, "output_tokens": 400, "ttft_p95_ms": 800, "precision": "fp8"},
    },
}  # fmt: skip
REQUESTS["served on bought servers"] = REQUESTS["served"] | {
    "name": "Served in house", "horizon_months": 28, "operations": {"security": ["air-gapped"]},
    "serving": REQUESTS["served"]["serving"] | {"precision": "bf16"},
}  # fmt: skip
REQUESTS["rented in euro"] = REQUESTS["rented"] | {"currency": "EUR"}


@cache
def plan_of(name: str) -> Plan:
    """The engine's answer to that request, on the catalog as it is."""
    return once(f"plan of {name}", lambda: estimate(spec_from(REQUESTS[name]), market_from_files()))


def best_of(plan: Plan) -> Option:
    """What is recommended."""
    assert plan.recommendation.recommended
    return plan.recommendation.recommended


def options_of(plan: Plan) -> tuple[Option, ...]:
    """What is recommended, then all others."""
    return (best_of(plan), *plan.recommendation.alternatives)


@cache
def gallery_plan(name: str) -> Plan:
    """The answer to that request of the gallery, asked on a day of its own."""
    return once(f"gallery {name}", lambda: _gallery_plan(name))


def _gallery_plan(name: str) -> Plan:
    market = market_from_files()
    (request,) = (one for one in requests(market, only=name) if one.name == name)
    return estimate(request.spec, market)
