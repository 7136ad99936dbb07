"""What the catalog's pages show of prices: observations narrowed by the visitor, and the history of one offer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from statistics import median
from typing import Any, overload

from django.utils.safestring import SafeString, mark_safe

from catalog import clock
from catalog.checks import ageing
from catalog.days import plain_date
from catalog.providers import provider_name
from catalog.records import PriceRow, Record, decimal_text
from catalog.whole import Catalog
from charts.chart import Chart, Series
from charts.svg import NARROW, WIDE, svg
from engine.inputs.freshness import limit_days

OPTION_NAMES = {
    "on_demand": "on demand",
    "spot": "spot",
    "commit_1y": "1-year commitment",
    "commit_3y": "3-year commitment",
    "capacity_block": "capacity block",
}


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What the visitor narrows the list to; empty means all."""

    accelerator: str = ""
    provider: str = ""
    option: str = ""
    region: str = ""
    as_of: date | None = None
    every: bool = False
    """All observations, not only the newest of each offer."""

    def fits(self, row: PriceRow) -> bool:
        """Is that price in the list?"""
        return (
            self.accelerator in ("", row.accelerator)
            and self.provider in ("", row.provider)
            and self.option in ("", row.option)
            and self.region.lower() in f"{row.region} {row.zone}".lower()
            and (self.as_of is None or row.date <= self.as_of)
        )


@dataclass(frozen=True, kw_only=True)
class PriceLine:
    """One price as it was observed, and for one accelerator. `level`: "", "warn" or "bad", by its age."""

    offer: str
    provider: str
    instance: str
    region: str
    accelerator: str
    option: str
    count: str
    amount: str
    each: str
    observed: date
    valid_from: date | None
    age: str
    level: str
    source: str
    source_id: str
    derived: bool
    own: bool
    overridden: bool


def offer_of(row: PriceRow) -> str:
    """The offer that a price belongs to, as plans name it."""
    return "/".join((row.provider, row.instance, row.region, row.option))


@dataclass(frozen=True, kw_only=True)
class PriceList(Sequence[PriceLine]):
    """Prices in the order of the page. A line is made when it is asked for: a catalog may hold 100,000."""

    rows: list[PriceRow]
    owned: int
    """So many of the first rows are the team's own."""
    replaced: frozenset[str]
    titles: dict[str, str]
    today: date

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> PriceLine: ...
    @overload
    def __getitem__(self, place: slice) -> list[PriceLine]: ...
    def __getitem__(self, place: int | slice) -> PriceLine | list[PriceLine]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self.rows)))]
        row, own = self.rows[place], place % max(len(self.rows), 1) < self.owned
        overridden = not own and offer_of(row) in self.replaced
        return _line(row, self.titles, self.today, own=own, overridden=overridden)


def price_lines(catalog: Catalog, wanted: Wanted) -> PriceList:
    """The prices that fit: a team's own first, accelerators that plans can use before others, the newest first, of each
    the cheapest first. Ages count to today, or to the day that is asked for."""
    standing = {record.slug: _standing(record) for record in catalog.of("accelerator")}

    def rank(row: PriceRow) -> tuple[Any, ...]:
        return (
            *standing.get(row.accelerator, _UNKNOWN),
            row.accelerator,
            row.amount / row.count,
            offer_of(row),
            row.zone,
        )

    own, public = sorted(seen(catalog.overlay, wanted), key=rank), sorted(seen(catalog.prices, wanted), key=rank)
    return PriceList(
        rows=[*own, *public],
        owned=len(own),
        replaced=frozenset(offer_of(row) for row in own),
        titles={source.id: source.title for source in catalog.sources},
        today=wanted.as_of or clock.today(),
    )


