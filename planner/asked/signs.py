"""What is signed, row by row: what is owed, what leaves when, what this work carries, how one gets out, and until when it holds.

The one choice of these rows, for pages, API and documents; the figures are the views of the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from engine.answer import Option
from engine.inputs.freshness import days_old
from engine.money.cash import month_end
from engine.money.contracts import RUNNING
from engine.money.taxes import DISPOSAL
from engine.money.views import Month, Views
from planner.asked.approval import kept_free
from planner.asked.backing import backing_text
from planner.asked.certificates import certificates_text
from planner.asked.taxes import tax_text
from planner.asked.voice import Voice
from planner.frozen.snapshot import Plan
from planner.money import accounts
from planner.names import provider_name
from planner.price_age import price_day, price_limit

WRITTEN_FROM_USD = 2_500.0
"""Sum of hours that are used and not signed, from which a price is confirmed in writing: below it nobody pays for reading the chapters
that weigh the choice either (`exports/composing/proportion.py`)."""
_RATE_DIGITS = 5
_MOST_MONTHS = 4
_ALL = 1.0 - 1e-6
_AT_END = ("residual_value", DISPOSAL)
"""Lines that are paid, and come back, when hardware goes."""
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
    yield Sign(key="committed", label=tr("Committed"), text=_committed(best, views, voice))
    yield Sign(key="cash", label=tr("Cash"), text=_cash(views, voice) + _saved(views, voice) + run_beside(best, voice))
    yield Sign(key="share", label=tr("This work carries"), text=_share(best, views, voice))
    yield Sign(key="tax", label=tr("Tax"), text=tax_text(plan.spec, best, voice))
    yield Sign(key="exit", label=tr("On leaving early"), text=_exit(best, views, voice))
    yield Sign(key="prices", label=tr("Prices"), text=_prices(plan, best, voice) + _exchanged(plan, voice))
    backing = backing_text(plan, voice)
    if backing:
        yield Sign(key="backing", label=tr("Rests on"), text=backing)
    if certified := certificates_text(plan, voice):
        yield Sign(key="certificates", label=tr("Certificates"), text=certified)
    yield Sign(key="valid", label=tr("Valid until"), text=_valid(plan, best, voice))
    if plan.spec.cost_centre:
        yield Sign(key="cost_centre", label=tr("Cost centre"), text=voice.name(plan.spec.cost_centre))
    if issue.owner:
        yield Sign(key="owner", label=tr("Owner"), text=voice.name(issue.owner))
    yield Sign(
        key="approver", label=tr("Approved by"), text=voice.name(issue.approver) if issue.approver else tr("nobody yet")
    )
    yield Sign(key="issued", label=tr("Issued"), text=voice.day(issue.on or plan.as_of))


def _committed(best: Option, views: Views, voice: Voice) -> str:
    """What is newly owed, and what draws money that is owed already."""
    pool = views.pool
    if pool is None or not pool.drawn:
        return _newly(views, voice)
    words = {
        "drawn": voice.amount(pool.drawn),
        "seller": voice.name(provider_name(best.offer.provider)) if best.offer else "",
        "left": voice.amount(pool.left),
        "day": voice.day(pool.until),
    }
    signed = best.cost.signed.total
    if views.committed and signed > views.committed:
        words |= {
            "newly": voice.amount(views.committed),
            "signed": voice.amount(signed),
            "part": voice.amount(signed - views.committed),
        }
        return voice.tr(
            "{newly} from the signature on, whether it is used or not: {signed} are signed, less {part} of that, which draw the commitment "
            "with {seller}. With what is billed besides, {drawn} of it are drawn; {left} of it remain until {day}.",
            **words,
        )
    if views.committed:
        said = voice.tr(
            "Besides, {drawn} draw the commitment with {seller}, of which {left} remain until {day}.", **words
        )
        return f"{_newly(views, voice)} {said}"
    return voice.tr(
        "Draws {drawn} of the commitment with {seller}, of which {left} remain until {day}; nothing new is signed.",
        **words,
    )


def _newly(views: Views, voice: Voice) -> str:
    if not views.committed:
        return voice.tr("Nothing beyond the hours that are used.")
    return voice.tr("{amount} from the signature on, whether it is used or not.", amount=voice.amount(views.committed))


def _saved(views: Views, voice: Voice) -> str:
    """What the commitment would have cost unused, which is no payment of this plan and lowers what others would have to pay: from what
    is billed to the new money that the cash by month adds up to."""
    pool = views.pool
    if pool is None or not pool.drawn:
        return ""
    words = {
        "drawn": voice.amount(pool.drawn),
        "day": voice.day(pool.until),
        "unused": voice.amount(pool.unused),
        "new": voice.amount(views.paid),
    }
    if not pool.unused:
        return " " + voice.tr(
            "That is billed; {drawn} of it draw the commitment and would otherwise be paid unused by {day}, so {new} are new money, to "
            "which the cash by month adds up.",
            **words,
        )
    return " " + voice.tr(
        "That is billed; {drawn} of it draw the commitment and would otherwise be paid unused by {day}, so {new} are new money, to "
        "which the cash by month adds up. Another {unused} of the commitment are paid unused even so.",
        **words,
    )


def run_beside(best: Option, voice: Voice) -> str:
    """What cash holds of running servers that others use as well, over which time, and what these pay; nothing where this work pays
    all."""
    lines = {line.name: line.amount for line in best.cost.model.lines}
    share = lines.get("own_share", 1.0)
    if best.kind != "on_prem" or share >= _ALL:
        return ""
    mine = sum(lines.get(name, 0.0) for name in RUNNING)
    whole = lines["operation_year"] * lines["held_years"]
    return " " + voice.tr(
        "That is the whole order less its sale, and what falls to this work of running it, while it runs; for the other hours others pay "
        "{others} besides.",
        others=voice.amount(max(whole - mine, 0.0)),
    )


def _cash(views: Views, voice: Voice) -> str:
    """What leaves in each month: equal months together, the last ones as a sum; and what comes back."""
    leaves = _without_saved(views)
    paid = [(month, like) for month, like in _alike(leaves) if like]
    groups = [[month for month, _ in months] for _, months in groupby(paid, key=lambda item: item[1])]
    told = [_span(months, voice) for months in groups[:_MOST_MONTHS]]
    rest = groups[_MOST_MONTHS:]
    if rest:
        whole = sum(month.amount for months in rest for month in months)
        until = voice.day(month_end(leaves[-1].month))
        told.append(voice.tr("{amount} from then to {day}", amount=voice.amount(whole), day=until))
    text = "; ".join(told)
    if len(groups) < 2:
        return text[:1].upper() + text[1:] + "." if text else voice.tr("None.")
    total = views.paid + (views.pool.drawn if views.pool else 0.0)
    return voice.tr("{parts}: {total} in all.", parts=text, total=voice.amount(total))


def _without_saved(views: Views) -> tuple[Month, ...]:
    """What leaves for the work, before the shortfall that it saves."""
    saved = {item.month: item.amount for item in views.saved}
    paid = tuple(
        Month(month=item.month, amount=round(item.amount - saved.get(item.month, 0.0), 2)) for item in views.cash
    )
    return paid[: max((index + 1 for index, item in enumerate(paid) if item.amount), default=0)]


def _alike(cash: tuple[Month, ...]) -> Iterator[tuple[Month, float]]:
    """Each month with what a day of it takes, by which it is told: differences below a thousandth are the rounding's."""
    last = 0.0
    for item in cash:
        daily = item.amount / month_end(item.month).day
        last = last if last and abs(daily - last) <= abs(last) / 1000 else daily
        yield item, last


