"""What a loop could make without end has an end, and more tokens bring no more requests."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import ApiToken, Invitation, Role
from catalog.models import ImportBatch
from exports.models import Export
from jobs.models import Job, State
from planner.models import PlanComment, PlanVersion, ShareLink, Workload
from planner.quotation_tables import QuotationRequest
from rest import limits
from rest.limits import OF_A_PERSON
from tests.api.support import TRAINING, Api, petra, problem, quick_engine
from tests.conftest import People, make_member

__all__ = ["petra", "quick_engine"]

pytestmark = pytest.mark.django_db
TOKEN = {"name": "x", "scopes": ["plans:read"], "expires_in_days": 1}


def test_a_viewer_who_makes_tokens_in_a_loop_comes_to_an_end(people: People, settings: Any) -> None:
    viewer = Api(people.memberships["bob"])
    answers = [viewer.post("/tokens", TOKEN) for _ in range(40)]
    assert [answer.status_code for answer in answers] == [201] * 19 + [409] * 21
    problem(answers[-1], 409)
    assert "20 live API tokens and may have 20: revoke one" in answers[-1].json()["detail"]
    assert ApiToken.objects.filter(user=people.bob).count() == 20

    viewer.delete(f"/tokens/{answers[0].json()['id']}")
    assert viewer.post("/tokens", TOKEN).status_code == 201
    assert Api(people.memberships["alice"]).post("/tokens", TOKEN).status_code == 201, "others are not affected"


def test_the_tokens_of_a_team_come_to_an_end(people: People, settings: Any) -> None:
    alice, bob = Api(people.memberships["alice"]), Api(people.memberships["bob"])
    settings.CAPS = settings.CAPS | {"tokens_of_team": 3}
    assert alice.post("/tokens", TOKEN).status_code == 201
    assert "The team has 3" in bob.post("/tokens", TOKEN).json()["detail"]
    assert Api(people.memberships["charlie"]).post("/tokens", TOKEN).status_code == 201, "another team"


Make = Callable[[Api, str], Any]
MADE: dict[str, tuple[Make, Any]] = {
    "links_of_version": (lambda api, plan: api.post("/share-links", {"plan_id": plan, "days": 7}), ShareLink),
    "comments_of_version": (lambda api, plan: api.post(f"/plans/{plan}/comments", {"text": "again"}), PlanComment),
    "quotations_of_version": (
        lambda api, plan: api.post(f"/plans/{plan}/versions/1/quotation-requests", {}),
        QuotationRequest,
    ),
    "workloads_of_team": (lambda api, _plan: api.post("/workloads", TRAINING), Workload),
    "lists_of_team": (lambda api, _plan: api.post("/catalogs", {"name": "again"}), ImportBatch),
}


@pytest.mark.parametrize("cap", MADE)
def test_what_programs_make_in_a_loop_comes_to_an_end(cap: str, petra: Api, quick_engine: None, settings: Any) -> None:
    plan = petra.post("/plans", TRAINING).json()["id"]
    make, model = MADE[cap]
    settings.CAPS = settings.CAPS | {cap: 3}
    answers = [make(petra, plan) for _ in range(6)]
    assert answers[0].status_code == 201
    problem(answers[-1], 409)
    assert "may have 3:" in answers[-1].json()["detail"]
    assert model.objects.count() == 3


def test_what_pages_make_in_a_loop_comes_to_an_end(people: People, client: Client, settings: Any) -> None:
    """The same steps by pages: back to the page with the sentence, and never an error of ours."""
    settings.CAPS = settings.CAPS | {"questions_of_team": 2, "invitations_of_team": 2, "tokens_of_person": 1}
    client.force_login(make_member(people.team, "Vera", Role.VIEWER).user)
    asked = {"question": "tokens", "model": "llama-3.1-8b", "budget": "100000"}
    for _ in range(3):
        page = client.post("/backwards", asked, HTTP_REFERER="http://testserver/backwards", follow=True)
        assert page.status_code == 200, page.content[-800:]
    assert Job.objects.filter(kind="planner.backwards").count() == 2
    assert "2 searches that have not ended and may have 2: wait" in page.content.decode()


def test_documents_that_nobody_makes_come_to_an_end(petra: Api, quick_engine: None, settings: Any) -> None:
    """All that one request asks for, or none; what was asked for before is no new work. No worker runs here."""
    plan = petra.post("/plans", TRAINING).json()["id"]
    settings.CAPS = settings.CAPS | {"documents_of_team": 3}
    everything = {"formats": ["docx", "xlsx", "pdf", "pptx"]}
    problem(refused := petra.post(f"/plans/{plan}/exports", everything), 409)
    assert "3 documents that are being made and may have 3: wait" in refused.json()["detail"]
    assert not Job.objects.filter(kind="exports.render").exists()
    for _ in range(2):
        assert petra.post(f"/plans/{plan}/exports", {"formats": ["docx", "xlsx", "pdf"]}).status_code == 202
    problem(petra.post(f"/plans/{plan}/exports", {"formats": ["pptx"]}), 409)
    page = Client()
    page.force_login(petra.member.user)
    address = PlanVersion.objects.get().public_id
    answer = page.post(
        f"/exports/plans/{address}/pptx/make", HTTP_HX_REQUEST="true", HTTP_REFERER=f"http://testserver/plans/{address}"
    )
    assert answer["HX-Redirect"] == f"/plans/{address}", "a part of a page sends the whole page back, with the sentence"
    assert Job.objects.filter(kind="exports.render").count() == 3

    ended = Export.objects.first()
    assert ended is not None
    Job.objects.filter(pk=ended.job_id).update(state=State.CANCELLED)
    assert petra.post(f"/plans/{plan}/exports", {"formats": ["pptx"]}).status_code == 202
    problem(petra.post(f"/exports/{ended.public_id}:retry", {}), 409)
    page.post(f"/exports/plans/{address}/{ended.format}/make", HTTP_REFERER=f"http://testserver/plans/{address}")
    assert Job.objects.get(pk=ended.job_id).state == State.CANCELLED, "nor is what was cancelled queued beyond it"


def test_open_invitations_come_to_an_end(people: People, settings: Any) -> None:
    from django.core.exceptions import ValidationError

    from accounts import invitations

    settings.CAPS = settings.CAPS | {"invitations_of_team": 2}
    for at in range(2):
        invitations.invite(people.team, f"new{at}@north.example", role=Role.VIEWER, actor=people.alice)
    with pytest.raises(ValidationError, match="withdraw one first"):
        invitations.invite(people.team, "new3@north.example", role=Role.VIEWER, actor=people.alice)
    assert Invitation.objects.count() == 2


def test_more_tokens_bring_no_more_requests(people: People, settings: Any) -> None:
    settings.API_PER_MINUTE = settings.API_PER_MINUTE | {"read": 4}
    callers = [Api(people.memberships["bob"]) for _ in range(6)]
    statuses = [api.get("/plans").status_code for api in callers for _ in range(3)]
    assert statuses.count(200) == OF_A_PERSON * 4
    refused = callers[-1].get("/plans")
    problem(refused, 429)
    assert refused["Retry-After"]
    assert Api(people.memberships["alice"]).get("/plans").status_code == 200


def test_files_of_one_person_have_a_rate(
    people: People, client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        limits, "time", SimpleNamespace(time=lambda: 1_800_000_030.0, monotonic=time.monotonic)
    )  # no minute ends meanwhile
    settings.UPLOADS_PER_MINUTE = 2
    client.force_login(make_member(people.team, "Fay", Role.FINANCE).user)
    for _ in range(3):
        page = client.post("/catalog/upload/", {"file": SimpleUploadedFile("q.csv", b"nothing")})
    assert page.status_code == 422
    assert "2 files in this minute" in page.content.decode()
