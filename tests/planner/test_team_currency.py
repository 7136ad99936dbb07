"""Lists and backward questions in the currency that a team reads, and plans found by their names."""

from __future__ import annotations

import pytest
from django.test import Client

from engine.answer import Signed
from engine.inputs.hardware import Market
from jobs.models import Job
from planner import team_market
from planner.frozen.snapshot import plain
from planner.models import PlanVersion, Workload
from tests.conftest import People
from tests.planner.page_support import TRAINING, quick_engine

__all__ = ["quick_engine"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]


@pytest.fixture
def alice(client: Client, people: People, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Alice of a team that reads euro, of which one buys two dollars."""
    market = Market(
        release="sample",
        release_date="2026-12-20",
        devices={},
        systems=(),
        offers=(),
        fx_usd={"EUR": (2.0, "2026-12-01")},
    )
    monkeypatch.setattr(team_market, "market_from_rows", lambda _team: market)
    people.team.currency = "EUR"
    people.team.save()
    client.force_login(people.alice)
    return client


def test_the_list_of_plans_says_each_cost_in_the_currency_of_its_plan(alice: Client) -> None:
    alice.post("/new/train", TRAINING)
    alice.post(f"/workloads/{Workload.objects.get().public_id}/freeze")
    version = PlanVersion.objects.get()
    page = alice.get("/").content.decode()
    assert f"{version.currency}\u00a0{version.cost:,.0f}" in page
    assert "The largest model for 400 k EUR" in page


def test_a_new_request_is_shown_in_the_teams_currency(alice: Client) -> None:
    assert '<option value="EUR" selected>' in alice.get("/new/train").content.decode()
    alice.post("/new/train", TRAINING | {"currency": "EUR"})
    assert Workload.objects.get().draft["currency"] == "EUR"


def test_plans_are_found_by_name(alice: Client) -> None:
    for name in ("Support assistant", "Legal drafting"):
        alice.post("/new/train", TRAINING | {"name": name})
    page = alice.get("/", {"words": "legal"}).content.decode()
    assert ">Legal drafting<" in page
    assert ">Support assistant<" not in page
    assert "No plan is called “&lt;b&gt;”" in alice.get("/", {"words": "<b>"}).content.decode()


def test_a_backward_question_takes_a_budget_in_the_teams_currency(alice: Client) -> None:
    assert '<span class="field__unit" id="f-budget-u">EUR</span>' in alice.get("/backwards").content.decode()
    refused = alice.post("/backwards", {"question": "model", "budget": "CHF 400k"})
    assert refused.status_code == 422
    assert "the catalog has no rate for CHF; write the amount in EUR, USD." in refused.content.decode()
    sent = alice.post("/backwards", {"question": "model", "budget": "EUR 200k"})
    job = Job.objects.get()
    assert sent["Location"].endswith(job.public_id)
    assert job.payload["budget_usd"] == 400_000
    tried = {"size": 8e9, "keeps": True, "cost": 195_000.0, "days": 10.0, "hardware": "8 × H100"}
    tries = [{**tried, "signed": plain(Signed())}]
    result = {"sentence": "The largest model, for EUR 195,000.", "draft": {"name": "x"}, "tries": tries}
    Job.objects.update(state="succeeded", result=result)
    page = alice.get(sent["Location"]).content.decode()
    assert "The largest model, for EUR 195,000." in page
    assert "budget=200000" in page
