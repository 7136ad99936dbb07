"""What happens to plans, documents and prices is told, in the transaction in which it happens."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from accounts.models import Membership, Role
from catalog import clock
from exports import work
from exports.models import Export
from jobs import queue
from jobs.models import Job
from jobs.models import State as JobState
from jobs.running import JobFailed, run_job
from planner import plans, stale
from planner.models import PlanVersion
from tests.conftest import People, make_member
from tests.exports.samples import tiny_plan, training_plan
from tests.planner.versions import first_version
from tests.webhooks.support import hook
from webhooks.models import Event


@pytest.fixture
def petra(people: People) -> Membership:
    hook(people, "http://127.0.0.1:9/")
    return make_member(people.team, "Petra", Role.PLANNER)


@pytest.fixture
def version(petra: Membership) -> PlanVersion:
    return first_version(petra, tiny_plan(), name="Secret project")


def _types() -> list[str]:
    return list(Event.objects.order_by("pk").values_list("type", flat=True))


def test_the_life_of_a_plan_is_told(people: People, petra: Membership, version: PlanVersion, settings: Any) -> None:
    settings.SITE_URL = "https://plans.example.org"
    plans.freeze_version(petra, version.workload, version.plan)  # nothing new, so nothing to tell
    plans.submit(petra, version)
    alice = people.memberships["alice"]
    plans.return_for_changes(alice, version, reason="Too dear")
    plans.submit(petra, version)
    plans.approve(alice, version)
    plans.archive_workload(petra, version.workload)
    plans.archive_workload(petra, version.workload)
    assert _types() == ["plan.version.created", "plan.submitted", "plan.returned", "plan.submitted", "plan.approved",
                        "plan.archived"]  # fmt: skip
    approved = Event.objects.get(type="plan.approved")
    workload = version.workload.public_id
    assert approved.data == {
        "plan_id": workload,
        "version_id": version.public_id,
        "version": 1,
        "state": "approved",
        "sha256": version.sha256,
        "by": people.alice.public_id,
        "links": {
            "self": f"https://plans.example.org/api/v1/plans/{workload}/versions/1",
            "budget_lines": f"https://plans.example.org/api/v1/plans/{workload}/budget-lines?version=1",
            "page": f"https://plans.example.org/plans/{version.public_id}",
        },
    }
    assert (approved.figures["name"], approved.figures["cost"]["currency"]) == ("Secret project", "USD")
    assert Event.objects.get(type="plan.returned").figures["reason"] == "Too dear"
    for event in Event.objects.all():
        assert "Secret" not in str(event.data)
        assert "Too dear" not in str(event.data)


def test_a_step_that_is_refused_tells_nothing(petra: Membership, version: PlanVersion) -> None:
    plans.submit(petra, version)
    with pytest.raises(PermissionDenied):
        plans.approve(petra, version)
    assert "plan.approved" not in _types()


def test_a_document_is_told_when_its_job_has_ended(petra: Membership, version: PlanVersion) -> None:
    export = work.request_export(petra, version, "xlsx")
    assert "export.succeeded" not in _types()
    run_job(export.job.pk, worker="test")
    export.refresh_from_db()
    run_job(export.job.pk, worker="another")
    told = Event.objects.get(type="export.succeeded").data
    assert (told["export_id"], told["file_sha256"]) == (export.public_id, export.sha256)
    assert told["links"]["file"].endswith(f"/api/v1/exports/{export.public_id}/file")
    assert told["sha256"] == version.sha256


@pytest.mark.parametrize("way", ["sentence", "unexpected", "lost"])
def test_a_document_that_fails_is_told_however_it_failed(
    petra: Membership, version: PlanVersion, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    export = work.request_export(petra, version, "xlsx")
    if way == "lost":
        Job.objects.filter(pk=export.job_id).update(
            state=JobState.RUNNING, attempts=3, lease_until=timezone.now() - timedelta(minutes=1)
        )
        queue.sweep()
        queue.sweep()
    else:
        error = JobFailed("full", "The disk is full.") if way == "sentence" else RuntimeError("boom")

        def fails(*_args: object, **_named: object) -> bytes:
            raise error

        monkeypatch.setattr("exports.render.render", fails)
        run_job(export.job.pk, worker="test")
    told = Event.objects.get(type="export.failed").data
    codes = {"sentence": "full", "unexpected": "unexpected", "lost": "worker_lost"}
    assert (told["export_id"], told["error"]["code"]) == (export.public_id, codes[way])
    assert Export.objects.get().job.state == JobState.FAILED


def test_what_cannot_be_told_did_not_end(
    petra: Membership, version: PlanVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of a job and its event are one transaction: without the event the job is done again."""
    export = work.request_export(petra, version, "xlsx")

    def fails(*_args: object, **_named: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr("exports.events.outbox.emit", fails)
        with pytest.raises(RuntimeError):
            run_job(export.job.pk, worker="test")
    export.job.refresh_from_db()
    assert export.job.state == JobState.RUNNING
    assert "export.succeeded" not in _types()


def _priced(petra: Membership, days_ago: int) -> PlanVersion:
    """A submitted version whose offer's price is so old."""
    plan = training_plan()
    best = plan.recommendation.recommended
    assert best is not None
    assert best.offer is not None
    day = clock.today() - timedelta(days=days_ago)
    aged = replace(best, offer=replace(best.offer, price_date=day.isoformat()))
    plan = replace(plan, recommendation=replace(plan.recommendation, recommended=aged))
    workload = plans.save_workload(petra, name=f"Of {days_ago} days", draft={})
    return plans.submit(petra, plans.freeze_version(petra, workload, plan))


def test_old_prices_of_approved_plans_are_told_once_a_month(
    people: People, petra: Membership, version: PlanVersion
) -> None:
    alice = people.memberships["alice"]
    old, young = _priced(petra, 61), _priced(petra, 60)
    assert _check() == 0
    for row in (plans.submit(petra, version), young, old):
        plans.approve(alice, row)
    assert stale.price_date_of(version) is None  # owned hardware has no price that ages
    assert (_check(), _check()) == (1, 0)
    told = Event.objects.get(type="prices.stale")
    assert (told.data["version_id"], told.data["age_days"]) == (old.public_id, 61)
    Event.objects.filter(pk=told.pk).update(occurred_at=timezone.now() - timedelta(days=31))
    assert _check() == 1
    plans.archive_workload(petra, old.workload)
    Event.objects.filter(type="prices.stale").delete()
    assert _check() == 0


def test_nobody_looks_for_old_prices_unless_somebody_wants_to_know(people: People) -> None:
    queue.sweep()
    assert not Job.objects.filter(kind=stale.KIND).exists()
    hook(people, "http://127.0.0.1:9/", events=("prices.stale",))
    queue.sweep()
    queue.sweep()
    assert Job.objects.filter(kind=stale.KIND).count() == 1


def _check() -> int:
    """Runs the daily job at once; how many it told."""
    job = queue.enqueue(stale.KIND, team=None, payload={})
    run_job(job.pk, worker="test")
    job.refresh_from_db()
    assert job.result is not None, job.error
    return int(job.result["told"])
