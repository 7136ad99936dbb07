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

from engine.answer import DRAWN, EXCESS, FULL_PRICE, SAVED, CostInput, CostLine
from engine.context import Context
from engine.inputs.agreed import commitment_share
from engine.inputs.finding import Ref, finding
from engine.inputs.hardware import Offer
from engine.inputs.named import seller_ref
from engine.inputs.origin import REQUEST
from engine.inputs.terms import SpendCommitment
from engine.money.cash import SETTLED
from engine.money.lines import dollars, given, quantity

LEFT, OTHERS, FREE, UNUSED = "spend_left", "spend_others", "spend_free", "spend_unused"
"""Input and lines that hold what is left of it, what other work draws, what nobody else would, and what nobody does."""
_INSTANCES = ("compute", "second_compute", "spares")
_DAYS_PER_YEAR = 365.0
_DEARER = "spend_discount / (1 - spend_discount)"
"""What an hour without the discount costs more, as a share of one with it."""


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """One commitment as an offer draws on it, in US dollars."""

    provider: Ref
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
        provider=seller_ref(offer),
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
        dollars(OTHERS, f"min({LEFT}, spend_others_month * spend_months)", kind="quantity"),
        dollars(FREE, f"{LEFT} - {OTHERS}", kind="quantity"),
        quantity("spend_in_time", share, "share"),
    ]
    found += _hourly(leaves, drawing, span) if drawing.hourly else _at_end(leaves, drawing, prepaid=prepaid)
    found.append(dollars(UNUSED, f"{FREE} - {DRAWN}", kind="quantity"))
    return found


def _inputs(drawing: Drawing) -> list[CostInput]:
    values = [
        (LEFT, drawing.left_usd, "USD"),
        ("spend_others_month", drawing.others_usd_month, "USD/month"),
        ("spend_months", drawing.months, "month"),
        (SETTLED, drawing.hours, "h"),
    ]
    if drawing.hourly:
        values.append(("spend_whole_hours", drawing.whole_hours, "h"))
    if drawing.discount:
        values.append(("spend_discount", drawing.discount, ""))
    return [
        given(name, value, unit, REQUEST, told=finding(f"cost.{name}", provider=drawing.provider))
        for name, value, unit in values
    ]


def _at_end(leaves: list[CostLine], drawing: Drawing, *, prepaid: bool) -> list[CostLine]:
    """Everything that the provider bills until the commitment ends draws it; the discount ends with it."""
    found = []
    if drawing.discount and not prepaid:
        found.append(_full_price(leaves))
    every = [*leaves, *found]
    found.append(dollars("spend_billed", " + ".join(_paid(line) for line in every), kind="quantity"))
    found.append(dollars(DRAWN, f"min(spend_billed * spend_in_time, {FREE})", kind="quantity"))
    saved = dollars(SAVED, f"-{DRAWN}", schedule="settled")
    if any(line.paid for line in every):
        mine = " + ".join(line.name for line in every)
        saved = replace(saved, expression=f"-{DRAWN} * ({mine}) / max(spend_billed, 1e-9)", paid=f"-{DRAWN}")
    return [*found, saved]


def _hourly(leaves: list[CostLine], drawing: Drawing, span: str) -> list[CostLine]:
    """In each hour until it ends the instances draw what is free of it in that hour; the rest of them, and all of them afterwards, are
    paid without its discount."""
    compute = [line for line in leaves if line.name in _INSTANCES]
    instances = " + ".join(line.name for line in compute)
    per_hour = f"{FREE} / spend_whole_hours * min({span}, {SETTLED})"
    found = [
        dollars("spend_usable", per_hour, kind="quantity"),
        dollars(
            DRAWN,
            f"min(({instances}) * spend_in_time, spend_usable)",
            kind="quantity",
        ),
    ]
    if drawing.discount:
        beyond = f"(({instances}) * spend_in_time - {DRAWN}) * {_DEARER}"
        found += [dollars(EXCESS, beyond, schedule="until"), _full_price(leaves)]
    return [*found, dollars(SAVED, f"-{DRAWN}", schedule="until")]


def _full_price(leaves: list[CostLine]) -> CostLine:
    """What instances cost more once the discount of the commitment has ended."""
    factor = f"* (1 - spend_in_time) * {_DEARER}"
    compute = [line for line in leaves if line.name in _INSTANCES]
    line = dollars(
        FULL_PRICE,
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
