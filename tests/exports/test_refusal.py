"""Page 1 of a refusal: by how much each limit fails, against all that was found, so that no way out contradicts it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.inputs.finding import Finding, Ref, finding
from engine.inputs.named import hardware
from exports.compose import compose
from planner.estimate import estimate
from planner.market import market_from_files
from planner.request.parse import spec_from
from tests.exports.real_plans import gallery_plan
from tests.exports.walking import texts

RUN = {"name": "Refused", "workload": "training", "model": "llama-3.1-8b", "training": {"tokens": 1e12}}


def _page_1(**limits: Any) -> str:
    plan = estimate(spec_from({**RUN, "as_of": "2026-11-22", "constraints": limits}), market_from_files())
    assert not plan.recommendation.feasible
    return " ".join(texts(compose(plan).decision)).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("limits", "said", "unsaid"),
    [
        ({"deadline_days": 20.0, "budget_usd": 500.0}, "times the budget", "times the deadline"),
        ({"deadline_days": 0.2, "budget_usd": 1e9}, "times the deadline", "times the budget"),
        ({"deadline_days": 0.2, "budget_usd": 500.0}, "times the deadline", "Each limit alone"),
        ({"deadline_days": 3.0, "budget_usd": 70_000.0}, "Each limit alone can be kept", "times the"),
    ],
)
def test_only_a_limit_that_nothing_keeps_is_said_to_fail(limits: dict[str, float], said: str, unsaid: str) -> None:
    page = _page_1(**limits)

    assert said in page
    assert unsaid not in page


def test_a_promise_that_nothing_keeps_is_told_by_how_slow_the_fastest_is() -> None:
    serving = {"requests_per_s": 5.0, "input_tokens": 4000.0, "output_tokens": 300.0, "ttft_p95_ms": 5.0}
    asked = {"name": "Refused", "workload": "serving", "model": "llama-3.1-405b", "as_of": "2026-11-22"}
    page = " ".join(texts(compose(estimate(spec_from({**asked, "serving": serving}), market_from_files())).decision))

    assert "Time to first token, p95, needed" in page
    assert "ms to the first token" in page.replace("\u00a0", " ")
    assert "Ttft" not in page
    assert "is planned" not in page
    assert "no rented price" not in page


def test_several_values_of_one_change_are_told_apart_and_none_is_out_of_reach() -> None:
    """Three tiles had one title and no hardware, the first of them 704 accelerators for five requests a second, at fifty times the last."""
    plan = gallery_plan("refused-promise")
    (way, *_) = plan.recommendation.nearest
    does = way.told[0].values["does"]
    assert isinstance(does, Finding)
    more = replace(
        does,
        values={
            **does.values,
            "hardware": hardware(704, Ref("accelerator", "gb200", "GB200"), finding("source.bought")),
        },
    )
    other = replace(way, told=(replace(way.told[0], values={**way.told[0].values, "does": more}),))
    figures = compose(replace(plan, recommendation=replace(plan.recommendation, nearest=(way, other)))).decision.figures
    assert figures
    tiles = [item.detail for item in figures.items if item.label.startswith("Time to first token")]
    assert len(set(tiles)) == len(tiles) == 2
    assert "; 704 × GB200" in tiles[1].replace("\u00a0", " ")
    costs = [one.told[0].values["does"].values["cost"].amount for one in plan.recommendation.nearest]  # type: ignore[union-attr]
    assert max(costs) <= 10 * min(costs)
