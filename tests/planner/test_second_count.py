"""The second count of `tests/engine/by_definition.py` held against what JSON prints: 320 plans of 16 kinds in five currencies.

`tests/engine/test_ledger.py` holds the engine's ledger to it. Here each figure is read back as text from the body of the API, so that
what is printed is counted, and not what it was printed from.
"""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import Any

import pytest

from engine.inputs.currency import DIGITS
from planner.money import ledger_body, views_body
from tests.engine.by_definition import Sums
from tests.engine.test_ledger import CASES, KINDS, RATES, SEEDS, accounts, case, defined

VIEWS = ("cash", "expense", "allocated")


def units(body: dict[str, Any]) -> int:
    """An amount as JSON has it, in smallest units: no more decimals than these have."""
    exact = Decimal(body["amount"]).scaleb(DIGITS[body["currency"]])
    assert exact == int(exact)
    return int(exact)


def wanted(sums: Sums, view: str) -> dict[str, int]:
    return {month: part for month, part in getattr(sums, view).items() if part}


@pytest.mark.parametrize("kind", KINDS)
def test_json_says_what_the_definitions_say(kind: str) -> None:
    for code in RATES:
        for seed in SEEDS:
            one = case(kind, code, seed)
            ledger, views = accounts(one)
            sums, body, rows = defined(kind, one), views_body(views), ledger_body(ledger.entries, whole=True)
            assert units(body["committed"]) == sums.committed
            assert {row["month"]: units(row) for row in body["cash"] if units(row)} == wanted(sums, "cash")
            assert units(body["expense"]) == sum(sums.expense.values())
            assert units(body["allocated"]) == sum(sums.allocated.values())
            assert units(body["economic"]) == sums.economic
            assert units(body["npv"]) == pytest.approx(sums.worth, abs=0.51)
            for view in VIEWS:
                months: dict[str, int] = defaultdict(int)
                for row in rows:
                    months[row["date"][:7]] += units(row) if row["view"] == view else 0
                assert {month: part for month, part in months.items() if part} == wanted(sums, view), view
            shorter = ledger_body(ledger.entries)
            for view in (*VIEWS, "committed", "economic"):
                assert sum(units(row) for row in shorter if row["view"] == view) == sum(
                    units(row) for row in rows if row["view"] == view
                )


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 200
    assert len({(kind, code) for kind, code, _ in CASES}) == len(KINDS) * len(RATES)
