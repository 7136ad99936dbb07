"""The workbook is the model: live formulas, right cached values, no dead input, nothing executable."""

from __future__ import annotations

import random
import re
import time
import zipfile
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path

import openpyxl
import pytest
from openpyxl.worksheet.dimensions import ColumnDimension
from openpyxl.worksheet.worksheet import Worksheet

from engine.answer import CostModel
from exports.brand import using
from exports.compose import compose
from exports.composing.book import PRICE
from exports.cost_values import inert, leaves, values_of
from exports.text import NAME_LIMIT, clean_text
from exports.writers.text_fit import lines
from exports.writers.xlsx import write
from exports.writers.xlsx_book import excel_name, number_format
from planner.charting.money import cost_lines
from planner.estimate import estimate
from planner.frozen.snapshot import Plan, settled
from planner.market import market_from_files
from planner.money import accounts
from planner.names import provider_name
from planner.request.parse import spec_from
from tests.exports.brands import brand
from tests.exports.real_plans import gallery_plan
from tests.exports.recalculation import changed, formulas, grid, named_cells, recalculated, together, trial_name
from tests.exports.samples import ALL
from voice.speech import say

NAMES = ("training", "serving", "tiny", "hostile", "infeasible")
MONEY_SHEETS = ("Summary", "Scenarios", "Cost model", "Cash flow", "Sensitivity")
_FILES: dict[str, bytes] = {}


def book(name: str) -> bytes:
    """The workbook of that sample, written once."""
    if name not in _FILES:
        _FILES[name] = write(compose(ALL[name]()))
    return _FILES[name]


def model_of(name: str) -> CostModel:
    """The cost model that the workbook prints."""
    model = compose(ALL[name]()).workbook.model
    assert model
    return model


@pytest.mark.parametrize("name", NAMES)
def test_every_formula_has_its_value(name: str) -> None:
    values = grid(book(name))
    missing = [place for place in formulas(book(name)) if place not in values]
    assert not missing


@pytest.mark.parametrize("name", ["training", "serving", "tiny"])
def test_every_line_holds_the_amount_of_the_plan(name: str) -> None:
    names, values = named_cells(book(name)), grid(book(name))
    for line in model_of(name).lines:
        # A plan keeps twelve digits of each input and amount.
        near = {"abs": 0.004} if line.unit == "USD" else {"rel": 1e-11}
        assert values[names[line.name]] == pytest.approx(line.amount, **near), line.name
    assert formulas(book(name))[names["total"]].startswith("=ROUND(")


@pytest.mark.parametrize("name", ["training", "serving"])
def test_cash_flow_agrees_with_the_plan_to_the_cent(name: str) -> None:
    values = grid(book(name))
    head = {
        values["Cash flow", f"{letter}4"]: letter for letter in "ABCDEFGHIJKL" if ("Cash flow", f"{letter}4") in values
    }
    for index, entry in enumerate(model_of(name).cash):
        assert values["Cash flow", f"{head['Running cost']}{6 + index}"] == pytest.approx(entry.opex, abs=0.001)
        assert values["Cash flow", f"{head['Investment']}{6 + index}"] == pytest.approx(entry.capex, abs=0.001)


@cache
def bought() -> Plan:
    """A real plan whose recommendation is hardware that is bought: cash over years, with a cost of capital."""
    request = {
        "name": "Own cluster", "workload": "training", "model": "llama-3.1-8b", "training": {"tokens": 6e12},
        "constraints": {"deadline_days": 400}, "horizon_months": 30, "utilisation": 0.7,
    }  # fmt: skip
    plan = estimate(spec_from(request), market_from_files())
    option = next(row for row in plan.recommendation.alternatives if row.kind == "on_prem")
    return settled(replace(plan, recommendation=replace(plan.recommendation, recommended=option)))


def test_the_present_value_is_the_one_of_the_plan() -> None:
    """Dated payments at the model's cost of capital, on the day of the request: the same sum as the API's and the page's."""
    plan = bought()
    best = plan.recommendation.recommended
    assert best
    assert len(best.cost.model.years) >= 3
    assert any(line.name == "cost_of_capital" and line.amount > 0 for line in best.cost.model.lines)
    data = write(compose(plan))
    values, live = grid(data), formulas(data)
    column = next(
        cell[:-1]
        for (sheet, cell), text in values.items()
        if sheet == "Cash flow" and str(text).startswith("Present value on ")
    )
    months = range(6, 6 + len(best.cost.model.cash))
    found = accounts(plan)
    assert found
    assert sum(float(str(values["Cash flow", f"{column}{row}"])) for row in months) == pytest.approx(
        found.views.npv, abs=0.006
    )
    assert "wacc" in live["Cash flow", f"{column}7"]
    assert "in_discount_rate" not in named_cells(data), "one rate, not two"


