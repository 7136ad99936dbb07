"""Lists and backward questions in the currency that a team reads, and plans found by their names."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.test import Client

from jobs.models import Job
from planner import live
from planner.models import PlanVersion, Workload
from tests.conftest import People
from tests.planner.page_support import TRAINING, quick_engine

__all__ = ["quick_engine"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]


@pytest.fixture
def alice(client: Client, people: People, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Alice of a team that reads euro, of which one buys two dollars."""
    market = SimpleNamespace(
        release="sample", devices={}, offers=(), facts=(), holdings=(), fx_usd={"EUR": (2.0, "2026-12-01")}
    )
    monkeypatch.setattr(live, "market_from_rows", lambda _team: market)
    people.team.currency = "EUR"
    people.team.save()
    client.force_login(people.alice)
    return client


def test_the_list_of_plans_is_in_the_teams_currency_and_says_at_which_rate(alice: Client) -> None:
    alice.post("/new/train", TRAINING)
    alice.post(f"/workloads/{Workload.objects.get().public_id}/freeze")
    cost = PlanVersion.objects.get().cost_usd
    assert cost is not None
    page = alice.get("/").content.decode()
    assert f"EUR\u00a0{cost / 2:,.0f}" in page
    assert "1 USD = 0.5 EUR, rate of 1 Dec 2026" in page
    assert "The largest model for 400 k EUR" in page
    assert "USD\u00a0" not in page


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
    tries = [{"size": 8e9, "keeps": True, "cost_usd": 390_000.0, "days": 10.0, "hardware": "8 × H100"}]
    result = {"sentence": "The largest model, for USD 390,000.", "draft": {"name": "x"}, "tries": tries}
    Job.objects.update(state="succeeded", result=result)
    page = alice.get(sent["Location"]).content.decode()
    assert "The largest model, for EUR\u00a0195,000." in page
    assert "budget=200000" in page
