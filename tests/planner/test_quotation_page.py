"""The page of quotations: letters to copy and download, answers beside the list, and what is said once a quote has run out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.models import Role
from catalog import clock
from planner import planned, plans
from planner.models import PlanVersion, Workload
from planner.quotation_tables import QuotationRequest, Quote
from planner.request.parse import spec_from
from tests.conftest import People, make_member

REQUEST: dict[str, Any] = {
    "name": "Night run",
    "workload": "training",
    "model": "llama-3.1-8b",
    "training": {"tokens": 2e9},
    "start": (clock.today() + timedelta(days=40)).isoformat(),
    "constraints": {"deadline_days": 30, "accelerators": ["h100-sxm5"], "spot": False},
}


@pytest.fixture
def version(people: People) -> PlanVersion:
    member = make_member(people.team, "Petra", Role.PLANNER)
    workload = plans.save_workload(member, name="Night run", draft=REQUEST)
    return plans.freeze_version(member, workload, planned.plan_of(spec_from(REQUEST), people.team))


@pytest.fixture
def planner(people: People, version: PlanVersion, client: Client) -> Client:
    assert version.created_by
    client.force_login(version.created_by)
    return client


def text_of(client: Client, version: PlanVersion, path: str = "/quotations") -> str:
    answer = client.get(f"/plans/{version.public_id}{path}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_from_the_plan_to_letters_and_from_an_answer_back_into_the_draft(planner: Client, version: PlanVersion) -> None:
    plan = text_of(planner, version, "")
    assert f"/plans/{version.public_id}/quotations" in plan
    assert 'data-share="quoted">quoted and valid 0%' in plan
    assert "What to ask for, and by when" in plan
    sent = planner.post(f"/plans/{version.public_id}/quotations", {"contact": "Pat Buyer"}, follow=True)
    assert "The letters are ready" in sent.content.decode()
    made = QuotationRequest.objects.get()
    page = text_of(planner, version)
    assert made.reference in page
    assert "Pat Buyer" in page
    for format_, start in (("docx", b"PK"), ("pdf", b"%PDF")):
        file = planner.get(f"/exports/quotations/{made.public_id}/1.{format_}")
        assert file.status_code == 200
        assert file.content.startswith(start)
        assert made.reference.lower() in file["Content-Disposition"]
    assert planner.get(f"/exports/quotations/{made.public_id}/1.xlsx").status_code == 404
    until = clock.today() + timedelta(days=60)
    body = {"option": made.options[0], "unit": "instance_hour", "amount": "9.50", "currency": "USD",
            "valid_until": until.isoformat(), "conditions": "Paid monthly"}  # fmt: skip
    said = planner.post(f"/quotations/{made.public_id}/quotes", body, follow=True).content.decode()
    assert "Recorded" in said
    assert "USD\u00a09.50/h" in said
    assert "Paid monthly" in said
    assert Workload.objects.get().draft["agreed"][0]["valid_until"] == until.isoformat()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"amount": "cheap"}, "must be a plain number"),
        ({"valid_until": ""}, "is empty"),
        ({"quoted_on": "soon"}, "a day"),
    ],
)
def test_what_cannot_be_read_is_said_and_nothing_is_kept(
    planner: Client, version: PlanVersion, changes: dict[str, str], said: str
) -> None:
    planner.post(f"/plans/{version.public_id}/quotations", {})
    made = QuotationRequest.objects.get()
    body = {"option": made.options[0], "unit": "instance_hour", "amount": "9", "valid_until": "2199-01-01"} | changes
    assert said in planner.post(f"/quotations/{made.public_id}/quotes", body, follow=True).content.decode()
    assert not Quote.objects.exists()


def test_a_plan_says_when_a_quote_behind_it_has_run_out(
    people: People, planner: Client, version: PlanVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    until = clock.today() + timedelta(days=50)
    best = version.head.recommendation.recommended
    assert best
    assert best.offer
    agreed = [{"item": best.offer.id, "usd": 5.0, "valid_until": until.isoformat()}]
    member = make_member(people.team, "Quincy", Role.PLANNER)
    plan = planned.plan_of(spec_from(REQUEST | {"agreed": agreed}), people.team)
    quoted = plans.freeze_version(member, version.workload, plan)
    before = text_of(planner, quoted, "")
    assert "ran out" not in before
    assert f"quoted and valid {'9'}" in before
    monkeypatch.setattr(clock, "today", lambda: until + timedelta(days=1))
    assert "Instances: the quote ran out on" in text_of(planner, quoted, "")
    assert "Instances: the quote ran out on" in text_of(planner, quoted)
