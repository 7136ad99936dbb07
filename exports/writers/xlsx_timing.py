"""Sheet Timing: a flag for each month in which a schedule runs, and the hours or the part of it that fall into the month.

Cash, expense and the ways beside the plan are sums over these flags, so that whatever moves a date moves them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from xlsxwriter.worksheet import Worksheet

from exports.numbers import month as month_name
from exports.timeline import (
    EVENTS,
    MOST_PURCHASES,
    SPANS,
    Month,
    count_of,
    day_of,
    hours_in,
    instalments_in,
    months_from,
    serial,
    term_in,
)
from exports.wording import mark, tr
from exports.writers.xlsx_book import COUNT, DECIMAL, Book, cell, place, span
from exports.writers.xlsx_dates import DAY, FLAG, SCHEDULES, Dates, write_dates
from exports.writers.xlsx_model import Model
from planner.money import add_months

_HOURS = '#,##0.0#;;"–"'
TOP = 4
"""Row of the totals; the months stand below it."""
_FIXED = 6
"""Last column of the month itself, before those of the schedules."""
_ON_DAYS = (*EVENTS, "instalments")
"""Schedules that are paid on days of their own."""
_PARTS = {name: mark("hours") if name in SPANS else mark("part") for name in SCHEDULES}


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """One schedule over the months: where its flags and weights stand, and what they are."""

    flag: int
    weight: int
    weights: tuple[float, ...]
    days: int
    """Column of the days from the request to the payment."""
    until_paid: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Timing:
    """The finished timeline."""

    sheet: Worksheet
    months: tuple[Month, ...]
    labels: tuple[str, ...]
    first: int
    last: int
    schedules: dict[str, Schedule]
    fits: str
    """Condition: whatever is paid falls within the months shown."""
    last_paid: str
    """Defined name of the number of the last month in which anything is paid."""
    last_paid_now: int
    numbers: int
    """Column of the number of each month."""


def write_timing(book: Book, model: Model) -> Timing:
    """The dates and the months of the plan, for the schedules of what is paid and of what the books show."""
    data = book.document.workbook
    paid = {column.schedule for column in data.cash if column.paid}
    dates = write_dates(book, model, paid | {column.booked for column in data.cash})
    sheet = book.sheet("Timing")
    words = tr(
        "1 in a month in which a schedule runs, and the hours or the part of it in that month. It follows Dates."
    )
    book.title(sheet, tr("Timing"), words)
    return write_months(
        book,
        sheet,
        dates,
        months_from(data.start, count_of(data.months) + data.months_before, before=data.months_before),
        paid=paid,
    )


def write_months(book: Book, sheet: Worksheet, dates: Dates, months: tuple[Month, ...], *, paid: set[str]) -> Timing:
    """One row a month: its days, then a flag and a weight for each schedule."""
    names = (*dates.spans, *dates.of_lease, *dates.events)
    first, last = TOP + 1, TOP + len(months)
    titles = [tr("Month"), tr("Number"), tr("First day"), tr("Last day"), tr("Begins, hours"), tr("Ends, hours")]
    titles += [tr("Days from the request to its end")]
    for name in names:
        label = tr(SCHEDULES[name])
        titles += [label, f"{label}: {tr(_PARTS[name])}"] + ([tr("Days until it is paid")] if name in _ON_DAYS else [])
    titles.append(tr("Anything is paid"))
    book.header(
        sheet, TOP - 1, tuple(titles), numbers=range(1, len(titles)), widths=(16, 9, *(13,) * (len(titles) - 2))
    )
    labels = tuple(month_name(f"{one.first:%Y-%m}") for one in months)
    _calendar(book, sheet, months, labels, first)
    schedules: dict[str, Schedule] = {}
    column = _FIXED + 1
    for name in names:
        write = _span if name in dates.spans else _LEASE.get(name, _event)
        schedules[name] = write(book, sheet, dates, name, months, first, column)
        column += 2 + (name in _ON_DAYS)
    _totals(book, sheet, schedules, first, last, column)
    flags = [schedules[name] for name in names if name in paid]
    now = [any(one.weights[index] for one in flags) for index in range(len(months))]
    for index, on in enumerate(now):
        some = "+".join(cell(first + index, one.flag, fixed=False) for one in flags) or "0"
        book.formula(sheet, first + index, column, f"IF({some}>0,1,0)", float(on), FLAG)
    last_now = max((index + 1 for index, on in enumerate(now) if on), default=0)
    latest = f"SUMPRODUCT(MAX({span(sheet, first, last, column)}*{span(sheet, first, last, 1)}))"
    book.formula(sheet, TOP, column, latest, float(last_now), COUNT, "total")
    sheet.freeze_panes(first, 1)
    sheet.repeat_rows(TOP - 1)
    sheet.print_area(0, 0, first + max(last_now, 1) - 1, column)
    return Timing(
        sheet=sheet,
        months=months,
        labels=labels,
        first=first,
        last=last,
        schedules=schedules,
        fits=_fits(dates, place(sheet, last, 5), place(sheet, last, 3), place(sheet, last, 1)),
        last_paid=book.define(f"{dates.prefix}last_month", sheet, TOP, column),
        last_paid_now=last_now,
        numbers=1,
    )


def _calendar(book: Book, sheet: Worksheet, months: tuple[Month, ...], labels: tuple[str, ...], first: int) -> None:
    """The days of each month, and its hours from the start of the work."""
    asked = book.document.workbook.as_of
    for index, one in enumerate(months):
        row, at = first + index, first + index + 1
        book.text(sheet, row, 0, labels[index])
        cells = (
            (f"B{at - 1}+1" if index else "1", float(index + 1), COUNT),
            (f"EDATE(first_month,B{at}-1)", serial(one.first), DAY),
            (f"EDATE(C{at},1)-1", serial(one.last), DAY),
            (f"MAX(0,(C{at}-start_day)*24)", one.begins, COUNT),
            (f"(D{at}+1-start_day)*24", one.ends, COUNT),
            (f"D{at}-request_day", float((one.last - asked).days), COUNT),
        )
        for column, (formula, value, number) in enumerate(cells, start=1):
            book.formula(sheet, row, column, formula, value, number)


def _span(
    book: Book, sheet: Worksheet, dates: Dates, name: str, months: tuple[Month, ...], first: int, column: int
) -> Schedule:
    """A schedule that is paid by the hours of each month, at its end."""
    begins, ends, start, end = dates.spans[name]
    weights = hours_in(months, start, end)
    for index, hours in enumerate(weights):
        row, at = first + index, first + index + 1
        flag = cell(row, column, fixed=False)
        book.formula(sheet, row, column, f"IF(AND({ends}>E{at},{begins}<F{at}),1,0)", float(hours > 0), FLAG)
        book.formula(sheet, row, column + 1, f"{flag}*(MIN({ends},F{at})-MAX({begins},E{at}))", hours, _HOURS)
    asked = book.document.workbook.as_of
    until = tuple((one.last - asked).days for one in months)
    return Schedule(flag=column, weight=column + 1, weights=tuple(weights), days=_FIXED, until_paid=until)


def _event(
    book: Book, sheet: Worksheet, dates: Dates, name: str, months: tuple[Month, ...], first: int, column: int
) -> Schedule:
    """A schedule that is paid on days: the purchases that are delivered, or go, in each month."""
    days, parts, found = dates.events[name]
    asked = book.document.workbook.as_of
    weights, until = [], []
    for index, one in enumerate(months):
        row, at = first + index, first + index + 1
        here = [(day, part) for day, part in found if one.first <= day_of(day) <= one.last]
        weight = sum(part for _, part in here)
        day = sum(day for day, _ in here) if here else serial(one.last)
        flag = cell(row, column, fixed=False)
        if parts:
            within = f'{days},">="&C{at},{days},"<="&D{at}'
            formulas = (f"IF(COUNTIFS({within})>0,1,0)", f"{flag}*SUMIFS({parts},{within})", f"SUMIFS({days},{within})")
        else:
            formulas = (f"IF(AND({days}>=C{at},{days}<=D{at}),1,0)", flag, days)
        book.formula(sheet, row, column, formulas[0], float(bool(here)), FLAG)
        book.formula(sheet, row, column + 1, formulas[1], weight, '0.00##;;"–"')
        book.formula(
            sheet, row, column + 2, f"IF({flag}=1,{formulas[2]},D{at})-request_day", day - serial(asked), COUNT
        )
        weights.append(weight)
        until.append(day - serial(asked))
    return Schedule(flag=column, weight=column + 1, weights=tuple(weights), days=column + 2, until_paid=tuple(until))


def _instalments(
    book: Book, sheet: Worksheet, dates: Dates, name: str, months: tuple[Month, ...], first: int, column: int
) -> Schedule:
    """The instalments of a lease: one on the last day of each of its months, which begin on the day of the start."""
    asked, (names, count) = book.document.workbook.as_of, dates.lease
    shift = book.document.workbook.months_before
    weights, until = instalments_in(months, dates.start, count, shift), []
    for index, weight in enumerate(weights):
        row, at = first + index, first + index + 1
        flag, number = cell(row, column, fixed=False), f"(B{at}-{shift}-IF(DAY(start_day)>1,1,0))"
        due = (
            add_months(dates.start, index - shift + (dates.start.day == 1)) - timedelta(days=1)
            if weight
            else months[index].last
        )
        days = f"IF({flag}=1,EDATE(start_day,{number})-1,D{at})-request_day"
        book.formula(sheet, row, column, f"IF(AND({number}>=1,{number}<={names[0]}),1,0)", weight, FLAG)
        book.formula(sheet, row, column + 1, flag, weight, FLAG)
        book.formula(sheet, row, column + 2, days, (due - asked).days, COUNT)
        until.append((due - asked).days)
    return Schedule(flag=column, weight=column + 1, weights=tuple(weights), days=column + 2, until_paid=tuple(until))


def _term(
    book: Book, sheet: Worksheet, dates: Dates, name: str, months: tuple[Month, ...], first: int, column: int
) -> Schedule:
    """The months of a lease, each whole one alike, for what the books show of it."""
    asked, ((count, share), lasts) = book.document.workbook.as_of, dates.lease
    shift = book.document.workbook.months_before
    weights = term_in(months, dates.start, lasts, shift)
    for index, weight in enumerate(weights):
        row, at = first + index, first + index + 1
        flag = cell(row, column, fixed=False)
        number = f"(B{at}-{shift})"
        text = f"{flag}*IF({number}=1,{share},IF({number}<={count},1,1-{share}))"
        on = f"IF(AND({number}>=1,{number}<={count}+IF({share}<1,1,0)),1,0)"
        book.formula(sheet, row, column, on, float(weight > 0), FLAG)
        book.formula(sheet, row, column + 1, text, weight, '0.00##;;"–"')
    until = tuple((one.last - asked).days for one in months)
    return Schedule(flag=column, weight=column + 1, weights=tuple(weights), days=_FIXED, until_paid=until)


_LEASE = {"instalments": _instalments, "term": _term}


def _totals(book: Book, sheet: Worksheet, schedules: dict[str, Schedule], first: int, last: int, width: int) -> None:
    """Months and hours or parts of each schedule in all."""
    book.text(sheet, TOP, 0, tr("Total"), "total")
    for column in range(1, width + 1):
        book.text(sheet, TOP, column, "", "total")
    for one in schedules.values():
        months = float(sum(1 for weight in one.weights if weight))
        for column, value, number in ((one.flag, months, COUNT), (one.weight, sum(one.weights), DECIMAL)):
            book.formula(sheet, TOP, column, f"SUM({span(sheet, first, last, column)})", value, number, "total")


def weight_total(timing: Timing, name: str) -> str:
    """The cell with all hours or parts of that schedule."""
    return place(timing.sheet, TOP, timing.schedules[name].weight)


def _fits(dates: Dates, hours: str, day: str, number: str) -> str:
    return f"AND({','.join(_limits(dates, hours, day, number)) or 'TRUE'})"


def _limits(dates: Dates, hours: str, day: str, number: str) -> Iterator[str]:
    """Nothing ends after the last month, and no purchase is one too many."""
    for _, ends, _, _ in dates.spans.values():
        yield f"{ends}<={hours}"
    for days, _, _ in dates.events.values():
        yield f"MAX({days})<={day}"
    if dates.has("booked_days"):
        yield f"{dates.booked_name}>=first_month"
    if dates.of_lease:
        yield f"{dates.lease[0][0]}<{number}-{dates.book.document.workbook.months_before}"
    yield f"{dates.purchases[0]}<={MOST_PURCHASES}"