@pytest.mark.parametrize(
    "name", ["serve-buy-jpy", "train-tpu-commitment", "batch-ten-million-eur", "train-70b-on-demand-eur"]
)
def test_every_kind_of_contract_has_one_present_value(name: str) -> None:
    plan = gallery_plan(name)
    found = accounts(plan)
    assert found
    data = write(compose(plan))
    values = grid(data)
    head = next(
        cell
        for (sheet, cell), text in values.items()
        if sheet == "Cash flow" and str(text).startswith("Present value on ")
    )
    total = values["Cash flow", f"{head[:-1]}5"]
    assert float(str(total)) == pytest.approx(found.views.npv, abs=0.51 if name.endswith("jpy") else 0.006)


def test_the_chart_of_costs_holds_what_the_plan_pays_and_no_whole_purchase() -> None:
    """The servers' price stands in the model too; the plan pays its share of it, in the line “Purchase”."""
    best = bought().recommendation.recommended
    assert best
    chart = cost_lines(best.cost.model)
    assert chart
    assert sum(chart.series[0].values) == pytest.approx(best.cost.total.expected, abs=0.01)
    assert "Servers" not in chart.categories
    largest = max(leaves(best.cost.model), key=lambda line: line.amount)
    assert chart.finding == f"“{say(largest.label)}” is {largest.amount / best.cost.total.expected:.0%} of the cost"


@pytest.mark.parametrize("name", ["training", "serving", "tiny"])
def test_money_sheets_hold_formulas_not_numbers(name: str) -> None:
    live, constants = formulas(book(name)), 0
    numbers = {
        place: value
        for place, value in grid(book(name)).items()
        if isinstance(value, int | float) and place[0] in MONEY_SHEETS
    }
    constants = sum(place not in live for place in numbers)
    assert len(numbers) > 60
    assert constants / len(numbers) <= 0.05


def test_every_input_has_one_name_is_unlocked_and_validated() -> None:
    data = openpyxl.load_workbook(BytesIO(book("training")))
    sheet, names = data["Inputs"], named_cells(book("training"))
    validated = {str(rule.sqref) for rule in sheet.data_validations.dataValidation}
    for item in model_of("training").inputs:
        place = names[f"in_{item.name}"]
        assert place[0] == "Inputs"
        assert sheet[place[1]].value == pytest.approx(item.value)
        assert not sheet[place[1]].protection.locked
        assert place[1] in validated
    assert sheet.protection.sheet
    assert sheet["A5"].protection.locked


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_the_file_can_run_or_fetch(name: str) -> None:
    danger = re.compile(r"WEBSERVICE|DDE|INDIRECT|OFFSET|HYPERLINK|CALL\(|\[|https?:", re.IGNORECASE)
    assert not [formula for formula in formulas(book(name)).values() if danger.search(formula)]
    with zipfile.ZipFile(BytesIO(book(name))) as package:
        assert not [part for part in package.namelist() if "externalLink" in part or part.endswith(".bin")]
        assert not any(
            b'TargetMode="External"' in package.read(part) for part in package.namelist() if part.endswith(".rels")
        )


def test_text_that_looks_like_a_formula_is_marked_as_text() -> None:
    data = openpyxl.load_workbook(BytesIO(book("hostile")))
    suspicious = [
        cell
        for sheet in data
        for row in sheet.iter_rows()
        for cell in row
        if cell.data_type == "s" and isinstance(cell.value, str) and re.match(r"[=+@]|-(?!\d)", cell.value)
    ]
    assert len(suspicious) > 20
    assert all(cell.quotePrefix for cell in suspicious)


def test_equal_plans_give_equal_bytes() -> None:
    first = write(compose(ALL["training"]()))
    time.sleep(2.1)
    # Zip times have a resolution of two seconds.
    assert write(compose(ALL["training"]())) == first


def test_charts_are_native_and_described() -> None:
    with zipfile.ZipFile(BytesIO(book("training"))) as package:
        drawings = [
            package.read(part).decode() for part in package.namelist() if re.match(r"xl/drawings/drawing\d+\.xml", part)
        ]
        charts = [part for part in package.namelist() if re.match(r"xl/charts/chart\d+\.xml", part)]
    assert len(charts) >= 6
    described = [text for drawing in drawings for text in re.findall(r'<xdr:cNvPr [^>]*descr="([^"]{20,})"', drawing)]
    assert len(described) == len(charts)


