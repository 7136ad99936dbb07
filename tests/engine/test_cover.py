"""Who answers for a service, and when: nobody is counted unless the request says so; what it says is a line of the cost that flows."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from engine.answer import Option, Recommendation
from engine.inputs.cover import ALL_HOURS, OFFICE_HOURS
from engine.inputs.known import Known
from engine.inputs.spec import Spec, SpecError
from planner.asked import request_text
from planner.estimate import estimate
from planner.frozen.snapshot import Plan
from planner.market import market_from_files
from planner.money import accounts
from planner.presenters.voice import page_voice
from planner.request.parse import spec_from
from tests.told import told

_SERVICE = {
    "name": "Chat",
    "workload": "serving",
    "model": "llama-3.1-8b",
    "serving": {"requests_per_s": 2, "input_tokens": 800, "output_tokens": 200, "ttft_p95_ms": 2000, "tpot_p95_ms": 80},
    "horizon_months": 12,
    "constraints": {"accelerators": ["h100-sxm5", "l40s"]},
}
_KNOWN = Known()
FTE_USD = 200_000.0


def plan(base: dict[str, Any] = _SERVICE, /, **operations: Any) -> Plan:
    return _planned(spec_from({**base, "operations": operations}))


@cache
def _planned(spec: Spec) -> Plan:
    return estimate(spec, market_from_files(), known=_KNOWN)


def best(found: Plan) -> tuple[Recommendation, Option]:
    assert found.recommendation.recommended is not None
    return found.recommendation, found.recommendation.recommended


def lines(option: Option) -> dict[str, float]:
    return {line.name: line.amount for line in option.cost.model.lines}


def test_nobody_is_counted_unless_hours_are_stated() -> None:
    _, option = best(plan())
    assert not {"cover", "cover_managed"} & lines(option).keys()


@pytest.mark.parametrize(
    ("hours", "people"), [("office", 0.25), ("24x7", 0.25 + (ALL_HOURS - OFFICE_HOURS) / OFFICE_HOURS * 0.33)]
)
def test_own_staff_costs_the_hours_that_they_are_bound(hours: str, people: float) -> None:
    _, free = best(plan())
    found = plan(hours=hours)
    answer, option = best(found)
    assert option.offer == free.offer
    amounts = lines(option)
    assert amounts["cover_fte"] == pytest.approx(people)
    assert amounts["cover"] == pytest.approx(people * FTE_USD, abs=0.01)
    assert option.cost.total.expected == pytest.approx(free.cost.total.expected + amounts["cover"], abs=0.02)
    advised = next(item for item in answer.advice if item.rule == f"ops.cover.own-{hours}")
    assert "The total holds" in told(advised.reason)


def test_own_staff_is_cash_that_this_work_is_charged_with_and_ends_when_it_ends() -> None:
    found = plan(hours="24x7")
    _, option = best(found)
    kept = accounts(found)
    assert kept is not None
    for view in ("cash", "expense", "allocated", "economic"):
        entries = [one for one in kept.ledger.entries if (one.line, one.view) == ("cover", view)]
        assert {one.contract for one in entries} == {"operation"}
        assert sum(one.amount for one in entries) == pytest.approx(lines(option)["cover"], abs=0.01)
    assert not [one for one in kept.ledger.entries if one.line == "cover" and one.view == "committed"]


@pytest.mark.parametrize(("hours", "fee"), [("office", 5_500.0), ("24x7", 15_000.0)])
def test_a_managed_service_asks_its_fee_and_whoever_operates_decides_which_it_is(hours: str, fee: float) -> None:
    _, option = best(plan(hours=hours, covered_by="managed"))
    assert lines(option)["cover_managed"] == fee * 12
    asked = next(item for item in option.cost.model.inputs if item.name == "cover_managed_usd_month")
    assert asked.low < asked.value < asked.high
    assert "cover" not in lines(option)
    _, vendor = best(plan(hours=hours, operator="vendor"))
    assert lines(vendor)["cover_managed"] == fee * 12


def test_wages_bear_no_tax_and_a_fee_does() -> None:
    taxed = {**_SERVICE, "taxes": {"services": 0.2}}
    free, own, managed = (
        best(plan(taxed, **more))[1] for more in ({}, {"hours": "24x7"}, {"hours": "24x7", "covered_by": "managed"})
    )
    assert lines(own)["tax_services"] == pytest.approx(lines(free)["tax_services"], abs=0.02)
    assert lines(managed)["tax_services"] == pytest.approx(lines(free)["tax_services"] + 0.2 * 15_000 * 12, abs=0.02)


def test_it_is_paid_for_on_hardware_of_ones_own_too() -> None:
    owned = {**_SERVICE, "owned": [{"accelerator": "h100-sxm5", "count": 8}]}
    _, option = best(plan(owned, hours="office", security=("air-gapped",)))
    assert option.kind == "owned"
    assert lines(option)["cover"] == pytest.approx(0.25 * FTE_USD)


def test_the_assumptions_of_a_plan_count() -> None:
    changed = {**_SERVICE, "assumptions": {"cost.cover_standby_share": 0.1, "cost.managed_24x7_usd_month": 9_000}}
    _, own = best(plan(changed, hours="24x7"))
    assert lines(own)["cover_fte"] == pytest.approx(0.25 + (ALL_HOURS - OFFICE_HOURS) / OFFICE_HOURS * 0.1)
    _, managed = best(plan(changed, hours="24x7", covered_by="managed"))
    assert lines(managed)["cover_managed"] == 9_000 * 12


def test_three_nines_in_office_hours_are_still_told_to_need_somebody_at_night() -> None:
    rules = {item.rule for item in best(plan(hours="office", availability=0.999))[0].advice}
    assert "ops.on-call.needed" in rules
    rules = {item.rule for item in best(plan(hours="24x7", availability=0.999))[0].advice}
    assert "ops.on-call.needed" not in rules


@pytest.mark.parametrize(
    ("operations", "code"),
    [
        ({"covered_by": "managed"}, "missing.hours"),
        ({"hours": "office", "on_call": True}, "conflict.on_call"),
    ],
)
def test_what_contradicts_itself_is_refused(operations: dict[str, Any], code: str) -> None:
    with pytest.raises(SpecError) as refused:
        plan(**operations)
    assert [fault.code for fault in refused.value.faults] == [code]


def test_a_run_has_nobody_who_waits_for_it() -> None:
    run = {
        "name": "Run",
        "workload": "training",
        "model": "llama-3.1-8b",
        "training": {"method": "lora", "samples": 1000},
    }
    with pytest.raises(SpecError) as refused:
        plan(run, hours="office")
    assert [fault.path for fault in refused.value.faults] == ["operations.hours"]


def test_the_request_says_it() -> None:
    found = plan(hours="24x7")
    voice = page_voice(lambda amount: f"{amount:.0f}")
    assert "its own staff answers around the clock" in request_text(found, voice)
    assert "answers" not in request_text(replace(found, spec=spec_from(_SERVICE)), voice)
