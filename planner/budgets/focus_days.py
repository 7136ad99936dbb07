"""Rows of FOCUS by day: the rows of a month shared out over the days on which the work runs.

Use and its tax are shared; what is paid once (a purchase, an adjustment) stays whole, on the first of those days. A month's days add up to
the month to the smallest coin, and their quantities to its quantity; the billing period stays the month.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from planner.budgets.focus_bands import HIGH, LOW

Row = dict[str, str]
SHARED: Final = (
    "ListCost", "ContractedCost", "EffectiveCost", "BilledCost", "PricingQuantity", "ConsumedQuantity",
    "CommitmentDiscountQuantity", "x_AllocatedCost", "x_ContractCommitmentDrawnCost", LOW, HIGH,
)  # fmt: skip
"""Columns that a day has a part of."""


def by_day(rows: Iterable[Row], begins: date, ends: date | None) -> Iterator[Row]:
    """Those rows by day, for work from `begins` to `ends` (None = no end)."""
    for row in rows:
        days = active_days(date.fromisoformat(row["ChargePeriodStart"][:10]), begins, ends)
        if row["ChargeCategory"] not in ("Usage", "Tax") or row["ChargeFrequency"] == "One-Time":
            days = days[:1]
        parts = {name: shared(row[name], len(days)) for name in SHARED if row.get(name)}
        for place, day in enumerate(days):
            period = {"ChargePeriodStart": _moment(day), "ChargePeriodEnd": _moment(day + timedelta(days=1))}
            yield row | period | {name: share[place] for name, share in parts.items()}


def active_days(first: date, begins: date, ends: date | None) -> list[date]:
    """The days of that month (`first` is its first day) on which the work runs; one day where nothing runs."""
    last = first.replace(day=monthrange(first.year, first.month)[1])
    starts, stops = max(first, begins), min(last, ends or last)
    if starts > stops:
        return [starts if starts <= last else first]
    return [starts + timedelta(days=index) for index in range((stops - starts).days + 1)]


def shared(text: str, parts: int) -> list[str]:
    """A number in equal parts of its last digit, the first ones one larger where it does not divide."""
    whole = Decimal(text)
    exponent = int(whole.as_tuple().exponent)
    units = int(whole.scaleb(-exponent))
    least, more = divmod(abs(units), parts)
    sign = -1 if units < 0 else 1
    return [str(Decimal(sign * (least + (index < more))).scaleb(exponent)) for index in range(parts)]


def _moment(day: date) -> str:
    return f"{day.isoformat()}T00:00:00Z"
