"""One zip with everything of a version, and hashes that prove it."""

from __future__ import annotations

import hashlib
import json
import zipfile
from io import BytesIO

import pytest
from django.test import Client

from accounts.models import Role
from exports import work
from exports.bundle import bundle_of
from jobs.running import run_job
from planner import plans
from planner.frozen.snapshot import Plan
from planner.models import PlanVersion
from tests.conftest import People, make_member
from tests.exports.samples import infeasible_plan, tiny_plan

pytestmark = pytest.mark.django_db
DOCUMENTS = {"docx": b"PK word", "xlsx": b"PK excel", "pdf": b"%PDF", "pptx": b"PK slides"}


def frozen(people: People, plan: Plan) -> PlanVersion:
    """A version of that plan, made by a planner of the first team."""
    planner = make_member(people.team, "Petra", Role.PLANNER)
    return plans.freeze_version(planner, plans.save_workload(planner, name="A run", draft={}), plan)


def contents(data: bytes) -> dict[str, bytes]:
    """Every file of the zip."""
    with zipfile.ZipFile(BytesIO(data)) as package:
        assert package.testzip() is None
        return {name: package.read(name) for name in package.namelist()}


def test_the_manifest_holds_the_hash_of_every_file(people: People) -> None:
    version = frozen(people, tiny_plan())
    found = contents(bundle_of(version, DOCUMENTS))
    manifest = json.loads(found["manifest.json"])
    listed = {item["name"]: item for item in manifest["files"]}
    assert set(listed) == set(found) - {"manifest.json", "SHA256SUMS"}
    for name, item in listed.items():
        assert item["sha256"] == hashlib.sha256(found[name]).hexdigest()
        assert item["bytes"] == len(found[name])
        assert f"{item['sha256']}  {name}\n" in found["SHA256SUMS"].decode()
    assert {"a-run-v1.docx", "a-run-v1.xlsx", "a-run-v1.pdf", "a-run-v1.pptx"} <= set(listed)
    assert listed["plan.json"]["sha256"] == manifest["plan_sha256"] == version.sha256


def test_the_budget_adds_up_in_all_three_shapes(people: People) -> None:
    found = contents(bundle_of(frozen(people, tiny_plan()), DOCUMENTS))
    body = json.loads(found["budget.json"])
    lines = found["budget.csv"].decode().splitlines()
    assert len(lines) == len(found["budget-focus.csv"].decode().splitlines()) == len(body["data"]) + 1
    assert f"{sum(float(line['amount']) for line in body['data']):.2f}" == body["total"]
    assert lines[0].startswith("month,line,label")


def test_equal_versions_give_equal_bytes(people: People) -> None:
    version = frozen(people, tiny_plan())
    assert bundle_of(version, DOCUMENTS) == bundle_of(version, dict(reversed(DOCUMENTS.items())))


def test_a_refusal_has_no_budget(people: People) -> None:
    found = contents(bundle_of(frozen(people, infeasible_plan()), DOCUMENTS))
    assert not [name for name in found if name.startswith("budget")]
    assert "plan.json" in found


def test_the_page_gives_it_once_all_four_are_made(client: Client, people: People) -> None:
    version = frozen(people, tiny_plan())
    member = make_member(people.team, "Vera", Role.VIEWER)
    client.force_login(member.user)
    address = f"/exports/plans/{version.public_id}/bundle"
    assert client.get(address).status_code == 404
    for format_ in ("docx", "xlsx", "pdf", "pptx"):
        run_job(work.request_export(member, version, format_).job.pk, worker="test")
    answer = client.get(address)
    assert answer["Content-Disposition"] == 'attachment; filename="a-run-v1.zip"'
    assert contents(answer.content)["a-run-v1.pdf"].startswith(b"%PDF")
    client.force_login(people.charlie)
    assert client.get(address).status_code == 404
