"""One plan, six readers: every headline number, read back from Word, PDF, PowerPoint, Excel, the page and the API.

Numbers are taken from the places where a person reads them and compared with the frozen plan: whole amounts, bands and
times of three digits, cells and JSON to the cent. What each must say is listed, so that a number that is missing counts.
"""

from __future__ import annotations

import html
import re
import subprocess
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pytest
from django.test import Client

from accounts.models import Role
from exports.cost_values import leaves
from exports.numbers import month
from exports.render import render
from planner import plans
from planner.charting.money import small_lines
from planner.frozen.snapshot import Plan
from tests.api.support import Api
from tests.conftest import People, make_member
from tests.exports.real_plans import REQUESTS, best_of, options_of, plan_of
from tests.exports.recalculation import grid, named_cells
from voice.speech import say

pytestmark = [pytest.mark.needs_poppler, pytest.mark.django_db]
Numbers = dict[str, float]
Rows = list[tuple[str, ...]]
DAYS = {"days": 1.0, "day": 1.0, "hours": 1 / 24, "hour": 1 / 24, "h": 1 / 24}
REPORTED, SHOWN = 12, 8
"""Options in the table of the reports and on the slide; the workbook, the page and the API have all of them."""
CODE = "[A-Z]{3}"
NUMBER = r"−?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"


def truth(plan: Plan) -> Numbers:
    """Every headline number of the frozen plan [days, and money in its currency]."""
    best = best_of(plan)
    total, days = best.cost.total, best.days
    found = {"total": total.expected, "total.low": total.low, "total.high": total.high, "count": float(best.count)}
    if not best.serving:
        found |= {"days": days.expected, "days.low": days.low, "days.high": days.high}
    found |= {f"line.{line.name}": line.amount for line in leaves(best.cost.model)}
    found["together"] = sum(line.amount for line in small_lines(best.cost.model))
    found |= {f"month.{month(entry.month)}": entry.opex + entry.capex for entry in best.cost.model.cash}
    for index, option in enumerate(options_of(plan)):
        found[f"option.{index}"] = option.cost.total.expected
    return found


def value(text: str) -> float:
    """The only number in that text."""
    (found,) = re.findall(NUMBER, text)
    return float(found.replace(",", "").replace("−", "-"))


def headline(text: str) -> Numbers:
    """Cost, time and accelerators as key figures say them."""
    plain = squeezed(text)
    cost = re.search(rf"{CODE}({NUMBER})(?:80%band)?{CODE}({NUMBER})–({NUMBER})", plain)
    size = re.search(rf"({NUMBER})×", plain)
    assert cost
    assert size
    found = dict(zip(("total", "total.low", "total.high"), map(value, cost.groups()), strict=True))
    time = re.search(rf"({NUMBER})(days|hours|h)(?:80%band)?({NUMBER})–({NUMBER})(days|hours|h)", plain)
    if time:
        now, low, high = map(value, (time[1], time[3], time[4]))
        found |= {"days": now * DAYS[time[2]], "days.low": low * DAYS[time[5]], "days.high": high * DAYS[time[5]]}
    return found | {"count": value(size[1])}


def squeezed(text: str) -> str:
    """The text without white space: lines break elsewhere in every format."""
    return re.sub(r"\s", "", text)


def said_in_rows(rows: Iterable[tuple[str, ...]], plan: Plan) -> Numbers:
    """Lines, months and options of a report's tables; each table begins with its header."""
    labels = {squeezed(say(line.label)): f"line.{line.name}" for line in leaves(best_of(plan).cost.model)}
    found: Numbers = {}
    head: tuple[str, ...] = ()
    for row in rows:
        if row[0] in ("Option", "Line", "Month") and len(row) > 3:
            head = row
        elif len(row) != len(head):
            head = ()
        elif head[:2] == ("Line", "Computed as") and squeezed(row[0]) in labels:
            found[labels[squeezed(row[0])]] = value(row[3])
        elif head[:1] == ("Month",) and row[0] != "Total":
            found[f"month.{row[0]}"] = value(row[_column(head, "Together")])
        elif head[:1] == ("Option",) and _column(head, "Cost"):
            found[f"option.{sum(key.startswith('option.') for key in found)}"] = value(row[_column(head, "Cost")])
    return found


def _column(head: tuple[str, ...], title: str) -> int:
    """The column of that title, whatever its currency; 0 without one."""
    return next((at for at, text in enumerate(head) if re.fullmatch(f"{title}, {CODE}", text)), 0)


def rows_of_word(data: bytes) -> Rows:
    return [
        tuple(cell.text for cell in row.cells) for table in docx.Document(BytesIO(data)).tables for row in table.rows
    ]


