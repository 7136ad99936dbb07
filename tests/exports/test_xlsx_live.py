"""The workbook of real plans lives: every input moves the result, and an edited price changes sheets and charts alike."""

from __future__ import annotations

import re
import zipfile
from functools import cache
from io import BytesIO
from pathlib import Path

import openpyxl
import pytest
from defusedxml import ElementTree
from openpyxl.utils import range_boundaries

from engine.answer import CostModel
from exports.compose import compose
from exports.render import render
from tests.exports.office import C
from tests.exports.real_plans import best_of, plan_of
from tests.exports.recalculation import Grid, changed, grid, named_cells, recalculated, together, trial_name

PRICES = {"rented": "price_per_instance_hour", "bought": "price_per_server", "served": "price_per_instance_hour"}
"""The price that finance negotiates, by plan."""


@cache
def book(name: str) -> bytes:
    return render(plan_of(name), "xlsx")


def model_of(name: str) -> CostModel:
    return best_of(plan_of(name)).cost.model


Charts = dict[str, list[tuple[list[tuple[str, str]], list[float]]]]


def charts(data: bytes) -> Charts:
    """For each chart the cells that its numbers refer to, and the numbers that it shows without them."""
    found: Charts = {}
    with zipfile.ZipFile(BytesIO(data)) as package:
        for part in sorted(part for part in package.namelist() if re.fullmatch(r"xl/charts/chart\d+\.xml", part)):
            root = ElementTree.fromstring(package.read(part))
            found[part] = [
                (cells_of(item.findtext(f"{C}f") or ""), [float(one.text or "nan") for one in item.iter(f"{C}v")])
                for item in root.iter(f"{C}numRef")
            ]
    return found


def cells_of(reference: str) -> list[tuple[str, str]]:
    """Sheet and cell of each place of a range, row by row."""
    sheet, _, area = reference.rpartition("!")
    left, top, right, bottom = (int(edge or 0) for edge in range_boundaries(area.replace("$", "")))
    letters = [chr(ord("A") + column - 1) for column in range(left, right + 1)]
    return [(sheet.strip("'"), f"{letter}{row}") for row in range(top, bottom + 1) for letter in letters]


@pytest.mark.needs_libreoffice
@pytest.mark.parametrize("name", PRICES)
def test_every_input_moves_the_result(name: str, tmp_path: Path) -> None:
    """Save for those that the sheet itself says move nothing at the plan's values, as a volume whose price is nought."""
    model, data = model_of(name), book(name)
    names = named_cells(data)
    edits = [{names[f"in_{item.name}"]: item.value * 1.5 or 1.0} for item in model.inputs]
    cells = recalculated([together(data, [{}, *edits])], tmp_path)[0]
    lines = [names[line.name] for line in model.lines]

    def results(trial: int) -> list[object]:
        return [cells[trial_name(sheet, trial), cell] for sheet, cell in lines]

    still = {item.name for number, item in enumerate(model.inputs, 1) if results(number) == results(0)}
    assert still <= set(compose(plan_of(name)).workbook.inert)
    assert len(still) < len(model.inputs) / 4


@pytest.mark.needs_libreoffice
@pytest.mark.parametrize("name", PRICES)
def test_a_price_changes_summary_cash_flow_and_charts(name: str, tmp_path: Path) -> None:
    data = book(name)
    names, before = named_cells(data), grid(data)
    place = names[f"in_{PRICES[name]}"]
    files = [changed(data, {}), changed(data, {place: float(str(before[place])) * 1.5})]
    same, after = recalculated(files, tmp_path)
    assert (
        number(after, ("Summary", "B6"))
        > number(same, ("Summary", "B6"))
        == pytest.approx(best_of(plan_of(name)).cost.total.expected, abs=0.006)
    )
    assert number(after, ("Cash flow", "B5")) > number(same, ("Cash flow", "B5"))
    moved = 0
    for part, ranges in charts(data).items():
        for cells, shown in ranges:
            assert shown == pytest.approx([number(same, cell) for cell in cells if cell in same]), part
        if any(cell[0] == "Physics" for cells, _ in ranges for cell in cells):
            continue  # frozen, and the sheet says so
        moved += 1
        assert any(number(after, cell) != number(same, cell) for cells, _ in ranges for cell in cells), part
    assert moved >= 3, "costs, cash and what matters most"


@pytest.mark.parametrize("name", PRICES)
def test_a_sheet_longer_than_a_page_repeats_its_header_when_printed(name: str) -> None:
    sheets = openpyxl.load_workbook(BytesIO(book(name)))
    # Sources are read on the screen: of them the head alone is printed.
    long = [sheet.title for sheet in sheets if sheet.max_row > 60 and sheet.title not in ("Sources", "Physics")]
    assert long or name == "served", "a service has no other long sheet"
    assert [title for title in long if not sheets[title].print_title_rows] == []


def number(cells: Grid, place: tuple[str, str]) -> float:
    return float(str(cells[place]))
