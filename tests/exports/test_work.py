"""Asking for a file, making it, and keeping it."""

from __future__ import annotations

import os

import pytest
from django.http import Http404

from accounts import access
from accounts.models import Membership, Role
from exports import files, work
from exports.composing.changes import Earlier
from exports.models import Export
from jobs.models import Job, State
from jobs.running import run_job
from planner import plans
from planner.asked import Issue
from planner.models import PlanVersion
from tests.conftest import People, make_member
from tests.exports.samples import tiny_plan, training_plan
from tests.planner.versions import first_version


@pytest.fixture
def planner(people: People) -> Membership:
    return make_member(people.team, "Petra", Role.PLANNER)


@pytest.fixture
def version(planner: Membership) -> PlanVersion:
    return first_version(planner, tiny_plan())


def test_it_works(planner: Membership, version: PlanVersion) -> None:
    export = work.request_export(planner, version, "xlsx")
    assert (export.job.state, export.ready) == (State.QUEUED, False)
    run_job(export.job.pk, worker="test")
    export.refresh_from_db()
    assert Job.objects.get(kind="exports.render").state == State.SUCCEEDED
    assert files.load(export.sha256)[:2] == b"PK"
    assert export.bytes == len(files.load(export.sha256))


def test_asking_twice_gives_one_export_and_one_file(planner: Membership, version: PlanVersion) -> None:
    first = work.request_export(planner, version, "xlsx")
    run_job(first.job.pk, worker="test")
    again = work.request_export(planner, version, "xlsx")
    run_job(again.job.pk, worker="another")
    assert again.pk == first.pk
    assert Export.objects.count() == Job.objects.filter(kind=work.KIND).count() == 1
    stored = [path for path in files.path_of("00" * 32).parent.parent.rglob("*") if path.is_file()]
    assert len(stored) == 1


def test_rendering_twice_gives_the_same_bytes(planner: Membership, version: PlanVersion) -> None:
    export = work.request_export(planner, version, "xlsx")
    run_job(export.job.pk, worker="test")
    export.refresh_from_db()
    digest = export.sha256
    files.path_of(digest).unlink()
    Job.objects.update(state=State.QUEUED, attempts=0)
    run_job(export.job.pk, worker="another")
    export.refresh_from_db()
    assert export.sha256 == digest


def test_another_review_state_is_another_file(people: People, planner: Membership, version: PlanVersion) -> None:
    draft = work.request_export(planner, version, "xlsx")
    plans.submit(planner, version)
    assert work.request_export(planner, version, "xlsx").pk != draft.pk


@pytest.mark.parametrize(("format_", "paper"), [("exe", "A4"), ("docx", "A0")])
def test_what_we_do_not_write_is_refused(planner: Membership, version: PlanVersion, format_: str, paper: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        work.request_export(planner, version, format_, paper=paper)
    assert not Job.objects.exists()


def test_a_changed_or_missing_file_is_noticed(settings: object) -> None:
    digest = files.store(b"what was stored")
    files.path_of(digest).write_bytes(b"something else")
    with pytest.raises(files.FileGone, match="changed"):
        files.load(digest)
    files.path_of(digest).unlink()
    with pytest.raises(files.FileGone, match="no longer"):
        files.load(digest)


def test_another_team_sees_no_export(people: People, planner: Membership, version: PlanVersion) -> None:
    export = work.request_export(planner, version, "pdf")
    with pytest.raises(Http404):
        access.one_of(people.other_team, Export, export.public_id)


def test_a_later_version_is_printed_with_what_changed(
    planner: Membership, version: PlanVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Earlier | None] = []
    monkeypatch.setattr("exports.render.render", lambda *_plan, previous, **_named: given.append(previous) or b"PK")
    newer = plans.freeze_version(planner, version.workload, training_plan())
    for row in (version, newer):
        run_job(work.request_export(planner, row, "docx").job.pk, worker="test")
    assert [previous and previous.plan.sha256 for previous in given] == [None, version.sha256]


def test_a_document_names_who_made_and_who_approved_it_by_its_own_state(
    people: People, planner: Membership, version: PlanVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was asked for while the plan was a draft names no approver, however late it is made."""
    given: list[tuple[str, Issue]] = []
    monkeypatch.setattr(
        "exports.render.render", lambda *_plan, state, issue, **_named: given.append((state, issue)) or b"PK"
    )
    draft = work.request_export(planner, version, "docx")
    plans.submit(planner, version)
    plans.approve(make_member(people.team, "Paula", Role.APPROVER), version)
    approved = work.request_export(planner, version, "docx")
    for export in (draft, approved):
        run_job(export.job.pk, worker="test")
    names = [(state, issue.owner, issue.approver) for state, issue in given]
    assert names == [("draft", str(planner.user), ""), ("approved", str(planner.user), "Paula")]
    assert all(issue.on is None for _, issue in given), "a file has one date, that of the request"


def test_halves_of_writers_that_were_killed_are_removed_when_they_are_old() -> None:
    whole = files.path_of(files.store(b"what was stored"))
    old, fresh = whole.parent / ".part-old", whole.parent / ".part-fresh"
    for half in (old, fresh):
        half.write_bytes(b"what was")
    os.utime(old, (0, 0))

    assert files.tidy(older_than_s=3600) == 1
    assert [path.name for path in sorted(whole.parent.iterdir())] == [".part-fresh", whole.name]
