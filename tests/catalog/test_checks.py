"""What a reviewer is shown before prices are published."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from catalog.checks import AGE, COUNT, FAR, SPOT, flags_of
from catalog.importers.outcome import LONG, Outcome, without_outliers
from catalog.records import PriceRow

TODAY = date(2026, 8, 22)
ROW = PriceRow(
    provider="aws",
    instance="p5.48xlarge",
    region="us-east-1",
    zone="",
    accelerator="h100-sxm5",
    count=Decimal(8),
    option="on_demand",
    amount=Decimal(40),
    currency="USD",
    date=TODAY,
    source="team-quote",
)
PUBLIC = [replace(ROW, region=f"region-{n}", amount=Decimal(40 + n)) for n in range(5)] + [ROW]
ONE = replace(ROW, instance="p5.4xlarge", count=Decimal(1))


def test_a_name_that_no_column_takes_costs_its_own_price_and_no_other() -> None:
    """PostgreSQL would refuse the whole feed, SQLite store what nobody can import elsewhere."""
    widest, too_wide = replace(ROW, region="r" * 60), replace(ROW, region="r" * 61)
    outcome = without_outliers(Outcome(lines=2, priced=2, rows=[widest, too_wide]))
    assert outcome.rows == [widest]
    assert [one.reason for one in outcome.dropped] == [LONG]


@pytest.mark.parametrize(
    ("rows", "reasons"),
    [
        ([ROW], []),
        ([replace(ROW, amount=Decimal(8))], [FAR]),
        ([replace(ROW, amount=Decimal("8.5"))], []),
        ([replace(ROW, amount=Decimal(205))], []),
        ([replace(ROW, amount=Decimal(211))], [FAR]),
        ([replace(ROW, amount=Decimal(8), currency="EUR")], [FAR]),
        ([replace(ROW, amount=Decimal(12), currency="EUR")], []),
        ([replace(ROW, amount=Decimal(1), currency="XXX")], []),
        ([replace(ROW, option="spot", amount=Decimal("40.04"))], []),
        ([replace(ROW, option="spot", amount=Decimal("40.05"))], [SPOT]),
        ([replace(ROW, amount=Decimal(50)), replace(ROW, option="spot", amount=Decimal(45))], []),
        ([ROW, replace(ONE, amount=Decimal(41)), replace(ONE, region="elsewhere", amount=Decimal(20))], [FAR, COUNT]),
        ([ROW, replace(ONE, amount=Decimal(5))], []),
        ([replace(ROW, date=date(2026, 7, 23))], []),
        ([replace(ROW, date=date(2026, 7, 22))], [AGE]),
    ],
)
def test_each_flag_at_its_edge(rows: list[PriceRow], reasons: list[str]) -> None:
    found = flags_of(rows, PUBLIC, today=TODAY, usd={"EUR": Decimal("0.9")})
    assert sorted({flag.reason for flag in found}) == sorted(reasons)
    assert all("h100-sxm5" in flag.text for flag in found)
