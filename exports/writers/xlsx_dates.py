"""Sheet Dates: when each schedule of a cost model begins and ends, in days and in hours from the start of the work.

All of it follows the inputs: a longer horizon or a later delivery moves the days, and the months of Timing with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

from xlsxwriter.worksheet import Worksheet

from engine.inputs.quantity import HOURS_PER_MONTH
from exports.timeline import (
    EVENTS,
    LEAST_HOURS,
    OF_LEASE,
    SPANS,
    Life,
    days_in,
    first_share,
    hours_kept,
    lasting,
    lives_of,
    serial,
)
from exports.wording import mark, tr
from exports.writers.xlsx_book import COUNT, DECIMAL, Book, span
from exports.writers.xlsx_model import Model
from planner.money import add_months

DAY = "yyyy-mm-dd"
FLAG = '0;;"–"'
_TOP = 4
SCHEDULES = {
    "run": mark("Work runs"),
    "monthly": mark("Paid by the month"),
    "instalments": mark("Instalments of the lease"),
    "term": mark("Months of the lease"),
    "held": mark("Hardware is held"),
    "used": mark("Work runs on own servers"),
    "upfront": mark("Paid in advance"),
    "end": mark("Hardware goes"),
    "settled": mark("Commitment ends"),
    "until": mark("Until the commitment ends"),
    "after": mark("After the commitment"),
}


@dataclass(kw_only=True)
class Dates:
    """The days and hours of one model that all months are compared with."""

    book: Book
    model: Model
    sheet: Worksheet
    start: date
    at: int = _TOP
    prefix: str = ""
    """Before each name that it defines: none for the plan itself, that of a way beside it."""
    spans: dict[str, tuple[str, str, float, float]] = field(default_factory=dict)
    """Begin and end of each schedule, hours from the start, as formulas and as values."""
    events: dict[str, tuple[str, str, tuple[tuple[int, float], ...]]] = field(default_factory=dict)
    """Ranges of the days and the parts of each schedule that is paid on days, and these."""
    purchases: tuple[str, int] = ("1", 1)
    lease: tuple[tuple[str, str], int] = (("0", "1"), 0)
    """Instalments of a lease and the share of its first calendar month, as formulas; how many they are."""
    of_lease: tuple[str, ...] = ()
    """Which of its schedules are used."""

    @property
    def values(self) -> Mapping[str, float]:
        return self.model.values

    def has(self, name: str) -> bool:
        return name in self.model.names

    def name(self, name: str) -> str:
        """The defined name of that input or line; 0 where the model has none."""
        return self.model.names.get(name, "0")

    def value(self, name: str) -> float:
        return self.values.get(name, 0.0)

    def put(self, key: str, label: str, formula: str, value: float, number: str) -> str:
        """One named row."""
        self.book.text(self.sheet, self.at, 0, label, "wrap")
        self.book.high(self.sheet, self.at, (label, 45))
        self.book.formula(self.sheet, self.at, 1, formula, value, number)
        made = self.book.define(f"{self.prefix}{key}", self.sheet, self.at, 1)
        self.book.text(self.sheet, self.at, 2, made, "muted")
        self.at += 1
        return made

    def write(self, used: set[str]) -> None:
        """The rows of those schedules, from the next free one on."""
        self.delivered = self.accepted = self.start
        self.booked = self.start
        self.delivered_name = self.accepted_name = self.booked_name = "start_day"
        if self.has("lead_hours"):
            self._delivery()
        if self.has("booked_days"):
            self._booking()
        if used & {"settled", "until", "after"}:
            self._settled()
        for name in SPANS:
            if name in used:
                self.spans[name] = _SPAN[name](self)
        self.of_lease = tuple(name for name in OF_LEASE if name in used)
        if self.of_lease:
            self._lease()
        if used & set(EVENTS):
            self._events(used)

    def known(self) -> None:
        """The days that no input moves: of the request, of the start, and the first of the timeline."""
        asked = self.book.document.workbook.as_of
        for key, label, day in (
            ("request_day", tr("Day of the request"), asked),
            ("start_day", tr("The work begins"), self.start),
        ):
            self.book.text(self.sheet, self.at, 0, label)
            self.book.number(self.sheet, self.at, 1, serial(day), DAY)
            self.book.text(self.sheet, self.at, 2, self.book.define(key, self.sheet, self.at, 1), "muted")
            self.at += 1
        before = self.book.document.workbook.months_before
        first = serial(add_months(self.start.replace(day=1), -before))
        month = "start_day-DAY(start_day)+1"
        formula = f"EDATE({month},-{before})" if before else month
        self.put("first_month", tr("First month of the timeline"), formula, first, DAY)

    def _delivery(self) -> None:
        """When what is bought is delivered, and when it is accepted."""
        lead, tested = self.value("lead_hours"), self.value("acceptance_hours")
        whole, before = self.name("lead_hours"), f"{self.name('lead_hours')}-{self.name('acceptance_hours')}"
        self.delivered = self.start + timedelta(days=days_in(lead - tested))
        self.accepted = self.start + timedelta(days=days_in(lead))
        named = []
        for key, label, hours, day in (
            ("delivered_day", tr("Servers are delivered and paid"), before, self.delivered),
            ("accepted_day", tr("Servers are accepted and begin to work"), whole, self.accepted),
        ):
            named.append(self.put(key, label, f"start_day+INT(ROUND(({hours})*3600,0)/86400)", serial(day), DAY))
        self.delivered_name, self.accepted_name = named

    def _booking(self) -> None:
        """When a block of capacity is booked, and paid."""
        self.booked = self.start - timedelta(days=round(self.value("booked_days")))
        formula = f"start_day-ROUND({self.name('booked_days')},0)"
        self.booked_name = self.put("booked_day", tr("The block is booked and paid"), formula, serial(self.booked), DAY)

    def _settled(self) -> None:
        """The last day of the spend commitment."""
        hours = self.value("spend_hours")
        self.settled = self.start + timedelta(days=round(hours / 24.0) - 1)
        formula = f"start_day+ROUND({self.name('spend_hours')}/24,0)-1"
        self.settled_name = self.put(
            "settled_day", tr("Last day of the spend commitment"), formula, serial(self.settled), DAY
        )

    def _lease(self) -> None:
        """How many months a lease lasts, and how much of its first calendar month is left."""
        count, whole = (
            round(self.value("paid_months")),
            "(EDATE(start_day-DAY(start_day)+1,1)-start_day+DAY(start_day)-1)",
        )
        number = self.put(
            "instalments", tr("Instalments of the lease: months"), f"ROUND({self.name('paid_months')},0)", count, COUNT
        )
        share = self.put(
            "first_month_share",
            tr("Share of its first calendar month that the lease holds"),
            f"({whole}-DAY(start_day)+1)/{whole}",
            first_share(self.start),
            "0.0000",
        )
        self.lease = ((number, share), count)

    def run_hours(self) -> tuple[str, float]:
        """How long work is paid by the hour: all of it, or what is rented until servers are there."""
        if self.has("programme_hours"):
            return self.name("programme_hours"), self.value("programme_hours")
        rented = min(self.value("lead_hours"), self.value("work_hours"))
        return f"MIN({self.name('lead_hours')},{self.name('work_hours')})", rented

    def ends(self, name: str, formula: str, value: float) -> str:
        """The row that says when that schedule ends."""
        label = tr("{schedule}: ends, hours from the start", schedule=tr(SCHEDULES[name]))
        return self.put(f"{name}_ends", label, formula, value, DECIMAL)

    def lasting(self, begun: str, months: str) -> str:
        """Formula of the hours of so many months from that day: to the same day of a later month, or of 730 hours each."""
        whole = f"(EDATE({begun},ROUND({months},0))-{begun})*24"
        return _kept(f"IF(ABS({months}-ROUND({months},0))>1E-9,{months}*{HOURS_PER_MONTH:g},{whole})")

    def by_months(self, name: str, begun: tuple[str, date], months: str, count: float) -> tuple[str, str, float, float]:
        """A schedule of so many months from that day."""
        label = tr("{schedule}: months", schedule=tr(SCHEDULES[name]))
        named = self.put(f"{name}_months", label, months, count, DECIMAL)
        hours = lasting(begun[1], count)
        begins = (begun[1] - self.start).days * 24.0
        before = f"({begun[0]}-start_day)*24"
        end = self.ends(name, f"{before}+{self.lasting(begun[0], named)}", begins + hours)
        return before, end, begins, begins + hours

    def _events(self, used: set[str]) -> None:
        """What is paid on a day: each purchase with its end, what is paid in advance, a commitment's last day."""
        if self.has("holding_years"):
            lives = lives_of(
                self.delivered, self.accepted, held=self.value("paid_months"), life=self.value("holding_years") * 12.0
            )
            self._lives(lives)
        elif "upfront" in used:
            self.events["upfront"] = (self.booked_name, "", ((serial(self.booked), 1.0),))
        if "settled" in used:
            self.events["settled"] = (self.settled_name, "", ((serial(self.settled), 1.0),))

    def _lives(self, lives: tuple[Life, ...]) -> None:
        """The table of purchases: hardware that does not live as long as the demand is bought again."""
        book, sheet = self.book, self.sheet
        life, held = self.name("holding_years"), self.name("paid_months")
        count = sum(one.made for one in lives)
        formula = f"IF({held}<={life}*12*(1+1E-9),1,ROUNDUP({held}/({life}*12)-1E-9,0))"
        named = self.put("purchases", tr("Purchases, one after the other"), formula, count, COUNT)
        self.purchases = (named, count)
        top = self.at + 1
        titles = (
            tr("Purchase"),
            tr("Made"),
            tr("First month"),
            tr("Last month"),
            tr("Part of a whole one"),
            tr("Delivered"),
            tr("Gone"),
        )
        book.header(sheet, top, titles, numbers=range(1, 7))
        book.high(sheet, top, *((title, 15) for title in titles[1:]), bold=True)
        for index, one in enumerate(lives):
            row, at = top + 1 + index, top + 2 + index
            book.number(sheet, row, 0, index + 1, COUNT, "wrap")
            months = f"MIN(A{at}*{life}*12,{held})"
            cells = (
                (f"IF(A{at}<={named},1,0)", float(one.made), FLAG),
                (f"B{at}*INT((A{at}-1)*{life}*12+0.5)", one.first, COUNT),
                (f"B{at}*ROUNDUP(MAX({months}-1E-9,0),0)", one.last, COUNT),
                (f"B{at}*({months}-(A{at}-1)*{life}*12)/({life}*12)", one.part, "0.0000"),
                (f"IF(B{at}=1,EDATE({self.delivered_name},C{at}),0)", one.delivered, f'{DAY};;"–"'),
                (f"IF(B{at}=1,EDATE({self.accepted_name},D{at}),0)", one.gone, f'{DAY};;"–"'),
            )
            for column, (text, value, number) in enumerate(cells, start=1):
                book.formula(sheet, row, column, text, value, number)
        last = top + len(lives)
        parts = span(sheet, top + 1, last, 4)
        self.events["upfront"] = (
            span(sheet, top + 1, last, 5),
            parts,
            tuple((one.delivered, one.part) for one in lives),
        )
        self.events["end"] = (span(sheet, top + 1, last, 6), parts, tuple((one.gone, one.part) for one in lives))
        self.at = last + 1


