"""The live panel's quick answer: the same choice and figures as the whole answer, or visibly marked as a first number."""

from __future__ import annotations

from dataclasses import fields, replace
from random import Random
from typing import Any

import numpy as np
import pytest

from engine.answer import Option, ServingResult
from engine.context import Context
from engine.defaults import assumptions_for
from engine.entry import glance, recommend
from engine.inputs.hardware import Cluster
from engine.inputs.known import Known
from engine.inputs.spec import BatchJob, Constraints, Owned, Serving, Spec, Taxes
from engine.kinds.service import plan as service_plan
from engine.kinds.training import choice as training_choice
from engine.kinds.training import plan as training_plan
from engine.kinds.training.best import TrainingSearch, search, work_from
from engine.kinds.training.flops import train_flops
from engine.kinds.training.likely import REACHED
from engine.kinds.training.promising import best_rate
from engine.kinds.training.search import Candidates
from engine.kinds.training.searched import Searched
from planner.estimate import estimate, first_look
from planner.market import market_from_files
from planner.presenters import present, present_glance
from planner.request.parse import architecture_of, spec_from
from tests.engine.small_market import OFFERS, market, offer, spec
from tests.told import told

SMALL = market(*OFFERS, offer("three", "h100-sxm5", 11.0, option="spot"), offer("four", "a100-sxm4-80", 12.1))
BASE = spec()
SERVICE = Spec(
    name="Service",
    workload="serving",
    model="llama-3.1-8b",
    serving=Serving(requests_per_s=30.0, input_tokens=1000, output_tokens=300, ttft_p95_ms=900),
    constraints=Constraints(max_accelerators=256),
)
TYPED = [
    {"workload": "training", "model": "llama-3.1-70b", "training": {"tokens": 15e9, "sequence_length": 8192},
     "constraints": {"deadline_days": 21, "budget_usd": 4e5}},
    {"workload": "training", "model": "llama-3.1-8b", "training": {"tokens": 3e11}, "objective": "balanced",
     "constraints": {"deadline_days": 90, "residency": "eu"}, "currency": "EUR"},
    {"workload": "serving", "model": "qwen3-32b", "constraints": {"budget_usd": 5e6},
     "serving": {"requests_per_s": 40, "input_tokens": 1500, "output_tokens": 400, "ttft_p95_ms": 800, "tpot_p95_ms": 60}},
]  # fmt: skip


def head(best: Option | None) -> dict[str, Any]:
    """What a panel says of an option; what it leaves out is left out."""
    if best is None:
        return {}
    cost = replace(best.cost, on_prem=None, break_even=None, model=replace(best.cost.model, cash=(), years=()))
    if best.kind != "cloud":
        cost = replace(cost, on_prem=None)
    return _values(
        replace(best, cost=cost, reasons=(), basis=(), serving=best.serving and _without_normal(best.serving))
    )


def _without_normal(result: ServingResult) -> ServingResult:
    """What a first token takes while nothing is down needs a simulation of its own."""
    if result.standing is None:
        return result
    cases = tuple(replace(one, ttft_p95_ms=None) for one in result.standing.cases)
    return replace(result, standing=replace(result.standing, cases=cases))


@pytest.mark.parametrize(
    "wanted",
    [
        BASE,
        replace(BASE, objective="time"),
        replace(BASE, objective="balanced"),
        replace(BASE, objective="carbon"),
        replace(BASE, horizon_months=24.0),
        replace(BASE, horizon_months=24.0, taxes=Taxes(purchases=0.25, services=0.1)),
        replace(BASE, owned=(Owned(accelerator="h100-sxm5", count=32),)),
        spec(deadline_days=0.5),
        spec(deadline_days=6.0, budget_usd=900.0),
        spec(spot=True, deadline_days=0.0),
        replace(spec(spot=True, deadline_days=30.0), objective="carbon"),
        replace(spec(commitments=True, deadline_days=60.0), horizon_months=24.0),
        spec(accelerators=("nothing-here",)),
    ],
    ids=lambda wanted: f"{wanted.objective} {wanted.horizon_months:g} {wanted.constraints.deadline_days:g}",
)
def test_training_is_glanced_at_as_it_is_answered(wanted: Spec) -> None:
    quick, whole = glance(wanted, SMALL), recommend(wanted, SMALL)

    assert quick.settled
    assert told(quick.headline) == told(whole.headline)
    assert [told(one.told) for one in quick.nearest] == [told(one.told) for one in whole.nearest]
    assert quick.searched == whole.searched
    assert _close(head(quick.best), head(whole.recommended))


