"""A lever on the page: one click plans with it, another takes it back."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from engine.answer import Change, Lever
from engine.inputs.finding import Ref, Sum, finding
from engine.inputs.named import hardware_of
from engine.inputs.spec import Spec
from planner import planned
from planner.frozen.snapshot import Plan, freeze
from planner.models import Workload
from tests.conftest import People
from tests.planner.page_support import SERVING, sample_answer, stub_engine

pytestmark = pytest.mark.django_db


def with_lever(spec: Spec, market: Any, **known: Any) -> Plan:
    """The sample with a lever while the format is open, and with the warning of fewer bits where one is asked for."""
    answer = sample_answer(spec, market, **known).recommendation
    best = answer.recommended
    assert best is not None
    assert spec.serving is not None
    if spec.serving.precision != "auto":
        risk = finding("warning.reduced", precision=Ref("precision", spec.serving.precision))
        return freeze(spec, replace(answer, recommended=replace(best, precision="fp8", warnings=(risk,))))
    needs = finding("needs.evaluation", model=Ref("model", "x", "Qwen3 32B"))
    cost = best.cost.total
    lever = Lever(
        key="precision",
        changes=(Change(field="serving.precision", now=Ref("precision", "auto"), needed=Ref("precision", "fp8")),),
        hardware=hardware_of(best),
        accelerator=best.accelerator,
        count=best.count,
        cost=cost,
        saving=cost,
        needs=needs,
        told=finding(
            "lever.precision",
            precision=Ref("precision", "fp8"),
            hardware=hardware_of(best),
            cost=Sum(cost.expected),
            saving=Sum(cost.expected),
            needs=needs,
        ),
    )
    return freeze(spec, replace(answer, levers=(lever,)))


@pytest.fixture
def alice(client: Client, people: People, monkeypatch: pytest.MonkeyPatch) -> Client:
    stub_engine(monkeypatch)
    monkeypatch.setattr(planned, "estimate", with_lever)
    client.force_login(people.alice)
    client.post("/new/serve", SERVING)
    return client


def shown(client: Client, path: str) -> str:
    return re.sub(r"\s+", " ", client.get(path).content.decode())


def test_one_click_takes_a_lever_and_another_takes_it_back(alice: Client) -> None:
    workload = Workload.objects.get()
    path = f"/workloads/{workload.public_id}"
    assert "Plan with FP8" in shown(alice, path)
    assert "Evaluate the quality first" in shown(alice, path)
    alice.post(f"{path}/levers", {"precision": "fp8"})
    workload.refresh_from_db()
    assert workload.draft["serving"]["precision"] == "fp8"
    page = shown(alice, path)
    assert "Plan with FP8" not in page
    assert "Take FP8 back" in page
    alice.post(f"{path}/levers", {"precision": "auto"})
    workload.refresh_from_db()
    assert "precision" not in workload.draft["serving"]
    assert "Plan with FP8" in shown(alice, path)


def test_a_frozen_plan_tells_its_lever_and_stays(alice: Client) -> None:
    workload = Workload.objects.get()
    alice.post(f"/workloads/{workload.public_id}/freeze")
    version = workload.versions.get()
    assert "Plan with FP8" in shown(alice, f"/plans/{version.public_id}")
    alice.post(f"/workloads/{workload.public_id}/levers", {"precision": "fp8"})
    assert workload.versions.get().sha256 == version.sha256


def test_only_formats_are_taken_and_only_by_the_team(alice: Client, people: People) -> None:
    path = f"/workloads/{Workload.objects.get().public_id}/levers"
    assert alice.post(path, {"precision": "fp1"}).status_code == 404
    stranger = Client()
    stranger.force_login(people.charlie)
    assert stranger.post(path, {"precision": "fp8"}).status_code == 404
    assert "precision" not in Workload.objects.get().draft["serving"]


def test_more_levers_are_weighed_when_they_are_asked_for(alice: Client) -> None:
    path = f"/workloads/{Workload.objects.get().public_id}"
    assert "Weigh a signature" in shown(alice, path)
    assert "Plan with a slower first token" not in shown(alice, path)
    page = shown(alice, f"{path}/levers")
    assert "With 1,600 ms to the first token instead of 800 ms" in page.replace("\u00a0", " ")
    assert "Plan with a slower first token" in page
    assert "Plan with no commitment" in page
    assert "Nothing worth telling is saved by one nine less of availability." in page
    part = alice.get(f"{path}/levers", headers={"HX-Request": "true"}).content.decode()
    assert "Plan with a slower first token" in part
    assert "<html" not in part


def test_a_weighed_lever_is_taken_by_one_click_and_given_back_by_another(alice: Client) -> None:
    workload = Workload.objects.get()
    path, before = f"/workloads/{workload.public_id}", workload.draft
    alice.post(f"{path}/levers", {"take": "ttft_p95_ms"})
    workload.refresh_from_db()
    assert workload.draft["serving"]["ttft_p95_ms"] == 1600
    assert "Take back: a slower first token" in shown(alice, path)
    assert "Plan with a slower first token" not in shown(alice, f"{path}/levers")
    alice.post(f"{path}/levers", {"take": "commitment"})
    alice.post(f"{path}/levers", {"back": "ttft_p95_ms"})
    workload.refresh_from_db()
    assert workload.draft["serving"] == before["serving"]
    assert workload.draft["constraints"]["commitments"] is False
    alice.post(f"{path}/levers", {"back": "commitment"})
    workload.refresh_from_db()
    assert "commitments" not in workload.draft.get("constraints", {})
    assert "Take back" not in shown(alice, path)


def test_what_somebody_typed_since_is_not_taken_back(alice: Client) -> None:
    workload = Workload.objects.get()
    path = f"/workloads/{workload.public_id}/levers"
    alice.post(path, {"take": "ttft_p95_ms"})
    workload.refresh_from_db()
    workload.draft["serving"]["ttft_p95_ms"] = 1200
    workload.save()
    said = alice.post(path, {"back": "ttft_p95_ms"}, follow=True).content.decode()
    assert "no lever of it any more" in said
    workload.refresh_from_db()
    assert workload.draft["serving"]["ttft_p95_ms"] == 1200


def test_unknown_levers_and_other_people_change_nothing(alice: Client, people: People) -> None:
    workload = Workload.objects.get()
    path = f"/workloads/{workload.public_id}/levers"
    assert "no lever of it any more" in alice.post(path, {"take": "spot"}, follow=True).content.decode()
    stranger = Client()
    stranger.force_login(people.charlie)
    assert stranger.get(path).status_code == 404
    assert stranger.post(path, {"take": "ttft_p95_ms"}).status_code == 404
    workload.refresh_from_db()
    assert workload.revision == 1


def test_who_asks_on_and_on_waits(alice: Client, settings: Any) -> None:
    settings.PAGE_ESTIMATES_PER_MINUTE = 1
    path = f"/workloads/{Workload.objects.get().public_id}/levers"
    assert alice.get(path).status_code == 200
    paused = alice.get(path)
    assert paused.status_code == 429
    assert int(paused["Retry-After"]) > 0
    assert "many at once" in paused.content.decode()
