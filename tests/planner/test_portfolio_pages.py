"""The portfolio's page: plans of one team, clashes in words, budgets, and moves that store nothing."""

from __future__ import annotations

import csv
from dataclasses import replace
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.test import Client

from accounts.models import AuditEvent, Role
from catalog.kept import Kept
from engine.inputs.currency import Currency
from engine.inputs.hardware import Holding
from planner import planned, plans, team_market
from planner.frozen.snapshot import freeze
from planner.in_currency import plan_in
from planner.models import PlanVersion, TeamBudget
from planner.presenters.currency import currency_of
from tests.conftest import People, make_member
from tests.exports.samples import training_plan
from tests.planner.page_support import quick_engine

__all__ = ["quick_engine"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]
CANARY = '"><script>alert(1)</script>{{7*7}}'


def saved(people: People, name: str, start: str, **more: Any) -> PlanVersion:
    request = {
        "name": name, "workload": "training", "model": "llama-3.1-70b", "start": start,
        "training": {"tokens": 15e9}, "constraints": {"deadline_days": 21}, **more,
    }  # fmt: skip
    member = people.memberships["alice"]
    workload = plans.save_workload(member, name=name, draft=request)
    return plans.freeze_version(member, workload, planned.plan_for(request, people.team))


@pytest.fixture
def alice(client: Client, people: People) -> Client:
    client.force_login(people.alice)
    return client


def rows(client: Client, address: str = "/portfolio.csv") -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(client.get(address).content.decode())))


def test_it_works_for_a_team_without_a_plan(alice: Client) -> None:
    assert "No plan yet" in alice.get("/portfolio").content.decode()
    assert rows(alice) == []


def test_plans_stand_in_time_with_their_months(alice: Client, people: People) -> None:
    version = saved(people, CANARY, "2027-01-11")
    saved(people, "infeasible one", "2027-02-01")
    page = alice.get("/portfolio").content.decode()
    assert "11 Jan 2027" in page
    assert "<script>alert" not in page
    assert "infeasible one" in page
    expected = version.plan.recommendation.recommended
    assert expected is not None
    total = [row for row in rows(alice) if row["plan"] == "all plans"]
    assert sum(float(row["expected"]) for row in total) == pytest.approx(expected.cost.total.expected, abs=0.01)
    assert sum(float(row["p90"]) for row in total) == pytest.approx(expected.cost.total.high, abs=0.05)
    assert {row["month"] for row in total} <= {"2027-01", "2027-02", "2027-03"}


def test_a_tried_move_changes_the_page_and_nothing_else(alice: Client, people: People) -> None:
    version = saved(people, "Early", "2027-01-11")
    ident = version.workload.public_id
    before = rows(alice)
    later = f"?tried=1&in={ident}&weeks-{ident}=8"
    assert "8 Mar 2027" in alice.get(f"/portfolio{later}").content.decode()
    assert {row["month"] for row in rows(alice, f"/portfolio.csv{later}")} >= {"2027-03"}
    assert rows(alice, "/portfolio.csv?tried=1") == []
    assert rows(alice, f"/portfolio.csv?weeks-{ident}=x&weeks-other=3") == before
    shown = alice.get(f"/portfolio{later}").context["shown"]
    assert "ends after its deadline" in shown.plans[0].note
    assert alice.get(f"/portfolio/charts/portfolio-timeline.csv{later}").content.decode().count("2027-03-08") == 1
    version.workload.refresh_from_db()
    assert version.workload.draft["start"] == "2027-01-11"


