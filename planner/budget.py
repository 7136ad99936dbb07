"""A plan's cost as a budget reads it: one row for each line of the cost model and calendar month, adding up exactly."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from planner.engine.cash import line_by_month, split_cents
from planner.engine.result import CostLine, Option
from planner.snapshot import Plan


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
    currency: str = "USD"


def budget_lines(plan: Plan) -> list[BudgetLine]:
    """The recommended option's lines by month; none when nothing is feasible."""
    option = plan.recommendation.recommended
    if option is None:
        return []
    start = plan.spec.start or date.fromisoformat(plan.recommendation.catalog_date)
    cells = [
        (month, line, cents)
        for line in option.cost.model.lines
        for month, cents in line_by_month(line, option.cost.model, start).items()
        if cents
    ]
    cells.sort(key=lambda cell: cell[0])
    weights = [float(cents) for _, _, cents in cells]
    low, high = (_split(value, weights) for value in _band(option))
    return [_line(*cell, down, up) for cell, down, up in zip(cells, low, high, strict=True)]


def _band(option: Option) -> tuple[float, float]:
    return option.cost.total.low, option.cost.total.high


def _split(total: float, weights: list[float]) -> list[int]:
    return split_cents(round(total * 100), weights) if weights else []


def _line(month: str, line: CostLine, cents: int, low: int, high: int) -> BudgetLine:
    return BudgetLine(
        month=month,
        line=line.name,
        label=line.label,
        kind="capex" if line.kind == "capex" else "opex",
        amount=f"{cents / 100:.2f}",
        low=f"{low / 100:.2f}",
        high=f"{high / 100:.2f}",
    )
