"""What a reviewer should look at before prices are published. Pure: rows in, flags out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import pairwise

from catalog.importers.outcome import SPOT_TOLERANCE, believable, medians
from catalog.records import PriceRow, decimal_text
from engine.inputs.freshness import limit_days

FAR = "Far from the usual price: less than a fifth or more than five times the median per accelerator."
SPOT = "The spot price is above the on-demand price."
COUNT = "More accelerators cost less than fewer in the same region."
AGE = "The price is older than half its limit: 30 days for a list, 3 for spot."

_Place = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Flag:
    """One thing to look at: why, and the price it is about."""

    reason: str
    text: str


def flags_of(
    rows: Sequence[PriceRow], public: Iterable[PriceRow], *, today: date, usd: Mapping[str, Decimal] | None = None
) -> list[Flag]:
    """Flags of those rows against each other and the public prices, in the order of the reasons above.

    `usd`: dollars for one unit of each currency; a price in another currency is not compared with the usual one.
    """
    known, rate = list(public), {"USD": Decimal(1), **(usd or {})}
    middle = medians(_in_dollars([*known, *rows], rate))
    found = [
        Flag(reason=FAR, text=_shown(row))
        for row in rows
        if not all(believable(same, middle) for same in _in_dollars([row], rate))
    ]
    found += [Flag(reason=SPOT, text=_shown(row)) for row in _dear_spot(rows, known)]
    found += [Flag(reason=COUNT, text=_shown(row)) for row in _falling(rows)]
    found += [Flag(reason=AGE, text=_shown(row)) for row in rows if ageing((today - row.date).days, row.option)]
    return found


def ageing(days: int, option: str) -> bool:
    """Is a price of that option past half of what it may be old?"""
    return days > limit_days(option) // 2


def _in_dollars(rows: Iterable[PriceRow], rate: Mapping[str, Decimal]) -> list[PriceRow]:
    return [
        row if row.currency == "USD" else replace(row, amount=row.amount * rate[row.currency])
        for row in rows
        if row.currency in rate
    ]


def _dear_spot(rows: Sequence[PriceRow], known: Iterable[PriceRow]) -> list[PriceRow]:
    """Spot prices above what the same machine costs on demand, in the rows or else in public."""
    on_demand: dict[_Place, PriceRow] = {}
    for row in (*sorted(known, key=lambda row: row.date), *rows):
        if row.option == "on_demand":
            on_demand[row.provider, row.instance, row.region] = row
    found = []
    for row in rows:
        usual = on_demand.get((row.provider, row.instance, row.region))
        comparable = row.option == "spot" and usual is not None and usual.currency == row.currency
        if comparable and usual is not None and row.amount > usual.amount * SPOT_TOLERANCE:
            found.append(row)
    return found


def _falling(rows: Sequence[PriceRow]) -> list[PriceRow]:
    """Machines that cost less than a smaller one of the same accelerator, place, option and currency."""
    groups: dict[tuple[str, ...], list[PriceRow]] = {}
    for row in rows:
        key = (row.provider, row.accelerator, row.region, row.zone, row.option, row.currency, row.date.isoformat())
        groups.setdefault(key, []).append(row)
    found = []
    for group in groups.values():
        cheapest: dict[Decimal, PriceRow] = {}
        for row in group:
            if row.count not in cheapest or row.amount < cheapest[row.count].amount:
                cheapest[row.count] = row
        steps = [cheapest[count] for count in sorted(cheapest)]
        found += [more for fewer, more in pairwise(steps) if more.amount < fewer.amount]
    return found


def _shown(row: PriceRow) -> str:
    return (
        f"{row.provider} {row.instance} {row.region} {row.option}: {decimal_text(row.amount)} {row.currency} "
        f"for {decimal_text(row.count)} × {row.accelerator}, {row.date.isoformat()}"
    )
