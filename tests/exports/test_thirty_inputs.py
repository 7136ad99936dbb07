"""Thirty inputs of a hybrid, a spot and a bought plan, each changed in the workbook and in the request: both give the same, to 1e-9.

What is compared is every cell that the request prints as well: each line of the cost model, cash and expense month by month, the
total and the present value of the plan; and of each way beside it (to 1e-7, since its months are not rounded) cash, present value,
what is signed, payback and break-even. The charts of costs and of cash show what those of the new plan show. An input that the request
cannot state is changed in the cost model instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.answer import CostInput, CostModel, Money, Option
from engine.inputs.spec import Spec
from engine.money.cash import with_cash
from engine.money.lines import settled as recomputed
from engine.money.ways import Considered
from exports.compose import compose
from exports.render import render
from exports.round_trip.targets import changed_spec, target_of
from planner.estimate import estimate
from planner.frozen.snapshot import Plan, settled
from planner.market import market_from_files
from planner.rent_or_own import comparison
from planner.request.parse import spec_from
from tests.exports.recalculation import Grid, changed, named_cells, recalculated
from tests.exports.test_alternatives import ROUNDED, measure
from tests.exports.test_time_model import (
    CLOSED,
    SERVICE,
    TAXED,
    TRAINING,
    agrees,
    best,
    bought,
)  # fmt: skip
from tests.exports.test_xlsx_live import Charts, charts

SPOT: dict[str, Any] = {"constraints": {"accelerators": ["h100-sxm5"], "providers": ["aws"], "deadline_days": 400}}


def spot(option: Option) -> bool:
    return option.offer is not None and option.offer.option == "spot"


KINDS: dict[str, tuple[dict[str, Any], Callable[[Option], bool]]] = {
    "run that is rented until its servers come": (TRAINING | TAXED | {"horizon_months": 30, "currency": "EUR"}, bought),
    "run on spot": (TRAINING | SPOT | {"currency": "JPY"}, spot),
    "service on servers that are bought": (SERVICE | CLOSED | {"horizon_months": 24}, bought),
}
"""Request, and which of its options is taken."""


CHANGED: dict[str, str] = {
    "run that is rented until its servers come": (
        "duty_share tax_on_purchases bridge_usd_per_hour storage_share rack_units freight_share life_years wacc hosted "
        "software_per_device_year storage_usd_per_tb ahead_months"
    ),
    "run on spot": (
        "on_demand_price fallback_share egress_gb dataset_usd_per_gb_month kept_days goodput storage_usd_per_gb_month"
    ),
    "service on servers that are bought": (
        "price_per_server servers network_share spares_share install_per_rack_unit disposal_per_rack_unit "
        "residual_share idle_load hosting_usd_per_kw_month acceptance_months lead_months"
    ),
}
"""What is changed in each of them: each input in one."""


@dataclass(frozen=True)
class Trial:
    """An input of one kind of plan with another value; `after`: the plan whose figures the workbook must then show."""

    name: str
    value: float
    after: Plan
    by_request: bool


@cache
def asked(kind: str) -> Plan:
    """The plan of that request, its first option of that kind recommended."""
    request, wanted = KINDS[kind]
    return chosen(spec_from(request), wanted)


def chosen(spec: Spec, wanted: Callable[[Option], bool]) -> Plan:
    """The plan of that request, in which the first such option is recommended."""
    plan = estimate(spec, market_from_files())
    answer = plan.recommendation
    assert answer.recommended
    options = (answer.recommended, *answer.alternatives)
    option = next(one for one in options if wanted(one))
    others = tuple(one for one in options if one is not option)
    return settled(replace(plan, recommendation=replace(answer, recommended=option, alternatives=others)))


def other_value(item: CostInput) -> float:
    """Another value that the input may have. What is dearer would be another seller's."""
    if item.name == "hosted":
        return 1.0 - item.value
    if item.unit in ("share", "share/year") or item.name.startswith("price_per_"):
        return 0.9 * item.value if item.value else 0.05
    if item.unit in ("", "month") and item.value == int(item.value):
        return item.value + 2.0
    return 1.1 * item.value if item.value else 3.0


def trial(kind: str, item: CostInput) -> Trial:
    """That input changed: in the request where that can state it, else in the cost model."""
    plan, value = asked(kind), other_value(item)
    target = target_of(plan, item)
    if target.kind == "none":
        return Trial(item.name, value, in_the_model(plan, item.name, value), by_request=False)
    after = chosen(changed_spec(plan.spec, {target: value}), lambda option: option.id == best(plan).id)
    old, new = (values(best(one).cost.model) for one in (plan, after))
    assert old.keys() == new.keys()
    assert {name for name in old if new[name] != pytest.approx(old[name], rel=1e-9)} == {item.name}, "no layout changes"
    assert new[item.name] == pytest.approx(value, rel=1e-9)
    return Trial(item.name, value, after, by_request=True)


def values(model: CostModel) -> dict[str, float]:
    return {item.name: item.value for item in model.inputs}


