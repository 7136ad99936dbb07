"""What-if moves a frozen cost model by its own expressions, and never the plan."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.test import Client

from engine.answer import Flip
from engine.inputs.finding import finding
from engine.money.cost import evaluate
from planner.models import PlanVersion, Workload
from planner.presenters.what_if import what_if
from planner.what_if import knobs as model
from tests.conftest import People
from tests.exports import samples
from tests.planner.page_support import SERVING, TRAINING, quick_engine

__all__ = ["quick_engine"]
PLAN = samples.training_plan()
BEST = PLAN.recommendation.recommended
assert BEST is not None
KNOBS = model.knobs_of(BEST, PLAN.spec)


def outcome(**typed: str) -> model.Outcome:
    values, errors = model.read(KNOBS, typed)
    assert errors == {}
    return model.outcome(PLAN.recommendation, BEST, KNOBS, values, PLAN.spec)


def test_without_a_change_it_is_the_plan_itself() -> None:
    found = outcome(**{knob.key: model.write(knob.value) for knob in KNOBS})
    assert not found.changed
    assert found.total == BEST.cost.total
    assert found.drivers == PLAN.recommendation.drivers


def test_tokens_and_step_time_scale_the_time_as_the_model_says() -> None:
    hours = next(item for item in BEST.cost.model.inputs if item.name in ("run_hours", "accelerator_hours"))
    expected = evaluate(BEST.cost.model, {hours.name: hours.value * 2})[BEST.cost.model.total]
    assert outcome(tokens="30B").total.expected == pytest.approx(expected, abs=0.02)
    if any(knob.key == "step" for knob in KNOBS):
        step = next(knob for knob in KNOBS if knob.key == "step")
        assert outcome(step=str(step.value * 2)).total.expected == pytest.approx(expected, rel=1e-6)


def test_bands_and_drivers_follow() -> None:
    found = outcome(tokens="30B")
    assert found.total.low <= found.total.expected <= found.total.high
    assert found.drivers != PLAN.recommendation.drivers


@pytest.mark.parametrize(
    ("key", "typed", "part"),
    [
        ("tokens", "cats", "not a number"),
        ("tokens", "0", "must be above 0"),
        ("tokens", "-1", "must be"),
        ("tokens", "1e400", ""),
        ("nothing", "5", ""),
    ],
)
def test_what_cannot_be_read_is_said_and_moves_nothing(key: str, typed: str, part: str) -> None:
    values, errors = model.read(KNOBS, {key: typed})
    assert values == {knob.key: knob.value for knob in KNOBS}
    assert part in errors.get(key, "")


def test_a_threshold_that_is_passed_is_named() -> None:
    name = "price_per_instance_hour"
    if name not in {item.name for item in BEST.cost.model.inputs}:
        name = BEST.cost.model.inputs[0].name
    now = next(item.value for item in BEST.cost.model.inputs if item.name == name)
    flip = Flip(
        name=name,
        label=finding("cost.price_per_instance_hour"),
        now=now,
        threshold=now * 1.2,
        unit="USD/h",
        then=finding("flip.budget"),
    )
    for value, crossed in ((now * 1.1, False), (now * 1.3, True)):
        assert model.crossed(flip, {name: value}) is crossed
    falling = replace(flip, threshold=now * 0.8)
    assert model.crossed(falling, {name: now * 0.7})
    assert not model.crossed(falling, {})


@pytest.mark.parametrize("value", [3.0, 0.0, 7.5e9, 1.234567e12, 12345.0])
def test_a_written_value_is_read_back(value: float) -> None:
    from planner.request.quantities import parse_quantity

    assert parse_quantity(model.write(value)) == pytest.approx(value, rel=1e-3)


def test_a_service_has_its_own_knobs() -> None:
    panel = what_if(samples.serving_plan(), {})
    assert panel is not None
    keys = {slide.key for slide in panel.slides}
    assert "step" not in keys
    assert "tokens" not in keys
    assert what_if(samples.infeasible_plan(), {}) is None


@pytest.mark.django_db
@pytest.mark.usefixtures("quick_engine")
def test_the_panel_answers_with_and_without_javascript_and_stores_nothing(client: Client, people: People) -> None:
    client.force_login(people.alice)
    client.post("/new/train", TRAINING)
    workload = Workload.objects.get()
    client.post(f"/workloads/{workload.public_id}/freeze")
    version = PlanVersion.objects.get()
    before = (version.sha256, workload.revision)
    for address in (f"/workloads/{workload.public_id}", f"/plans/{version.public_id}"):
        assert f'hx-get="{address}/what-if"' in client.get(address).content.decode()
        whole = client.get(f"{address}/what-if?tokens=30B").content.decode()
        assert "<html" in whole
        assert 'value="30B"' in whole
        part = client.get(f"{address}/what-if?tokens=30B", headers={"HX-Request": "true"}).content.decode()
        assert "<html" not in part
        assert "Against the plan" in part
        wrong = client.get(f"{address}/what-if?tokens=<script>alert(1)", headers={"HX-Request": "true"})
        assert "<script>" not in wrong.content.decode()
        assert "is not a number" in wrong.content.decode()
        assert client.post(f"{address}/what-if").status_code == 405
    version.refresh_from_db()
    workload.refresh_from_db()
    assert (version.sha256, workload.revision) == before
    charlie = Client()
    charlie.force_login(people.charlie)
    assert charlie.get(f"/plans/{version.public_id}/what-if").status_code == 404


@pytest.mark.django_db
@pytest.mark.usefixtures("quick_engine")
def test_a_service_can_be_moved(client: Client, people: People) -> None:
    client.force_login(people.alice)
    client.post("/new/serve", SERVING)
    address = f"/workloads/{Workload.objects.get().public_id}/what-if"
    assert client.get(address).status_code == 200
