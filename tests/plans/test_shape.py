"""The stored plans have the shape that the engine gives: every field, every kind of value, no other request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest

from engine.inputs.hardware import Market
from planner.frozen.snapshot import body_of
from planner.market import market_from_files
from tests.plans import NAMES, STORED, answered, asked, stored, stored_text

AGAIN = "the engine gives another shape now: make plans"


@pytest.fixture(scope="module")
def market() -> Market:
    return market_from_files()


def shape_of(value: Any, place: str = "") -> Iterator[str]:
    """Which fields of which nouns are filled, and with what kind of value; figures and words leave no trace."""
    if is_dataclass(value):
        for item in fields(value):
            yield from shape_of(getattr(value, item.name), f"{type(value).__name__}.{item.name}")
    elif isinstance(value, tuple | list):
        for item in value:
            yield from shape_of(item, f"{place}[]")
    elif isinstance(value, dict):
        yield from (f"{place}{{}}" for _ in value)
    elif value not in (None, "", 0, 0.0, False):
        # A whole number is stored without its point, so that 1 and 1.0 are one plan.
        yield f"{place}: {'number' if isinstance(value, int | float) else type(value).__name__}"


@pytest.mark.parametrize("name", NAMES)
def test_a_stored_plan_is_one_that_is_stored_today(name: str) -> None:
    """A field more, a field less or another type, and what is read is not what was written."""
    assert body_of(stored(name)) == stored_text(name), AGAIN


@pytest.mark.parametrize("name", NAMES)
def test_it_answers_the_request_beside_it(name: str, market: Market) -> None:
    plan = stored(name)
    assert replace(asked(name, market), as_of=plan.spec.as_of) == plan.spec, AGAIN
    assert bool(plan.recommendation.feasible) == (name != "infeasible")


def test_no_answer_is_left_without_its_request() -> None:
    assert {path.stem for path in STORED.glob("*.json")} == set(NAMES), AGAIN


def test_the_engine_fills_the_same_fields_with_the_same_kinds_of_values(market: Market) -> None:
    """All plans together: which one an optional part comes in follows the figures, and these may move."""
    then = {line for name in NAMES for line in shape_of(stored(name).recommendation)}
    now = {line for name in NAMES for line in shape_of(answered(name, market).recommendation)}
    assert sorted(now - then) == [], AGAIN
    assert sorted(then - now) == [], AGAIN
