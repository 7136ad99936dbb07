"""Bought hardware comes months after its order: until then the same is rented, and where none can be, the work waits."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from math import ceil

import pytest

from engine.answer import Option
from engine.context import Context
from engine.defaults import assumptions_for
from engine.entry import recommend
from engine.inputs.finding import Sum
from engine.inputs.spec import FixedLayout, Spec
from engine.money.schedule import lead_days, wait_days
from engine.supply import supplies_for
from planner.market import market_from_files
from planner.request.parse import architecture_of, spec_from
from tests.engine.test_nearest import service, training
from tests.told import told

MARKET = market_from_files()
RELEASE = date.fromisoformat(MARKET.release_date)
LONG = training(1.4e12, horizon_months=36.0, deadline_days=400.0, accelerators=["gaudi3"])


def best_of(spec: Spec) -> Option:
    best = recommend(spec, MARKET).recommended
    assert best is not None
    return best


def test_a_run_on_hardware_that_nobody_rents_out_begins_at_delivery() -> None:
    """It ended before the servers could be there: on day 97, with a delivery on day 137."""
    at_once, later = best_of(LONG), best_of(replace(LONG, start=RELEASE + timedelta(days=200)))
    assert (at_once.kind, at_once.accelerator) == ("on_prem", "gaudi3")
    assert at_once.days.expected == pytest.approx(
        4.5 * 365 / 12 + at_once.accelerator_hours.expected / at_once.count / 24
    )
    assert at_once.finish == RELEASE + timedelta(days=ceil(at_once.days.expected))
    delivery = RELEASE + timedelta(days=int(4.5 * 365 / 12))
    assert delivery in [found.values.get("start") for found in at_once.warnings]
    assert f"begins on {delivery:%-d %B %Y}" in told(at_once.warnings)
    assert later.days.expected == pytest.approx(later.accelerator_hours.expected / later.count / 24)
    assert any("if they are ordered in time" in text for text in map(told, later.warnings))


def test_a_deadline_before_the_delivery_is_not_kept() -> None:
    limits = replace(LONG.constraints, deadline_days=120.0)
    soon = replace(LONG, constraints=limits)
    assert not recommend(soon, MARKET).feasible


def test_only_what_cannot_be_rented_waits() -> None:
    spec = training(1e11, horizon_months=36.0)
    context = Context(spec=spec, arch=architecture_of(spec), market=MARKET, assume=assumptions_for(spec))
    bought = {one.device.slug: one for one in supplies_for(spec, MARKET).supplies if one.kind == "on_prem"}
    assert wait_days(context, bought["h100-sxm5"]) == 0.0
    gaudi = bought["gaudi3"]
    assert wait_days(context, gaudi) == lead_days(context, gaudi.system) == pytest.approx(136.875)
    assert gaudi.system is not None
    desk = replace(gaudi, system=replace(gaudi.system, rack_units=0.0))
    assert wait_days(context, desk) == pytest.approx(0.75 * 365 / 12)


def test_a_service_says_that_it_waits() -> None:
    best = best_of(service(accelerators=["gaudi2"]))
    assert (best.kind, best.accelerator) == ("on_prem", "gaudi2")
    assert any(
        "until the servers are accepted, by assumption 4.5 months after the order" in text
        for text in map(told, best.warnings)
    )


def test_nothing_around_a_service_is_paid_before_it_begins() -> None:
    """A load balancer stood in the cash of the four months in which the servers were not there."""
    best = best_of(service(accelerators=["gaudi2"]))
    lead, tests = (
        next(line.amount for line in best.cost.model.lines if line.name == name)
        for name in ("lead_hours", "acceptance_hours")
    )
    begun, come = (f"{RELEASE + timedelta(hours=hours):%Y-%m}" for hours in (lead, lead - tests))
    assert come < begun
    early = [month for month in best.cost.model.cash if month.month < begun and (month.opex or month.capex)]
    assert [(month.month, {name for name, _ in month.by_line}) for month in early] == [(come, {"purchase"})]
    paid = {name for month in best.cost.model.cash if month.month == begun for name, _ in month.by_line}
    assert {"balancer", "staff"} <= paid


def test_work_that_is_done_before_servers_come_is_not_told_that_owning_costs_less() -> None:
    """What owning cost was the rent until the servers come, at a cheaper price: “renting costs less at any utilisation … owning costs
    less”."""
    body = {
        "name": "Soon done",
        "workload": "training",
        "model": "qwen2.5-7b",
        "horizon_months": 48,
        "utilisation": 0.85,
        "training": {"method": "pretrain", "tokens": 2e11, "sequence_length": 4096},
        "constraints": {"deadline_days": 60, "spot": False, "accelerators": ["h100-sxm5"]},
    }
    best = recommend(spec_from(body), market_from_files()).recommended
    assert best is not None
    even = best.cost.break_even
    assert even is not None
    assert even.owning_pays is False
    codes = [one.code for one in even.told]
    assert "break_even.late" in codes
    assert not {"break_even.owning", "break_even.renting"} & set(codes)
    assert best.cost.on_prem is not None
    (late,) = (one for one in even.told if one.code == "break_even.late")
    assert late.values["own"] == Sum(best.cost.on_prem.expected)


def test_servers_are_bought_for_a_service_that_fills_less_than_half_of_one() -> None:
    """They are paid whole. The search had left such services without an answer, while a layout that took twice as many of the same
    server's accelerators was bought."""
    asked = spec_from(
        {
            "name": "Small", "workload": "serving", "model": "mistral-small-24b", "horizon_months": 24, "as_of": "2026-11-22",
            "serving": {"requests_per_s": 1, "input_tokens": 1500, "output_tokens": 250, "ttft_p95_ms": 2500, "tpot_p95_ms": 90},
            "constraints": {"accelerators": ["gaudi2"]}, "operations": {"security": ["air-gapped"]},
        }
    )  # fmt: skip
    free, wide = best_of(asked), best_of(replace(asked, fixed=FixedLayout(tp=2, pp=1)))
    assert free.kind == "on_prem"
    assert free.count < 4
    assert free.cost.ranked_by <= wide.cost.ranked_by * 1.025
