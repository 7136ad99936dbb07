"""The way back of a workbook, and the zip of everything, over the API."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from types import SimpleNamespace

import pytest

from accounts.models import AuditEvent, Role
from jobs.models import Job
from jobs.running import run_job
from planner.models import PlanVersion
from tests.api.file_cases import edited
from tests.api.support import TRAINING, Api, File, problem
from tests.conftest import People, make_member

pytestmark = pytest.mark.usefixtures("quick_engine")


@pytest.fixture
def plan(petra: Api) -> str:
    """The id of a plan with one version."""
    return str(petra.post("/plans", TRAINING).json()["id"])


@pytest.fixture
def fiona(people: People) -> Api:
    """Finance of the team."""
    return Api(make_member(people.team, "Fiona", Role.FINANCE))


def workbook(plan: str, **values: float) -> File:
    """The plan's workbook with those inputs edited."""
    return edited(SimpleNamespace(plan=plan), **values)


def test_it_works(fiona: Api, plan: str) -> None:
    body = fiona.post(
        f"/plans/{plan}/versions/1/workbook", workbook(plan, price_per_instance_hour=3.25, goodput=0.5)
    ).json()
    edits = {edit["input"]: edit for edit in body["edits"]}
    assert edits["price_per_instance_hour"]["after"] == {"amount": "3.25", "currency": "USD"}
    assert edits["price_per_instance_hour"]["goes_to"] == "agreed"
    assert edits["price_per_instance_hour"]["address"].startswith("Inputs!")
    assert (edits["goodput"]["after"], edits["goodput"]["goes_to"]) == (0.5, "not_taken")
    assert edits["goodput"]["why_not"]
    assert body["accepted"] is None
    assert PlanVersion.objects.count() == 1


def test_accepting_makes_the_next_version(fiona: Api, plan: str) -> None:
    sent = workbook(plan, price_per_instance_hour=3.25)
    tried = fiona.post(f"/plans/{plan}/versions/1/workbook", sent).json()
    answers = [
        fiona.post(f"/plans/{plan}/versions/1/workbook?dry_run=false", sent, Idempotency_Key="k") for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0]["Location"] == f"/api/v1/plans/{plan}/versions/2"
    assert answers[0].json() == answers[1].json()
    assert answers[0].json()["accepted"]["plan_sha256"] == tried["plan_sha256"]
    assert PlanVersion.objects.count() == 2
    agreed = fiona.get(f"/plans/{plan}").json()["draft"]["agreed"]
    assert [price["usd"] for price in agreed] == [3.25]
    assert AuditEvent.objects.get(verb="plan.workbook_accepted").token_id == fiona.row.public_id


def test_an_unchanged_workbook_changes_nothing(fiona: Api, plan: str) -> None:
    price = PlanVersion.objects.get().plan.recommendation.recommended.offer.usd_per_hour
    sent = workbook(plan, price_per_instance_hour=price)
    body = fiona.post(f"/plans/{plan}/versions/1/workbook", sent).json()
    assert (body["edits"], body["plan_sha256"]) == ([], None)
    problem(fiona.post(f"/plans/{plan}/versions/1/workbook?dry_run=false", sent), 422)


def test_a_viewer_may_look_but_not_accept(bob: Api, plan: str) -> None:
    sent = workbook(plan, price_per_instance_hour=3.25)
    assert bob.post(f"/plans/{plan}/versions/1/workbook", sent).status_code == 200
    problem(bob.post(f"/plans/{plan}/versions/1/workbook?dry_run=false", sent), 403)


def test_a_workbook_of_another_plan_is_refused(petra: Api, plan: str) -> None:
    other = petra.post("/plans", {**TRAINING, "name": "Other"}).json()["id"]
    body = problem(petra.post(f"/plans/{other}/versions/1/workbook", workbook(plan)), 422)
    assert "another" in body["detail"] or "belongs" in body["detail"]


def test_the_zip_holds_everything_with_its_hashes(petra: Api, plan: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exports.render.render", lambda *_, **__: b"a file")
    address = f"/plans/{plan}/versions/1/bundle"
    assert "docx" in problem(petra.get(address), 409)["detail"]
    for export in petra.post(f"/plans/{plan}/exports", {}).json()["data"]:
        run_job(Job.objects.get(export__public_id=export["id"]).pk, worker="test")
    response = petra.get(address)
    assert response["ETag"] == f'"{hashlib.sha256(response.content).hexdigest()}"'
    assert response["Content-Disposition"].startswith("attachment")
    with zipfile.ZipFile(io.BytesIO(response.content)) as package:
        manifest = json.loads(package.read("manifest.json"))
        for entry in manifest["files"]:
            assert hashlib.sha256(package.read(entry["name"])).hexdigest() == entry["sha256"]
    assert {name.rpartition(".")[2] for name in (entry["name"] for entry in manifest["files"])} >= {
        "docx", "xlsx", "pdf", "pptx", "json", "csv",
    }  # fmt: skip
    part = petra.get(address, Range="bytes=10-19")
    assert (part.status_code, part.content) == (206, response.content[10:20])