def _kept(hours: str) -> str:
    """Formula of hours as a clock counts them."""
    return f"ROUND(MAX({hours},{LEAST_HOURS:.6f})*3600,6)/3600"


def _run(dates: Dates) -> tuple[str, str, float, float]:
    formula, hours = dates.run_hours()
    end = dates.ends("run", _kept(formula), hours_kept(hours))
    return "0", end, 0.0, hours_kept(hours)


def _monthly(dates: Dates) -> tuple[str, str, float, float]:
    """A commitment or a service; beside servers that come later, a service lasts its own months."""
    months, count = dates.name("paid_months"), dates.value("paid_months")
    if dates.has("months") and dates.accepted_name != "start_day":
        months = f"IF(AND({dates.accepted_name}>start_day,{dates.name('months')}>0),{dates.name('months')},{months})"
        count = dates.value("months") if dates.accepted > dates.start and dates.value("months") else count
    begun = ("start_day", dates.start) if dates.has("work_hours") else (dates.accepted_name, dates.accepted)
    return dates.by_months("monthly", begun, months, count)


def _held(dates: Dates) -> tuple[str, str, float, float]:
    begun = (dates.accepted_name, dates.accepted)
    return dates.by_months("held", begun, dates.name("paid_months"), dates.value("paid_months"))


