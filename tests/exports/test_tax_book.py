"""Taxes in the workbook: live rates that move every amount, a total of their own, and an edited rate that becomes a request."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from pathlib import Path

import openpyxl
import pytest

from engine.answer import TAXES
from engine.money.cost import evaluate
from exports.compose import compose
from exports.render import render
from exports.round_trip.targets import changed_spec, target_of
from planner.frozen.snapshot import Plan
from tests.exports.real_plans import best_of
from tests.exports.recalculation import changed, grid, named_cells, recalculated
from tests.planner.test_taxes import plan as taxed

RATES = {"purchases": 0.2, "services": 0.2, "import_duty": 0.02}


@cache
def bought() -> Plan:
    return taxed(**RATES)


@cache
def book() -> bytes:
    return render(bought(), "xlsx")


def beside(data: bytes, label: str) -> float:
    """The number beside that label on the summary."""
    sheet = openpyxl.load_workbook(BytesIO(data), data_only=True)["Summary"]
    return next(float(row[1].value) for row in sheet.iter_rows() if row[0].value == label)


def test_the_summary_says_the_tax_and_the_order_with_it() -> None:
    lines = {line.name: line.amount for line in best_of(bought()).cost.model.lines}
    mine = sum(lines[name] for name in TAXES if name in lines)
    assert beside(book(), "of which tax that is not recovered") == pytest.approx(mine, abs=0.01)
    assert beside(book(), "Signed: the whole purchase with its tax, USD") == pytest.approx(lines["ordered"], abs=0.01)
    labels = [row[0].value for row in openpyxl.load_workbook(BytesIO(book()))["Summary"].iter_rows()]
    assert "Signed: the whole purchase, USD" not in labels


@pytest.mark.needs_libreoffice
def test_each_rate_and_term_of_the_purchase_flows_through_the_workbook(tmp_path: Path) -> None:
    data, model = book(), best_of(bought()).cost.model
    names = named_cells(data)
    tries = {
        "tax_on_purchases": 0.08875, "tax_on_services": 0.0, "tax_recovered": 0.5, "duty_share": 0.25, "freight_share": 0.03,
        "disposal_per_rack_unit": 150.0, "acceptance_months": 2.0,
    }  # fmt: skip
    files = [changed(data, {names[f"in_{name}"]: value}) for name, value in tries.items()]
    for (name, value), cells in zip(tries.items(), recalculated(files, tmp_path), strict=True):
        amounts = evaluate(model, {name: value})
        for line in ("total", "ordered", "budget_needed", "capital_year", "tax_operation"):
            assert float(str(cells[names[line]])) == pytest.approx(amounts[line], rel=1e-9), (name, line)
        assert cells[names["checks_result"]] == "changed", name


def test_an_edited_rate_comes_back_as_a_request() -> None:
    best = best_of(bought())
    inputs = {item.name: item for item in best.cost.model.inputs}
    found = {
        name: target_of(bought(), inputs[name])
        for name in (
            "tax_on_purchases",
            "tax_on_services",
            "tax_recovered",
            "duty_share",
            "freight_share",
            "acceptance_months",
        )
    }
    assert [(target.kind, target.path) for target in found.values()] == [
        ("request", "taxes.purchases"), ("request", "taxes.services"), ("request", "taxes.recovered"),
        ("request", "taxes.import_duty"), ("assumption", "onprem.freight_share"), ("assumption", "onprem.acceptance_months"),
    ]  # fmt: skip
    spec = changed_spec(bought().spec, {found["tax_recovered"]: 0.4, found["duty_share"]: 0.0})
    assert spec.taxes
    assert (spec.taxes.recovered, spec.taxes.import_duty, spec.taxes.purchases) == (0.4, 0.0, 0.2)


def test_page_1_says_it_in_the_sum_and_no_longer_that_tax_is_missing() -> None:
    said = next(row.text for row in compose(bought()).decision.facts if row.key == "scope").replace("\u00a0", " ")
    assert "value-added tax" not in said
    assert "is tax and duty that does not come back" in said
    assert "tax of 20% on purchases and services, import duty of 2% on hardware" in said
    plain = next(row.text for row in compose(taxed()).decision.facts if row.key == "scope")
    assert "Not included: a reserve, value-added tax" in plain or "value-added tax, a reserve" in plain


def test_cells_agree_with_the_engine_before_anything_is_edited() -> None:
    cells, names = grid(book()), named_cells(book())
    for line in best_of(bought()).cost.model.lines:
        if line.unit == "USD":
            assert float(str(cells[names[line.name]])) == pytest.approx(line.amount, abs=0.005), line.name
