"""Live estimates of one person: nobody who types meets the limit, a script does, and a sentence says so."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from tests.conftest import People
from tests.planner.page_support import TRAINING, quick_engine

__all__ = ["quick_engine"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]


def logged_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_a_script_meets_the_limit_and_a_sentence(people: People, settings: Any) -> None:
    settings.PAGE_ESTIMATES_PER_MINUTE, settings.DEMO_MODE = 3, False
    first, second = logged_in(people.alice), logged_in(people.alice)
    answers = [client.post("/estimate/train", TRAINING) for client in (first, second, first, second)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429], "all browsers of a person count together"
    refused = answers[-1]
    assert 1 <= int(refused["Retry-After"]) <= 60
    text = refused.content.decode()
    assert "More estimates within a minute than a person asks for." in text
    assert "what you have typed is kept" in text
    assert logged_in(people.bob).post("/estimate/train", TRAINING).status_code == 200


def test_the_page_shows_that_sentence_in_place_of_the_estimate(people: People) -> None:
    """htmx puts an answer of 429 into the panel, as it does with one of 422."""
    assert '{"code":"4(22|29)","swap":true}' in logged_in(people.alice).get("/new/train").content.decode()


def test_in_the_demo_each_browser_counts_for_itself(people: People, settings: Any) -> None:
    settings.PAGE_ESTIMATES_PER_MINUTE, settings.DEMO_MODE = 1, True
    first, second = logged_in(people.alice), logged_in(people.alice)
    assert [client.post("/estimate/train", TRAINING).status_code for client in (first, second, first)] == [
        200,
        200,
        429,
    ]