def _used(dates: Dates) -> tuple[str, str, float, float]:
    """The work on hardware that is bought for it."""
    before, begins = f"({dates.accepted_name}-start_day)*24", (dates.accepted - dates.start).days * 24.0
    lasts = hours_kept(dates.value("used_hours"))
    return (
        before,
        dates.ends("used", f"{before}+{_kept(dates.name('used_hours'))}", begins + lasts),
        begins,
        begins + lasts,
    )


def _before_end(dates: Dates) -> tuple[str, float]:
    """The hours until the end of the last day of a spend commitment."""
    return f"({dates.settled_name}+1-start_day)*24", ((dates.settled - dates.start).days + 1) * 24.0


def _billed(dates: Dates) -> tuple[str, float]:
    """The hours for which instances are billed."""
    if not dates.has("paid_months"):
        return dates.run_hours()
    return dates.lasting("start_day", dates.name("paid_months")), lasting(dates.start, dates.value("paid_months"))


def _until(dates: Dates) -> tuple[str, str, float, float]:
    """What is used until the last day of a spend commitment."""
    (before, ends), (formula, hours) = _before_end(dates), _billed(dates)
    lasts = hours_kept(min(ends, hours))
    return "0", dates.ends("until", _kept(f"MIN({before},{formula})"), lasts), 0.0, lasts


