"""The tour shows a real plan, of the example and of today, and leads on to it."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from engine.inputs.finding import Typed
from engine.inputs.spec import Fault, SpecError
from planner import planned
from planner.models import Workload
from planner.pages.form import screens
from planner.pages.home import tour
from planner.presenters import present
from planner.request import drafts
from tests.conftest import People

pytestmark = pytest.mark.django_db


def test_the_tour_reads_one_real_plan_from_the_request_to_the_signature(people: People, client: Client) -> None:
    client.force_login(people.alice)
    text = client.get("/tour").content.decode()
    screen = screens.TRAIN
    typed = {**screen.defaults, **tour.EXAMPLE.values}
    draft, unread = drafts.draft_from(typed, screens.fields_of(screen), workload=screen.workload)
    assert not unread
    answer = present(planned.plan_for(draft, people.team))
    assert answer.best is not None, "the example can be had"
    plain = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text)).replace("&#x27;", "'").replace("&amp;", "&")
    for said in (answer.asked, answer.headline, answer.approval, *(figure.value for figure in answer.figures)):
        assert re.sub(r"\s+", " ", said).strip() in plain
    assert all(row.confidence in plain and re.sub(r"\s+", " ", row.cost) in plain for row in answer.certainty)
    assert f'href="/new/train?example={tour.EXAMPLE.slug}"' in text
    assert len(re.findall("<li aria-labelledby", text)) == 6
    assert not Workload.objects.exists(), "nothing is stored"


def test_the_tour_asks_in_the_team_s_own_currency(people: People, client: Client) -> None:
    people.team.currency = "EUR"
    people.team.save()
    client.force_login(people.alice)
    text = client.get("/tour").content.decode()
    assert "for at most EUR" in text, "what the form says when the example is opened"


def test_an_example_that_a_team_s_market_lacks_leads_to_the_form(
    people: People, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(*_: object) -> None:
        raise SpecError(Fault("model", "unknown.preset", {"name": Typed("llama")}))

    monkeypatch.setattr(planned, "plan_for", lacking)
    client.force_login(people.alice)
    assert client.get("/tour")["Location"] == f"/new/train?example={tour.EXAMPLE.slug}"


def test_the_start_page_leads_to_the_tour(people: People, client: Client) -> None:
    client.force_login(people.alice)
    assert 'href="/tour"' in client.get("/").content.decode()
