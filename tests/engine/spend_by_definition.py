"""A spend commitment worked out from its definition alone: who draws what of it until it ends, what is saved, what lapses, what is
newly owed, and when. Nothing of the engine but the values of a cost model's inputs."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction

from tests.engine import by_definition
from tests.engine.by_definition import MONTH, Book, later, month_end, portions


@dataclass
class Bill:
    """What the provider bills for one thing, in smallest units: all of it, this work's share, and when it is paid."""

    whole: int
    mine: int
    paid: dict[str, int]
    owed: bool


@dataclass
class Recorded(Book):
    """Keeps the bills apart."""

    bills: list[Bill] = field(default_factory=list)

    def bill(
        self,
        whole: int,
        months: dict[str, Fraction],
        *,
        share: int | None = None,
        owed: bool = False,
        once: date | None = None,
    ) -> None:
        paid = {once.strftime("%Y-%m"): whole} if once else portions(whole, months)
        self.bills.append(Bill(whole=whole, mine=whole if share is None else share, paid=paid, owed=owed))
        super().bill(whole, months, share=share, owed=owed, once=once)


@dataclass
class Commitment:
    """What becomes of it, in smallest units."""

    left: int = 0
    others: int = 0
    drawn: int = 0
    unused: int = 0
    released: int = 0


def rented(book: Recorded, option: str, *, service: bool, hourly: bool, until: date) -> Commitment:
    """That rental, whose provider is owed money until that day."""
    v = book.v
    (by_definition.rented_service if service else by_definition.rented_run)(book, option)
    span = _span(v, option, service=service)
    days = (until - book.start).days + 1
    in_time = 1.0 if option == "capacity_block" else min(1.0, days * 24 / span)
    left = v["spend_left"] * book.rate
    others = book.cents(min(left, v["spend_others_month"] * book.rate * v["spend_months"]))
    free = book.cents(left - others / 10**book.digits)
    count = 2 if v.get("spare_instances") and not service else 1
    instances, discount = book.bills[:count], v.get("spend_discount", 0.0)
    money = 10**book.digits
    if hourly:
        usable = book.cents(free / money / v["spend_whole_hours"] * min(span, days * 24))
        whole = sum(one.whole for one in instances)
        drawn = min(book.cents(whole / money * in_time), usable)
        if discount:
            dearer = discount / (1 - discount)
            until_then = _earlier(book, option, until, service=service)
            book.bill(book.cents((whole / money * in_time - drawn / money) * dearer), until_then)
            later_on = _later(book, option, until, service=service)
            book.bill(book.cents(whole / money * (1 - in_time) * dearer), later_on)
    else:
        if discount and option != "capacity_block":
            late = (1 - in_time) * discount / (1 - discount)
            exact = sum(_exact(book, option, service=service)) if option.startswith("commit") and not service else None
            base = sum(one.whole for one in instances) / money if exact is None else exact
            mine = book.cents(sum(one.mine for one in instances) / money * late)
            book.bill(
                book.cents(base * late), _later(book, option, until, service=service), share=mine,
                owed=option.startswith("commit"),
            )  # fmt: skip
        billed = sum(one.whole for one in book.bills)
        if option.startswith("commit") and not service and any(one.mine != one.whole for one in book.bills):
            billed = book.cents(sum(one.whole for one in book.bills) / money)
        drawn = min(book.cents(billed / money * in_time), free)
    _save(book, drawn, _earlier(book, option, until, service=service) if hourly else None, until)
    found = Commitment(left=others + free, others=others, drawn=drawn, unused=free - drawn)
    found.released = _released(book, drawn, until)
    book.sums.committed -= found.released
    _lapse(book, found.unused, until, hourly=hourly)
    return found


def _span(v: dict[str, float], option: str, *, service: bool) -> float:
    """Hours over which the instances are billed."""
    if service:
        months = v["months"] if "months" in v else v["batch_hours"] / MONTH
        return (
            math.ceil(round(months / v["term_months"], 9)) * v["term_months"] if "term_months" in v else months
        ) * MONTH
    hours = v["run_hours"] / v["goodput"] * (v["runs"] + v["experiment_overhead"])
    if option.startswith("commit"):
        term = v["term_months"] * MONTH
        return math.ceil(round(hours / term, 9)) * term
    return hours


def _exact(book: Book, option: str, *, service: bool) -> list[float]:
    """What instances and spares of a commitment cost over its term, before it is rounded."""
    v = book.v
    hours = _span(v, option, service=service) * book.price("price_per_instance_hour")
    return [v["instances"] * hours, v.get("spare_instances", 0.0) * hours]


def _later(book: Book, option: str, until: date, *, service: bool) -> dict[str, Fraction]:
    """The part of that use after the last day."""
    span = _calendar_span(book, option, service=service)
    after = Recorded(v=book.v, start=until + timedelta(days=1), as_of=book.as_of, rate=1, digits=2, discount=0)
    return after.run(max(span - ((until - book.start).days + 1) * 24, 1e-6))


def _earlier(book: Book, option: str, until: date, *, service: bool) -> dict[str, Fraction]:
    """The part of that use until the end of the last day."""
    return book.run(min(_calendar_span(book, option, service=service), ((until - book.start).days + 1) * 24))


def _calendar_span(book: Book, option: str, *, service: bool) -> float:
    """Hours over which the instances are billed, whole months as long as they are."""
    span = _span(book.v, option, service=service)
    if (service or option.startswith("commit")) and span / MONTH == round(span / MONTH):
        return 24 * (later(book.start, round(span / MONTH)) - book.start).days
    return span


def _save(book: Recorded, drawn: int, hours: dict[str, Fraction] | None, until: date) -> None:
    """So much less is paid for nothing: on the last day, or in these hours until it where it lapses by the hour."""
    whole, mine = sum(one.whole for one in book.bills), sum(one.mine for one in book.bills)
    share = drawn if whole == mine else book.cents(drawn / 10**book.digits * mine / whole)
    book.sums.economic -= share
    if hours is None:
        book.pay(until, -drawn)
        return
    for month, part in portions(-drawn, hours).items():
        book.pay(month_end(month), part)


def _released(book: Recorded, drawn: int, until: date) -> int:
    """The part of it that is owed by a contract of its own from its signing on."""
    last = until.strftime("%Y-%m")
    weights: dict[str, int] = defaultdict(int)
    for one in book.bills:
        for month, part in one.paid.items():
            if month <= last:
                weights[f"{month} {one.owed}"] += part
    if not drawn:
        return 0
    parts = portions(-drawn, {key: Fraction(part) for key, part in weights.items()})
    return -sum(part for key, part in parts.items() if key.endswith("True"))


def _lapse(book: Book, unused: int, until: date, *, hourly: bool) -> None:
    """What nobody draws is an expense without use."""
    if not hourly:
        book.sums.expense[until.strftime("%Y-%m")] += unused
        return
    days: dict[str, Fraction] = defaultdict(Fraction)
    for index in range((until - book.as_of).days + 1):
        days[(book.as_of + timedelta(days=index)).strftime("%Y-%m")] += 1
    for month, part in portions(unused, dict(days)).items():
        book.sums.expense[month] += part
