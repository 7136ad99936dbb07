"""The workbook ranks options as the plan does: by what each costs at most, as surely as is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from exports.render import render
from tests.exports.real_plans import gallery_plan
from tests.exports.recalculation import changed, grid, named_cells, recalculated

RANKED = ("tax-on-hardware-alone", "finetune-7b-eur", "buy-forty-runs", "train-time-objective")
"""Where another is expected to cost less, where another costs less by so little that the smaller cluster is taken, and where options
are not ranked by cost at all."""


@pytest.mark.needs_libreoffice
@pytest.mark.parametrize("name", RANKED)
def test_a_workbook_that_nobody_touched_is_green(name: str, tmp_path: Path) -> None:
    """It ranked by the expected total, and called its own recommendation changed before anybody had changed a thing."""
    plan = gallery_plan(name)
    data = render(plan, "xlsx")
    names, cached = named_cells(data), grid(data)
    (live,) = recalculated([changed(data, {})], tmp_path)
    results = {place: value for place, value in live.items() if place[0] == "Checks" and place[1].startswith("B")}
    assert cached[names["checks_result"]] == live[names["checks_result"]] == "ok", results


@pytest.mark.needs_libreoffice
def test_a_dearer_price_of_the_recommended_option_still_turns_amber(tmp_path: Path) -> None:
    data = render(gallery_plan("finetune-7b-eur"), "xlsx")
    names, cached = named_cells(data), grid(data)
    price = names["in_price_per_instance_hour"]
    (dear,) = recalculated([changed(data, {price: float(str(cached[price])) * 1.5})], tmp_path)
    row = next(
        cell[1:] for (sheet, cell), text in cached.items() if sheet == "Checks" and "is the cheapest" in str(text)
    )
    assert cached["Checks", f"B{row}"] == "ok"
    assert dear["Checks", f"B{row}"] == "changed"
    assert dear[names["cheapest_option"]] != cached[names["cheapest_option"]]
