"""Pages and documents print one choice of key figures."""

from __future__ import annotations

from typing import get_args

import pytest

from engine.inputs.kind import Kind
from exports.compose import compose
from planner.asked.key_figures import KEYS, Key, first_four, key_figures
from planner.presenters import present
from tests.plans import stored

CHOSEN: dict[str, tuple[Key, ...]] = {
    "training": ("cost", "time", "hardware", "in_time"),
    "serving": ("cost", "ttft", "hardware", "promise"),
    "batch": ("cost", "time", "hardware", "in_time"),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_page_and_document_tell_the_same_figures_in_the_same_order(name: str) -> None:
    plan = stored(name)
    best = plan.recommendation.recommended
    assert best is not None
    chosen = [one.key for one in key_figures(best, plan.spec)]

    assert [figure.key for figure in present(plan).figures] == [key for key in chosen if key != "in_time"]
    assert tuple(one.key for one in first_four(best, plan.spec)) == CHOSEN[name]
    assert len(compose(plan).decision.figures.items) == 4


def test_every_kind_of_work_has_its_figures() -> None:
    assert set(KEYS) == set(get_args(Kind))
    assert all(keys[0] == "cost" and len(set(keys)) == len(keys) for keys in KEYS.values())
