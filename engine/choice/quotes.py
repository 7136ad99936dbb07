"""What is to be known of quotes that end: before the plan is made, or before its work begins."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from engine.answer import Option
from engine.context import Context
from engine.inputs.agreed import has_run_out
from engine.inputs.finding import Finding, Typed, finding
from engine.inputs.hardware import Market
from engine.inputs.named import seller_ref


def quote_warnings(context: Context, known: Market, best: Option | None) -> tuple[Finding, ...]:
    """Of the prices that the request states, and of those that the team keeps itself (`known`: the market before quotes
    that have run out gave way to listed prices) the one that the recommended option would have had."""
    return (*_stated(context, best), *(_kept(context, known, best) if best else ()))


def _stated(context: Context, best: Option | None) -> Iterator[Finding]:
    used = {best.offer.id if best.offer else best.on_prem} if best else set()
    for price in context.spec.agreed:
        if price.valid_until is None:
            continue
        if has_run_out(price.valid_until, context.as_of):
            yield finding("warning.quote.ended", item=Typed(price.item), until=price.valid_until)
        elif price.item in used and price.what != "server" and price.valid_until < context.start:
            yield finding("warning.quote.short", item=Typed(price.item), until=price.valid_until, start=context.start)


def _kept(context: Context, known: Market, best: Option) -> Iterator[Finding]:
    offer = next((one for one in known.offers if best.offer and one.id == best.offer.id), None)
    if offer is None or not offer.valid_until or offer.valid_until >= context.as_of.isoformat():
        return
    until = date.fromisoformat(offer.valid_until)
    if offer.public:
        yield finding("warning.quote.ended", item=Typed(offer.id), until=until)
    else:
        yield finding("warning.quote.lapsed", provider=seller_ref(offer), until=until)
