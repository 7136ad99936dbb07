"""What to know of agreed terms before relying on an option: what it draws of a spend commitment and what lapses, when a discount
ends, and that a lease is for the controller to look at."""

from __future__ import annotations

from collections.abc import Iterator

from engine.answer import DRAWN, EXCESS, FULL_PRICE, LEASED, CostModel
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Sum, Value, finding
from engine.inputs.hardware import Offer
from engine.inputs.named import seller_ref
from engine.money.drawing import UNUSED, drawing_of
from engine.money.leased import SHORT_TERM_MONTHS
from engine.money.views import RATE_ASSUMPTION
from engine.supply import Supply

_HALF_A_COIN = 0.005


def terms_noted(context: Context, supply: Supply, model: CostModel) -> tuple[Finding, ...]:
    """All of it for that option, whose cost is in US dollars still."""
    return (*_drawn(context, supply.offer, model), *_elsewhere(context, supply.offer), *_lease(context, supply, model))


def _drawn(context: Context, offer: Offer | None, model: CostModel) -> Iterator[Finding]:
    drawing = drawing_of(context, offer)
    if drawing is None or offer is None:
        return
    amounts = {line.name: line.amount for line in model.lines}
    values: dict[str, Value] = {"provider": seller_ref(offer), "day": drawing.until}
    code = "warning.spend.draws" if amounts[DRAWN] > _HALF_A_COIN else "warning.spend.others"
    yield finding(
        code,
        **values,
        drawn=Sum(amounts[DRAWN]),
        left=Sum(drawing.left_usd),
        rest=_rest(amounts[UNUSED], hourly=drawing.hourly),
    )
    more = amounts.get(FULL_PRICE, 0.0) + amounts.get(EXCESS, 0.0)
    if more > _HALF_A_COIN:
        yield finding(
            "warning.spend.hourly" if drawing.hourly else "warning.spend.ends",
            **values,
            share=Quantity(drawing.discount, "share"),
            more=Sum(more),
        )


def _rest(unused: float, *, hourly: bool) -> Finding:
    """What becomes of the rest of it."""
    if unused <= _HALF_A_COIN:
        return finding("spend.used_up")
    return finding("spend.unused.hourly" if hourly else "spend.unused", unused=Sum(unused))


def _elsewhere(context: Context, offer: Offer | None) -> Iterator[Finding]:
    """Commitments with others, of which nobody draws a part: it is paid in any case, and no part of this cost."""
    for one in context.spec.spend_commitments:
        other = next((sold for sold in context.market.offers if sold.provider == one.provider), None)
        if other is None or (offer is not None and offer.provider == one.provider):
            continue
        months = ((one.until - context.as_of).days + 1) * 12.0 / 365.0
        lapses = one.left_usd - one.others_usd_month * months
        if lapses > _HALF_A_COIN:
            yield finding("warning.spend.elsewhere", provider=seller_ref(other), lapses=Sum(lapses), day=one.until)


def _lease(context: Context, supply: Supply, model: CostModel) -> Iterator[Finding]:
    """What a lease is in the books: a right of use where the servers are identified and the term is longer than a year."""
    amounts = {line.name: line.amount for line in model.lines}
    offer = supply.offer
    if LEASED not in amounts or offer is None:
        return
    months = round(amounts["paid_months"])
    values: dict[str, Value] = {"lessor": seller_ref(offer), "months": months, "whole": Sum(amounts[LEASED])}
    if months <= SHORT_TERM_MONTHS:
        yield finding("warning.lease.short", **values)
        return
    rate = context.assume[RATE_ASSUMPTION]
    monthly = (1.0 + rate) ** (1.0 / 12.0) - 1.0
    worth = amounts[LEASED] / months * (1.0 - (1.0 + monthly) ** -months) / monthly if monthly else amounts[LEASED]
    yield finding("warning.lease.right_of_use", **values, worth=Sum(worth), rate=Quantity(rate, "share"))