@pytest.mark.parametrize(
    "wanted",
    [
        SERVICE,
        replace(SERVICE, constraints=Constraints(budget_usd=10.0)),
        replace(SERVICE, constraints=Constraints(max_accelerators=8)),
        replace(SERVICE, horizon_months=36.0),
        replace(SERVICE, horizon_months=36.0, taxes=Taxes(purchases=0.25, services=0.1)),
        replace(SERVICE, constraints=Constraints(budget_usd=3e5), taxes=Taxes(services=0.25)),
        replace(SERVICE, objective="time"),
        replace(SERVICE, serving=replace(SERVICE.serving, tpot_p95_ms=9.0)),
        replace(SERVICE, serving=replace(SERVICE.serving, load_curve=(0.2, 0.4, 1.0, 0.7))),
        replace(SERVICE, serving=Serving(requests_per_s=0.0, batch=BatchJob(requests=1e6, deadline_hours=24.0))),
    ],
    ids=lambda wanted: f"{wanted.objective} {wanted.horizon_months:g} {wanted.constraints.max_accelerators}",
)
def test_a_settled_service_is_glanced_at_as_it_is_answered(wanted: Spec) -> None:
    quick, whole = glance(wanted, SMALL), recommend(wanted, SMALL)

    assert quick.settled
    assert told(quick.headline) == told(whole.headline)
    assert [told(one.told) for one in quick.nearest] == [told(one.told) for one in whole.nearest]
    assert _close(head(quick.best), head(whole.recommended) | _without_evidence(quick.best))


