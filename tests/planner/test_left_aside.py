"""What would change nothing of the answer is refused by name, and the form that cannot use it does not ask for it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.api.support import Api, pointers
from tests.conftest import People

pytestmark = pytest.mark.django_db
SERVICE: dict[str, Any] = {
    "name": "A chat", "workload": "serving", "model": "llama-3.1-8b", "serving": {"requests_per_s": 2},
}  # fmt: skip
BATCH = SERVICE | {"serving": {"batch": {"requests": 1e6, "deadline_hours": 12}}}
RUN = {"name": "A run", "workload": "training", "model": "llama-3.1-8b", "training": {"tokens": 1e9}}
MEASURED = {"measured": [{"accelerator": "h100-sxm5", "count": 8, "step_time_s": 2.0}]}
REFUSED = {
    "a deadline of a service": (SERVICE | {"constraints": {"deadline_days": 30}}, "/constraints/deadline_days"),
    "days beside the hours of a batch": (BATCH | {"constraints": {"deadline_days": 30}}, "/constraints/deadline_days"),
    "a step time of a service": (SERVICE | MEASURED, "/measured"),
    "epochs of tokens that count repeats": (RUN | {"training": {"tokens": 1e9, "epochs": 3}}, "/training/epochs"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused_by_name(people: People, what: str) -> None:
    body, pointer = REFUSED[what]
    answer = Api(people.memberships["alice"]).post("/estimates", body)
    assert answer.status_code == 422
    assert pointers(answer) == [pointer]


@pytest.mark.parametrize(("kind", "asks"), [("train", True), ("finetune", True), ("serve", False)])
def test_the_form_asks_for_what_counts_only(people: People, client: Client, kind: str, asks: bool) -> None:
    client.force_login(people.alice)
    page = client.get(f"/new/{kind}").content.decode()
    for name in ("constraints.deadline_days", "fixed.schedule", "measured.0.step_time_s"):
        assert (f'name="{name}"' in page) == asks, name
    assert 'name="constraints.budget_usd"' in page
