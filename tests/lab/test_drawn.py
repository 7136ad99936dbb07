"""Requests drawn at random: the same wherever they are drawn, and no looser one of them is answered worse."""

from __future__ import annotations

import pytest

from engine.inputs.spec import Objective
from lab.gallery.drawn import drawn
from lab.gallery.requests import DAY
from lab.gallery.run import judged
from planner.market import market_from_files

NUMBERS = range(0, 4)


def test_a_number_is_one_request_for_good() -> None:
    market = market_from_files()
    first = drawn(market, range(40))
    assert [one.spec for one in drawn(market, range(20, 40))] == [one.spec for one in first[20:]]
    assert len({one.spec for one in first}) == 40
    objectives: set[Objective] = {one.spec.objective for one in first}
    assert len(objectives) > 2
    assert {one.spec.workload for one in first} == {"training", "serving"}


@pytest.mark.parametrize("number", NUMBERS)
def test_nothing_drawn_becomes_dearer_or_refused_when_a_limit_is_loosened(number: int) -> None:
    (verdict,) = judged(as_of=DAY, workers=1, numbers=range(number, number + 1))
    assert not verdict.violations, verdict.headline
