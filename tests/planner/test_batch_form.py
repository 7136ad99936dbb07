"""A batch beside what belongs to a service is refused where it was typed: form, live estimate and API."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.api.support import Api, pointers
from tests.conftest import People

pytestmark = pytest.mark.django_db
TYPED = {
    "name": "Both",
    "model": "llama-3.1-8b",
    "serving.requests_per_s": "2",
    "serving.input_tokens": "800",
    "serving.output_tokens": "200",
    "serving.batch.requests": "10M",
    "serving.batch.deadline_hours": "48",
}
BODY = {
    "name": "Both",
    "workload": "serving",
    "model": "llama-3.1-8b",
    "serving": {"requests_per_s": 2, "ttft_p95_ms": 800, "batch": {"requests": 1e7, "deadline_hours": 48}},
}


@pytest.mark.parametrize("address", ["/new/serve", "/estimate/serve"])
def test_the_form_says_it_at_the_field(people: People, client: Client, address: str) -> None:
    client.force_login(people.alice)
    answer = client.post(address, TYPED)
    page = answer.content.decode()
    said = "“Peak request rate” stands beside an offline batch: a plan serves a rate or works off a batch."
    assert said in page
    assert '<a href="#f-serving-requests-per-s">' in page
    alone = client.post(address, {**TYPED, "serving.requests_per_s": ""})
    assert "beside an offline batch" not in alone.content.decode()


def test_the_api_names_every_field_to_leave_out(people: People) -> None:
    answer = Api(people.memberships["alice"]).post("/estimates", BODY)
    assert answer.status_code == 422
    assert sorted(pointers(answer)) == ["/serving/requests_per_s", "/serving/ttft_p95_ms"]
    assert {error["code"].split(".")[0] for error in answer.json()["errors"]} == {"conflict"}
