"""What a refused service or batch is offered: each change, applied to the request, gives a plan; no refusal is left alone."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from engine.answer import Recommendation
from engine.entry import glance, recommend
from engine.inputs.finding import Quantity
from engine.inputs.known import Known
from engine.inputs.spec import BatchJob, Constraints, FixedLayout, Serving, Spec
from engine.kinds.service.replica_size import Replica, may_reach
from tests.engine.devices import LLAMA_8B, LLAMA_70B
from tests.engine.serving_helpers import RESNET50
from tests.engine.small_market import OFFERS, market, offer
from tests.told import followed, told

MARKET = market(*OFFERS, offer("three", "h100-sxm5", 11.0, option="spot"))
CHAT: dict[str, Any] = {"requests_per_s": 5.0, "input_tokens": 1500, "output_tokens": 300}
BOOKS = {"input_tokens": 60_000, "output_tokens": 800}


def wanted(serving: dict[str, Any], *, fixed: FixedLayout | None = None, **limits: Any) -> Spec:
    limited = Constraints(**{"max_accelerators": 64, **limits})
    asked = Serving(**serving)
    return Spec(
        name="Refused", workload="serving", model="x", serving=asked, constraints=limited, fixed=fixed or FixedLayout()
    )


def batch(requests: float, hours: float, **lengths: Any) -> dict[str, Any]:
    return {"batch": BatchJob(requests=requests, deadline_hours=hours), **lengths}


REFUSED = {
    "first token": (wanted({**CHAT, "ttft_p95_ms": 2.0}), LLAMA_70B),
    "pace": (wanted({**CHAT, "tpot_p95_ms": 1.0}), LLAMA_70B),
    "both promises": (wanted({**CHAT, "ttft_p95_ms": 2.0, "tpot_p95_ms": 1.0}), LLAMA_70B),
    "rate": (wanted({**CHAT, "requests_per_s": 9000.0}), LLAMA_8B),
    "model too large for the count": (wanted(CHAT, max_accelerators=1), LLAMA_70B),
    "budget": (wanted(CHAT, budget_usd=500.0), LLAMA_8B),
    "layout": (wanted({**CHAT, "precision": "bf16"}, fixed=FixedLayout(tp=1, pp=1)), LLAMA_70B),
    "prompts": (wanted({**CHAT, "input_tokens": 8000, "ttft_p95_ms": 0.0}), replace(LLAMA_8B, max_sequence=8192)),
    "providers": (wanted(CHAT, providers=("nobody",)), LLAMA_8B),
    "residency": (wanted(CHAT, residency="eu"), LLAMA_8B),
    "samples": (wanted({"requests_per_s": 5e6, "ttft_p95_ms": 50.0}), RESNET50),
    "books in an hour": (wanted(batch(1e6, 1.0, **BOOKS)), LLAMA_70B),
    "a batch that needs more": (wanted(batch(4e6, 3.0, input_tokens=2000, output_tokens=300)), LLAMA_70B),
    "answers": (wanted({**CHAT, "input_tokens": 8000, "output_tokens": 3000}), replace(LLAMA_8B, max_sequence=2048)),
    "a batch over budget": (wanted(batch(1e4, 20.0, **BOOKS), budget_usd=20.0), LLAMA_70B),
    "a batch over budget and too late": (wanted(batch(1e5, 1.0, **BOOKS), budget_usd=20.0), LLAMA_70B),
    "a batch before it has started": (wanted(batch(100.0, 0.01, **BOOKS)), LLAMA_8B),
    "a batch of samples": (wanted(batch(1e12, 1.0)), RESNET50),
    "a batch in too small a replica": (wanted(batch(1e5, 24.0, **BOOKS), max_accelerators=1), LLAMA_70B),
}  # fmt: skip


def answer(spec: Spec, model: Any) -> Recommendation:
    return recommend(replace(spec, model=model), MARKET)


@pytest.mark.parametrize("name", REFUSED)
def test_every_way_out_that_is_offered_gives_a_plan(name: str) -> None:
    spec, model = REFUSED[name]
    refused = answer(spec, model)
    assert not refused.feasible
    assert refused.nearest, "a refusal says what to change"
    for change in refused.nearest:
        assert answer(followed(spec, change), model).feasible, told(change.told)
        assert "USD" in told(change.told)
    assert tuple(glance(replace(spec, model=model), MARKET).nearest) == refused.nearest


@pytest.mark.parametrize("name", [name for name in REFUSED if "batch" in name or "books" in name])
def test_the_deadline_that_a_batch_is_offered_is_nearly_the_shortest(name: str) -> None:
    spec, model = REFUSED[name]
    offered = [one for one in answer(spec, model).nearest if one.field == "serving.batch.deadline_hours"]
    for change in offered:
        looser = followed(spec, change)
        assert looser.serving is not None
        assert looser.serving.batch is not None
        sooner = replace(looser.serving.batch, deadline_hours=looser.serving.batch.deadline_hours * 0.9)
        assert not answer(replace(looser, serving=replace(looser.serving, batch=sooner)), model).feasible
    assert offered or spec.constraints.budget_usd or spec.constraints.max_accelerators == 1


def test_nothing_is_offered_that_would_not_help() -> None:
    """More accelerators do not make a single request quicker, and no deadline makes room for the model."""
    spec, model = REFUSED["first token"]
    assert {one.field for one in answer(spec, model).nearest} == {"serving.ttft_p95_ms"}
    spec, model = REFUSED["a batch in too small a replica"]
    assert [one.field for one in answer(spec, model).nearest] == ["constraints.max_accelerators"]


def test_beside_the_least_promise_stand_looser_ones_that_cost_half() -> None:
    """For an answer in five milliseconds 512 accelerators were offered that keep 430, and nothing of what 1,600 cost."""
    spec, model = REFUSED["first token"]
    assert spec.serving is not None
    costs, promises = [], []
    for way in answer(spec, model).nearest:
        (change,) = way.changes
        assert isinstance(change.needed, Quantity)
        promises.append(change.needed.value)
        found = answer(replace(spec, serving=replace(spec.serving, ttft_p95_ms=change.needed.value)), model)
        assert found.recommended is not None
        costs.append(found.recommended.cost.total.expected)
    assert len(costs) >= 2
    assert promises == sorted(promises)
    assert all(dear >= 1.8 * cheap for dear, cheap in pairwise(costs)), costs


TOGETHER = {
    "prompts and count": (wanted({**CHAT, "input_tokens": 9000}, max_accelerators=1), replace(LLAMA_70B, max_sequence=8192)),
    "prompts, count and budget": (
        wanted({**CHAT, "input_tokens": 9000}, max_accelerators=1, budget_usd=100.0), replace(LLAMA_70B, max_sequence=8192),
    ),
    "answers, count and providers": (
        wanted({**CHAT, "output_tokens": 9000}, max_accelerators=1, providers=("nobody",)), replace(LLAMA_70B, max_sequence=8192),
    ),
    "promise and residency": (wanted({**CHAT, "ttft_p95_ms": 2.0}, residency="eu"), LLAMA_70B),
    "prompts and hours": (wanted(batch(4e6, 1.0, input_tokens=9000)), replace(LLAMA_70B, max_sequence=8192)),
}  # fmt: skip


@pytest.mark.parametrize("name", TOGETHER)
def test_limits_that_only_fail_together_are_loosened_together(name: str) -> None:
    """Each of the changes is needed beside the others."""
    spec, model = TOGETHER[name]
    (way,) = answer(spec, model).nearest
    assert len(way.changes) > 1
    assert told(way.told).startswith(("No one of these alone is enough: ", "No one change is enough. "))
    assert answer(followed(spec, way), model).feasible
    for change in way.changes:
        others = replace(way, changes=tuple(one for one in way.changes if one is not change))
        assert not answer(followed(spec, others), model).feasible, change.field


def test_ways_out_are_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A live panel that asks again after each letter searched every way out anew: 4.4 s of processor time for a model too large."""
    tried: list[Replica] = []

    def counted(one: Replica, *given: Any, **named: Any) -> Any:
        tried.append(one)
        return may_reach(one, *given, **named)

    monkeypatch.setattr("engine.kinds.service.sizing.may_reach", counted)
    known, (spec, model) = Known(), REFUSED["first token"]
    first = glance(replace(spec, model=model), MARKET, known=known)
    once = len(tried)
    assert once > 1
    assert glance(replace(spec, model=model), MARKET, known=known) == first
    assert len(tried) == once
