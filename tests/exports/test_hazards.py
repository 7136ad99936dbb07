"""What could go wrong is said from the plan's own numbers, for a run and for a service, the gravest first."""

from __future__ import annotations

from dataclasses import replace

from exports.compose import compose
from exports.composing.context import Context, Release, currency_of
from exports.composing.hazards import hazards
from exports.cost_values import values_of
from exports.document import Decision
from planner.engine.result import Option
from planner.snapshot import Plan
from tests.exports.samples import serving_plan, training_plan


def context_of(plan: Plan) -> Context:
    return Context(plan=plan, release=Release(), money=currency_of(plan))


def best_of(plan: Plan) -> Option:
    best = plan.recommendation.recommended
    assert best
    return best


def risks(decision: Decision) -> dict[str, str]:
    return {fact.label: fact.text for fact in decision.facts if fact.key.startswith("risk")}


def test_a_run_says_capacity_price_pace_and_interruptions() -> None:
    plan = training_plan()
    shown = risks(compose(plan).decision)
    assert set(shown) >= {"Risk: no capacity", "Risk: price", "Risk: slower than computed", "Risk: interruptions"}
    assert "If not, 32\u00a0×\u00a0B200 at Google Cloud" in shown["Risk: no capacity"]
    assert "The deadline still holds by" in shown["Risk: slower than computed"]
    model = best_of(plan).cost.model
    price = next(item for item in model.inputs if item.name == "price_per_instance_hour")
    tenth = values_of(model, {price.name: price.value * 1.1})["total"] - values_of(model, {})["total"]
    assert context_of(plan).money.rounded(tenth) in shown["Risk: price"]


def test_a_service_says_load_and_failed_replicas() -> None:
    plan = serving_plan()
    shown = risks(compose(plan).decision)
    serving = best_of(plan).serving
    assert serving
    room = 1 / serving.utilisation - 1
    assert f"may grow by {room:.0%}" in shown["Risk: more load or a failure"]
    assert "the promise still holds" in shown["Risk: more load or a failure"]


def test_a_service_without_room_says_what_a_failure_does() -> None:
    plan = serving_plan()
    best = best_of(plan)
    assert best.serving
    tight = replace(best, serving=replace(best.serving, utilisation=0.95, replicas=2, spare_replicas=0))
    texts = {row.kind: row.text for row in hazards(context_of(plan), tight)}
    assert "Should one replica fail at the peak, the others would have to carry 190%" in texts["load"]


def test_the_gravest_comes_first_and_a_deadline_that_breaks_is_said() -> None:
    plan = training_plan()
    rows = hazards(context_of(plan), best_of(plan))
    assert [row.usd for row in rows] == sorted((row.usd for row in rows), reverse=True)
    late = replace(plan, spec=replace(plan.spec, constraints=replace(plan.spec.constraints, deadline_days=6.0)))
    pace = next(row for row in hazards(context_of(late), best_of(late)) if row.kind == "pace")
    assert "The deadline is then missed by" in pace.text


def test_spot_capacity_is_said_to_be_taken_back() -> None:
    plan = training_plan()
    best = best_of(plan)
    assert best.offer
    spot = replace(best, offer=replace(best.offer, option="spot", interruption_per_month=0.12))
    capacity = next(row for row in hazards(context_of(plan), spot) if row.kind == "capacity")
    assert "takes 12% of such servers back in a month" in capacity.text