def by_word(data: bytes, plan: Plan) -> Numbers:
    rows = rows_of_word(data)
    return headline(" ".join(rows[0])) | said_in_rows(rows[1:], plan)


def by_pdf(data: bytes, word: bytes, plan: Plan, folder: Path) -> Numbers:
    """The numbers that stand where the Word file's rows have theirs: a page knows no cells."""
    (folder / "plan.pdf").write_bytes(data)
    command = ["pdftotext", "-raw", str(folder / "plan.pdf"), "-"]
    text = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    rows: Rows = []
    for row in rows_of_word(word)[1:]:
        there = re.search(r"\s+".join(map(_in_lines, row)), text)
        if there:
            rows.append(tuple(" ".join(cell.split()) for cell in there.groups()))
    return headline(text) | said_in_rows(rows, plan)


def _in_lines(cell: str) -> str:
    """That cell as text that may be broken anywhere; a number is any number."""
    if re.fullmatch(NUMBER, cell):
        return f"({NUMBER})"
    return "(" + r"\s*".join(map(re.escape, squeezed(cell))) + ")"


def by_powerpoint(data: bytes, plan: Plan) -> Numbers:
    labels = {say(line.label): f"line.{line.name}" for line in leaves(best_of(plan).cost.model)}
    cash = [month(entry.month) for entry in best_of(plan).cost.model.cash]
    months = {f"{name[:3]} {name[-4:]}": f"month.{name}" for name in cash}
    shapes = [shape for slide in pptx.Presentation(BytesIO(data)).slides for shape in slide.shapes]
    texts = [shape.text_frame.text for shape in shapes if shape.has_text_frame]
    rows = [tuple(cell.text for cell in row.cells) for one in shapes if one.has_table for row in one.table.rows]
    found = headline(" ".join(text for text in texts if re.match(r"(Cost|Time|Capacity)\n", text)))
    for chart in (shape.chart for shape in shapes if shape.has_chart):
        plot = chart.plots[0]
        if set(plot.categories) & set(labels):
            pairs = zip(plot.categories, plot.series[0].values, strict=True)
            found |= {labels.get(name, "together"): amount for name, amount in pairs}
        elif set(plot.categories) & set(months):
            sums = map(sum, zip(*(series.values for series in plot.series), strict=True))
            found |= {months[name]: amount for name, amount in zip(plot.categories, sums, strict=True)}
    return found | said_in_rows(rows, plan)


def by_excel(data: bytes, plan: Plan) -> Numbers:
    """Values as a program sees them that does not calculate."""
    names, cells = named_cells(data), grid(data)
    code = plan.recommendation.currency.code
    best, sheet = best_of(plan), openpyxl.load_workbook(BytesIO(data), data_only=True)

    def column(name: str, head: int, title: str, first: int, count: int) -> list[Any]:
        titles = [cell.value for cell in sheet[name][head]]
        return [sheet[name].cell(first + index, titles.index(title) + 1).value for index in range(count)]

    found = {f"line.{line.name}": cells[names[line.name]] for line in leaves(best.cost.model)}
    rows = {row[0].value: row for row in sheet["Summary"].iter_rows()}
    for label, key in ((f"Total cost, {code}", "total"), ("Days to finish (frozen physics)", "days")):
        if label in rows:
            found |= {f"{key}{end}": rows[label][at].value for end, at in (("", 1), (".low", 2), (".high", 3))}
    months = [month(entry.month) for entry in best.cost.model.cash]
    out = column("Cash flow", 4, "Cash out", 6, len(months))
    found |= {f"month.{name}": amount for name, amount in zip(months, out, strict=True)}
    totals = column("Candidates", 6, f"Total, {code}", 7, len(options_of(plan)))
    found |= {f"option.{index}": amount for index, amount in enumerate(totals)}
    found["count"] = column("Candidates", 6, "Accelerators", 7, 1)[0]
    return {key: float(str(amount)) for key, amount in found.items()}


