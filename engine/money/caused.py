"""What the cash that a piece of work causes is worth on the day of the request: the sum by which options are ranked.

Caused are the dated nominal payments of a cost model, each discounted by its days over 365 at the effective annual rate: no interest,
depreciation, imputed or sunk cost; of what is signed and bought all of it, but for what other work carries as the request says; of
what is kept the sale that it forgoes. `ways` compares ways of having hardware by the same sum. In each draw amounts move and days
stay: a payment is dated as it is expected.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from engine.answer import UNPAID, CostModel
from engine.money.cash import CALENDAR_DAYS, longest_days, month_end, payment_days, weights_of
from engine.money.dated import sold_after
from engine.money.decision import DAYS, Decision
from engine.money.forgone import KEPT, LEFT, SALE


def discounts(model: CostModel, decision: Decision) -> dict[str, float]:
    """What one unit of each line that is paid is worth; nothing of what nobody pays. Work that ends beyond the calendar has no days, and
    counts as if it were paid at once."""
    dateless = longest_days(model) > CALENDAR_DAYS
    known: dict[str, float] = {}
    found: dict[str, float] = {}
    for line in model.lines:
        if line.schedule == "none" or line.paid == UNPAID:
            continue
        if line.schedule not in known:
            weights = {} if dateless else weights_of(line, model, decision.start)
            days = {} if dateless else payment_days(line, model, decision.start)
            worth = sum(part * decision.on(days.get(month) or month_end(month)) for month, part in weights.items())
            known[line.schedule] = worth / whole if (whole := sum(weights.values())) else 1.0
        found[line.name] = known[line.schedule]
    return found


def caused(model: CostModel, decision: Decision) -> float:
    """The worth of all of it at central values, in the currency of the model; as `ways` has it."""
    return float(worth_in(model, {line.name: line.amount for line in model.lines}, decision))


def worth_in(model: CostModel, values: Mapping[str, Any], decision: Decision) -> Any:
    """The same where its lines have those values, numbers or draws of them; `leaves_of` says which are needed."""
    worth: Any = 0.0
    for name, one in discounts(model, decision).items():
        worth = worth + values[name] * one
    if SALE in values:
        kept = next(line.amount for line in model.lines if line.name == KEPT)
        sold = decision.as_of + timedelta(days=sold_after(kept)) if kept * DAYS < CALENDAR_DAYS else None
        worth = worth + values[SALE] - (values[LEFT] * decision.on(sold) if sold else 0.0)
    return worth


def leaves_of(model: CostModel) -> set[str]:
    """Lines whose values decide what a model is worth."""
    names = {line.name for line in model.lines}
    paid = {line.name for line in model.lines if line.schedule != "none"}
    return paid | ({SALE, LEFT} if SALE in names else set())