def test_a_clash_says_who_how_much_and_what_to_do(
    alice: Client, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    from planner.pages.portfolio import data

    monkeypatch.setattr(data, "_kept", Kept(512))
    real = data._work
    monkeypatch.setattr(
        data,
        "_work",
        lambda *parts: data.replace(real(*parts), owned=True, accelerator="h100", count=24),
    )
    rack = Holding(slug="a", name="Rack A", device="h100", count=32)
    market = replace(team_market.market_from_rows(people.team), holdings=(rack,))
    monkeypatch.setattr(team_market, "market_from_rows", lambda _team: market)
    saved(people, "Early", "2027-01-11")
    late = saved(people, "Late", "2027-01-14")
    page = alice.get("/portfolio")
    (clash,) = page.context["shown"].clashes
    assert "“Early” (24) and “Late” (24) want up to 48 × h100 and 32 are owned: 16 too few" in clash.sentence
    (weeks,) = [words for words in clash.remedies if words.startswith("Start “Late”")]
    number = weeks.split()[2]
    both = "&".join(f"in={row.workload.public_id}" for row in PlanVersion.objects.all())
    tried = f"/portfolio?tried=1&{both}&weeks-{late.workload.public_id}={number}"
    assert alice.get(tried).context["shown"].clashes == ()
    assert "use-h100" in [chart.id for chart in page.context["shown"].charts]


def test_finance_sets_a_budget_and_the_page_says_when_it_is_spent(people: People, alice: Client) -> None:
    saved(people, "Early", "2027-01-11")
    fay = Client()
    fay.force_login(make_member(people.team, "Fay", Role.FINANCE).user)
    fay.post("/portfolio/budget", {"year": "2027", "amount": "1k"})
    assert str(TeamBudget.objects.get()).endswith("2027: USD 1000.00")
    assert AuditEvent.objects.filter(verb="budget.set", subject=people.team.public_id).count() == 1
    (year,) = alice.get("/portfolio").context["shown"].years
    assert year.kept is False
    assert year.verdict.startswith("spent in January")
    for sent, sentence in (
        ({"year": "27", "amount": "1"}, "must be between 2000 and 2200"),
        ({"year": "٢٠٢٧", "amount": "1"}, "must be between"),
        ({"year": "2027", "amount": "cats"}, "not a number"),
        ({"year": "2027", "amount": "-5"}, "between 0 and 10 trillion"),
    ):
        assert sentence in fay.post("/portfolio/budget", sent, follow=True).content.decode()
    fay.post("/portfolio/budget", {"year": "2027", "amount": ""})
    assert not TeamBudget.objects.exists()


FX = {"EUR": (1.25, "2026-12-01"), "CHF": (1.1, "2026-12-01"), "JPY": (0.00625, "2026-12-01")}
"""Dollars for one unit in the catalog of today."""
FROZEN = {"EUR": 0.9, "JPY": 150.0}
"""What a dollar bought when the plans were frozen."""


@pytest.mark.parametrize(("team", "plans"), [("USD", ["EUR", "USD"]), ("EUR", ["USD", "EUR"]), ("CHF", ["EUR", "JPY"])])
def test_each_converted_amount_says_its_own_and_the_dated_rate(
    alice: Client, people: People, monkeypatch: pytest.MonkeyPatch, team: str, plans: list[str]
) -> None:
    market = replace(team_market.market_from_rows(people.team), fx_usd=FX)
    monkeypatch.setattr(team_market, "market_from_rows", lambda _team: market)
    people.team.currency = team
    people.team.save()
    for code in plans:
        saved_in(people, code)
    TeamBudget.objects.create(team=people.team, year=2027, amount=Decimal(1000), currency=plans[0])
    page = alice.get("/portfolio")
    for row in page.context["shown"].plans:
        code = row.name.removeprefix("In ")
        if code == team:
            assert row.converted == ""
            continue
        version = PlanVersion.objects.get(workload__name=row.name)
        rate = (1 / FX[team][0] if team != "USD" else 1.0) / FROZEN.get(code, 1.0)
        own, _, said = row.converted.partition(f" at 1 {code} = ")
        assert own == currency_of(version.plan).amount(float(version.cost or 0))
        assert float(said.split()[0]) == pytest.approx(rate, rel=1e-4)
        assert amount(row.cost) == pytest.approx(amount(own) * rate, rel=1e-3)
        assert ("10 Aug 2026" in said) == (code != "USD")
        assert ("1 Dec 2026" in said) == (team != "USD")
        assert row.converted in page.content.decode()
    (budget,) = page.context["budget_rows"]
    assert bool(budget["rate"]) == (plans[0] != team)
    said_by_plan = {row["plan"]: (row["plan_currency"], bool(row["converted_at"])) for row in rows(alice)}
    assert said_by_plan == {f"In {code}": (code, code != team) for code in plans} | {"all plans": ("", False)}


def saved_in(people: People, code: str) -> None:
    """A plan that was frozen in that currency on 10 August."""
    member, plan = people.memberships["alice"], training_plan()
    if code != "USD":
        plan = plan_in(plan, Currency(code=code, rate=FROZEN[code], date="2026-08-10"))  # type: ignore[arg-type]
    workload = plans.save_workload(member, name=f"In {code}", draft={})
    plans.freeze_version(member, workload, freeze(plan.spec, plan.recommendation))


def amount(text: str) -> float:
    return float(text.split("\u00a0")[1].replace(",", ""))


def test_bob_reads_and_charlie_sees_only_his_own(people: People, alice: Client) -> None:
    saved(people, "Early", "2027-01-11")
    bob, charlie = Client(), Client()
    bob.force_login(people.bob)
    charlie.force_login(people.charlie)
    assert "Early" in bob.get("/portfolio").content.decode()
    assert bob.post("/portfolio/budget", {"year": "2027", "amount": "1"}).status_code == 403
    assert "Early" not in charlie.get("/portfolio").content.decode()
    charlie.post("/portfolio/budget", {"year": "2027", "amount": "5"})
    assert TeamBudget.objects.get().team == people.other_team


def test_the_page_asks_the_same_however_many_plans(
    people: People, alice: Client, django_assert_max_num_queries: Any
) -> None:
    for at in range(6):
        saved(people, f"P{at}", f"2027-0{at + 1}-01")
    alice.get("/portfolio")
    with django_assert_max_num_queries(8):
        assert len(alice.get("/portfolio").context["shown"].plans) == 6
