"""When the money leaves: a cost model by calendar month, adding up to its total to the cent."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from planner.engine.agreed import SOURCE
from planner.engine.cost_lines import amount_of, check_positive, given, quantity, settled
from planner.engine.result import CashMonth, CashYear, CostInput, CostLine, CostModel

RUN_HOURS = "programme_hours"
"""Line that says how long `run` lines are spread from the start [h]."""
LEAD_HOURS = "lead_hours"
"""Line that stands for it where hardware is bought: the rental until delivery [h]."""
PAID_MONTHS = "paid_months"
"""Line that says for how many months `monthly` lines are paid; `end` lines fall after them."""


@dataclass(frozen=True)
class Display:
    """The currency that a plan is shown in: units for one US dollar, and the date of that rate."""

    currency: str = "USD"
    fx_rate: float = 1.0
    fx_date: str = ""


def completed(
    inputs: Iterable[CostInput], lines: Iterable[CostLine], *, start: date, display: Display, cash: bool = True
) -> CostModel:
    """The model with amounts, with its total in the display currency where that is not the dollar, and its cash flow.

    Without `cash`, for a model that is only compared, `with_cash` may add the flow afterwards.
    """
    inputs, lines = list(inputs), list(lines)
    if display.currency != "USD":
        unit = display.currency
        check_positive(fx_rate=display.fx_rate)
        # A rate without a date is one that the request itself sets.
        source = "catalog" if display.fx_date else SOURCE
        rate = given(
            "fx_rate", f"{unit} for one US dollar", display.fx_rate, f"{unit}/USD", source, date=display.fx_date
        )
        inputs.append(rate)
        lines.append(
            replace(quantity("total_display", f"Total in {unit}", "round(total * fx_rate)", unit), kind="total")
        )
    model = settled(inputs, lines)
    return with_cash(model, start) if cash else model


def with_cash(model: CostModel, start: date) -> CostModel:
    """The same model with its cash flow."""
    months = cash_by_month(model, start)
    return replace(model, cash=months, years=_by_year(model, months, start))


def _by_year(model: CostModel, months: Sequence[CashMonth], start: date) -> tuple[CashYear, ...]:
    """The cash by calendar year. What is discounted are payments: the cost of capital is the discount itself."""
    rate = next((item.value for item in model.inputs if item.name == "wacc"), 0.0)
    payments = replace(model, lines=tuple(line for line in model.lines if line.name != "cost_of_capital"))
    worth: dict[int, float] = defaultdict(float)
    totals: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for item in months:
        year = totals[int(item.month[:4])]
        year[0] += item.opex
        year[1] += item.capex
    for index, item in enumerate(cash_by_month(payments, start)):
        worth[int(item.month[:4])] += (item.opex + item.capex) / (1.0 + rate) ** (index / 12.0)
    return tuple(
        CashYear(year=year, opex=round(opex, 2), capex=round(capex, 2), present_value=round(worth[year], 2))
        for year, (opex, capex) in totals.items()
    )


def cash_by_month(model: CostModel, start: date) -> tuple[CashMonth, ...]:
    """Cash per calendar month from the first to the last in which any moves; adds up to the total."""
    opex: dict[str, int] = defaultdict(int)
    capex: dict[str, int] = defaultdict(int)
    lines: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for line in model.lines:
        book = capex if line.kind == "capex" else opex
        for month, part in line_by_month(line, model, start).items():
            book[month] += part
            lines[month].append((line.name, part / 100))
    months = sorted({*opex, *capex})
    if not months:
        return ()
    return tuple(
        CashMonth(month=month, opex=opex[month] / 100, capex=capex[month] / 100, by_line=tuple(lines[month]))
        for month in _between(months[0], months[-1])
    )


def line_by_month(line: CostLine, model: CostModel, start: date) -> dict[str, int]:
    """What one line pays in each calendar month [whole cents]; nothing for a line that is no leaf of the total."""
    if line.schedule == "none":
        return {}
    weights = _weights(line, model, start)
    return dict(zip(weights, split_cents(round(line.amount * 100), list(weights.values())), strict=True))


def split_cents(amount: int, weights: Sequence[float]) -> list[int]:
    """Whole cents in proportion to the weights, adding up exactly (largest remainder)."""
    whole = sum(weights)
    exact = [amount * weight / whole for weight in weights]
    parts = [math.floor(value) for value in exact]
    by_remainder = sorted(range(len(parts)), key=lambda index: parts[index] - exact[index])
    for index in by_remainder[: amount - sum(parts)]:
        parts[index] += 1
    return parts


def _weights(line: CostLine, model: CostModel, start: date) -> Mapping[str, float]:
    match line.schedule:
        case "upfront":
            return {_month(start): 1.0}
        case "run":
            names = {line.name for line in model.lines}
            return hours_by_month(start, amount_of(model, RUN_HOURS if RUN_HOURS in names else LEAD_HOURS))
        case "end":
            return {_month(add_months(start, math.ceil(amount_of(model, PAID_MONTHS) - 1e-9))): 1.0}
    return _instalments(start, amount_of(model, PAID_MONTHS))


def hours_by_month(start: date, hours: float) -> dict[str, float]:
    """Hours of a run that fall into each calendar month, from midnight of its first day."""
    clock = datetime.combine(start, time())
    end = clock + timedelta(hours=max(hours, 1e-6))
    shares: dict[str, float] = {}
    while clock < end:
        following = datetime.combine(add_months(clock.date().replace(day=1), 1), time())
        shares[_month(clock.date())] = (min(end, following) - clock).total_seconds() / 3600.0
        clock = following
    return shares


def _instalments(start: date, months: float) -> dict[str, float]:
    """One payment in each month; a last part of a month pays its part."""
    count = max(1, math.ceil(months - 1e-9))
    return {_month(add_months(start, index)): max(min(1.0, months - index), 1e-9) for index in range(count)}


def add_months(day: date, months: int) -> date:
    """The same day so many months later, or the last day of a shorter month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    following = date(year + (month + 1) // 12, (month + 1) % 12 + 1, 1)
    return date(year, month + 1, min(day.day, (following - timedelta(days=1)).day))


def _month(day: date) -> str:
    return f"{day.year:04d}-{day.month:02d}"


def _between(first: str, last: str) -> list[str]:
    months = [first]
    while months[-1] < last:
        months.append(_month(add_months(date.fromisoformat(f"{months[-1]}-01"), 1)))
    return months