def _span(months: list[Month], voice: Voice) -> str:
    day, amount, count = voice.day(month_end(months[0].month)), months[0].amount, len(months)
    if amount < 0:
        return voice.tr(
            "{amount} come back by {day}, that month’s costs taken off", amount=voice.amount(-amount), day=day
        )
    if count == 1:
        return voice.tr("{amount} by {day}", amount=voice.amount(amount), day=day)
    least, most = (voice.amount(pick(month.amount for month in months)) for pick in (min, max))
    if least != most:
        return voice.tr(
            "{least} to {most} a month, by its number of days, in {count} months, the first by {day}",
            least=least,
            most=most,
            count=voice.number(count),
            day=day,
        )
    return voice.tr(
        "{amount} in each of {count} months, the first by {day}",
        amount=least,
        count=voice.number(count),
        day=day,
    )


def _share(best: Option, views: Views, voice: Voice) -> str:
    """What this work carries, who must carry the rest, and what of it nobody uses."""
    own = voice.amount(views.allocated)
    unused = views.pool.unused if views.pool else 0.0
    idle = round(views.idle - unused, 2)
    # What stands over it as the cost of the plan is no payment: the return that the money would bring elsewhere.
    imputed = round(views.economic - views.allocated, 2)
    if imputed > 0.005 * views.economic and not (views.others or idle):
        return voice.tr(
            "All of it: {amount}. Its cost of {cost} holds {capital} of capital too, which nobody is paid.",
            amount=own,
            cost=voice.amount(views.economic),
            capital=voice.amount(imputed),
        )
    if not (views.others or idle):
        return voice.tr("All of it: {amount}.", amount=own)
    return voice.tr(
        "{amount} of {whole}; other work must carry the remaining {rest}, of which {idle} are for hours that nobody uses "
        "if other work comes as stated.",
        amount=own,
        whole=voice.amount(views.expense - unused),
        rest=voice.amount(views.others + idle),
        idle=voice.amount(idle),
    )