def test_print_setup_names_the_plan() -> None:
    plan = ALL["training"]()
    data = openpyxl.load_workbook(BytesIO(book("training")))
    for sheet in data:
        assert plan.short_hash in (sheet.oddFooter.left.text or "")
        assert sheet.freeze_panes
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
    assert data["Inputs"].print_title_rows == "$4:$4"
    assert data.properties.title == plan.name


def test_sources_and_the_data_behind_figures_are_not_printed() -> None:
    """Of forty runs in three years 46 pages were printed, 28 of them sources."""
    data = openpyxl.load_workbook(BytesIO(book("training")))
    assert data["Sources"].max_row > 60
    assert _printed(data["Sources"]) == 2
    physics = data["Physics"]
    figures = [row[0].row for row in physics.iter_rows() if str(row[0].value).startswith("What moves the total")]
    assert figures
    assert 10 < _printed(physics) < figures[0] < physics.max_row


def test_long_sheets_repeat_their_head_in_print() -> None:
    for sheet in openpyxl.load_workbook(BytesIO(write(compose(bought())))):
        assert sheet.print_title_rows or _printed(sheet) <= 60, sheet.title


def _printed(sheet: Worksheet) -> int:
    """The last row that is printed."""
    area = str(sheet.print_area or "")
    return int(area.rsplit("$", 1)[1]) if area else sheet.max_row


def _columns(sheet: Worksheet) -> dict[int, ColumnDimension]:
    """The sheet's columns by number: the file keeps neighbours of one width together."""
    return {
        number: item for item in sheet.column_dimensions.values() for number in range(item.min, (item.max or 0) + 1)
    }


@pytest.mark.parametrize("name", [*NAMES, "bought"])
def test_every_wrapped_text_has_the_rows_height_that_it_needs(name: str) -> None:
    """Office does not make a row higher on opening when its height is set: what does not fit is not seen."""
    data = openpyxl.load_workbook(BytesIO(write(compose(bought())) if name == "bought" else book(name)))
    checked = 0
    for sheet in data:
        columns, merged = _columns(sheet), {cell for area in sheet.merged_cells.ranges for cell in area.cells}
        for row in sheet.iter_rows():
            for cell in row:
                if not isinstance(cell.value, str) or not cell.alignment.wrap_text or (cell.row, cell.column) in merged:
                    continue
                indent = 9 * (cell.alignment.indent or 0)
                room = (7 * columns[cell.column].width - 4 - indent) * 0.75
                need = sum(lines(part, 10, room, bold=bool(cell.font.b)) for part in cell.value.split("\n"))
                if cell.data_type != "f":
                    height = sheet.row_dimensions[cell.row].height or 15
                    assert need * 12.75 <= height + 0.01, f"{sheet.title}!{cell.coordinate}: {cell.value}"
                    checked += 1
    assert checked > 50


@pytest.mark.parametrize("name", NAMES)
def test_no_number_is_shown_with_a_bare_point(name: str) -> None:
    """Excel shows 10 as “10.” where all digits after the point are optional."""
    formats = {
        cell.number_format for sheet in openpyxl.load_workbook(BytesIO(book(name))) for row in sheet for cell in row
    }
    assert len(formats) > 5
    assert not [form for form in formats if re.search(r"\.#|\.$|\.[;%]", form)]


def test_a_share_typed_into_a_whole_number_is_seen() -> None:
    """Experiments as a share of a run are often 0: whoever types 0.2 must not read 0."""
    data = openpyxl.load_workbook(BytesIO(write(compose(bought()))))["Inputs"]
    counts = [cell.coordinate for cell in data["B"] if cell.number_format == "#,##0"]
    shown = {str(area.sqref).split(":")[0]: area.rules for area in data.conditional_formatting}
    assert len(counts) >= 4
    for place in counts:
        rules = [rule for rule in shown[place] if rule.formula == [f"{place}<>INT({place})"]]
        assert [rule.dxf.numFmt.formatCode for rule in rules] == ["#,##0.0##"]
    assert number_format(3.0, "year", 2.5, 4.0) == "#,##0.00##"
    assert number_format(10.0, "USD/h") == "#,##0.00##"


