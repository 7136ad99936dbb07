"""The hand checks of docs/cost-model.md on today's catalog: every line recomputed, in plain decimal arithmetic, from the
inputs that the plan prints, and found on the page."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from math import log, sqrt
from pathlib import Path
from typing import Any

import pytest

from engine.answer import CostModel, Option
from engine.money.cost import amount_of
from planner.estimate import estimate
from planner.market import market_from_files
from planner.request.parse import spec_from

PAGE = (Path(__file__).resolve().parents[2] / "docs/cost-model.md").read_text(encoding="utf-8")
NEW = "The plan has changed with the catalog or the model: work the table of docs/cost-model.md out anew"
TRAINING = {
    "name": "Hand check, training",
    "workload": "training",
    "model": "llama-3.1-70b",
    "training": {
        "method": "continue",
        "tokens": 15e9,
        "sequence_length": 8192,
        "global_batch_tokens": 4e6,
    },
    "constraints": {"deadline_days": 21},
}
SERVICE = {
    "name": "Hand check, service",
    "workload": "serving",
    "model": "llama-3.1-70b",
    "serving": {
        "precision": "fp8",
        "requests_per_s": 40,
        "input_tokens": 1500,
        "output_tokens": 400,
        "ttft_p95_ms": 800,
        "tpot_p95_ms": 50,
        "load_curve": [0.3] * 8 + [1.0] * 8 + [0.6] * 8,
    },
    "horizon_months": 12,
}


@cache
def recommended(which: str) -> Option:
    """The plan of that request on the catalog of this version."""
    wanted: dict[str, Any] = TRAINING if which == "training" else SERVICE
    best = estimate(spec_from(wanted), market_from_files()).recommendation.recommended
    assert best is not None
    return best


def printed(model: CostModel) -> dict[str, Decimal]:
    """The inputs of a plan as decimal numbers."""
    return {item.name: Decimal(repr(item.value)) for item in model.inputs}


def cents(value: Decimal) -> Decimal:
    """Rounded half up to whole cents."""
    return value.quantize(Decimal("0.01"), ROUND_HALF_UP)


def on_paper(which: str) -> dict[str, Decimal]:
    """Every line of that plan in US dollars, from its printed inputs alone."""
    x = printed(recommended(which).cost.model)
    if which == "training":
        over = 1 + x["beyond_share"] + x["evaluation_share"]
        hours = x["run_hours"] / x["goodput"] * over * (x["runs"] + x["experiment_overhead"])
        dearer = max(x["on_demand_price"] - x["price_per_instance_hour"], Decimal(0))
        stored = hours + x["dataset_gb"] * 10**9 / x["upload_bytes_per_s"] / 3600 / 2 + x["kept_days"] * 24
        found = {
            "compute": x["instances"] * hours * x["price_per_instance_hour"],
            "fallback": x["instances"] * hours * x["fallback_share"] * dearer,
            "dataset": x["dataset_gb"] * x["dataset_usd_per_gb_month"] * stored / 730,
            "storage": x["storage_gb"] * x["storage_usd_per_gb_month"] * hours / 730,
            "egress": x["egress_gb"] * x["egress_usd_per_gb"] * x["runs"],
        }
    else:
        months = x["months"]
        found = {
            "compute": x["instances"] * months * 730 * x["price_per_instance_hour"],
            "balancer": x["balancer_usd_month"] * months,
            "gateway": x["gateway_usd_month"] * months,
            "registry": x["registry_usd_month"] * months,
            "monitoring": x["monitoring_usd_month"] * x["instances"] * months,
            "storage": x["storage_gb"] * x["storage_usd_per_gb_month"] * months,
            "egress": x["egress_gb_month"] * x["egress_usd_per_gb"] * months,
        }
    rounded = {name: cents(amount) for name, amount in found.items()}
    rounded["total"] = sum(rounded.values(), Decimal(0))
    if which == "service":
        rounded["monthly"] = cents(rounded["total"] / x["months"])
    return rounded


@pytest.mark.parametrize("which", ["training", "service"])
def test_every_line_of_the_plan_is_what_paper_says_and_stands_on_the_page(which: str) -> None:
    model = recommended(which).cost.model
    paper = on_paper(which)
    leaves = {line.name for line in model.lines if line.schedule != "none"}
    assert leaves == paper.keys() - {"total", "monthly"}
    for name, amount in paper.items():
        assert Decimal(repr(amount_of(model, name))) == amount, name
        assert f"{amount:,.2f}" in PAGE, f"{NEW}: {name} is {amount:,.2f} USD now"


def test_the_inputs_on_the_page_are_those_of_the_plan() -> None:
    best = recommended("training")
    assert best.step_time_s is not None
    assert best.checkpoint is not None
    for text in (
        f"{best.count} H200",
        f"{best.steps:,} steps of {best.step_time_s.expected:.5f} s",
        f"goodput {best.checkpoint.goodput.expected:.6f}",
        f"{best.checkpoint.storage_gb:,.3f} GB of checkpoints",
        f"{best.checkpoint.interval_steps} whole steps",
        f"one in {best.checkpoint.mtbf_h:.2f} h",
    ):
        assert text in PAGE, f"{NEW}: “{text}”"
    x = printed(best.cost.model)
    hours = best.steps * Decimal(repr(best.step_time_s.expected)) / 3600 + Decimal("0.3") * x["goodput"] / (
        1 + x["beyond_share"] + x["evaluation_share"]
    )
    assert x["run_hours"] == pytest.approx(hours, rel=Decimal("1e-9"))


def test_the_loss_to_failures_by_hand() -> None:
    """Rates, interval and first-order loss with the arithmetic of the page."""
    best = recommended("training")
    plan = best.checkpoint
    assert plan is not None
    assert best.offer is not None
    own = 0.01 + 0.061 * log(best.count / 8) / log(128)
    spot = best.nodes * -log(1 - best.offer.interruption_per_month) / 730 * 1.5
    rate = best.count / 65_000 + own + spot
    assert plan.mtbf_h == pytest.approx(1 / rate, rel=1e-9)
    write = plan.size_gb / (best.nodes * 2)
    assert plan.write_s == pytest.approx(write, rel=1e-9)
    copy = plan.size_gb / (best.count * 25)
    gap = 3600 / rate
    assert best.step_time_s is not None
    assert plan.interval_s == pytest.approx(sqrt(2 * copy * gap), abs=best.step_time_s.expected)
    lost = copy / plan.interval_s + (plan.interval_s / 2 + 600 + spot / rate * 900 + 2 * write) / gap
    assert plan.lost_share == pytest.approx(lost, rel=0.03)
    waiting = next(way for way in plan.ways if way.key == "waiting")
    blocked = write / waiting.interval_s + (waiting.interval_s / 2 + 600 + spot / rate * 900 + write) / gap
    assert waiting.lost_share == pytest.approx(blocked, rel=0.03)
    for share in (lost, plan.lost_share, waiting.lost_share):
        assert f"{share:.2%}".replace("%", " %") in PAGE


def test_the_service_is_judged_on_its_own_load() -> None:
    even = recommended("service").cost.break_even
    assert even is not None
    share = f"{even.expected_utilisation:.2%}".replace("%", " %")
    assert share in PAGE, f"{NEW}: use of {share}"
    assert f"{even.rented_per_accelerator_hour:.4f} USD" in PAGE, NEW
