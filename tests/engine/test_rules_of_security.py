"""Rules of security decide who may supply the accelerators, not only what is advised."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.answer import Option
from engine.inputs.hardware import Market
from engine.supply import ADEQUATE_COUNTRIES
from planner.estimate import estimate
from planner.market import market_from_files
from planner.request.parse import spec_from

_SERVICE = {
    "name": "Chat",
    "workload": "serving",
    "model": "llama-3.1-70b",
    "serving": {
        "requests_per_s": 2,
        "input_tokens": 800,
        "output_tokens": 200,
        "ttft_p95_ms": 2000,
        "tpot_p95_ms": 80,
    },
}


def _chosen(market: Market | None = None, **more: object) -> tuple[Option, set[str]]:
    answer = estimate(spec_from({**_SERVICE, **more}), market or market_from_files()).recommendation
    assert answer.recommended is not None
    return answer.recommended, {rejection.code for rejection in answer.rejected}


def test_health_data_goes_to_whoever_attests_to_keep_its_rules_or_is_named() -> None:
    free, without = _chosen()
    assert free.offer is not None
    assert not free.offer.health_data  # else nothing is shown below
    kept, left_out = _chosen(operations={"security": ["HIPAA"]})
    assert kept.offer is not None
    assert kept.offer.health_data
    assert kept.cost.total.expected >= free.cost.total.expected
    assert "health_data" in left_out - without
    named, _ = _chosen(operations={"security": ["hipaa"]}, constraints={"providers": [free.offer.provider]})
    assert named.offer is not None
    assert named.offer.provider == free.offer.provider


@pytest.mark.parametrize(("rule", "code"), [("gdpr", "not_adequate"), ("export-control", "place_unknown")])
def test_a_place_that_nobody_knows_keeps_no_rule_about_places(rule: str, code: str) -> None:
    """It was a region called “global”, beside the advice to stay in one region of the EU."""
    free, _ = _chosen()
    assert free.offer is not None
    market = market_from_files()
    nowhere = [replace(one, country="") if one.provider == free.offer.provider else one for one in market.offers]
    kept, left_out = _chosen(replace(market, offers=tuple(nowhere)), operations={"security": [rule]})
    assert kept.offer is not None
    assert kept.offer.country
    assert rule != "gdpr" or kept.offer.country in ADEQUATE_COUNTRIES
    assert code in left_out
