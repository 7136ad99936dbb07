"""What a plan costs at its low and its high: inputs that move together until the total is its P10, and its P90."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.answer import CostModel, Option
from engine.context import SEED
from engine.inputs.currency import DIGITS
from engine.money.draws import draw
from engine.money.ends import Ends, ends_of
from engine.money.lines import evaluate
from exports.compose import compose
from exports.document import Section, Table
from exports.render import render
from planner.frozen.snapshot import Plan
from tests.exports.recalculation import grid, named_cells, recalculated, together, trial_name
from tests.plans import stored

NAMES = ("training", "serving", "batch", "tiny")


def options(plan: Plan) -> tuple[Option, ...]:
    assert plan.recommendation.recommended
    return (plan.recommendation.recommended, *plan.recommendation.alternatives)


def total_at(model: CostModel, inputs: dict[str, float]) -> float:
    return evaluate(model, inputs)[model.total]


def ends(option: Option) -> Ends:
    found = ends_of(option.cost.model, option.cost.total)
    assert found
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_total_is_the_tenth_and_the_ninetieth_percentile(name: str) -> None:
    for option in options(stored(name))[:4]:
        model, total, found = option.cost.model, option.cost.total, ends(option)
        unit = 1.001 * 10.0 ** -DIGITS[model.currency]
        assert total_at(model, dict(found.low)) == pytest.approx(total.low, abs=unit), option.id
        assert total_at(model, dict(found.high)) == pytest.approx(total.high, abs=unit), option.id
        known = {item.name: item for item in model.inputs}
        assert all(known[name].low < known[name].high for name in (*found.low, *found.high)), "what is certain stays"


@pytest.mark.parametrize("name", NAMES)
def test_inputs_that_all_turn_out_badly_cost_more(name: str) -> None:
    """What an input is at the P90 is less far out than its own P90 wherever several inputs count."""
    option = options(stored(name))[0]
    model, found = option.cost.model, ends(option)
    known = {item.name: item for item in model.inputs}
    worst = {
        key: max((known[key].low, known[key].high), key=lambda end, key=key: total_at(model, {key: end}))  # type: ignore[misc]  # a key
        for key in found.high
    }
    if len(found.high) > 1:
        assert total_at(model, worst) > option.cost.total.high
    assert found == ends(option), "nothing is drawn anew"


def test_the_direction_is_that_of_the_draws_around_the_quantile() -> None:
    """The input that matters most is what it is in the draws whose total is nearly the quantile, and not what it is by itself."""
    option = options(stored("training"))[0]
    model = option.cost.model
    found, outcome = ends(option), draw(model, seed=SEED)
    near = np.abs(outcome.total / option.cost.total.high - 1.0) < 0.02
    assert outcome.pace is not None
    central = next(line.amount for line in model.lines if line.name == "wall_hours")
    drawn = float(np.exp(np.mean(np.log(outcome.pace[near]))))
    assert evaluate(model, dict(found.high))["wall_hours"] / central == pytest.approx(drawn, rel=0.03)
    hours = next(item for item in model.inputs if item.name == "run_hours")
    assert found.low["run_hours"] < hours.value < found.high["run_hours"] < hours.high


@pytest.mark.needs_libreoffice
@pytest.mark.parametrize("name", ["training", "tiny"])
def test_the_scenarios_of_the_workbook_are_those_sums(name: str, tmp_path: Path) -> None:
    plan = stored(name)
    option = options(plan)[0]
    data = render(plan, "xlsx")
    names, place = named_cells(data), ("Scenarios", "B3")
    assert grid(data)[place] == "Base"
    (cells,) = recalculated([together(data, [{place: "Low cost"}, {place: "High cost"}, {}])], tmp_path)
    sheet, cell = names[option.cost.model.total]
    low, high, base = (float(str(cells[trial_name(sheet, index), cell])) for index in range(3))
    total, unit = option.cost.total, 1.001 * 10.0 ** -DIGITS[option.cost.model.currency]
    assert low == pytest.approx(total.low, abs=unit)
    assert high == pytest.approx(total.high, abs=unit)
    assert base == pytest.approx(total.expected, abs=1e-6)


def tables(sections: tuple[Section, ...]) -> Iterator[Table]:
    for section in sections:
        yield from (block for block in section.blocks if isinstance(block, Table))
        yield from tables(section.sections)


def test_documents_print_them() -> None:
    plan = stored("training")
    option = options(plan)[0]
    (table,) = (one for one in tables(compose(plan).sections) if one.id == "ends")
    last = [cell.value for cell in table.rows[-1][2:]]
    assert last == [option.cost.total.low, option.cost.total.expected, option.cost.total.high]
    found = ends(option)
    assert len(table.rows) == 1 + min(6, len({*found.low, *found.high}))
    hours = next(
        row for row in table.rows if row[0].text == "Hours of one run" or row[3].value == 0.0 or row[1].text == "h"
    )
    assert hours[2].value is not None
    assert hours[4].value is not None
    assert hours[2].value < hours[4].value