def _exit(best: Option, views: Views, voice: Voice) -> str:
    """No seller's terms of leaving are known as a fact, so nothing is counted on; what is bought is property, and can be sold."""
    if views.committed and best.kind == "on_prem":
        return _sale(best, views, voice)
    if views.pool and views.pool.drawn and not views.committed:
        return voice.tr(
            "It ends with the hour in which it is stopped; what it has not drawn of the commitment by then stays owed."
        )
    if not views.committed:
        return voice.tr("It ends with the hour in which it is stopped; nothing more is owed.")
    return voice.tr(
        "{nothing} come back: no terms of leaving are known, so all that is committed stays owed.",
        nothing=voice.amount(0),
    )


def _sale(best: Option, views: Views, voice: Voice) -> str:
    """What is assumed of the sale of hardware that is bought, when its time is over."""
    back = views.cash[-1] if views.cash else None
    if (
        back is None
        or back.amount >= 0
        or not any(line.name == "residual_value" and line.amount for line in best.cost.model.lines)
    ):
        return voice.tr("The order stays owed. The hardware is property; nothing is assumed of its sale.")
    sold = -sum(amount for name, amount in _last_lines(best) if name in _AT_END)
    return voice.tr(
        "The order stays owed. The hardware is property: {amount} are assumed of its sale by {day}, less its removal. What it brings "
        "earlier is not known; the longer it was used, the less.",
        amount=voice.amount(sold),
        day=voice.day(month_end(back.month)),
    )


def _last_lines(best: Option) -> tuple[tuple[str, float], ...]:
    """What is paid, and comes back, in the last month of that cost, by line."""
    return best.cost.model.cash[-1].by_line


