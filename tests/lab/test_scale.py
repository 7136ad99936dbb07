"""The measurements of `manage.py lists`, `costly`, `sweeps` and `imports`, at a size at which they are tests."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from accounts.models import AuditEvent, Membership, Role
from lab.scale import costly, filling, lists, own, sweeps
from planner.models import PlanVersion, Workload
from planner.versions import State

PLANS = 120


@pytest.fixture
def people(db: None) -> dict[str, Membership]:
    call_command("load_catalog", verbosity=0)
    return own.people()


@pytest.fixture
def versions(people: dict[str, Membership], monkeypatch: pytest.MonkeyPatch) -> list[PlanVersion]:
    """Many plans of one answered kind."""
    monkeypatch.setattr(filling, "KINDS", ("train-8b-two-weeks",))
    done: list[int] = []
    found = filling.fill(people, PLANS, progress=done.append)
    assert done[-1] == PLANS
    return found


def test_copies_are_plans_like_the_one_that_was_answered(versions: list[PlanVersion]) -> None:
    assert Workload.objects.count() == PlanVersion.objects.count() == PLANS
    assert len(set(Workload.objects.values_list("name", flat=True))) == PLANS
    assert set(PlanVersion.objects.values_list("sha256", flat=True)) == {versions[0].sha256}
    copy = PlanVersion.objects.latest("pk")
    assert copy.plan == versions[0].plan
    states = Counter(PlanVersion.objects.values_list("state", flat=True))
    assert states.keys() == {State.DRAFT, State.SUBMITTED, State.APPROVED, State.RETURNED}
    assert 0.2 < states[State.APPROVED] / PLANS < 0.4
    assert not PlanVersion.objects.filter(state=State.APPROVED, decided_at=None).exists()
    assert AuditEvent.objects.filter(verb="plan.frozen").count() == PLANS


def test_every_list_is_asked_for_and_the_slowest_is_told_first(
    versions: list[PlanVersion], people: dict[str, Membership]
) -> None:
    found = lists.measured(people[Role.ADMIN], times=2, walk=1, progress=lambda *_: None)
    names = {one.name for one in found}
    assert lists.PAGES.keys() | lists.PLANS.keys() <= names
    assert {"API workloads", "API plans", "API plans, page 2", "API audit events", "API all budget lines"} <= names
    assert [one.p95 for one in found] == sorted((one.p95 for one in found), reverse=True)
    assert all(len(one.ms) == 2 for one in found)
    assert len(list(lists.told(found))) == len(found)


def test_a_list_beyond_its_promise_is_marked() -> None:
    found = [
        lists.Timed(name="slow", ms=(400.0,) * 20, cpu_ms=(5.0,) * 20),
        lists.Timed(name="quick", ms=(10.0,) * 19 + (900.0,), cpu_ms=(5.0,) * 20),
    ]
    slow, quick = lists.told(found)
    assert "above 300 ms" in slow
    assert found[1].p95 < lists.PROMISED_MS
    assert "above" not in quick


def test_an_answer_that_is_none_stops_the_measurement(
    versions: list[PlanVersion], people: dict[str, Membership], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "PAGES", {"gone": "/no-such-page"})
    with pytest.raises(RuntimeError, match="/no-such-page answers 404"):
        lists.measured(people[Role.ADMIN], times=1, progress=lambda *_: None)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_each_role_is_charged_for_what_it_may_ask() -> None:
    call_command("load_catalog", verbosity=0)
    people = own.people()
    versions = filling.fill(people, len(filling.KINDS), progress=lambda _: None)
    wanted = ("/", "the team's audit trail", "form typed: train", f"plan: {versions[0].workload.name}")
    asked = [one for one in costly.asked_of(people, versions, heavy=()) if one.name in wanted]
    assert len(asked) == len(wanted)
    found = costly.measured(costly.everybody(people), asked, progress=lambda *_: None)
    answered = {role: {cost.name for cost in costs} for role, costs in found.items()}
    assert answered.keys() == {*Role.values, costly.VISITOR}
    assert answered[Role.ADMIN] == set(wanted)
    assert "the team's audit trail" not in answered[Role.VIEWER]
    plan = next(cost for cost in found[Role.VIEWER] if cost.name.startswith("plan"))
    assert 0.01 < plan.cpu_s < 60
    assert plan.peak_mb >= plan.before_mb > 50
    assert plan.after_mb > 50
    assert plan.kept_mb == plan.after_mb - plan.before_mb
    assert all(costs == sorted(costs, key=lambda cost: -cost.cpu_s) for costs in found.values())


def test_what_is_above_the_promise_is_said() -> None:
    cost = costly.Cost(name="all", status=200, cpu_s=2.5, peak_mb=450, before_mb=300, after_mb=310)
    small = costly.Cost(name="one", status=200, cpu_s=0.1, peak_mb=350, before_mb=300, after_mb=305)
    title, first, second = costly.told({"viewer": [cost, small]})
    assert title == "viewer: 2 requests answered"
    assert "above 2 s, above 400 MB" in first
    assert "(before 300, after 310)" in first
    assert "above" not in second


def test_a_sweep_has_as_many_scenarios_as_are_asked_for_and_no_two_alike() -> None:
    for count in (1, 7, 10_000):
        found = sweeps.scenarios(count)
        assert len({repr(one) for one in found}) == len(found) == count


def test_what_is_lost_or_different_is_said() -> None:
    one = sweeps.Swept(workers=1, scenarios=10, seconds=5.0, killed_at=None, lost=0, different=0)
    two = sweeps.Swept(workers=2, scenarios=10, seconds=2.5, killed_at=4, lost=1, different=2)
    _, first, second = sweeps.told(6.0, [one, two])
    assert first.endswith("1.00 × the first; equal to it")
    assert "one killed at 4" in second
    assert second.endswith("2.00 × the first; 1 LOST, 2 DIFFERENT")


@pytest.mark.parametrize("command", ["lists", "costly", "sweeps", "imports"])
def test_nothing_is_measured_where_somebody_keeps_accounts(command: str, people: dict[str, Membership]) -> None:
    with pytest.raises(CommandError, match="holds accounts"):
        call_command(command, "--inside")


@pytest.mark.slow
def test_a_series_with_a_killed_worker_is_what_one_process_answers() -> None:
    command = [sys.executable, "manage.py", "sweeps", "--scenarios", "75", "--workers", "2", "--kill"]
    done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "one killed at" in done.stdout
    assert done.stdout.rstrip().endswith("equal to it")


@pytest.mark.slow
def test_a_file_of_many_prices_is_taken_whole_and_changes_nothing_the_second_time() -> None:
    command = [sys.executable, "manage.py", "imports", "--prices", "600"]
    done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    first, second = done.stdout.strip().splitlines()[-2:]
    assert first.endswith("Published 600 new prices.")
    assert second.endswith("nothing changed.")
