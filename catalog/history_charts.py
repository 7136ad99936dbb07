"""The price history of an accelerator as pictures for wide and narrow windows, in words, and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from django.utils.safestring import SafeString, mark_safe

from catalog.days import plain_date
from catalog.price_history import Followed, moves_of
from catalog.price_tables import OPTION_NAMES
from catalog.providers import provider_name
from charts.chart import Chart, Series
from charts.svg import NARROW, WIDE, legend_of, svg
from voice import writing

MOST_LINES = 5
"""Lists that one picture shows: more colours are not told apart."""
_ENGLISH = writing.locale_of("en-US")
_MINUS = "\u2212"


@dataclass(frozen=True, kw_only=True)
class ListRow:
    """One seller's list as a row: what was read first and last."""

    seller: str
    what: str
    first: date
    was: str
    last: date
    now: str
    readings: int
    change: str
    """In the year before the newest reading; empty where nothing is far enough apart."""


@dataclass(frozen=True, kw_only=True)
class OptionHistory:
    """How the lists of an accelerator moved on one option."""

    id: str
    words: str
    note: str
    """What the picture leaves out; empty where it shows all."""
    wide: SafeString
    narrow: SafeString
    legend: list[tuple[SafeString, str]]
    """A small picture of each line with its name."""
    rows: list[ListRow]


def option_histories(lists: Mapping[str, Sequence[Followed]]) -> list[OptionHistory]:
    """One for each option."""
    return [_of_option(option, found) for option, found in lists.items()]


def _of_option(option: str, lists: Sequence[Followed]) -> OptionHistory:
    moves = moves_of(lists)
    shown = lists[:MOST_LINES]
    chart = Chart(
        id=f"history-{option.replace('_', '-')}",
        kind="line",
        finding=_finding(option, lists),
        x_label="",
        y_label="USD per accelerator-hour",
        series=tuple(Series(name=provider_name(one.good.provider), points=_steps(one)) for one in shown),
        dates=True,
    )
    wide, narrow = (_safe(svg(chart, width=width)) for width in (WIDE, NARROW))
    left = len(lists) - len(shown)
    return OptionHistory(
        id=chart.id,
        words=chart.finding,
        note=f"The picture shows the {len(shown)} lists that were followed longest, the table all {len(lists)}."
        if left
        else "",
        wide=wide,
        narrow=narrow,
        legend=[(_safe(swatch), name) for swatch, name in legend_of(chart)],
        rows=[_row(one, moves.newest) for one in lists],
    )


def _finding(option: str, lists: Sequence[Followed]) -> str:
    """“On demand: in the year to 10 Oct 2026 9 of 12 lists rose, 1 fell, 2 stayed; the middle one moved by +12 %”."""
    moves, name = moves_of(lists), OPTION_NAMES[option].capitalize()
    if not moves.compared:
        return f"{name}: no list was read twice, a quarter apart, in the year to {plain_date(moves.newest)}"
    if moves.compared == 1 and not moves.rose + moves.fell:
        return f"{name}: in the year to {plain_date(moves.newest)} the one list that was followed did not move"
    if moves.compared == 1:
        return f"{name}: in the year to {plain_date(moves.newest)} the one list that was followed moved by {_share(moves.middle)}"
    return (
        f"{name}: in the year to {plain_date(moves.newest)} {moves.rose} of {moves.compared} lists rose, {moves.fell} fell, "
        f"{moves.stayed} stayed; the middle one moved by {_share(moves.middle)}"
    )


def _steps(one: Followed) -> tuple[tuple[float, float], ...]:
    """A price holds until the next day on which it was read."""
    days = one.days
    held = [((day, one.series[day]), (then, one.series[day])) for day, then in pairwise(days)]
    points = [spot for pair in held for spot in pair] + [(days[-1], one.series[days[-1]])]
    return tuple((float(day.toordinal()), price) for day, price in points)


def _row(one: Followed, newest: date) -> ListRow:
    first, last, change = one.days[0], one.days[-1], one.change(newest)
    return ListRow(
        seller=provider_name(one.good.provider),
        what=one.what,
        first=first,
        was=writing.number(one.series[first], "0.2", _ENGLISH),
        last=last,
        now=writing.number(one.series[last], "0.2", _ENGLISH),
        readings=len(one.series),
        change="" if change is None else _share(change),
    )


def _share(change: float) -> str:
    """“+12 %”, “−3 %”, “0 %”."""
    size = writing.percent(round(abs(change), 2), _ENGLISH)
    sign = "" if round(change * 100) == 0 else "+" if change > 0 else _MINUS
    return f"{sign}{size}"


def _safe(picture: str) -> SafeString:
    return mark_safe(picture)  # noqa: S308 — charts.svg escapes every text
