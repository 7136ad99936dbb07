"""A stored plan of each format opens with its hash; fields added since read as what “not known” means."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from engine.inputs.origin import REQUEST
from exports.compose import compose
from planner.frozen.snapshot import FORMAT, Plan, body_of, canonical, costed, thaw
from planner.telling import sourced, told

DATA = Path(__file__).parent / "data"
SHA256 = {2: "b4d70ce6522cbe2d6371a0536c8b003a793c66e4b4008cbd4cd98d88da26619e"}
ADDED = {"near_interval_s", "full_every", "zones", "on_demand_usd_per_hour", "expected_utilisation"}
"""Some of the fields that options did not have from the start."""


def text_of(number: int) -> str:
    return gzip.decompress((DATA / f"plan_of_format_{number}.json.gz").read_bytes()).decode()


def without(value: Any, names: set[str]) -> Any:
    """The same JSON as one who did not know these fields wrote it."""
    if isinstance(value, list):
        return [without(item, names) for item in value]
    if isinstance(value, dict):
        return {key: without(item, names) for key, item in value.items() if key not in names}
    return value


@pytest.mark.parametrize("number", sorted(SHA256))
def test_a_plan_of_each_format_opens_with_its_hash_and_composes(number: int) -> None:
    plan = thaw(text_of(number))
    assert plan.sha256 == SHA256[number]
    assert plan.recommendation.recommended is not None
    assert compose(plan).plan_hash == SHA256[number]


def test_whose_grid_it_was_is_told_in_the_words_of_its_day() -> None:
    body = text_of(2)
    found = json.loads(body)["recommendation"]
    texts = [option["energy"]["source"] for option in (found["recommended"], *found["alternatives"])]
    answer = thaw(body).recommendation
    options = [one for one in (answer.recommended, *answer.alternatives) if one]
    assert [told(option.energy.grid) for option in options] == texts
    assert len({*texts}) > 1


def test_pieces_are_called_as_they_were_in_its_day() -> None:
    body = text_of(2)
    found = json.loads(body)["recommendation"]
    texts = [
        part["label"]
        for option in (found["recommended"], *found["alternatives"])
        for part in (*option["memory"]["parts"], *option["time"])
    ]
    answer = thaw(body).recommendation
    options = [one for one in (answer.recommended, *answer.alternatives) if one]
    assert [told(part.label) for option in options for part in (*option.memory.parts, *option.time)] == texts
    assert "Weights" in texts


def test_lines_inputs_and_assumptions_are_called_as_they_were_in_its_day() -> None:
    body = text_of(2)
    found = json.loads(body)["recommendation"]
    answer = thaw(body).recommendation
    options = [one for one in (answer.recommended, *answer.alternatives) if one]
    for part in ("inputs", "lines"):
        texts = [
            item["label"]
            for option in (found["recommended"], *found["alternatives"])
            for item in option["cost"]["model"][part]
        ]
        assert [told(item.label) for one in options for item in getattr(one.cost.model, part)] == texts
        assert len({*texts}) > 5
    for beside in ("drivers", "flips", "backing"):
        texts = [item["label"] for item in found.get(beside, ())]
        assert [told(item.label) for item in getattr(answer, beside)] == texts
    assert found["drivers"]
    assert [told(item.told) for item in answer.assumptions] == [item["meaning"] for item in found["assumptions"]]
    assert costed(body).recommendation.recommended == answer.recommended


def test_whose_a_number_was_is_told_in_the_words_of_its_day_and_known_to_programs() -> None:
    body = text_of(2)
    found = json.loads(body)["recommendation"]
    answer = thaw(body).recommendation
    options = [one for one in (answer.recommended, *answer.alternatives) if one]
    texts = [
        item["source"]
        for option in (found["recommended"], *found["alternatives"])
        for item in option["cost"]["model"]["inputs"]
    ]
    sources = [item.source for one in options for item in one.cost.model.inputs]
    assert [sourced(source) for source in sources] == texts
    assert [sourced(item.source) for item in answer.assumptions] == [item["source"] for item in found["assumptions"]]
    assert REQUEST in sources


def test_the_format_of_today_is_among_them() -> None:
    assert f"sextant-plan/{max(SHA256)}" == FORMAT


def test_a_plan_from_before_the_first_release_is_no_plan() -> None:
    with pytest.raises(ValueError, match="not a plan of format sextant-plan/2"):
        thaw(text_of(2).replace(FORMAT, "sextant-plan/1"))


def test_a_plan_frozen_before_fields_were_added_opens_with_its_hash_and_composes() -> None:
    whole = json.loads(text_of(2))
    found = whole["recommendation"]
    del found["recommended"]["checkpoint"]["ways"]  # by hand: findings name values so too
    options = {"recommended": found["recommended"], "alternatives": found["alternatives"]}
    body = canonical(whole | {"recommendation": found | without(options, ADDED)})
    plan: Plan = thaw(body)
    best = plan.recommendation.recommended
    assert best is not None
    assert best.checkpoint is not None
    assert best.offer is not None
    assert (best.checkpoint.ways, best.checkpoint.near_interval_s, best.checkpoint.full_every) == ((), 0.0, 1)
    assert (best.offer.zones, best.offer.on_demand_usd_per_hour) == (0, 0.0)
    assert best.cost.break_even is not None
    assert best.cost.break_even.expected_utilisation == 0.0
    assert body_of(plan) != body  # new fields are written with a new version only
    assert compose(plan).plan_hash == plan.sha256
