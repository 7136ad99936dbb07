"""What is left when the planned capacity is not there on the day: the next option that keeps the limits, and what it binds."""

from __future__ import annotations

from engine.answer import Option
from exports.composing.context import Context, option_name, seller, terms
from exports.composing.hazard import Hazard
from exports.composing.kinds import PRINTED
from exports.composing.signed import signs_more
from exports.numbers import long_date, percent
from exports.wording import mark, tr
from planner.promises import asked_confidence


def capacity(context: Context, best: Option) -> Hazard | None:
    """What is left when the capacity is not there on the day: the next option that keeps the limits."""
    if best.offer is None:
        return None
    spot = ""
    if best.offer.option == "spot":
        share = best.offer.interruption_per_month
        spot = " " + (
            tr("The provider promises none, and takes back {share} of them in a month.", share=percent(share))
            if share
            else tr("The provider promises none and may take them back at any time.")
        )
    begins = tr("on {date}", date=long_date(context.start)) if context.spec.start else tr("when the work begins")
    start = tr(
        "Should {option} not be free {seller} {begins}", option=option_name(best), seller=seller(best), begins=begins
    )
    return _other_capacity(context, best, start, spot)


def _other_capacity(context: Context, best: Option, start: str, spot: str) -> Hazard:
    """What the next option costs more, as surely as is asked: elsewhere, else of the same seller on other terms."""
    elsewhere = _fallback(context, best)
    other = elsewhere or _fallback(context, best, same=True)
    if other is None:
        return Hazard(
            kind="capacity",
            text=tr("{start}, nothing else of this plan that can be rented keeps the limits.", start=start)
            + _to_buy(context, best)
            + spot,
        )
    more = other.cost.ranked_by - best.cost.ranked_by
    gap = context.money.rounded(abs(more))
    money = tr("{amount} more", amount=gap) if more >= 0 else tr("{amount} less", amount=gap)
    pace = PRINTED[context.kind].takes(other, best)
    nearest = mark(
        "{start}, the nearest elsewhere, {option} {seller}{terms}, costs {money} in present value at {sure} confidence{pace}{signs}."
    )
    same = mark(
        "{start}, the nearest, {option} {seller}{terms}, costs {money} in present value at {sure} confidence{pace}{signs}; nothing "
        "that another seller rents out keeps the limits."
    )
    text = tr(
        nearest if elsewhere else same,
        start=start,
        option=option_name(other),
        seller=seller(other),
        terms=f", {terms(other)}" if other.offer else "",
        money=money,
        sure=percent(asked_confidence(context.spec)),
        pace=pace,
        signs=signs_more(context, best, other),
    )
    return Hazard(kind="capacity", text=text + _to_buy(context, best) + spot, stake=max(0.0, more))


def _to_buy(context: Context, best: Option) -> str:
    """Servers that would do it too, once they are delivered; nothing where none keep the limits."""
    bought = [option for option in context.answer.alternatives if option.keeps_limits and option.kind == "on_prem"]
    least = min(bought, key=lambda option: option.cost.ranked_by, default=None)
    if least is None:
        return ""
    more = least.cost.ranked_by - best.cost.ranked_by
    gap = context.money.rounded(abs(more))
    return " " + tr(
        "Once delivered, {option} {seller} would do it too: {money}.",
        option=option_name(least),
        seller=seller(least),
        money=tr("{amount} more", amount=gap) if more >= 0 else tr("{amount} less", amount=gap),
    )


def _fallback(context: Context, best: Option, *, same: bool = False) -> Option | None:
    """The cheapest option within the limits that needs nothing of the same seller, or one of the same seller on other terms."""
    here = best.offer.provider if best.offer else ""
    rest = [
        option
        for option in context.answer.alternatives
        if option.keeps_limits
        and option.kind != "on_prem"  # which would be months away
        and bool(option.porting) <= bool(best.porting)  # nor would its software be there on the day
        and (option.offer is not None and option.offer.provider == here) == same
    ]
    return min(rest, key=lambda option: option.cost.ranked_by, default=None)
