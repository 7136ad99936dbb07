"""Approved plans are asked again when their market changes, and what a budget must know is told once, and again when it is over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from accounts.models import Membership, Role
from engine.inputs.hardware import Market
from engine.inputs.spec import Fault, SpecError
from jobs import queue
from jobs.models import Job, State
from jobs.running import run_job
from planner import plans
from planner.estimate import estimate
from planner.frozen.snapshot import Plan
from planner.market import market_from_files
from planner.models import PlanVersion
from planner.outlook import work
from planner.outlook.compare import PARTS, SIDES, changed, side_of
from planner.request.parse import spec_from
from planner.tables import Outlook
from tests.conftest import People, make_member
from tests.exports.samples import training_plan
from webhooks.models import Event

Today = Callable[[Plan | Exception, str], None]


@pytest.fixture
def petra(people: People) -> Membership:
    return make_member(people.team, "Petra", Role.PLANNER)


@pytest.fixture
def version(people: People, petra: Membership) -> PlanVersion:
    """An approved version."""
    workload = plans.save_workload(petra, name="Plan", draft={})
    row = plans.submit(petra, plans.freeze_version(petra, workload, training_plan()))
    return plans.approve(people.memberships["alice"], row)


@pytest.fixture
def today(monkeypatch: pytest.MonkeyPatch) -> Today:
    """What the request is answered on a market of that release."""

    def say(plan: Plan | Exception, release: str) -> None:
        def answer(*_: Any, **__: Any) -> Plan:
            if isinstance(plan, Exception):
                raise plan
            return plan

        market = replace(market_from_files(), release=release)
        monkeypatch.setattr(work.team_market, "market_of", lambda _: market)
        monkeypatch.setattr(work, "estimate", answer)

    return say


def look() -> int:
    """Does the work of a day at once; how many versions were asked again."""
    Job.objects.filter(kind__in=(work.KIND, work.PIECE_KIND)).delete()
    work.request_check()
    asked = 0
    while job := Job.objects.filter(kind__in=(work.KIND, work.PIECE_KIND), state=State.QUEUED).first():
        run_job(job.pk, worker="test")
        job.refresh_from_db()
        assert job.result is not None, job.error
        asked += job.result.get("asked", 0)
    return asked


def told() -> list[tuple[str, Any]]:
    """Type and news of each event, oldest first."""
    rows = Event.objects.filter(type__in=("plan.repriced", "plan.drifted")).order_by("pk")
    return [(row.type, row.data.get("cost", row.data.get("changed"))) for row in rows]


def costing(factor: float) -> Plan:
    """The frozen plan, had it cost so many times as much."""
    plan = training_plan()
    best = plan.recommendation.recommended
    assert best is not None
    total = best.cost.total
    total = replace(total, low=total.low * factor, expected=total.expected * factor, high=total.high * factor)
    return _with(plan, cost=replace(best.cost, total=total))


def _with(plan: Plan, **fields: Any) -> Plan:
    best = plan.recommendation.recommended
    assert best is not None
    return replace(plan, recommendation=replace(plan.recommendation, recommended=replace(best, **fields)))


def test_a_price_beyond_the_band_is_told_once_and_when_it_is_over(version: PlanVersion, today: Today) -> None:
    for release, factor in (("a" * 64, 1.0), ("b" * 64, 3.0), ("c" * 64, 3.1), ("d" * 64, 1.0), ("e" * 64, 0.2)):
        today(costing(factor), release)
        assert look() == 1
        assert look() == 0  # asked on that release
    assert told() == [("plan.repriced", "above"), ("plan.repriced", "within"), ("plan.repriced", "below")]
    event = Event.objects.filter(type="plan.repriced").first()
    assert event is not None
    best = version.head.recommendation.recommended
    assert best is not None
    assert event.data["version_id"] == version.public_id
    assert event.data["by"] is None
    assert "band" not in event.data
    assert float(event.figures["band"]["expected"]) == best.cost.total.expected
    assert float(event.figures["band_today"]["expected"]) == pytest.approx(3 * best.cost.total.expected)


def test_another_choice_is_told_by_its_parts(version: PlanVersion, today: Today) -> None:
    plan = training_plan()
    best = plan.recommendation.recommended
    assert best is not None
    assert best.offer is not None
    elsewhere = replace(best.offer, region="nowhere-1", option="spot")
    none = replace(plan, recommendation=replace(plan.recommendation, recommended=None))
    for release, answer in (("a" * 64, _with(plan, offer=elsewhere)), ("b" * 64, none), ("c" * 64, plan)):
        today(answer, release)
        look()
    assert told() == [("plan.drifted", ["place", "terms"]), ("plan.drifted", ["feasible"]), ("plan.drifted", [])]


def test_a_request_that_the_catalog_cannot_plan_any_more_has_drifted(version: PlanVersion, today: Today) -> None:
    today(SpecError(Fault("model", "unknown.name", {})), "f" * 64)
    look()
    assert told() == [("plan.drifted", ["feasible"])]


def test_what_does_not_count_or_has_not_changed_is_not_asked(
    petra: Membership, version: PlanVersion, today: Today
) -> None:
    today(costing(3.0), version.catalog_release)
    assert look() == 0
    today(costing(3.0), "a" * 64)
    plans.archive_workload(petra, version.workload)
    assert look() == 0
    assert told() == []


def test_a_plan_that_is_archived_while_it_is_asked_is_not_told_of(
    petra: Membership, version: PlanVersion, today: Today, monkeypatch: pytest.MonkeyPatch
) -> None:
    today(costing(3.0), "a" * 64)

    def archived(*_: Any, **__: Any) -> Plan:
        plans.archive_workload(petra, version.workload)
        return costing(3.0)

    monkeypatch.setattr(work, "estimate", archived)
    assert look() == 1
    assert told() == []
    assert not Outlook.objects.exists()


def test_a_market_that_moves_meanwhile_is_left_to_the_next_day(version: PlanVersion, today: Today) -> None:
    today(costing(3.0), "a" * 64)
    work.request_check()
    run_job(Job.objects.get(kind=work.KIND).pk, worker="test")
    today(costing(3.0), "b" * 64)
    run_job(Job.objects.get(kind=work.PIECE_KIND).pk, worker="test")
    assert told() == []
    assert look() == 1


def test_one_job_a_day_and_none_without_a_plan_that_counts(people: People, petra: Membership) -> None:
    queue.sweep()
    assert not Job.objects.filter(kind=work.KIND).exists()
    workload = plans.save_workload(petra, name="Plan", draft={})
    plans.approve(
        people.memberships["alice"], plans.submit(petra, plans.freeze_version(petra, workload, training_plan()))
    )
    queue.sweep()
    queue.sweep()
    assert Job.objects.filter(kind=work.KIND).count() == 1


@pytest.mark.parametrize(("factor", "side"), [(1.0, "within"), (3.0, "above"), (0.3, "below")])
def test_the_engine_itself_on_dearer_and_cheaper_markets(factor: float, side: str) -> None:
    """No price list of ours moves by that much at once: whatever is chosen, three times the prices are beyond the band."""
    spec = spec_from(
        {"name": "Small", "workload": "training", "model": "llama-3.1-8b", "as_of": "2026-11-22",
         "training": {"tokens": 2e9, "sequence_length": 4096}, "constraints": {"deadline_days": 30, "spot": False}}
    )  # fmt: skip
    market = market_from_files()
    frozen, now = estimate(spec, market), estimate(spec, dearer(market, factor))
    assert side_of(frozen, now) == side
    assert side in SIDES
    parts = changed(frozen, now)
    assert "feasible" not in parts
    assert set(parts) <= set(PARTS)
    if factor == 1.0:
        assert parts == []


def dearer(market: Market, factor: float) -> Market:
    """Each rented hour and gigabyte at so many times its price."""
    offers = tuple(
        replace(
            offer,
            usd_per_hour=offer.usd_per_hour * factor,
            dear_usd_per_hour=offer.dear_usd_per_hour * factor,
            on_demand_usd_per_hour=offer.on_demand_usd_per_hour * factor,
            listed_usd_per_hour=offer.listed_usd_per_hour * factor,
            storage_usd_per_gb_month=offer.storage_usd_per_gb_month * factor,
            egress_usd_per_gb=offer.egress_usd_per_gb * factor,
        )
        for offer in market.offers
    )
    return replace(market, offers=offers, release="d" * 64)