def _prices(plan: Plan, best: Option, voice: Voice) -> str:
    day = price_day(best)
    age = days_old(day, plan.as_of) if day else None
    if best.kind == "owned":
        return voice.tr("Upkeep of hardware that the team owns; nobody’s price decides.")
    if age is None:
        return voice.tr("The date of the deciding price is unknown.")
    if not age:
        said = voice.tr("The deciding price is of {day}, the day of the request.", day=voice.release_day(day))
        return f"{said}{_by_start(plan, best, voice)}"
    read = voice.trn(
        "The deciding price is of {day}, {count} day before the request.",
        "The deciding price is of {day}, {count} days before the request.",
        age,
        count=voice.number(age),
        day=voice.release_day(day),
    )
    return f"{read}{_by_start(plan, best, voice)}"


def _exchanged(plan: Plan, voice: Voice) -> str:
    """At which rate prices in US dollars became amounts, and of which day that is: nobody can check a sum without it."""
    money = plan.recommendation.currency
    if money.code == "USD":
        return ""
    known = {"rate": voice.number(round(money.rate, _RATE_DIGITS)), "code": money.code}
    if money.date:
        return " " + voice.tr(
            "One US dollar counts as {rate} {code}, the rate of {day}.", day=voice.release_day(money.date), **known
        )
    return " " + voice.tr("One US dollar counts as {rate} {code}, as agreed.", **known)


def _by_start(plan: Plan, best: Option, voice: Voice) -> str:
    """What is expected of a rented accelerator-hour while the work runs; nothing of bought hardware, which is paid at once."""
    price = next((item for item in best.cost.model.inputs if item.name == "price_per_instance_hour"), None)
    if price is None or price.low == price.high or best.offer is None:
        return ""
    scale = best.cost.model.per_usd / best.offer.devices
    value, low, high = (voice.amount(end * scale) for end in (price.value, price.low, price.high))
    said = voice.tr(
        "Over work that begins on {start} an accelerator-hour is expected at {price} on average, and in four of five cases between "
        "{low} and {high}.",
        start=voice.day(plan.start),
        price=value,
        low=low,
        high=high,
    )
    return f" {said}"


def _valid(plan: Plan, best: Option, voice: Voice) -> str:
    """Until the work begins, and no longer than its price is fresh and each quote behind it holds."""
    if to_confirm(plan, best):
        if in_writing(plan, best):
            return voice.tr("Only once the seller has confirmed the price: it is old already.")
        return voice.tr("Only once the price has been read again: it is old already.")
    until = valid_until(plan)
    return voice.day(until) if until else voice.tr("Until the work begins.")


def valid_until(plan: Plan) -> date | None:
    """The last day on which the plan can be approved as it is: its work has not begun, its price is fresh and each quote behind it
    holds. None where no such day is ahead: nothing is feasible, or the price is old already and must be confirmed first."""
    best = plan.recommendation.recommended
    if best is None or to_confirm(plan, best):
        return None
    quotes = [part.valid_until for part in plan.recommendation.backing]
    limits = (_fresh_until(plan, best), plan.start, *quotes)
    return min((day for day in limits if day and day > plan.as_of), default=None)


def to_confirm(plan: Plan, best: Option) -> bool:
    """Is the deciding price old already, or of an unknown day?"""
    fresh = _fresh_until(plan, best)
    return best.kind != "owned" and (fresh is None or fresh < plan.as_of)


def in_writing(plan: Plan, best: Option) -> bool:
    """Can the seller be asked to confirm the price, and is the sum worth the letter? Nobody confirms a spot price, and a list price for
    little is read again."""
    if best.cost.signed.what != "none" or best.offer is None:
        return True
    if best.offer.option == "spot":
        return False
    return kept_free(plan, best) >= WRITTEN_FROM_USD * best.cost.model.per_usd


def _fresh_until(plan: Plan, best: Option) -> date | None:
    """The last day on which the deciding price is fresh; None of hardware that is owned and of a price of an unknown day."""
    day = price_day(best)
    return (
        date.fromisoformat(day) + timedelta(days=price_limit(best)) if days_old(day, plan.as_of) is not None else None
    )