@pytest.mark.parametrize("objective", ["cost", "time", "balanced", "carbon"])
def test_a_training_run_is_first_looked_at_on_the_likeliest_accelerators(
    objective: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where many others could still be better, the best of the likeliest comes first."""
    monkeypatch.setattr(training_plan, "AT_ONCE", -1)
    catalog = market_from_files()
    wanted = replace(spec_from({"name": "Typed", **TYPED[0]}), objective=objective)
    known = Known()
    first = first_look(wanted, catalog, settle=False, known=known)
    settled = first_look(wanted, catalog, settle=True, known=known)
    assert settled.settled
    assert first.settled or first.searched < settled.searched
    assert head(first.best) == head(settled.best)
    # Whatever could still be better within 25 days has been looked at; a later deadline lets more clusters in.
    later = replace(wanted, constraints=replace(wanted.constraints, deadline_days=25.0))
    again = first_look(later, catalog, settle=False, known=known)
    assert again.settled


def whole_market(seed: int) -> Spec:
    """A training run of somebody who types: any model and way, any limits."""
    random = Random(seed)
    training = {
        "method": random.choice(["pretrain", "continue", "finetune", "lora"]),
        "sequence_length": random.choice([1024, 4096, 16384]),
        "tokens": 10 ** random.uniform(8, 11),
        "runs": random.choice([1, 1, 4]),
    }
    limits = {
        "residency": random.choice(["any", "us", "eu"]),
        "spot": random.random() < 0.5,
        "commitments": random.random() < 0.3,
        "deadline_days": random.choice([0.0, 10 ** random.uniform(1, 2.5)]),
    }
    body = {
        "name": "Typed", "workload": "training", "training": training, "constraints": limits,
        "model": random.choice(["llama-3.1-8b", "llama-3.1-70b", "mixtral-8x7b", "vit-h-14", "gpt-oss-20b"]),
        "objective": random.choice(["cost", "time", "balanced", "carbon"]),
    }  # fmt: skip
    return spec_from(body | ({"owned": [{"accelerator": "h100-sxm5", "count": 16}]} if seed % 5 == 0 else {}))


@pytest.mark.parametrize("seed", range(12))
def test_clusters_that_are_not_searched_do_not_hold_the_choice(seed: int) -> None:
    wanted, catalog = whole_market(seed), market_from_files()
    quick, whole = glance(wanted, catalog), recommend(wanted, catalog)
    assert quick.settled
    assert quick.searched <= whole.searched
    assert _close(head(quick.best), head(whole.recommended))


@pytest.mark.parametrize("method", ["pretrain", "lora"])
@pytest.mark.parametrize(
    "model", ["llama-3.1-8b", "nemotron-4-340b", "gpt-j-6b", "vit-h-14", "whisper-large-v3", "dlrm-dcnv2"]
)
def test_no_step_comes_near_the_rate_by_which_a_cluster_is_left_out(model: str, method: str) -> None:
    """What a glance does not search rests on this."""
    body = {"workload": "training", "model": model, "training": {"method": method, "samples": 1e6}}
    wanted, catalog = spec_from({"name": "Typed", **body}), market_from_files()
    context = Context(spec=wanted, arch=architecture_of(wanted), market=catalog, assume=assumptions_for(wanted))
    field = training_choice.survey(context)
    rows, flops = field.search.rows, train_flops(field.work, 1)
    best = np.array([best_rate(context, field.work, one.device) for one in field.supplies.clusters])[rows.cluster]
    assert np.all(flops * rows.global_batch / rows.step_time_s / rows.count <= REACHED * best)
    assert len(rows) > 100


def test_a_cluster_that_was_searched_apart_has_the_same_layouts() -> None:
    wanted, catalog = spec_from({"name": "Typed", **TYPED[0]}), market_from_files()
    context = Context(spec=wanted, arch=architecture_of(wanted), market=catalog, assume=assumptions_for(wanted))
    work, clusters = work_from(wanted, context.arch), context.supplies.clusters
    asked: list[int] = []

    def look(some: tuple[Cluster, ...]) -> TrainingSearch:
        asked.append(len(some))
        return search(work, some, max_count=1024, assume=context.assume)

    whole, searched = search(work, clusters, max_count=1024, assume=context.assume), Searched()
    searched.over(clusters[5:9], look)
    searched.over(clusters[::3], look)
    together = searched.over(clusters, look)
    assert sum(asked) == len(clusters)
    assert searched.over(clusters, look) is not together
    assert sum(asked) == len(clusters), "nothing is searched twice"
    assert (together.searched, together.each) == (whole.searched, whole.each)
    for column in fields(Candidates):
        assert np.array_equal(getattr(together.rows, column.name), getattr(whole.rows, column.name)), column.name


@pytest.mark.parametrize(
    "wanted",
    [
        spec_from({"name": "Late", **TYPED[0]} | {"constraints": {"deadline_days": 0.02}}),
        spec_from({"name": "Bought", **TYPED[0], "horizon_months": 24}),
        spec_from({"name": "Few", **TYPED[0]} | {"constraints": {"accelerators": ["h100-sxm5"], "providers": ["aws"]}}),
    ],
    ids=lambda wanted: wanted.name,
)
def test_where_a_first_look_would_not_do_the_answer_is_whole(wanted: Spec) -> None:
    """Nothing is called infeasible, and nothing bought, on a part of the market."""
    quick, whole = first_look(wanted, market_from_files(), settle=False), estimate(wanted, market_from_files())
    assert quick.settled
    assert told(quick.headline) == told(whole.recommendation.headline)
    assert quick.searched == whole.recommendation.searched


def test_a_service_that_needs_many_simulations_is_first_answered_in_steady_state_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(service_plan, "AT_ONCE", 0)
    first = glance(SERVICE, SMALL, settle=False)
    assert not first.settled
    assert first.best is not None
    assert first.best.serving is not None
    assert not first.best.serving.simulated
    settled = glance(SERVICE, SMALL, settle=True)
    assert settled.best is not None
    assert settled.best.serving is not None
    assert settled.best.serving.simulated
    assert 0.5 < first.best.cost.total.expected / settled.best.cost.total.expected < 2.0


def test_few_simulations_are_made_for_the_first_number() -> None:
    first = glance(SERVICE, SMALL, settle=False)
    assert first.settled
    assert head(first.best) == head(glance(SERVICE, SMALL, settle=True).best)


@pytest.mark.parametrize("tries", [0, 1, 2, 5, 1000])
def test_what_was_tried_before_the_first_number_is_not_lost_and_changes_nothing(
    tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_plan, "AT_ONCE", tries)
    known = Known()
    glance(SERVICE, SMALL, settle=False, known=known)
    settled = glance(SERVICE, SMALL, settle=True, known=known)
    assert head(settled.best) == head(glance(SERVICE, SMALL, settle=True).best)


def test_what_was_simulated_once_is_not_asked_for_again() -> None:
    known = Known()
    glance(SERVICE, SMALL, settle=True, known=known)
    assert SERVICE.serving is not None
    more = replace(SERVICE, serving=replace(SERVICE.serving, requests_per_s=55.0))
    again = glance(more, SMALL, settle=False, known=known)
    assert again.settled
    assert head(again.best) == head(glance(more, SMALL, settle=True).best)


@pytest.mark.parametrize("body", TYPED, ids=lambda body: body["model"])
def test_the_panel_says_what_the_whole_answer_says(body: dict[str, Any]) -> None:
    catalog, wanted = market_from_files(), spec_from({"name": "Typed", **body})
    panel = present_glance(wanted, first_look(wanted, catalog), catalog)
    answer = present(estimate(wanted, catalog))

    assert panel.badge == answer.badge
    assert (panel.headline, panel.brief) == (answer.headline, answer.brief)
    # Of a training run only the clusters are searched that could hold the choice.
    assert panel.searched == answer.searched or wanted.workload == "training"
    assert panel.money_note == answer.money.note
    assert panel.memory_finding == answer.charts["memory"].finding
    shown = [replace(figure, how=None) for figure in answer.figures[:4]]
    assert [replace(figure, how=None) for figure in panel.figures] == shown


def _without_evidence(best: Option | None) -> dict[str, Any]:
    return {"reasons": ()} if best else {}


def _values(item: Any) -> dict[str, Any]:
    """The fields of that dataclass, not of those inside it."""
    return {field.name: getattr(item, field.name) for field in fields(item)}


def _close(mine: Any, whole: Any) -> bool:
    """Equal, numbers to eleven digits: the search and the description of a layout add up in another order."""
    if isinstance(mine, float) and isinstance(whole, float):
        return mine == pytest.approx(whole, rel=1e-11)
    if isinstance(mine, dict):
        return mine.keys() == whole.keys() and all(_close(mine[key], whole[key]) for key in mine)
    if isinstance(mine, tuple | list):
        return len(mine) == len(whole) and all(_close(a, b) for a, b in zip(mine, whole, strict=True))
    if hasattr(mine, "__dataclass_fields__"):
        return type(mine) is type(whole) and _close(_values(mine), _values(whole))
    return bool(mine == whole)
