"""What an accelerator-hour costs, times the hours, is the total: in every currency, however coarse its smallest unit."""

from __future__ import annotations

from typing import Any

import pytest

from planner.estimate import estimate
from planner.market import market_from_files
from planner.request.parse import spec_from

SMALL: dict[str, dict[str, Any]] = {
    "batch": {
        "workload": "serving", "model": "llama-3.1-8b",
        "serving": {"input_tokens": 800, "output_tokens": 200, "batch": {"requests": 1e5, "deadline_hours": 48}},
    },
    "run": {"workload": "training", "model": "llama-3.1-8b", "training": {"method": "lora", "tokens": 1e7}},
}  # fmt: skip


@pytest.mark.parametrize("code", ["USD", "EUR", "JPY"])
@pytest.mark.parametrize("name", SMALL)
def test_the_rate_times_the_hours_is_the_total(name: str, code: str) -> None:
    asked = {"name": "Small", "as_of": "2026-11-22", "currency": code, **SMALL[name]}
    market = market_from_files()
    answer = estimate(spec_from(asked, text=True, rates=market.fx_usd), market).recommendation
    assert answer.recommended
    for option in (answer.recommended, *answer.alternatives):
        paid = option.cost.price_per_accelerator_hour * option.accelerator_hours.expected
        assert paid == pytest.approx(option.cost.total.expected, rel=1e-9), option.id
