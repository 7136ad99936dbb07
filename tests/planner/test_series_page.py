"""A series on a page: typed, watched, stopped, gone on with, and taken away as a table."""

from __future__ import annotations

import csv
import re
from io import StringIO

import pytest
from django.test import Client

from accounts.models import AuditEvent
from jobs.models import Job, State
from jobs.running import run_job
from planner import planned, plans
from planner.models import PlanVersion
from planner.request.parse import spec_from
from planner.series import work
from planner.series.fields import Typed, axes_of, label_of, movable, value_of
from planner.tables import Series
from tests.conftest import People
from tests.planner.page_support import quick_engine, sample_glance

__all__ = ["quick_engine"]
pytestmark = pytest.mark.django_db
REQUEST = {"name": "Assistant", "workload": "training", "model": "llama-3.1-8b", "training": {"tokens": 15e9}}
FORM = {
    "field-1": "training.tokens", "values-1": "10 B; 20 B; 30 B",
    "field-2": "constraints.deadline_days", "values-2": "10; 2 weeks",
}  # fmt: skip
RATES = {"EUR": (1.25, "2026-11-01")}


@pytest.fixture
def version(people: People, quick_engine: None, monkeypatch: pytest.MonkeyPatch) -> PlanVersion:
    monkeypatch.setattr(work, "first_look", sample_glance)
    member = people.memberships["alice"]
    workload = plans.save_workload(member, name="Assistant", draft=REQUEST)
    return plans.freeze_version(member, workload, planned.plan_for(REQUEST, people.team))


@pytest.fixture
def alice(client: Client, people: People) -> Client:
    client.force_login(people.alice)
    return client


def _asked(alice: Client, version: PlanVersion) -> Series:
    alice.post(f"/plans/{version.public_id}/series/new", FORM)
    return Series.objects.get()


def _work_all() -> None:
    for job in Job.objects.filter(kind=work.KIND, state=State.QUEUED):
        run_job(job.pk, worker="test")


def test_what_is_typed_becomes_every_combination(alice: Client, version: PlanVersion) -> None:
    sent = alice.post(f"/plans/{version.public_id}/series/new", FORM)
    series = Series.objects.get()
    assert sent["Location"] == f"/series/{series.public_id}"
    assert series.items[1] == {"training": {"tokens": 10e9}, "constraints": {"deadline_days": 14.0}}
    assert len(series.items) == 6


