"""Page 1 of a refusal: by how much each limit fails, against all that was found, so that no way out contradicts it."""

from __future__ import annotations

from typing import Any

import pytest

from exports.compose import compose
from planner.estimate import estimate
from planner.market import market_from_files
from planner.parse import spec_from
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
