"""A plan's cost as a budget reads it: one row for each line of the cost model and calendar month, adding up exactly."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answer import SAVED, CostLine
from engine.inputs.currency import DIGITS
from engine.money.cash import line_by_month, split_units
from engine.money.signed import share_lines
from planner.body import decimal_text
from planner.frozen.snapshot import Plan
from planner.telling import told


@dataclass(frozen=True, kw_only=True)
class BudgetLine:
    """What one line of the cost model pays in one calendar month. `low` and `high`: its part of the plan's band."""

    month: str
    line: str
    label: str
    kind: str
    """opex or capex."""
    amount: str
    low: str
    high: str
    currency: str
    signed: str | None = None
    """The whole purchase or commitment that is signed, where this line is the work's share of it: the same on each of its
    rows, not to be added up."""


def budget_lines(plan: Plan) -> list[BudgetLine]:
    """The recommended option's lines by month; none when nothing is feasible."""
    option = plan.recommendation.recommended
    if option is None:
        return []
    start = plan.start
    cells = [
        (month, line, units)
        for line in option.cost.model.lines
        for month, units in line_by_month(line, option.cost.model, start).items()
        if units
    ]
    cells.sort(key=lambda cell: cell[0])
    weights = [float(units) for _, _, units in cells]
    total, digits = option.cost.total, DIGITS[option.cost.total.currency]
    saves = any(line.name == SAVED for _, line, _ in cells)
    split = _moved if saves else _split
    low, high = (split(value, weights, digits) for value in (total.low, total.high))
    shares, signed = share_lines(option.cost.signed), decimal_text(option.cost.signed.total, digits)
    return [
        _line(month, line, units, down, up, signed=signed if line.name in shares else None)
        for (month, line, units), down, up in zip(cells, low, high, strict=True)
    ]


def _split(total: float, weights: list[float], digits: int) -> list[int]:
    return split_units(round(total * 10**digits), weights) if weights else []


def _moved(total: float, weights: list[float], digits: int) -> list[int]:
    """The same where a saved shortfall stands against the rest: each amount moved by its part of what the end differs by."""
    units = [round(weight) for weight in weights]
    apart = round(total * 10**digits) - sum(units)
    return [
        unit + part for unit, part in zip(units, split_units(apart, [abs(weight) for weight in weights]), strict=True)
    ]


def _line(month: str, line: CostLine, units: int, low: int, high: int, *, signed: str | None) -> BudgetLine:
    digits = DIGITS[line.unit]
    amount, least, most = (f"{value / 10**digits:.{digits}f}" for value in (units, low, high))
    return BudgetLine(
        month=month,
        line=line.name,
        label=told(line.label),
        kind="capex" if line.kind == "capex" else "opex",
        amount=amount,
        low=least,
        high=most,
        currency=line.unit,
        signed=signed,
    )