def test_totals_of_candidates_follow_their_price_as_the_engine_s_do() -> None:
    """Spot capacity with a share on demand: the dearer on-demand price is saved in part as the spot price rises."""
    plan = bought()
    options = {clean_text(option.id, NAME_LIMIT): option for option in plan.recommendation.alternatives}
    assert len(options) == len(plan.recommendation.alternatives)
    bent = checked = 0
    for row in compose(plan).workbook.candidates:
        if row.id not in options or not row.price_usd:
            continue
        model = options[row.id].cost.model
        item = next((one for one in model.inputs if one.name == PRICE), None)
        if item is None:
            continue
        least, most = row.least_usd or 0.2 * row.price_usd, row.most_usd or 5 * row.price_usd
        bent += bool(row.most_usd)
        for price in (least, 0.7 * row.price_usd + 0.3 * least, 0.5 * (row.price_usd + most), most):
            total = round(row.quantity * price, 2) + row.other
            now = values_of(model, {item.name: item.value * price / row.price_usd})[model.total]
            assert total == pytest.approx(now, abs=0.03), (row.name, row.where, price)
            checked += 1
        if row.most_usd:
            beyond = values_of(model, {item.name: 2 * item.value * row.most_usd / row.price_usd})[model.total]
            assert beyond > round(row.quantity * 2 * row.most_usd, 2) + row.other + 1
    assert bent >= 3
    assert checked >= 40


@pytest.mark.needs_libreoffice
def test_another_option_of_the_same_name_that_becomes_cheapest_is_seen(tmp_path: Path) -> None:
    """The training sample has one accelerator in equal count at two providers, of which one is recommended."""
    answer = ALL["training"]().recommendation
    best = answer.recommended
    assert best
    assert best.offer
    twin = next(
        option
        for option in answer.alternatives
        if (option.accelerator, option.count) == (best.accelerator, best.count) and option.offer
    )
    assert twin.offer
    here, there = (provider_name(option.provider) for option in (best.offer, twin.offer))
    hardware = f"{best.count}\u00a0×\u00a0{best.accelerator_name}"
    offered = f"{there}, {twin.offer.instance}"[:24]
    data = book("training")
    values, names = grid(data), named_cells(data)
    heads = {
        str(text): cell[:-1] for (sheet, cell), text in values.items() if sheet == "Candidates" and cell[-1:] == "6"
    }
    at = next(
        cell[1:] for (sheet, cell), text in values.items() if sheet == "Candidates" and str(text).startswith(offered)
    )
    price = ("Candidates", f"{heads['Price, USD']}{at}")
    cheaper, wild = recalculated([changed(data, {price: 0.5}), changed(data, {price: 1e6})], tmp_path)
    assert values["Candidates", f"A{at}"] == values["Candidates", "A7"]
    assert str(values[names["cheapest_option"]]).startswith(f"{hardware}, {here}")
    assert str(cheaper[names["cheapest_option"]]).startswith(f"{hardware}, {there}")
    row = next(
        cell[1:] for (sheet, cell), text in values.items() if sheet == "Checks" and "is the cheapest" in str(text)
    )
    assert values["Checks", f"B{row}"] == wild["Checks", f"B{row}"] == "ok"
    assert cheaper["Checks", f"B{row}"] == "changed"


def test_a_plan_in_euro_has_its_total_and_band_in_euro() -> None:
    with using(brand()):
        euro = grid(write(compose(ALL["training"]())))
    dollars = grid(write(compose(ALL["training"]())))
    row, same = (
        next(cell[1:] for (sheet, cell), text in values.items() if (sheet, text) == ("Summary", f"Total cost, {code}"))
        for values, code in ((euro, "EUR"), (dollars, "USD"))
    )
    for column in "BCD":
        now, before = float(str(euro["Summary", f"{column}{row}"])), float(str(dollars["Summary", f"{column}{same}"]))
        assert now == pytest.approx(0.9 * before, rel=1e-5)
    assert not [text for (sheet, _), text in euro.items() if sheet == "Summary" and "USD" in str(text)]


def test_letter_paper() -> None:
    data = openpyxl.load_workbook(BytesIO(write(compose(ALL["tiny"]()), paper="Letter")))
    assert {sheet.page_setup.paperSize for sheet in data} == {1}


@pytest.mark.slow
def test_the_largest_plan_lists_every_option() -> None:
    data = book("huge")
    rows = [place for place in formulas(data) if place[0] == "Candidates" and place[1].startswith("J")]
    assert len(rows) == 5001


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("tp8", "tp8_"),
        ("R1C1", "R1C1_"),
        ("c", "c_"),
        ("price per h", "price_per_h"),
        ("1st", "_1st"),
        ("total", "total"),
        ("", "_"),
    ],
)
def test_names_that_excel_accepts(text: str, name: str) -> None:
    assert excel_name(text) == name


