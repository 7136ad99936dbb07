"""Numbers next to nothing: refused at their field below a billionth, and answered with finite figures from there on."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from engine.inputs.rules import LEAST
from engine.inputs.spec import SpecError
from planner.estimate import estimate
from planner.market import market_from_files
from planner.request.parse import spec_from
from voice.speech import error_text

TRAINING: dict[str, Any] = {
    "name": "Slight", "workload": "training", "model": "llama-3.1-8b", "training": {"tokens": 1e9},
}  # fmt: skip
SERVING: dict[str, Any] = {
    "name": "Slight", "workload": "serving", "model": "llama-3.1-8b", "serving": {"requests_per_s": 1.0},
}  # fmt: skip
BATCH = SERVING | {"serving": {"batch": {"requests": 1e6, "deadline_hours": 24.0}}}
OF_TRAINING = (
    "training.tokens", "training.experiment_overhead", "constraints.deadline_days",
    "constraints.budget_usd", "utilisation", "confidence.all",
)  # fmt: skip
OF_SERVING = (
    "serving.requests_per_s", "serving.input_tokens", "serving.output_tokens", "serving.length_spread",
    "serving.prefix_hit_share", "serving.ttft_p95_ms", "serving.tpot_p95_ms", "constraints.budget_usd",
)  # fmt: skip
FIELDS = [*((TRAINING, path) for path in OF_TRAINING), *((SERVING, path) for path in OF_SERVING)]


def changed(base: dict[str, Any], path: str, value: float) -> dict[str, Any]:
    """The request with that value there."""
    made = copy.deepcopy(base)
    *rooms, name = path.split(".")
    place = made
    for room in rooms:
        place = place.setdefault(room, {})
    place[name] = value
    return made


@pytest.mark.parametrize(("base", "path"), FIELDS)
@pytest.mark.parametrize("value", [5e-324, 1e-300, LEAST / 2])
def test_less_than_a_billionth_is_refused_at_its_field(base: dict[str, Any], path: str, value: float) -> None:
    with pytest.raises(SpecError) as refused:
        spec_from(changed(base, path, value))
    assert [fault.path for fault in refused.value.faults] == [path]
    assert f"“{path}”" in error_text(refused.value)


@pytest.mark.parametrize(("base", "path"), [pair for pair in FIELDS if pair[1] != "confidence.all"])
def test_a_billionth_is_answered(base: dict[str, Any], path: str) -> None:
    """Freezing a plan refuses numbers without an end."""
    plan = estimate(spec_from(changed(base, path, LEAST)), market_from_files())
    assert plan.recommendation.recommended or plan.recommendation.nearest or plan.recommendation.rejected


@pytest.mark.parametrize(
    ("path", "value", "least"),
    [
        ("serving.batch.deadline_hours", 5e-324, 0.01),
        ("serving.batch.requests", 0.5, 1),
        ("serving.burstiness", 1e-9, 0.01),
    ],
)
def test_what_cannot_be_none_says_how_little_it_may_be(path: str, value: float, least: float) -> None:
    with pytest.raises(SpecError) as refused:
        spec_from(changed(BATCH, path, value))
    assert str(least) in error_text(refused.value)
    base = SERVING if path.endswith("burstiness") else BATCH
    plan = estimate(spec_from(changed(base, path, least)), market_from_files())
    assert plan.recommendation.recommended or plan.recommendation.nearest or plan.recommendation.rejected
