"""A plan has one currency: the same request in dollars and in another differs exactly by the rate, everywhere.

The rates are made up, seven of a currency for one dollar, so that a number that was not converted cannot hide.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

import openpyxl
import pytest

from engine.inputs.currency import DIGITS
from engine.inputs.hardware import Market
from engine.inputs.known import Known
from exports.compose import compose
from exports.render import render
from planner.body import estimate_body
from planner.estimate import estimate
from planner.frozen.snapshot import Plan, settled
from planner.market import market_from_files
from planner.pages.form.live import glance_for
from planner.presenters import present
from planner.request.parse import spec_from
from planner.summary import summary_lines

PER_USD = {"EUR": 7.0, "GBP": 7.0, "CHF": 7.0, "JPY": 700.0, "INR": 7.0}
"""The coin of a yen is a whole one, as large as a hundredth of the others."""
CURRENCIES = tuple(PER_USD)
TRAIN = {"workload": "training", "model": "llama-3.1-8b", "as_of": "2026-11-22"}
SERVE = {"workload": "serving", "model": "llama-3.1-8b", "as_of": "2026-11-22"}
PACE = {"requests_per_s": 5, "input_tokens": 500, "output_tokens": 200, "ttft_p95_ms": 2000}
REQUESTS: dict[str, dict[str, Any]] = {
    "rented": TRAIN
    | {"training": {"tokens": "20B"}, "constraints": {"deadline_days": 30, "budget_usd": 40_000, "spot": False}},
    "spot": TRAIN | {"training": {"tokens": "5B", "method": "finetune"}, "constraints": {"budget_usd": 9_000}},
    "committed": TRAIN
    | {"training": {"tokens": "400B", "runs": 6}, "horizon_months": 12, "constraints": {"spot": False}},
    "bought": TRAIN
    | {"training": {"tokens": "300B", "runs": 40}, "horizon_months": 36, "constraints": {"providers": ["nobody"]}},
    "owned": TRAIN
    | {"training": {"tokens": "20B"}, "owned": [{"accelerator": "h100-sxm5", "count": 16}], "horizon_months": 24},
    "budget": TRAIN | {"training": {"tokens": "1T"}, "constraints": {"budget_usd": 5_000}},
    "deadline and budget": TRAIN
    | {"training": {"tokens": "1T"}, "constraints": {"deadline_days": 3, "budget_usd": 50_000}},
    "service": SERVE | {"serving": PACE, "constraints": {"budget_usd": 400_000}},
    "service that nothing pays for": SERVE | {"serving": PACE, "constraints": {"budget_usd": 3_000}},
    "batch": SERVE
    | {"serving": {"input_tokens": 800, "output_tokens": 150, "batch": {"requests": 1e6, "deadline_hours": 24}}},
    "samples": TRAIN | {"model": "resnet-50", "training": {"samples": "1.28M", "epochs": 90}},
}
REQUESTS["bought"]["constraints"] = {"accelerators": ["h100-sxm5"], "regions": [], "spot": False}


CASES = [
    pytest.param(name, code, id=f"{name}-{code}", marks=[pytest.mark.slow] if code != "EUR" else [])
    for name in REQUESTS
    for code in CURRENCIES
    if code in ("EUR", "JPY") or name in ("rented", "service")
]
"""Every request in the euro and in the yen, whose coin is another; of the others, which differ from the euro by their names
alone (one rate, one coin), one request of each kind of work."""
KNOWN = Known()
"""A search is the same in every currency."""


@cache
def market() -> Market:
    found = market_from_files()
    return replace(found, fx_usd={code: (1.0 / rate, "2026-08-10") for code, rate in PER_USD.items()})


@cache
def plan_of(name: str, currency: str) -> Plan:
    return estimate(spec_from({**REQUESTS[name], "name": name, "currency": currency}, text=True), market(), known=KNOWN)


@cache
def body_of(name: str, currency: str) -> dict[str, Any]:
    return estimate_body(plan_of(name, currency))


NATIVE = re.compile(r"(.*\.offer|assumptions|.*\.cost\.inputs\[[^\]]*\])(\..*|\[.*)|currency\..*")
"""Where a body may speak of dollars: what a seller asks, an assumption, an input of the model beside its rate."""


ASKED = re.compile(
    r"1 USD = [\d.,]+ [A-Z]{3}|One US dollar counts as [\d.,]+\s[A-Z]{3}|[A-Z]{3} for one US dollar|[A-Z]{3}/USD"
)
"""What may name the dollar everywhere: the rate itself."""


def pairs(first: Any, second: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """(path, value, value) of all leaves and amounts that stand at the same place in both bodies."""
    if isinstance(first, dict) and isinstance(second, dict):
        if "currency" in first and first.keys() <= {"amount", "low", "expected", "high", "currency"}:
            yield path, first, second
            return
        assert first.keys() == second.keys(), path
        for key in first:
            yield from pairs(first[key], second[key], f"{path}.{key}" if path else key)
    elif isinstance(first, list) and isinstance(second, list):
        if path == "drivers":  # what moves a total by less than one coin is none, and coins differ
            names = {item["name"] for item in first} & {item["name"] for item in second}
            first, second = ([item for item in items if item["name"] in names] for items in (first, second))
        if path == "ledger":  # an entry that rounds to no coin at all is none, and coins differ
            first, second = (_whole(items, {*map(_entry, first), *map(_entry, second)}) for items in (first, second))
        same = [item for item in second if not (isinstance(item, dict) and item.get("name") == "fx_rate")]
        assert len(first) == len(same), path
        for at, (one, other) in enumerate(zip(first, same, strict=True)):
            yield from pairs(one, other, f"{path}[{at}]")
    else:
        yield path, first, second


def _entry(item: dict[str, Any]) -> tuple[str, ...]:
    return item["date"], item["view"], item["line"], item["contract"], str(float(item["amount"]) > 0)


def _whole(items: list[dict[str, Any]], keys: set[tuple[str, ...]]) -> list[dict[str, Any]]:
    """The amounts of those entries in one order, and nothing where only the other currency has one."""
    code = next((item["currency"] for item in items), "")
    found = {_entry(item): {"amount": item["amount"], "currency": code} for item in items}
    return [found.get(key, {"amount": "0", "currency": code}) for key in sorted(keys)]


def texts(body: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """(path, text) of every text of a body."""
    if isinstance(body, dict):
        for key, value in body.items():
            yield from texts(value, f"{path}.{key}" if path else key)
    elif isinstance(body, list):
        for at, value in enumerate(body):
            yield from texts(value, f"{path}[{at}]")
    elif isinstance(body, str):
        yield path, body


@pytest.mark.parametrize(("name", "currency"), CASES)
def test_every_amount_is_that_of_the_plan_in_dollars_at_the_rate(name: str, currency: str) -> None:
    dollars, other = body_of(name, "USD"), body_of(name, currency)
    assert other["currency"]["code"] == currency
    seen = 0
    for path, first, second in pairs(dollars, other):
        if not isinstance(first, dict):
            continue
        if second["currency"] == "USD":
            assert NATIVE.fullmatch(path), path
            assert second == first, path
            continue
        seen += 1
        assert second["currency"] == currency, path
        unit, rate = 10.0 ** -DIGITS[currency], PER_USD[currency]
        for key in first.keys() - {"currency"}:
            want, got = float(first[key]) * rate, float(second[key])
            # Each of some dozen lines is rounded to a cent in dollars and to a coin of the other currency; what a
            # month costs follows from the sum of a batch that takes hours.
            # A budget that would be enough is a round one, three digits of its own currency.
            near = 2e-2 if "needed" in path else 5e-3
            assert got == pytest.approx(want, rel=near, abs=40 * (0.005 * rate + unit)), (path, first, second)
    assert seen > 20


@pytest.mark.parametrize(("name", "currency"), CASES)
def test_no_text_of_an_answer_speaks_of_dollars(name: str, currency: str) -> None:
    told = [(path, text) for path, text in texts(body_of(name, currency)) if not NATIVE.fullmatch(path)]
    assert len(told) > 100
    assert [(path, text) for path, text in told if re.search(r"USD|\$|dollar", ASKED.sub("", text))] == []


SAID = re.compile(r"\bUSD\b|\$|[Dd]ollar")


def spoken(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a composed document or a presented page, with the fields that lead to it."""
    if isinstance(value, str):
        yield path, value
    elif is_dataclass(value):
        known = f"{path}#{getattr(value, 'id', '')}"
        for field in fields(value):
            yield from spoken(getattr(value, field.name), f"{known}.{field.name}")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from spoken(item, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for at, item in enumerate(value):
            yield from spoken(item, f"{path}[{at}]")


def dollars_in(texts_: Iterator[tuple[str, str]], native: re.Pattern[str]) -> list[tuple[str, str]]:
    """Those that speak of dollars where nobody asks them."""
    return [(path, text) for path, text in texts_ if SAID.search(ASKED.sub("", text)) and not native.search(path)]


QUOTED = re.compile(
    r"#assumptions|#cited|\.sheets#?\.(sources|beside|model#?\.inputs|alternatives\[\d+\]#?\.model#?\.inputs)|\.(plan|result|best)#"
    r"|\.assumptions\[|\.how#\.sources\[\d+\]#\.source$"
)
"""Where documents and pages list what sellers ask and what is assumed, as it was read; a page also carries its plan."""


@pytest.mark.parametrize("name", REQUESTS)
def test_documents_page_panel_and_terminal_speak_one_currency(name: str) -> None:
    plan = settled(plan_of(name, "EUR"))
    told = [*spoken(compose(plan)), *((f"line {at}", text) for at, text in enumerate(summary_lines(plan)))]
    assert len(told) > 150
    assert dollars_in(iter(told), QUOTED) == []
    assert dollars_in(spoken(present(plan, every=True)), QUOTED) == []
    panel = glance_for({**REQUESTS[name], "name": name, "currency": "EUR"}, market(), settle=True)
    assert dollars_in(spoken(panel), QUOTED) == []
    assert panel.money_note == "1 USD = 7 EUR, rate of 10 Aug 2026"


NATIVE_SHEETS = {"Sources", "Inputs", "Scenarios", "Sensitivity", "Rent", "Commit", "Lease", "Buy", "Keep"}
"""Where prices stand as they are asked, beside the rate."""


@pytest.mark.parametrize("name", ["rented", "bought", "owned", "budget", "service", "batch"])
def test_every_sum_of_the_workbook_is_in_the_plans_currency(name: str) -> None:
    books = {
        code: openpyxl.load_workbook(io.BytesIO(render(settled(plan_of(name, code)), "xlsx")), data_only=True)
        for code in ("USD", "EUR")
    }
    for sheet in books["EUR"]:
        if sheet.title in NATIVE_SHEETS:
            continue
        cells = (
            (cell.coordinate, str(cell.value)) for row in sheet.iter_rows() for cell in row if cell.value is not None
        )
        wrong = [(at, text) for at, text in dollars_in(cells, re.compile("^$")) if text not in PRICES_ASKED]
        assert wrong == [], sheet.title
    totals = [total_in(books[code], code) for code in ("USD", "EUR")]
    assert totals[1] == pytest.approx(totals[0] * 7.0, rel=1e-3)


PRICES_ASKED = {"Price, USD", "Holds from price, USD", "Holds up to price, USD"}


def total_in(book: Any, code: str) -> float:
    """The least total of the sheet of options."""
    sheet = book["Candidates"]
    heads = {str(cell.value): cell.column for row in sheet.iter_rows(min_row=6, max_row=6) for cell in row}
    column = heads[f"Total, {code}"]
    return min(float(row[column - 1].value) for row in sheet.iter_rows(min_row=7) if row[column - 1].value is not None)
