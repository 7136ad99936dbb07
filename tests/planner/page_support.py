"""A stand-in for the engine in page tests: hand-made answers, so that a page test is about the page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from catalog.kept import Kept
from engine.answer import Change, Glance, Lever, Levers, Money
from engine.inputs.finding import Quantity, Ref, Sum, finding
from engine.inputs.hardware import Market
from engine.inputs.spec import Spec
from planner import planned, team_market
from planner.frozen.snapshot import Plan, freeze
from planner.levers import steps
from planner.pages.form import live
from tests.exports import samples

TRAINING = {
    "name": "Support assistant",
    "model": "llama-3.1-70b",
    "training.tokens": "15B",
    "training.sequence_length": "8192",
    "constraints.deadline_days": "3 weeks",
    "constraints.budget_usd": "$400k",
}
SERVING = {
    "model": "qwen3-32b",
    "serving.requests_per_s": "40 rps",
    "serving.input_tokens": "1,500",
    "serving.output_tokens": "400",
    "serving.ttft_p95_ms": "0.8 s",
}


def sample_answer(spec: Spec, market: Any, **_known: Any) -> Plan:
    """A plan of that spec with the answer of a sample; the name chooses an infeasible one."""
    if "infeasible" in spec.name:
        return freeze(spec, samples.infeasible_plan().recommendation)
    found = samples.serving_plan() if spec.workload == "serving" else samples.training_plan()
    return freeze(spec, found.recommendation)


def sample_glance(spec: Spec, market: Any, *, settle: bool = True, **_known: Any) -> Glance:
    """The head of the same samples; a service that is not settled says so."""
    found = sample_answer(spec, market).recommendation
    return Glance(
        headline=found.headline,
        best=found.recommended,
        nearest=found.nearest,
        searched=found.searched,
        settled=settle or spec.workload == "training",
    )


WAY = Lever(
    key="ttft_p95_ms",
    changes=(Change(field="serving.ttft_p95_ms", now=Quantity(800.0, "ms"), needed=Quantity(1600.0, "ms")),),
    hardware=finding("source.owned"),
    accelerator="h100-sxm5",
    count=8,
    cost=Money(low=90.0, expected=100.0, high=110.0),
    saving=Money(low=40.0, expected=50.0, high=60.0),
    needs=finding("needs.agreement"),
    told=finding(
        "lever.ttft_p95_ms",
        now=Quantity(800.0, "ms"),
        needed=Quantity(1600.0, "ms"),
        hardware=finding("source.owned"),
        cost=Sum(100.0),
        signed=finding("signed.none"),
        saving=Sum(50.0),
        needs=finding("needs.agreement"),
    ),
)
UNSIGNED = replace(
    WAY,
    key="commitment",
    changes=(Change(field="constraints.commitments", now=Ref("word", "yes"), needed=Ref("word", "no")),),
)
IDLE = Change(field="operations.availability", now=Quantity(0.99, "share"), needed=Quantity(0.9, "share"))


def sample_levers(spec: Spec, market: Any, **known: Any) -> Levers:
    """A slower first token saves, less availability does not, and what the plan signs saves something."""
    able = (WAY,) if spec.serving and spec.serving.ttft_p95_ms < 1600 else ()
    return Levers(cost=WAY.cost, levers=able, idle=(IDLE,), signed=UNSIGNED if spec.constraints.commitments else None)


@pytest.fixture
def quick_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimates come from samples, without catalog and engine."""
    stub_engine(monkeypatch)


def stub_engine(patch: pytest.MonkeyPatch) -> None:
    """The same for a fixture that lives longer than one test."""
    patch.setattr(planned, "estimate", sample_answer)
    patch.setattr(live, "first_look", sample_glance)
    patch.setattr(steps, "levers", sample_levers)
    patch.setattr(
        team_market,
        "market_from_rows",
        lambda _team: Market(release="sample", release_date="2026-12-20", devices={}, systems=(), offers=()),
    )
    patch.setattr(planned, "_recent", Kept(64))