@pytest.mark.needs_libreoffice
def test_cached_values_are_what_a_recalculation_gives(tmp_path: Path) -> None:
    files = [*(book(name) for name in ("training", "serving", "infeasible")), write(compose(bought()))]
    for data, now in zip(files, recalculated([changed(data, {}) for data in files], tmp_path), strict=True):
        cached, live = grid(data), formulas(data)
        wrong = [(place, cached[place], now.get(place)) for place in live if not _same(cached[place], now.get(place))]
        assert not wrong


@pytest.mark.needs_libreoffice
@pytest.mark.parametrize("name", ["training", "serving"])
def test_a_hundred_random_sets_of_inputs_give_the_engine_s_numbers(name: str, tmp_path: Path) -> None:
    draws, model, data = random.Random(7), model_of(name), book(name)
    names, live = named_cells(data), formulas(data)
    trials = [{item.name: item.value * draws.uniform(0.3, 3.0) for item in model.inputs} for _ in range(100)]
    # Every other set is of short numbers, as people type them: their products often end in exactly half a cent.
    trials[::2] = [{key: float(f"{value:.2g}") for key, value in trial.items()} for trial in trials[::2]]
    edits = [{names[f"in_{key}"]: value for key, value in trial.items()} for trial in trials]
    together_in_ten = [together(data, edits[first : first + 10]) for first in range(0, 100, 10)]
    found = recalculated(together_in_ten, tmp_path)
    column = next(cell[0] for (sheet, cell), text in grid(data).items() if (sheet, text) == ("Cash flow", "Cash out"))
    assert live["Cash flow", f"{column}5"].startswith("=SUM(")
    for number, trial in enumerate(trials):
        expected, cells, at = values_of(model, trial), found[number // 10], number % 10
        for line in model.lines:
            sheet, cell = names[line.name]
            assert cells[trial_name(sheet, at), cell] == pytest.approx(expected[line.name], rel=1e-9), line.name
        out = cells[trial_name("Cash flow", at), f"{column}5"]
        assert out == pytest.approx(expected[model.total], rel=1e-9)


@pytest.mark.needs_libreoffice
def test_every_input_moves_the_model_and_checks_turn_amber(tmp_path: Path) -> None:
    model, data = model_of("training"), book("training")
    names = named_cells(data)
    files = [changed(data, {})]
    files += [
        changed(data, {names[f"in_{item.name}"]: item.value * 1.5 if item.value else 1.0}) for item in model.inputs
    ]
    base, *rest = recalculated(files, tmp_path)
    lines = [names[line.name] for line in model.lines]
    still = set(inert(model))
    assert still == {"egress_gb"}, "what leaves this provider costs nothing, however much it is"
    assert base[names["checks_result"]] == "ok"
    for item, cells in zip(model.inputs, rest, strict=True):
        moves = any(cells[place] != base[place] for place in lines)
        assert moves == (item.name not in still), item.name
        assert cells[names["checks_result"]] != "ok"
    price = rest[[item.name for item in model.inputs].index("price_per_instance_hour")]
    assert price["Summary", "B6"] > base["Summary", "B6"]
    assert price["Cash flow", "B5"] > base["Cash flow", "B5"]
    assert price[names["cheapest_option"]] != base[names["cheapest_option"]]


def _same(first: object, second: object) -> bool:
    if isinstance(first, int | float) and isinstance(second, int | float):
        return first == pytest.approx(second, rel=1e-9, abs=1e-9)
    return first == second


@pytest.mark.needs_libreoffice
def test_options_are_compared_only_while_they_do_the_same_work(tmp_path: Path) -> None:
    """A service of 24 months is no dearer option than those that are priced for 12: the sheet says so, not which is cheapest."""
    data = book("training")
    names = named_cells(data)
    edits = {"in_price_per_instance_hour": 1.01, "in_budget": 0.999, "in_discount_rate": 2.0, "in_runs": 2.0}
    base = grid(data)
    files = [changed(data, {names[name]: float(str(base[names[name]])) * times}) for name, times in edits.items()]
    price, budget, discount, runs = recalculated(files, tmp_path)
    cell = names["cheapest_option"]
    best = ALL["training"]().recommendation.recommended
    assert best
    for cells in (price, budget, discount):
        assert str(cells[cell]).startswith(f"{best.count}\u00a0×\u00a0{best.accelerator_name}, ")
    assert str(runs[cell]).startswith("not known: an input other than a price was changed")
    row = next(cell[1:] for (sheet, cell), text in base.items() if sheet == "Checks" and "is the cheapest" in str(text))
    assert budget["Checks", f"B{row}"] == "ok"
    assert runs["Checks", f"B{row}"] == "changed"
