"""Each lever on the real market, as a change of the stored request: read again, it asks for what the lever was worked out for."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from engine.entry import levers, ways
from engine.inputs.known import Known
from planner.levers.steps import Taken, _held, _patch, _typed, name_of
from planner.market import market_from_files
from planner.request.merging import merged
from planner.request.parse import spec_from
from planner.request.yaml_file import load_yaml

GALLERY = Path(__file__).parents[2] / "examples" / "gallery"


@pytest.mark.parametrize("name", ["serve-long-prompts", "train-70b-on-demand-eur"])
def test_taking_and_giving_back_a_lever_changes_what_it_says_and_no_more(name: str) -> None:
    market = market_from_files()
    draft = load_yaml((GALLERY / f"{name}.yaml").read_text(encoding="utf-8"))
    spec = replace(spec_from(draft, text=True, rates=market.fx_usd), as_of=date(2026, 11, 28))
    known = Known()
    found = levers(spec, market, known=known)
    assert found is not None
    every = (*found.levers, *((found.signed,) if found.signed else ()))
    assert len({name_of(lever) for lever in every}) == len(every) > 1
    changed = {way.change: way.spec for way in ways(spec, market, known=known)}
    for lever in every:
        (change,) = lever.changes
        taken = Taken(lever=name_of(lever), field=change.field, before=_held(draft, change.field), after=_typed(change))
        after = merged(draft, _patch(taken.field, taken.after))
        asked = replace(spec_from(after, text=True, rates=market.fx_usd), as_of=spec.as_of)
        assert asked == changed[change]
        assert merged(after, _patch(taken.field, taken.before)) == draft
