"""Bringing code to another vendor's software counts in the ranking of runs, unless the team says that it has it running there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.answer import Recommendation
from engine.choice.porting import porting_of
from engine.context import Context
from engine.defaults import assumptions_for
from engine.inputs.finding import Sum
from engine.inputs.spec import Measurement, Spec
from planner.market import market_from_files
from planner.request.parse import architecture_of, spec_from
from tests.engine.answers import answered

_OFFERS = market_from_files()
_EIGHT = next(one for one in _OFFERS.offers if one.device == "mi300x" and one.provider == "oci")
CHEAP = replace(
    _EIGHT, id="oci/one-mi300x/us/on_demand", instance="one-mi300x", devices=1, usd_per_hour=1.9, vcpus=16.0
)
MARKET = replace(_OFFERS, offers=(*_OFFERS.offers, CHEAP))
BODY: dict[str, Any] = {
    "name": "Clicks",
    "workload": "training",
    "model": "dlrm-dcnv2",
    "training": {"method": "pretrain", "samples": 4195197692, "epochs": 1, "global_batch_size": 65536},
    "constraints": {"max_accelerators": 16},
}


def planned(**changes: Any) -> Recommendation:
    return answered(spec_from(BODY | changes), MARKET)


def context_of(spec: Spec) -> Context:
    return Context(spec=spec, arch=architecture_of(spec), market=MARKET, assume=assumptions_for(spec))


def test_three_dollars_do_not_lead_four_with_weeks_of_work_beside_them() -> None:
    """MI300X was recommended for USD 3.09 beside a risk of USD 46,200, where an NVIDIA accelerator cost USD 0.95 more."""
    found = planned()
    best = found.recommended
    assert best is not None
    assert best.porting is None
    foreign = [one for one in found.alternatives if one.porting and one.cost.at_confidence < best.cost.at_confidence]
    assert foreign, "what it would cost is told all the same"
    reason = next(one for one in best.reasons if one.code == "reason.porting")
    counted = reason.values["porting"]
    assert isinstance(counted, Sum)
    assert counted.amount == pytest.approx(porting_of(context_of(spec_from(BODY)), foreign[0]))
    assert counted.amount > 1000.0


def test_where_people_cost_nothing_the_cheaper_one_leads() -> None:
    best = planned(assumptions={"onprem.usd_per_fte": 1.0}).recommended
    assert best is not None
    assert best.porting is not None


def test_whoever_names_the_hardware_has_it_running() -> None:
    named = planned(constraints={"max_accelerators": 16, "accelerators": ["mi300x", "b200"]}).recommended
    assert named is not None
    assert named.porting is not None


def test_a_framework_and_a_step_that_was_measured_there_say_so_too() -> None:
    found = planned()
    option = next(one for one in found.alternatives if one.porting)
    spec = spec_from(BODY)
    assert spec.training is not None
    assert porting_of(context_of(spec), option) > 0.0
    seen = Measurement(accelerator=option.accelerator, count=1, step_time_s=1.0)
    told = (
        replace(spec, measured=(seen,)),
        replace(spec, training=replace(spec.training, framework="torchrec")),
        replace(spec, constraints=replace(spec.constraints, framework="torchrec")),
    )
    assert [porting_of(context_of(one), option) for one in told] == [0.0, 0.0, 0.0]