def seen(rows: Iterable[PriceRow], wanted: Wanted) -> list[PriceRow]:
    """Those rows that are in the list: of each offer the newest, or all where that is wanted."""
    found = [row for row in rows if wanted.fits(row)]
    if wanted.every:
        return found
    newest: dict[str, date] = {}
    for row in found:
        newest[offer_of(row)] = max(row.date, newest.get(offer_of(row), row.date))
    return [row for row in found if row.date == newest[offer_of(row)]]


_UNKNOWN = (True, True, 0.0)


def _standing(record: Record) -> tuple[bool, bool, float]:
    """Where an accelerator stands in the list: what plans can use and what is still sold before the rest, newest first."""
    return not record.flag("plannable", True), record.text("end_of_sale", "no") != "no", -record.number("release_year")


def _each(row: PriceRow) -> str:
    """The price of one accelerator in its currency: to the cent, to a hundredth of one below one unit."""
    each = row.amount / row.count
    return f"{each:,.2f}" if each >= 1 else f"{each:.4f}"


def _line(
    row: PriceRow, titles: dict[str, str], today: date, *, own: bool = False, overridden: bool = False
) -> PriceLine:
    days = (today - row.date).days
    return PriceLine(
        offer=offer_of(row),
        provider=provider_name(row.provider),
        instance=row.instance,
        region=row.zone or row.region,
        accelerator=row.accelerator,
        option=OPTION_NAMES[row.option],
        count=decimal_text(row.count),
        amount=f"{decimal_text(row.amount)} {row.currency}",
        each=f"{_each(row)} {row.currency}",
        observed=row.date,
        valid_from=row.valid_from,
        age=age_words(days, row.option),
        level=age_level(days, row.option),
        source=titles.get(row.source, row.source),
        source_id=row.source,
        derived=row.confidence == "derived",
        own=own,
        overridden=overridden,
    )


def age_level(days: int, option: str) -> str:
    """ "" for a fresh price, "warn" (amber) past half of what it may be old, "bad" (red) past all of it."""
    return "bad" if days > limit_days(option) else "warn" if ageing(days, option) else ""


def age_words(days: int, option: str) -> str:
    """Words for a price that is not fresh, "" for one that is."""
    return f"{days} days old" if ageing(days, option) else ""


@dataclass(frozen=True, kw_only=True)
class HistoryChart:
    """An offer's price over time as pictures for wide and narrow windows, and in words."""

    words: str
    wide: SafeString
    narrow: SafeString


def history_chart(rows: Sequence[PriceRow], *, whose: str) -> HistoryChart | None:
    """The chart of an offer's price per accelerator (the middle zone of each day); None below two dates.

    A price holds until the next day on which it was read, so the line is one of steps.
    """
    by_day: dict[date, list[float]] = {}
    for row in rows:
        by_day.setdefault(row.date, []).append(float(row.amount / row.count))
    if len(by_day) < 2 or len({row.currency for row in rows}) > 1:
        return None
    points = [(day, median(by_day[day])) for day in sorted(by_day)]
    (first, before), (last, now), unit = points[0], points[-1], rows[0].currency
    held = [((day.toordinal(), value), (then.toordinal(), value)) for (day, value), (then, _) in pairwise(points)]
    steps = (*(spot for pair in held for spot in pair), (last.toordinal(), now))
    chart = Chart(
        id=f"price-{whose}",
        kind="line",
        finding=f"{before:.2f} {unit} on {plain_date(first)}, {now:.2f} {unit} on {plain_date(last)}, "
        f"per accelerator and hour, {len(points)} dates",
        x_label="",
        y_label=f"{unit} per accelerator-hour",
        series=(
            Series(name="Price", points=steps),
            Series(name="Read", points=tuple((day.toordinal(), value) for day, value in points), role="front"),
        ),
        dates=True,
    )
    wide, narrow = (mark_safe(svg(chart, width=width)) for width in (WIDE, NARROW))  # noqa: S308 — charts.svg escapes every text
    return HistoryChart(words=chart.finding, wide=wide, narrow=narrow)