def _after(dates: Dates) -> tuple[str, str, float, float]:
    """What is used after the last day of a spend commitment."""
    (before, begins), (formula, hours) = _before_end(dates), _billed(dates)
    lasts = hours_kept(hours - begins)
    return (
        before,
        dates.ends("after", f"{before}+{_kept(f'{formula}-{before}')}", begins + lasts),
        begins,
        begins + lasts,
    )


_SPAN: dict[str, Callable[[Dates], tuple[str, str, float, float]]] = {
    "run": _run,
    "monthly": _monthly,
    "held": _held,
    "used": _used,
    "until": _until,
    "after": _after,
}


def write_dates(book: Book, model: Model, used: set[str]) -> Dates:
    """The sheet of the plan, for the schedules that are used."""
    sheet = book.sheet("Dates")
    words = tr("When what is paid begins and ends. It follows the inputs; the start is the plan's.")
    book.title(sheet, tr("Dates"), words)
    titles = (tr("What"), tr("Value"), tr("Name"))
    book.header(sheet, _TOP - 1, titles, numbers=(1,), widths=(46, 16, 24, *(16,) * 4), muted=(2,))
    dates = Dates(book=book, model=model, sheet=sheet, start=book.document.workbook.start)
    dates.known()
    dates.write(used)
    sheet.freeze_panes(_TOP, 1)
    sheet.repeat_rows(_TOP - 1)
    return dates
