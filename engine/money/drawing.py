"""What a piece of work draws of a spend commitment with the provider that it rents from, and what that is worth.

Money that is owed to a provider whatever is used there is sunk, but for the part that would lapse unused without this work:
by so much less is paid when the commitment ends. Other work draws first. The lines of the cost model are these formulas over
named inputs; `relief` is the same over arrays, for ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np

from engine.answer import DRAWN, FULL_PRICE, SAVED, CostInput, CostLine
from engine.context import Context
from engine.inputs.agreed import commitment_share
from engine.inputs.hardware import Offer
from engine.inputs.names import seller
from engine.inputs.terms import SpendCommitment
from engine.money.cash import SETTLED
from engine.money.lines import dollars, given, quantity

LEFT, OTHERS, FREE, UNUSED = "spend_left", "spend_others", "spend_free", "spend_unused"
"""Input and lines that hold what is left of it, what other work draws, what nobody else would, and what nobody does."""
_INSTANCES = ("compute", "second_compute", "spares")
_DAYS_PER_YEAR = 365.0
_SOURCE = "request"


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """One commitment as an offer draws on it, in US dollars."""

    provider: str
    """As it spells its name."""
    until: date
    left_usd: float
    others_usd_month: float
    months: float
    """From the day of the request until it ends."""
    hours: float
    """From the start of the work until it ends."""
    discount: float
    """Share that it takes off the price of this offer."""
    hourly: bool

    @property
    def free(self) -> float:
        """What nobody else would draw of it [USD]."""
        return max(self.left_usd - self.others_usd_month * self.months, 0.0)

    @property
    def whole_hours(self) -> float:
        """From the day of the request until it ends."""
        return self.months * _DAYS_PER_YEAR / 12.0 * 24.0


def drawing_of(context: Context, offer: Offer | None) -> Drawing | None:
    """The commitment that this offer draws on; None where there is none, or it has ended before the work begins."""
    if offer is None:
        return None
    found = next((one for one in context.spec.spend_commitments if one.provider == offer.provider), None)
    if found is None or found.until < context.start or (found.lapses == "hourly" and offer.option != "on_demand"):
        return None
    return _drawing(context, offer, found)


def _drawing(context: Context, offer: Offer, found: SpendCommitment) -> Drawing:
    return Drawing(
        provider=seller(offer),
        until=found.until,
        left_usd=found.left_usd,
        others_usd_month=found.others_usd_month,
        months=((found.until - context.as_of).days + 1) * 12.0 / _DAYS_PER_YEAR,
        hours=((found.until - context.start).days + 1) * 24.0,
        discount=commitment_share(offer, found),
        hourly=found.lapses == "hourly",
    )


def drawing_lines(
    inputs: list[CostInput], lines: Sequence[CostLine], drawing: Drawing | None, *, span: str
) -> list[CostLine]:
    """What is drawn of the commitment, what its discount does not hold for, and the shortfall that is saved; nothing without
    a commitment. `lines` are all others of the total, `span` the hours over which they are billed."""
    if drawing is None:
        return []
    inputs += _inputs(drawing)
    leaves = [line for line in lines if line.schedule != "none"]
    prepaid = any(line.name in _INSTANCES and line.schedule == "upfront" for line in leaves)
    share = "1" if prepaid else f"min(1, {SETTLED} / max({span}, 1e-9))"
    found = [
        dollars(OTHERS, "Drawn by other work", f"min({LEFT}, spend_others_month * spend_months)", kind="quantity"),
        dollars(FREE, "Drawn by nobody without this work", f"{LEFT} - {OTHERS}", kind="quantity"),
        quantity("spend_in_time", "Share of the bill before the commitment ends", share, "share"),
    ]
    found += _hourly(leaves, drawing, span) if drawing.hourly else _at_end(leaves, drawing, prepaid=prepaid)
    found.append(
        dollars(UNUSED, "Of the commitment, paid and used by nobody even so", f"{FREE} - {DRAWN}", kind="quantity")
    )
    return found


def _inputs(drawing: Drawing) -> list[CostInput]:
    named = f"the commitment with {drawing.provider}"
    values = [
        (LEFT, f"Still to be drawn of {named}", drawing.left_usd, "USD"),
        ("spend_others_month", f"Drawn of {named} by other work", drawing.others_usd_month, "USD/month"),
        ("spend_months", f"From the request to the end of {named}", drawing.months, "month"),
        (SETTLED, f"From the start to the end of {named}", drawing.hours, "h"),
    ]
    if drawing.hourly:
        label = f"From the request to the end of {named}, in hours"
        values.append(("spend_whole_hours", label, drawing.whole_hours, "h"))
    if drawing.discount:
        values.append(("spend_discount", f"Discount of {named}", drawing.discount, ""))
    return [given(name, label, value, unit, _SOURCE) for name, label, value, unit in values]


def _at_end(leaves: list[CostLine], drawing: Drawing, *, prepaid: bool) -> list[CostLine]:
    """Everything that the provider bills until the commitment ends draws it; the discount ends with it."""
    found = []
    if drawing.discount and not prepaid:
        found.append(_full_price(leaves, "* (1 - spend_in_time) * spend_discount / (1 - spend_discount)"))
    every = [*leaves, *found]
    found.append(
        dollars(
            "spend_billed", "All that the provider bills", " + ".join(_paid(line) for line in every), kind="quantity"
        )
    )
    found.append(
        dollars(DRAWN, "Drawn of it by this work alone", f"min(spend_billed * spend_in_time, {FREE})", kind="quantity")
    )
    saved = dollars(SAVED, "Shortfall of the commitment that is saved", f"-{DRAWN}", schedule="settled")
    if any(line.paid for line in every):
        mine = " + ".join(line.name for line in every)
        saved = replace(saved, expression=f"-{DRAWN} * ({mine}) / max(spend_billed, 1e-9)", paid=f"-{DRAWN}")
    return [*found, saved]


def _hourly(leaves: list[CostLine], drawing: Drawing, span: str) -> list[CostLine]:
    """In each hour the instances draw what is free of it in that hour; the rest is paid without its discount."""
    compute = [line for line in leaves if line.name in _INSTANCES]
    instances = " + ".join(line.name for line in compute)
    per_hour = f"{FREE} / spend_whole_hours * min({span}, {SETTLED})"
    found = [
        dollars("spend_usable", "Of that, in the hours of this work", per_hour, kind="quantity"),
        dollars(
            DRAWN,
            "Drawn of it by this work alone",
            f"min(({instances}) * spend_in_time, spend_usable)",
            kind="quantity",
        ),
    ]
    if drawing.discount:
        rest = f"({instances} - {DRAWN}) * spend_discount / (1 - spend_discount)"
        found.append(replace(_full_price(leaves, ""), expression=rest, schedule=compute[0].schedule))
    saved = dollars(SAVED, "Shortfall of the commitment that is saved", f"-{DRAWN}", schedule=compute[0].schedule)
    return [*found, saved]


def _full_price(leaves: list[CostLine], factor: str) -> CostLine:
    """What instances cost more where the discount of the commitment does not hold."""
    compute = [line for line in leaves if line.name in _INSTANCES]
    line = dollars(
        FULL_PRICE,
        "Instances without the discount of the commitment",
        f"({' + '.join(line.name for line in compute)}) {factor}",
        schedule="after",
    )
    if not any(one.paid for one in compute):
        return line
    return replace(line, paid=f"({' + '.join(_paid(one) for one in compute)}) {factor}")


def _paid(line: CostLine) -> str:
    return f"({line.paid})" if line.paid else line.name


def relief(drawing: Drawing, *, billed: Any, instances: Any, hours: Any) -> tuple[Any, Any]:
    """What work that is billed so much over so many hours draws of it and so saves, and what its instances cost more where the
    discount does not hold [USD]: the lines above for numbers or arrays."""
    in_time = np.minimum(1.0, drawing.hours / np.maximum(hours, 1e-9))
    dearer = drawing.discount / (1.0 - drawing.discount)
    if drawing.hourly:
        usable = drawing.free / drawing.whole_hours * np.minimum(hours, drawing.hours)
        drawn = np.minimum(instances * in_time, usable)
        return drawn, (instances - drawn) * dearer
    more = instances * (1.0 - in_time) * dearer
    return np.minimum((billed + more) * in_time, drawing.free), more