WRONG = {
    "nothing": ({}, "Choose at least one field"),
    "no number": ({"field-1": "training.tokens", "values-1": "many"}, "Training tokens: “many” is not a number"),
    "no field": ({"values-2": "10; 20"}, "Row 2: choose the field that “10; 20” belongs to"),
    "no values": ({"field-1": "training.tokens", "values-1": " ; "}, "“Training tokens” needs 1 to 40 values"),
    "twice": ({"field-1": "training.runs", "values-1": "1; 1"}, "names one value twice"),
    "two rows": (FORM | {"field-2": "training.tokens"}, "stands in a row above"),
    "no such place": ({"field-1": "serving.requests_per_s", "values-1": "1"}, "Row 1: choose the field"),
    "half a run": ({"field-1": "training.runs", "values-1": "1.5"}, "must be a whole number"),
    "too sure": ({"field-1": "confidence.all", "values-1": "2"}, "confidence"),
    "too many": (FORM | {"values-1": ";".join(str(n) for n in range(1, 42))}, "there are 41"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_row_is_said_and_what_was_typed_stays(alice: Client, version: PlanVersion, case: str) -> None:
    typed, words = WRONG[case]
    sent = alice.post(f"/plans/{version.public_id}/series/new", typed)
    page = sent.content.decode()
    assert sent.status_code == 422
    assert words in page
    assert all(value in page for name, value in typed.items() if name.startswith("values"))
    assert not Series.objects.exists()


def test_an_amount_is_in_the_plan_s_currency_unless_it_names_another() -> None:
    fields = movable(spec_from(REQUEST))
    rows = [Typed(path="constraints.budget_usd", values="100k; 100k USD")]
    assert axes_of(rows, fields, code="EUR", rates=RATES) == {"constraints.budget_usd": [125_000, 100_000]}


def test_every_field_of_the_form_has_words_and_a_place(version: PlanVersion, alice: Client) -> None:
    fields = movable(version.head.spec)
    assert {field.path for field in fields} >= {"training.tokens", "constraints.budget_usd", "confidence.all"}
    assert not any(field.path.startswith("serving") for field in fields)
    page = alice.get(f"/plans/{version.public_id}/series/new").content.decode()
    assert all(f">{field.label}" in page for field in fields)
    assert (label_of("name"), value_of("name", "as named")) == ("name", "as named")
    assert value_of("constraints.budget_usd", 125_000) == "USD 125,000"
    assert value_of("confidence.all", 0.8) == "80%"


def test_the_page_shows_one_bar_and_then_every_answer(alice: Client, version: PlanVersion) -> None:
    series = _asked(alice, version)
    before = alice.get(f"/series/{series.public_id}").content.decode()
    assert "0 of 6 plans are answered" in before
    assert 'hx-trigger="every 2s"' in before
    _work_all()
    after = alice.get(f"/series/{series.public_id}").content.decode()
    assert "All 6 plans are answered" in after
    assert "every 2s" not in after
    assert '<progress max="100" value="100"' in after
    costs = [
        float(text.replace(",", ""))
        for text in re.findall(r"</td><td class=\"right\">USD\xa0([\d,]+)<?[^/]*</td><td", after)
    ]
    assert len(costs) == 6
    assert costs == sorted(costs)
    assert "2 weeks" in after or "14 days" in after
    part = alice.get(f"/series/{series.public_id}", headers={"HX-Request": "true"})
    assert part.status_code == 286, "polling ends with the series"


def test_the_table_holds_what_was_asked_and_answered_in_the_order_of_the_series(
    alice: Client, version: PlanVersion
) -> None:
    series = _asked(alice, version)
    _work_all()
    sent = alice.get(f"/series/{series.public_id}.csv")
    rows = list(csv.DictReader(StringIO(sent.content.decode())))
    assert [float(row["training.tokens"]) for row in rows] == [10e9, 10e9, 20e9, 20e9, 30e9, 30e9]
    assert [row["cost"] for row in rows] == [row["cost"] for row in work.results(series) if row]
    assert all(row["hardware"] for row in rows)
    assert AuditEvent.objects.filter(verb="series.downloaded", subject=series.public_id).count() == 1


def test_stopping_and_going_on(alice: Client, version: PlanVersion) -> None:
    series = _asked(alice, version)
    alice.post(f"/series/{series.public_id}/cancel")
    stopped = alice.get(f"/series/{series.public_id}").content.decode()
    assert "Go on" in stopped
    assert "1 Cancelled" in stopped
    alice.post(f"/series/{series.public_id}/resume")
    _work_all()
    assert "All 6 plans are answered" in alice.get(f"/series/{series.public_id}").content.decode()
    assert alice.post(f"/series/{series.public_id}/begin").status_code == 404


def test_all_plans_on_today_s_prices_name_the_plan_and_its_change(alice: Client, version: PlanVersion) -> None:
    assert "Ask all plans on today" in alice.get("/portfolio").content.decode()
    alice.post("/portfolio/reprice")
    series = Series.objects.get()
    _work_all()
    page = alice.get(f"/series/{series.public_id}").content.decode()
    assert f'<a href="/plans/{version.public_id}/prices">Assistant</a>' in page
    assert "the same" in page
    assert f"/series/{series.public_id}" in alice.get("/portfolio").content.decode()


def test_without_a_saved_plan_there_is_nothing_to_ask_again(alice: Client, people: People) -> None:
    page = alice.post("/portfolio/reprice", follow=True).content.decode()
    assert "There is no saved plan yet" in page
    assert not Series.objects.exists()


def test_a_page_shows_fifty_answers_and_the_next_one_the_rest(alice: Client, version: PlanVersion) -> None:
    form = {"field-1": "training.tokens", "values-1": ";".join(f"{n} B" for n in range(1, 31)),
            "field-2": "constraints.deadline_days", "values-2": "10; 20"}  # fmt: skip
    alice.post(f"/plans/{version.public_id}/series/new", form)
    series = Series.objects.get()
    _work_all()
    first, second = (alice.get(f"/series/{series.public_id}?page={n}").content.decode() for n in (1, 2))
    numbers = [re.findall(r'<tr><td class="right">(\d+)</td>', page) for page in (first, second)]
    assert [len(found) for found in numbers] == [50, 10]
    assert sorted(int(text) for found in numbers for text in found) == list(range(1, 61))
    assert "Page 1 of 2" in first