def in_the_model(plan: Plan, name: str, value: float) -> Plan:
    """The plan with that input of its cost model."""
    option = best(plan)
    model = option.cost.model
    inputs = tuple(replace(item, value=value) if item.name == name else item for item in model.inputs)
    moved = with_cash(recomputed(inputs, model.lines, total=model.total), plan.start)
    total = next(line.amount for line in moved.lines if line.name == moved.total)
    money = Money(low=total, expected=total, high=total, currency=model.currency)
    other = replace(option, cost=replace(option.cost, model=moved, total=money))
    return replace(plan, recommendation=replace(plan.recommendation, recommended=other))


def beside(cells: Grid, kind: str, one: Trial) -> int:
    """Holds the ways beside the plan against what the plan after says of the same ways, and returns how many there were.

    A way whose hardware the request now has otherwise, or with another price of its own, is another way: the workbook knows of the
    request and of assumptions what is common to all (`common`).
    """
    if not one.by_request:
        return 0
    before, after = comparison(asked(kind)), comparison(one.after)
    if before is None or after is None:
        return 0
    there = {way.way: way for way in after.ways}
    followed = {way.way for way in before.ways if way.way in there and follows(way, there[way.way], one.name, kind)}
    rows = {label: measure(cells, label) for label in ("Paid in all", "Present value of what this", "Signed")}
    payback, even = measure(cells, "Payback"), measure(cells, "Break-even")
    for index, way in enumerate(before.ways):
        if way.way not in followed:
            continue
        new = there[way.way]
        for row, wanted in zip(rows.values(), (new.cash, new.npv, new.committed), strict=True):
            assert float(str(row[index] or 0.0)) == pytest.approx(wanted, rel=ROUNDED, abs=0.006), (one.name, way.way)
        if way.way == before.against or before.against != after.against or before.against not in followed:
            continue
        assert payback[index] == ("never" if new.payback is None else new.payback), (one.name, way.way)
        if new.even_use is not None:
            wanted = "never" if new.even_use > 1 else pytest.approx(new.even_use, rel=1e-6)
            assert even[index] == wanted, (one.name, way.way)
    return len(followed)


@cache
def shared(kind: str) -> tuple[str, ...]:
    """Inputs that are one number on Inputs for all ways."""
    return compose(asked(kind)).workbook.common


def follows(old: Considered, new: Considered, name: str, kind: str) -> bool:
    """Is it the same way, of which nothing but that input has moved, which stands on Inputs for it too?"""
    if old.option is None or new.option is None or old.option.id != new.option.id:
        return False
    was, now = values(old.model), values(new.model)
    moved = {key for key in was if now.get(key) != pytest.approx(was[key], rel=1e-9)}
    named = old.chosen or name in shared(kind)
    return was.keys() == now.keys() and moved <= {name} and (not moved or named)


def charted(cells: Grid, before: Charts, one: Trial) -> int:
    """Holds what the charts of costs and cash then show against what those of the plan after show, and returns how many there were.

    A chart stands in the order of the plan's amounts, which the plan after has otherwise; over other months it is another chart. Ends of
    the sensitivity are those of each input's range: the request sets that of what it states anew, a cell does not; that they move is held
    in `test_xlsx_live`.
    """
    after, held = charts(render(one.after, "xlsx")), 0
    for part, rows in before.items():
        there = {tuple(places): shown for places, shown in after[part]}
        for places, _ in rows:
            frozen = {sheet for sheet, _ in places} & {"Physics", "Sensitivity"}  # the first says so on its sheet
            if not frozen and (new := there.get(tuple(places))) is not None:
                shown = sorted(float(str(cells[place])) for place in places if place in cells)
                assert shown == pytest.approx(sorted(new), rel=1e-9, abs=0.006), (one.name, part)
                held += 1
    return held


@pytest.mark.slow
@pytest.mark.needs_libreoffice
@pytest.mark.parametrize("kind", KINDS)
def test_a_value_typed_in_gives_what_the_request_gives(kind: str, tmp_path: Path) -> None:
    plan = asked(kind)
    known = {item.name: item for item in best(plan).cost.model.inputs}
    changes = [trial(kind, known[name]) for name in CHANGED[kind].split()]
    data = render(plan, "xlsx")
    names = named_cells(data)
    files = [changed(data, {names[f"in_{one.name}"]: one.value}) for one in changes]
    for one, cells in zip(changes, recalculated(files, tmp_path), strict=True):
        agrees(cells, names, one.after)
        total = float(str(cells[names["total"]]))
        assert total == pytest.approx(best(one.after).cost.total.expected, rel=1e-9), one.name
        beside(cells, kind, one)
        held = charted(cells, charts(data), one)
        assert held >= (1 if one.name == "ahead_months" else 2), (one.name, "costs, and cash by month")


def test_thirty_inputs_are_changed_most_of_them_in_the_request() -> None:
    places = [(kind, name) for kind, names in CHANGED.items() for name in names.split()]
    assert len({name for _, name in places}) == len(places) >= 30
    known = {kind: {item.name: item for item in best(asked(kind)).cost.model.inputs} for kind in KINDS}
    stated = [name for kind, name in places if target_of(asked(kind), known[kind][name]).kind != "none"]
    assert len(stated) >= 20
