"""Finance brings a workbook back on a page, sees the differences and accepts them as the next version."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import openpyxl
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import AuditEvent, Membership, Role
from exports.render import render
from exports.round_trip import accept as accepting
from planner import plans
from planner.estimate import estimate
from planner.frozen.snapshot import Plan
from planner.market import market_from_files
from planner.models import PlanVersion
from planner.request.parse import spec_from
from tests.conftest import People, make_member

pytestmark = pytest.mark.django_db
REQUEST = {
    "name": "Support assistant",
    "workload": "training",
    "model": "llama-3.1-8b",
    "training": {"tokens": 2e9},
    "constraints": {"deadline_days": 30, "accelerators": ["h100-sxm5"], "budget_usd": 50000},
}


@pytest.fixture
def version(people: People) -> PlanVersion:
    """A frozen version of a real plan."""
    planner = make_member(people.team, "Petra", Role.PLANNER)
    workload = plans.save_workload(planner, name="Support assistant", draft=REQUEST)
    return plans.freeze_version(planner, workload, estimate(spec_from(REQUEST), market_from_files()))


@pytest.fixture
def finance(client: Client, people: People) -> Membership:
    """Somebody of finance, signed in."""
    member = make_member(people.team, "Fiona", Role.FINANCE)
    client.force_login(member.user)
    return member


def workbook(version: PlanVersion, **values: float) -> SimpleUploadedFile:
    """The exported workbook with those inputs edited."""
    book = openpyxl.load_workbook(BytesIO(render(version.plan, "xlsx", state=version.state)))
    for name, value in values.items():
        book["Inputs"][book.defined_names[f"in_{name}"].attr_text.rpartition("!")[2].replace("$", "")] = value
    result = BytesIO()
    book.save(result)
    return SimpleUploadedFile("plan.xlsx", result.getvalue())


def test_edited_prices_become_a_new_version(client: Client, finance: Membership, version: PlanVersion) -> None:
    address = f"/exports/plans/{version.public_id}/workbook"
    assert client.get(address).status_code == 200
    file = workbook(version, price_per_instance_hour=3.25, budget=45000.0, goodput=0.5)
    review = client.post(address, {"file": file}).content.decode()
    assert "3.25" in review
    assert "agreed price" in review
    assert "It follows from the layout" in review
    posted = {"in_price_per_instance_hour": "3.25", "in_budget": "45000.0"}
    answer = client.post(f"{address}/accept", posted, follow=True).content.decode()
    assert "Accepted as version 2" in answer
    newest = version.workload.newest
    assert newest
    assert newest.created_by == finance.user
    spec = newest.plan.spec
    before = version.plan.recommendation.recommended
    assert before
    assert before.offer
    assert [(price.item, price.usd) for price in spec.agreed] == [(before.offer.id, 3.25)]
    assert spec.constraints.budget_usd == 45000.0
    best = newest.plan.recommendation.recommended
    assert best
    assert best.cost.total.expected < before.cost.total.expected
    version.workload.refresh_from_db()
    agreed = {"item": before.offer.id, "what": "instance_hour", "usd": 3.25}
    assert version.workload.draft["agreed"] == [{**agreed, "quoted_on": None, "valid_until": None, "reference": ""}]
    assert version.workload.draft["constraints"]["budget_usd"] == 45000.0
    assert AuditEvent.objects.filter(verb="plan.workbook_accepted").count() == 1
    second = client.post(f"{address}/accept", posted, follow=True).content.decode()
    assert "Version 2 is newer" in second


def test_an_edited_formula_is_named_on_the_page(client: Client, finance: Membership, version: PlanVersion) -> None:
    book = openpyxl.load_workbook(BytesIO(workbook(version).read()))
    book["Cost model"]["B7"] = 1
    result = BytesIO()
    book.save(result)
    file = SimpleUploadedFile("plan.xlsx", result.getvalue())
    answer = client.post(f"/exports/plans/{version.public_id}/workbook", {"file": file})
    assert answer.status_code == 422
    assert "formula Cost model!B7" in answer.content.decode()


def test_tampered_values_are_refused(client: Client, finance: Membership, version: PlanVersion) -> None:
    address = f"/exports/plans/{version.public_id}/workbook/accept"
    for posted, said in (
        ({"in_runs": "many"}, "is no number"),
        ({"in_price_per_instance_hour": "-1"}, "must be a number of 0 or more"),
        ({"in_price_per_instance_hour": "nan"}, "must be a number of 0 or more"),
        ({"in_goodput": "0.5"}, "nothing to plan again"),
        ({"in_nonsense": "1"}, "no input"),
        ({"in_runs": "1.5"}, "whole number"),
        ({"in_price_per_instance_hour": "0"}, "above 0"),
        ({}, "nothing to plan again"),
    ):
        assert said in client.post(address, posted, follow=True).content.decode(), posted
    assert version.workload.versions.count() == 1


def test_what_somebody_saves_meanwhile_is_not_overwritten(
    client: Client, finance: Membership, people: People, version: PlanVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned_again = accepting.planned_again

    def while_petra_saves(*args: Any) -> Plan:
        petra = Membership.objects.get(team=people.team, user__name="Petra")
        plans.save_workload(petra, name="Petra's", draft={**REQUEST, "name": "Petra's"}, workload=version.workload)
        return planned_again(*args)

    monkeypatch.setattr(accepting, "planned_again", while_petra_saves)
    address = f"/exports/plans/{version.public_id}/workbook/accept"
    assert "Somebody else has changed" in client.post(address, {"in_runs": "2"}, follow=True).content.decode()
    assert version.workload.versions.count() == 1
    assert not AuditEvent.objects.filter(verb="plan.workbook_accepted").exists()


def test_who_may_accept(client: Client, people: People, version: PlanVersion) -> None:
    client.force_login(make_member(people.team, "Vera", Role.VIEWER).user)
    address = f"/exports/plans/{version.public_id}/workbook"
    shown = client.post(address, {"file": workbook(version, runs=2.0)}).content.decode()
    assert "Accept as a new version" not in shown
    assert "needs the role" in client.post(f"{address}/accept", {"in_runs": "2"}, follow=True).content.decode()
    client.force_login(people.charlie)
    assert client.get(address).status_code == 404
    assert client.post(f"{address}/accept", {"in_runs": "2"}).status_code == 404
