"""A hosted API that a request names is compared with the whole cost of the same tokens."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import pytest

from engine.answer import Recommendation
from engine.inputs.hardware import Market
from engine.inputs.spec import ApiPrice, BatchJob, Serving
from tests.engine.answers import answered
from tests.engine.devices import LLAMA_8B
from tests.engine.small_market import OFFERS, market, spec
from tests.told import told

SERVICE = Serving(requests_per_s=20.0, input_tokens=800.0, output_tokens=200.0, ttft_p95_ms=1000.0)
BATCH = Serving(input_tokens=800.0, output_tokens=200.0, batch=BatchJob(requests=2e7, deadline_hours=48.0))
TOKENS = {"service": 20.0 * 365 * 86400, "batch": 2e7}
"""Requests of the twelve months of the service, and of the batch."""


def _answer(asked: Serving, usd: float | None, *, currency: str = "USD") -> Recommendation:
    price = ApiPrice(usd_per_million_input=usd, usd_per_million_output=2 * usd, date=date(2026, 8, 1)) if usd else None
    wanted = replace(
        spec(deadline_days=0.0),
        workload="serving",
        training=None,
        serving=replace(asked, api_price=price),
        currency=currency,  # type: ignore[arg-type]
    )
    where: Market = replace(market(*OFFERS), fx_usd={"EUR": (2.0, "2026-01-01")})
    return answered(replace(wanted, model=LLAMA_8B), where)


@pytest.mark.parametrize("currency", ["USD", "EUR"])
@pytest.mark.parametrize("usd", [0.0001, 0.01, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("kind", ["service", "batch"])
def test_the_same_tokens_are_priced_there_and_compared_with_the_total(kind: str, usd: float, currency: str) -> None:
    answer = _answer(SERVICE if kind == "service" else BATCH, usd, currency=currency)
    best = answer.recommended
    assert best
    assert best.serving
    finding, here = best.serving.api_break_even, best.cost.total.expected
    text = told(finding)
    there = TOKENS[kind] * (800 * usd + 200 * 2 * usd) / 1e6 / (2.0 if currency == "EUR" else 1.0)
    said = re.search(rf"cost {currency} ([\d,.]+) on the hosted API at its prices of 1 August 2026", text)
    assert said
    assert float(said[1].replace(",", "")) == pytest.approx(there, rel=6e-3, abs=0.006)
    assert ("less than this option" in text) == (there < here)
    if there < here:
        share = 1 - there / here
        assert (f"{share:.0%} less" if share <= 0.9 else f"{min(share, 0.999) * 100:.3g}% less") in text
    assert (finding in best.warnings) == (there < here)
    assert [item.reason for item in answer.advice if item.rule.startswith("serve.api")] == [(finding,)]


def test_without_an_api_nothing_is_said_and_the_choice_is_the_same() -> None:
    without, beside = _answer(SERVICE, None).recommended, _answer(SERVICE, 0.0001).recommended
    assert without
    assert without.serving
    assert beside
    assert without.serving.api_break_even is None
    assert (without.id, without.cost.total) == (beside.id, beside.cost.total)
