"""What would change nothing of the answer is refused by name, and the form that cannot use it does not ask for it."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from django.test import Client

from engine.inputs.spec import Fault, SpecError
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
    "availability of a run": (RUN | {"operations": {"availability": 0.999}}, "/operations/availability"),
    "somebody on call for a batch": (BATCH | {"operations": {"on_call": True}}, "/operations/on_call"),
    "spares of a batch": (BATCH | {"serving": BATCH["serving"] | {"spare_replicas": 2}}, "/serving/spare_replicas"),
    "a training framework of a service": (
        SERVICE | {"constraints": {"framework": "fsdp"}},
        "/constraints/framework",
    ),
    "ZeRO of a service": (SERVICE | {"fixed": {"zero_stage": 0}}, "/fixed/zero_stage"),
    "pipeline schedule of a service": (SERVICE | {"fixed": {"schedule": "gpipe"}}, "/fixed/schedule"),
    "a cache of pictures": (
        SERVICE | {"model": "sdxl", "serving": {"requests_per_s": 2, "kv_precision": "fp8"}},
        "/serving/kv_precision",
    ),
    "a layout of pictures": (SERVICE | {"model": "sdxl", "fixed": {"tp": 2}}, "/fixed/tp"),
    "a LoRA rank of pre-training": (RUN | {"training": {"tokens": 1e9, "lora_rank": 64}}, "/training/lora_rank"),
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
    for name in ("operations.availability", "operations.on_call"):
        assert (f'name="{name}"' in page) != asks, name
    for name in ("operations.scheduler", "constraints.budget_usd"):
        assert f'name="{name}"' in page


def test_what_a_plan_chose_can_be_fixed(people: People) -> None:
    """One accelerator is no layout to refuse: the answer's own parallelism is taken back."""
    body = SERVICE | {"model": "sdxl", "fixed": {"tp": 1, "pp": 1, "vpp": 1, "dp": 1}}
    assert Api(people.memberships["alice"]).post("/estimates", body).status_code == 200


def test_a_refusal_arrives_from_another_process() -> None:
    refused = SpecError(Fault("fixed.tp", "unexpected.replica"), Fault("name", "missing"))
    assert pickle.loads(pickle.dumps(refused)).faults == refused.faults  # noqa: S301 — made in this line
