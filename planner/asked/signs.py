"""What is signed, row by row: what is owed, what leaves when, what this work carries, how one gets out, and until when it holds.

The one choice of these rows, for pages, API and documents; the figures are the views of the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from engine.answer import Option
from engine.choice.cautions import STALE_DAYS, days_old
from engine.money.cash import month_end
from engine.money.views import Month, Views
from planner.asked.voice import Voice
from planner.money import accounts
from planner.price_age import price_day
from planner.snapshot import Plan

_MOST_MONTHS = 4
"""Groups of equal months that are told one by one; what follows is told as a sum."""


@dataclass(frozen=True, kw_only=True)
class Issue:
    """Who stands behind a stored plan, by name; empty for a plan that was not stored, and until somebody has approved."""

    owner: str = ""
    approver: str = ""
    on: date | None = None
    """The day on which it was issued; None = the day of the request."""


@dataclass(frozen=True, kw_only=True)
class Sign:
    """One row: a stable key, its label, and what is to be known."""

    key: str
    label: str
    text: str


def signs_of(plan: Plan, voice: Voice, issue: Issue) -> tuple[Sign, ...]:
    """The rows of what is signed with that plan; none when nothing is feasible."""
    found, best = accounts(plan), plan.recommendation.recommended
    if found is None or best is None:
        return ()
    return tuple(_rows(plan, best, found.views, voice, issue))


def _rows(plan: Plan, best: Option, views: Views, voice: Voice, issue: Issue) -> Iterator[Sign]:
    tr = voice.tr
    yield Sign(key="committed", label=tr("Committed"), text=_committed(views, voice))
    yield Sign(key="cash", label=tr("Cash"), text=_cash(views, voice))
    yield Sign(key="share", label=tr("This work carries"), text=_share(best, views, voice))
    yield Sign(key="exit", label=tr("On leaving early"), text=_exit(views, voice))
    yield Sign(key="prices", label=tr("Prices"), text=_prices(plan, best, voice))
    yield Sign(key="valid", label=tr("Valid until"), text=_valid(plan, best, voice))
    if plan.spec.cost_centre:
        yield Sign(key="cost_centre", label=tr("Cost centre"), text=voice.name(plan.spec.cost_centre))
    if issue.owner:
        yield Sign(key="owner", label=tr("Owner"), text=voice.name(issue.owner))
    yield Sign(
        key="approver", label=tr("Approved by"), text=voice.name(issue.approver) if issue.approver else tr("nobody yet")
    )
    yield Sign(key="issued", label=tr("Issued"), text=voice.day(issue.on or plan.as_of))


def _committed(views: Views, voice: Voice) -> str:
    if not views.committed:
        return voice.tr("Nothing beyond the hours that are used.")
    return voice.tr("{amount} from the signature on, whether it is used or not.", amount=voice.amount(views.committed))


def _cash(views: Views, voice: Voice) -> str:
    """What leaves in each month: equal months together, the last ones as a sum; and what comes back."""
    paid = [(month, like) for month, like in _alike(views.cash) if like]
    groups = [[month for month, _ in months] for _, months in groupby(paid, key=lambda item: item[1])]
    told = [_span(months, voice) for months in groups[:_MOST_MONTHS]]
    rest = groups[_MOST_MONTHS:]
    if rest:
        whole = sum(month.amount for months in rest for month in months)
        until = voice.day(month_end(views.cash[-1].month))
        told.append(voice.tr("{amount} from then to {day}", amount=voice.amount(whole), day=until))
    text = "; ".join(told)
    if len(groups) < 2:
        return text[:1].upper() + text[1:] + "." if text else voice.tr("None.")
    return voice.tr("{parts}: {total} in all.", parts=text, total=voice.amount(views.paid))


def _alike(cash: tuple[Month, ...]) -> Iterator[tuple[Month, float]]:
    """Each month with the amount that it is told by: differences below a thousandth are the calendar's and the rounding's."""
    last = 0.0
    for item in cash:
        last = last if last and abs(item.amount - last) <= abs(last) / 1000 else item.amount
        yield item, last


def _span(months: list[Month], voice: Voice) -> str:
    day, amount, count = voice.day(month_end(months[0].month)), months[0].amount, len(months)
    if amount < 0:
        return voice.tr("{amount} come back by {day}", amount=voice.amount(-amount), day=day)
    if count == 1:
        return voice.tr("{amount} by {day}", amount=voice.amount(amount), day=day)
    return voice.tr(
        "{amount} in each of {count} months, the first by {day}",
        amount=voice.amount(amount),
        count=voice.number(count),
        day=day,
    )


def _share(best: Option, views: Views, voice: Voice) -> str:
    """What this work carries, who must carry the rest, and what of it nobody uses."""
    own = voice.amount(views.allocated)
    if not (views.others or views.idle):
        return voice.tr("All of it: {amount}.", amount=own)
    return voice.tr(
        "{amount} of {whole}; other work must carry the remaining {rest}, of which {idle} are for hours that nobody uses "
        "if other work comes as stated.",
        amount=own,
        whole=voice.amount(views.expense),
        rest=voice.amount(views.others + views.idle),
        idle=voice.amount(views.idle),
    )


def _exit(views: Views, voice: Voice) -> str:
    """No seller's terms of leaving are known as a fact, so nothing is counted on."""
    if not views.committed:
        return voice.tr("It ends with the hour in which it is stopped; nothing more is owed.")
    return voice.tr(
        "{nothing} come back: no terms of leaving are known, so all that is committed stays owed.",
        nothing=voice.amount(0),
    )


def _prices(plan: Plan, best: Option, voice: Voice) -> str:
    day = price_day(best)
    age = days_old(day, plan.as_of) if day else None
    if best.kind == "owned":
        return voice.tr("Upkeep of hardware that the team owns; nobody’s price decides.")
    if age is None:
        return voice.tr("The date of the deciding price is unknown.")
    return voice.trn(
        "The deciding price is of {day}, {count} day before the request.",
        "The deciding price is of {day}, {count} days before the request.",
        age,
        count=voice.number(age),
        day=voice.release_day(day),
    )


def _valid(plan: Plan, best: Option, voice: Voice) -> str:
    """Until the work begins, and no longer than its price is fresh."""
    day = price_day(best)
    fresh = date.fromisoformat(day) + timedelta(days=STALE_DAYS) if days_old(day, plan.as_of) is not None else None
    if best.kind != "owned" and (fresh is None or fresh < plan.as_of):
        return voice.tr("Only once the seller has confirmed the price: it is old already.")
    limits = [day for day in (fresh, plan.start) if day and day > plan.as_of]
    return voice.day(min(limits)) if limits else voice.tr("Until the work begins.")
