"""Who does not know requests per second says people and hours; what comes of it is a rate and a curve of the request."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from planner.models import Workload
from planner.pages.form import load_aids
from planner.pages.form.load_aids import SHAPES
from planner.pages.form.uses import SERVICES
from planner.telling import told
from tests.conftest import People
from tests.planner.page_support import SERVING, quick_engine

__all__ = ["quick_engine"]
PEOPLE = {"load.people": "3,000", "load.sessions": "2", "load.turns": "5"}


@pytest.mark.parametrize("slug", SHAPES)
def test_the_busiest_hour_carries_its_share_of_the_day(slug: str) -> None:
    shape = SHAPES[slug]
    assert len(shape.curve) == 24
    assert max(shape.curve) == 1.0
    found, faults = load_aids.filled(PEOPLE | {"load.shape": slug})
    assert faults == []
    of_a_day = float(found["serving.requests_per_s"]) * 3600 * sum(shape.curve)
    assert of_a_day == pytest.approx(3000 * 2 * 5, rel=1e-3)
    assert found["serving.load_curve"] == shape.text


def test_a_rate_and_a_curve_that_were_typed_go_before_people_and_shapes() -> None:
    typed = PEOPLE | {"load.shape": "office", "serving.requests_per_s": "7 rps", "serving.load_curve": "1, 0.5"}
    assert load_aids.filled(typed) == (typed, [])
    assert load_aids.load_of(typed, {}, fresh=False).chosen == "own"
    assert load_aids.rate_told(typed) is None


def test_a_curve_of_ones_own_says_how_many_hours_the_peak_lasts() -> None:
    typed = PEOPLE | {"load.shape": "own", "serving.load_curve": ", ".join(["1"] * 6 + ["0"] * 18)}
    found, _ = load_aids.filled(typed)
    assert float(found["serving.requests_per_s"]) == pytest.approx(30_000 / (6 * 3600), rel=1e-3)


def test_an_offline_batch_gets_neither_rate_nor_curve() -> None:
    typed = PEOPLE | {"load.shape": "office", "serving.batch.requests": "1 M"}
    assert load_aids.filled(typed) == (typed, [])


def test_the_rate_that_comes_of_people_is_told() -> None:
    said = load_aids.rate_told(PEOPLE | {"load.shape": "flat"})
    assert said is not None
    assert told(said).startswith("3,000 people, 2 conversations a day each, 5 requests in each: 0.347")


@pytest.mark.django_db
@pytest.mark.usefixtures("quick_engine")
def test_people_and_hours_become_the_request_that_is_kept(client: Client, people: People) -> None:
    client.force_login(people.alice)
    rest = {key: value for key, value in SERVING.items() if key != "serving.requests_per_s"}
    sent = client.post("/new/serve", rest | PEOPLE | {"load.shape": "evening"})
    assert sent.status_code == 302
    draft = Workload.objects.get().draft["serving"]
    assert draft["load_curve"] == list(SHAPES["evening"].curve)
    assert "load" not in Workload.objects.get().draft
    form = client.get(f"{sent['Location']}/edit").content.decode()
    assert re.search(r'value="evening" checked', form)
    assert f'value="{draft["requests_per_s"]}"' in form


@pytest.mark.django_db
@pytest.mark.usefixtures("quick_engine")
def test_what_is_no_number_of_people_is_said_at_its_field_and_kept(client: Client, people: People) -> None:
    client.force_login(people.alice)
    rest = {key: value for key, value in SERVING.items() if key != "serving.requests_per_s"}
    page = client.post("/new/serve", rest | PEOPLE | {"load.people": "many", "load.shape": "office"})
    assert page.status_code == 422
    text = page.content.decode()
    assert re.search(r'id="f-load-people-e"[^>]*>[^<]*many', text)
    assert 'value="many"' in text


@pytest.mark.django_db
@pytest.mark.usefixtures("quick_engine")
def test_a_new_service_is_not_taken_to_be_busy_all_night(client: Client, people: People) -> None:
    client.force_login(people.alice)
    assert re.search(r'value="office" checked', client.get("/new/serve").content.decode())


def test_every_use_that_promises_something_says_who_set_such_a_limit() -> None:
    sourced = [use for use in SERVICES[2:] if use.values.get("serving.ttft_p95_ms")]
    assert len(sourced) >= 7
    for use in sourced:
        limits = [value for key, value in use.values.items() if key.endswith("_p95_ms")]
        assert all(limit in use.source for limit in limits), use.slug
        assert "MLPerf Inference" in use.source
    assert all(not use.source for use in SERVICES if "serving.ttft_p95_ms" not in use.values)