def by_page(page: str, plan: Plan) -> Numbers:
    """Figures and cost lines by the names that comments point to, options by their rows."""
    parts = dict(re.findall(r'id="n-([\w.]+)"(.*?)(?=id="n-|</tbody>|<details class="how">)', page, re.DOTALL))
    texts = {
        name: html.unescape(re.sub(r"<svg.*?</svg>|<[^>]+>", " ", part, flags=re.DOTALL))
        for name, part in parts.items()
    }
    found = headline(" ".join(texts.get(f"figure.{name}", "") for name in ("cost", "time", "hardware")))
    for line in leaves(best_of(plan).cost.model):
        amount = re.search(rf"(−?){CODE}\s({NUMBER})", texts[f"line.{line.name}"])
        assert amount, line.name
        found[f"line.{line.name}"] = value("".join(amount.groups()))
    costs = re.findall(rf'data-column="cost">{CODE}\s([^<]+)<', page)
    found |= {f"option.{index}": value(text) for index, text in enumerate(costs)}
    cash = re.search(r'id="c-cash".*?<tbody>(.*?)</tbody>', page, re.DOTALL)
    for name, cells in re.findall(r'<th scope="row">([\d-]+)</th>(.*?)</tr>', cash[1] if cash else ""):
        amounts = re.findall(r">([−\d,.]+)\s?([kM]?)<", cells)
        found[f"month.{month(name)}"] = sum(value(cell) * {"": 1, "k": 1e3, "M": 1e6}[unit] for cell, unit in amounts)
    return found


def by_api(body: dict[str, Any]) -> Numbers:
    answer = body["estimate"]
    best, options = answer["recommended"], [answer["recommended"], *answer["alternatives"]]
    cost = best["cost"]
    found = {f"total{end}": cost["total"][name] for end, name in (("", "expected"), (".low", "low"), (".high", "high"))}
    found |= {f"days{end}": best["days"][name] for end, name in (("", "expected"), (".low", "low"), (".high", "high"))}
    found |= {f"line.{line['name']}": line["amount"] for line in cost["lines"]}
    for entry in cost["by_month"]:
        found[f"month.{month(entry['month'])}"] = float(entry["opex"]["amount"]) + float(entry["capex"]["amount"])
    found |= {f"option.{index}": one["cost"]["total"]["expected"] for index, one in enumerate(options)}
    found["count"] = best["count"]
    return {key: float(one["amount"] if isinstance(one, dict) else one) for key, one in found.items()}


def wanted(name: str, exact: Numbers, plan: Plan) -> set[str]:
    """What that reader must be told."""
    most = {"Word": REPORTED, "PDF": REPORTED, "PowerPoint": SHOWN}.get(name, len(exact))
    keys = {key for key in exact if not key.startswith("option.") or int(key.removeprefix("option.")) < most}
    if name != "PowerPoint":
        return keys - {"together"}
    # A chart has no bar for a line that costs nothing, and one for all that have no room.
    small = {f"line.{line.name}" for line in small_lines(best_of(plan).cost.model)}
    assert abs(exact["together"]) <= 0.02 * sum(abs(exact[key]) for key in keys if key.startswith("line."))
    told = {key for key in keys - small if not key.startswith("line.") or abs(exact[key]) > 1}
    return told if small else told - {"together"}


def agrees(name: str, key: str, said: float, exact: float) -> bool:
    """Cells and JSON to the cent; amounts whole; bands, times and what a chart's table says in three digits."""
    if name in ("Excel", "API"):
        return said == pytest.approx(exact, rel=1e-9, abs=0.0051)
    if key.startswith("days") or key.endswith((".low", ".high")) or (name == "Page" and key.startswith("month.")):
        return said == pytest.approx(exact, rel=0.005)
    return said == pytest.approx(exact, abs=0.5, rel=0)


@pytest.mark.parametrize("name", REQUESTS)
def test_every_reader_is_told_the_plan_s_numbers(people: People, client: Client, name: str, tmp_path: Path) -> None:
    plan, petra = plan_of(name), make_member(people.team, "Petra", Role.PLANNER)
    version = plans.freeze_version(petra, plans.save_workload(petra, name=name, draft=REQUESTS[name]), plan)
    client.force_login(petra.user)
    word = render(plan, "docx")
    said = {
        "Word": by_word(word, plan),
        "PDF": by_pdf(render(plan, "pdf"), word, plan, tmp_path),
        "PowerPoint": by_powerpoint(render(plan, "pptx"), plan),
        "Excel": by_excel(render(plan, "xlsx"), plan),
        "Page": by_page(client.get(f"/plans/{version.public_id}?all=1").content.decode(), plan),
        "API": by_api(Api(petra).get(f"/plans/{version.workload.public_id}/versions/1").json()),
    }
    exact = truth(plan)
    assert len(exact) > 20
    missing = {reader: sorted(wanted(reader, exact, plan) - numbers.keys()) for reader, numbers in said.items()}
    assert not {reader: keys for reader, keys in missing.items() if keys}
    wrong = [
        (reader, key, numbers[key], exact[key])
        for reader, numbers in said.items()
        for key in sorted(exact.keys() & numbers.keys())
        if not agrees(reader, key, numbers[key], exact[key])
    ]
    assert not wrong
    for key in ("total", "total.low", "total.high", "count"):
        assert len({said[reader][key] for reader in ("Word", "PDF", "PowerPoint", "Page")}) == 1, key
