"""What keeping hardware forgoes: whoever keeps it does not sell it now, and sells it for less when the work is done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from engine.answer import CostInput, CostLine
from engine.inputs.assumptions import Assumptions, resting_on
from engine.inputs.hardware import Holding
from engine.inputs.origin import REQUEST, Origin, origin, quoted
from engine.inputs.spec import Owned
from engine.money.formulas import HOURS_PER_YEAR
from engine.money.lines import dollars, given, quantity

SALE, LEFT, KEPT = "sale_forgone", "sale_later", "kept_years"
"""Lines of what it would sell for on the day of the request and when the work is done, and of the years between them."""


@dataclass(frozen=True, kw_only=True)
class Sale:
    """What one accelerator would sell for on the day of the request [USD], where the number is from, and how long the work is away."""

    usd: float
    source: Origin
    date: str
    ahead_days: float
    """From that day to the start of the work."""


def sale_of(
    owned: Owned | None, holding: Holding | None, assume: Assumptions, *, as_of: date, start: date
) -> Sale | None:
    """As the request states it, else what the price that was paid has come down to by its age; None where neither is known.

    The value falls by a constant share a year, to `onprem.residual_share` at the end of the useful life.
    """
    ahead = float(max((start - as_of).days, 0))
    if owned is not None and owned.resale_usd:
        return Sale(usd=owned.resale_usd, source=REQUEST, date=as_of.isoformat(), ahead_days=ahead)
    if holding is None or not (holding.price_paid_usd and holding.in_service):
        return None
    age = max((as_of - date.fromisoformat(holding.in_service)).days / 365.25, 0.0)
    life, share = assume["onprem.life_years"], assume["onprem.residual_share"]
    return Sale(
        usd=holding.price_paid_usd / holding.count * share ** (age / life),
        source=origin("aged", paid=quoted(holding.source), share=resting_on(assume.get("onprem.residual_share"))),
        date=holding.date,
        ahead_days=ahead,
    )


def sale_lines(inputs: list[CostInput], sale: Sale | None, assume: Assumptions, *, hours: str) -> list[CostLine]:
    """What is forgone, and what is left of it after work of so many hours; no part of the total, since nobody pays it."""
    if sale is None:
        return []
    life, share = assume.get("onprem.life_years"), assume.get("onprem.residual_share")
    inputs += [
        given("resale_per_device", sale.usd, "USD", sale.source, date=sale.date),
        given("ahead_days", sale.ahead_days, "day", REQUEST),
        given("life_years", life.value, life.unit, life.source),
        given("residual_share", share.value, share.unit, share.source),
    ]
    return [
        quantity(KEPT, f"ahead_days / 365 + ({hours}) / {HOURS_PER_YEAR}", "year"),
        dollars(SALE, "devices * resale_per_device", kind="quantity"),
        dollars(LEFT, f"{SALE} * residual_share ** ({KEPT} / life_years)", kind="quantity"),
    ]
