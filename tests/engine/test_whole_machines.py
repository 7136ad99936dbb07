"""What is paid for and not used is named, and what a balance of cost and days chose is held against the cheapest way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.answer import Option, Recommendation
from engine.choice.idle import IDLE
from engine.entry import recommend
from engine.inputs.hardware import Market
from engine.inputs.spec import BatchJob, Constraints, Serving, Spec, Training
from tests.engine.small_market import OFFERS, market, offer
from tests.told import told

EIGHTS = market(offer("eight", "h100-sxm5", 20.0))
"""Machines of eight only."""
SERVICE = Serving(requests_per_s=20.0, input_tokens=800, output_tokens=200, ttft_p95_ms=900)


def idle(option: Option) -> str:
    return " ".join(told(reason) for reason in option.reasons if reason.code == IDLE)


def best_of(spec: Spec, sold: Market) -> Option:
    best = recommend(spec, sold).recommended
    assert best
    return best


@pytest.mark.parametrize("rate", [2.0, 20.0, 60.0, 200.0])
def test_accelerators_of_whole_machines_that_no_replica_uses_are_named(rate: float) -> None:
    asked = Serving(requests_per_s=rate, input_tokens=800, output_tokens=200, ttft_p95_ms=900)
    best = best_of(Spec(name="Service", workload="serving", model="llama-3.1-8b", serving=asked), EIGHTS)
    left = best.nodes * 8 - best.count
    said = f"{left} of their {best.nodes * 8} NVIDIA H100"
    assert (said in idle(best)) == (left > 0)
    assert bool(idle(best)) == (left > 0)


def test_some_of_those_stand_idle_and_some_do_not() -> None:
    """So that the test above has seen both."""
    found = set()
    for rate in (2.0, 20.0, 60.0, 200.0):
        asked = Serving(requests_per_s=rate, input_tokens=800, output_tokens=200, ttft_p95_ms=900)
        best = best_of(Spec(name="Service", workload="serving", model="llama-3.1-8b", serving=asked), EIGHTS)
        found.add(best.nodes * 8 > best.count)
    assert True in found


def balance(answer: Recommendation) -> str:
    assert answer.recommended
    return " ".join(told(reason) for reason in answer.recommended.reasons if reason.code == "reason.balance")


RUN = Spec(
    name="Run", workload="training", model="llama-3.1-8b", training=Training(tokens=1e10, method="finetune"),
    objective="balanced", constraints=Constraints(deadline_days=60, max_accelerators=64),
)  # fmt: skip
JOB = Spec(
    name="Batch", workload="serving", model="llama-3.1-8b", objective="balanced",
    serving=Serving(batch=BatchJob(requests=2e6, deadline_hours=400.0)), constraints=Constraints(max_accelerators=32),
)  # fmt: skip


@pytest.mark.parametrize("spec", [RUN, JOB], ids=["run", "batch"])
def test_a_balance_says_what_the_cheapest_way_costs_and_takes(spec: Spec) -> None:
    answer = recommend(spec, market(*OFFERS))
    best = answer.recommended
    assert best
    ways = [point for point in answer.frontier if point.feasible]
    assert min(point.cost * point.pace for point in ways) >= best.cost.total.expected * best.days.expected * 0.98
    cheaper = [point for point in ways if point.cost < best.cost.total.expected * 0.995]
    assert bool(balance(answer)) == bool(cheaper)


@pytest.mark.parametrize("objective", ["cost", "time"])
def test_other_objectives_say_no_such_thing(objective: Any) -> None:
    assert not balance(recommend(replace(RUN, objective=objective), market(*OFFERS)))
