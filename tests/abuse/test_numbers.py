"""A14 and A15: numbers that are none, that are too large, and JSON that is made to hurt."""

from __future__ import annotations

import gc
import json
import math
import time
from contextlib import suppress
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from engine.inputs.spec import SpecError
from planner.estimate import estimate
from planner.frozen.snapshot import body_of
from planner.market import market_from_files
from planner.request.parse import spec_from
from rest.problems import Problem
from rest.strict_json import parse_object
from tests.api.support import TRAINING, Api, problem
from tests.finite import endless
from tests.refused import refused
from voice.speech import fault_text

BASE: dict[str, Any] = {"name": "n", "workload": "training", "model": "llama-3.1-8b", "training": {"tokens": 1e10}}
# Where a caller gives a number, and what physics or law allow there is for the reader of the request to say.
NUMBERS = [
    "training.tokens", "training.sequence_length", "training.global_batch_tokens", "training.runs",
    "constraints.deadline_days", "constraints.budget_usd", "constraints.max_accelerators", "horizon_months",
]  # fmt: skip
WILD = [0, -0.0, -1, 1e-308, 5e-324, 1e308, -1e308, 2**63, 10**30, 1e15, 0.5, 1.7976931348623157e308, 1e-9]


def _with(path: str, value: object) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(json.dumps(BASE))
    head, _, leaf = path.rpartition(".")
    (body.setdefault(head, {}) if head else body)[leaf] = value
    return body


@cache
def _market() -> Any:
    return market_from_files()


def _finite(body: dict[str, Any]) -> bool:
    """Refused with sentences, or answered with finite numbers only."""
    try:
        plan = estimate(spec_from(body), _market())
    except SpecError as error:
        return not [fault for fault in error.faults if not fault_text(fault)]
    bad = endless(plan.recommendation)
    assert not bad, f"{bad[:5]} of {body}"
    json.loads(body_of(plan), parse_constant=lambda word: pytest.fail(f"{word} in the snapshot"))
    return True


@given(
    path=some.sampled_from(NUMBERS), value=some.sampled_from(WILD) | some.floats(allow_nan=False, allow_infinity=False)
)
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
def test_wild_numbers_are_refused_or_answered_finitely(path: str, value: float) -> None:
    assert _finite(_with(path, value))


@pytest.mark.parametrize("value", [5e-324, 1e-308, 1e-17, 1e-9, 0.5])
def test_a_horizon_of_less_than_a_month_is_refused(value: float) -> None:
    """A share of a purchase per year has no value over no time: it was a server error."""
    with refused("give 1 month or more, or 0 for this work alone"):
        spec_from(_with("horizon_months", value))


@pytest.mark.parametrize("value", [5e-324, 1e-300, 1e-17, 1e-12])
@pytest.mark.parametrize("name", ["onprem.wacc", "onprem.life_years"])
def test_tiny_assumptions_on_bought_hardware_are_refused_or_answered_finitely(name: str, value: float) -> None:
    assert _finite({**_with("horizon_months", 24), "assumptions": {name: value}})


@pytest.mark.parametrize("path", NUMBERS)
def test_a_huge_number_is_refused_with_its_field(path: str) -> None:
    with pytest.raises(SpecError) as caught:
        spec_from(_with(path, 1e300 if path != "horizon_months" else 10**9))
    assert any(path in fault.path for fault in caught.value.faults)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 5000])
def test_no_number_that_is_none_comes_in(petra: Api, value: str) -> None:
    body = json.dumps(TRAINING).replace("15000000000.0", value).encode()
    assert value.encode() in body
    assert problem(petra.post("/estimates", body), 400)["type"] == "/problems/malformed"


@pytest.mark.parametrize("path", ["/estimates", "/plans", "/tokens", "/models:parse"])
@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"a":' * 100_000, b'{"a":' * 33 + b"1" + b"}" * 33])
def test_deep_json_is_refused(petra: Api, path: str, body: bytes) -> None:
    assert "nested" in problem(petra.post(path, body), 400)["detail"]


def test_a_body_costs_time_in_proportion_to_its_length() -> None:
    """Strings, escapes, brackets, keys and digits: four times the length takes no more than a few times the time."""
    for part in (b'"\\\\', b'"\\"', b'{"a":1},', b"[],", b'"', b"1,", b"\\u0000"):
        few, many = (_seconds(b'{"a":[' + part * (size // len(part)) + b"0]}") for size in (50_000, 200_000))
        assert many < max(0.05, 12 * few), f"{part!r}: {few} s, {many} s"


def _seconds(body: bytes) -> float:
    """The best of three readings, in the time of this process alone."""
    best = math.inf
    for _ in range(3):
        gc.disable()
        start = time.process_time()
        with suppress(Problem):
            parse_object(body)
        best = min(best, time.process_time() - start)
        gc.enable()
    return best
