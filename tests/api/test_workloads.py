"""Workloads: requests that are kept before anything is planned, and specs as people write them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner.models import PlanVersion
from tests.api.support import SERVING, TRAINING, Api, pointers, problem

pytestmark = pytest.mark.usefixtures("quick_engine")
YAML = """
name: From a file
workload: training
model: llama-3.1-70b
training: {tokens: 15B, sequence_length: 8192}
constraints: {deadline_days: 3 weeks, budget_usd: $400k}
"""


def test_it_works(petra: Api) -> None:
    response = petra.post("/workloads", TRAINING)
    made = response.json()
    assert response.status_code == 201
    assert not PlanVersion.objects.exists()
    assert petra.get(f"/workloads/{made['id']}").json() == made
    assert petra.get("/workloads").json()["data"] == [made]
    frozen = petra.post(f"/plans/{made['id']}/versions")
    assert (frozen.status_code, frozen.json()["number"]) == (201, 1)


def test_two_editors_and_one_wins(petra: Api, alice: Api) -> None:
    made = petra.post("/workloads", TRAINING)
    address = f"/workloads/{made.json()['id']}"
    replaced = petra.send("PUT", address, SERVING, If_Match=made["ETag"])
    assert (replaced.json()["name"], replaced.json()["revision"]) == ("Chat", 2)
    problem(alice.send("PUT", address, TRAINING, If_Match=made["ETag"]), 412)
    problem(alice.send("PUT", address, TRAINING), 428)
    assert petra.get(address)["ETag"] == replaced["ETag"]


def test_a_file_is_read_as_people_write_it(petra: Api) -> None:
    spec = petra.post("/specs:parse", {"text": YAML}).json()["spec"]
    assert (spec["training"]["tokens"], spec["constraints"]["deadline_days"]) == (15e9, 21)
    typed = {**TRAINING, "name": "From a file", "constraints": {"deadline_days": 21, "budget_usd": 400_000}}
    assert petra.post("/estimates", spec).content == petra.post("/estimates", typed).content


def test_a_model_from_a_file_is_sent_along(petra: Api) -> None:
    folder = Path(__file__).parents[2] / "examples"
    body = {"text": (folder / "llama-3.1-70b-continued.yaml").read_text(encoding="utf-8")}
    assert pointers(petra.post("/specs:parse", body)) == ["/config"]
    config = json.loads((folder / "llama-3.1-70b.config.json").read_text(encoding="utf-8"))
    spec = petra.post("/specs:parse", {**body, "config": config}).json()["spec"]
    assert spec["model"]["layers"] == 80


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (YAML.replace("15B", "15 apples"), "/text/training/tokens"),
        (YAML.replace("tokens", "token"), "/text/training/token"),
        ("a: [", "/text"),
        ("a: *b", "/text"),
        ("- 1", "/text"),
        ("", "/text"),
        ("name: 1\nname: 2", "/text"),
    ],
)
def test_a_fault_of_a_file_has_its_place(petra: Api, text: str, where: str) -> None:
    assert where in pointers(petra.post("/specs:parse", {"text": text}))
