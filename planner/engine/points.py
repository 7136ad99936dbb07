"""The cost–time chart: one point for each accelerator and count at its cheapest source, the Pareto front marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from planner.engine.context import Context
from planner.engine.cost import cash_needed
from planner.engine.result import Option, Point
from planner.engine.select import Pairs, best_of_each, in_limits, pareto, ranked
from planner.engine.supply import Supplies
from planner.engine.training import PRECISION_NAMES, Candidates

MOST = 80


def points_of(
    context: Context, supplies: Supplies, rows: Candidates, pairs: Pairs, options: Sequence[Option]
) -> tuple[Point, ...]:
    """Points by days, the described options at their exact values."""
    exact = {option.id: option for option in options}
    points = {point.option_id: point for point in _approximate(context, supplies, rows, pairs)}
    for option in options:
        points[option.id] = _point(context, option)
    days = np.array([point.days for point in points.values()])
    usd = np.array([point.cost_usd for point in points.values()])
    front = pareto(days, usd)
    marked = [replace(point, on_frontier=bool(on)) for point, on in zip(points.values(), front, strict=True)]
    kept = sorted(marked, key=lambda point: (not (point.on_frontier or point.option_id in exact), point.cost_usd))
    return tuple(sorted(kept[:MOST], key=lambda point: (point.days, point.cost_usd, point.option_id)))


def _approximate(context: Context, supplies: Supplies, rows: Candidates, pairs: Pairs) -> list[Point]:
    """The cheapest source of each accelerator and count."""
    if not len(pairs):
        return []
    slugs = sorted({supply.device.slug for supply in supplies.supplies})
    device = np.array([slugs.index(supply.device.slug) for supply in supplies.supplies])
    keys = device[pairs.supply] * 1_000_000 + rows.count[pairs.row].astype(int)
    best = best_of_each(keys, ranked(pairs, "cost"))
    limits = context.spec.constraints
    keeps = in_limits(
        pairs,
        deadline_days=limits.deadline_days,
        budget_usd=limits.budget_usd,
        patience_days=context.assume["select.patience"],
    )
    points = []
    for index in best:
        supply, row = supplies.supplies[pairs.supply[index]], int(pairs.row[index])
        count, days, usd = int(rows.count[row]), float(pairs.days[index]), float(pairs.usd[index])
        points.append(
            Point(
                option_id=f"{supply.id}:{count}:{PRECISION_NAMES[rows.precision[row]]}",
                label=f"{count} × {supply.device.name}, {source_words(supply.id)}",
                days=days,
                cost_usd=usd,
                on_frontier=False,
                feasible=bool(keeps[index]),
                reason=""
                if keeps[index]
                else _miss(context, days, float(pairs.days_sure[index]), float(pairs.cash[index])),
            )
        )
    return points


def keeps_limits(context: Context, option: Option) -> bool:
    """Does it keep the deadline with the wanted confidence, else the patience, and the budget? Of training options."""
    patient = bool(context.spec.constraints.deadline_days) or option.days.expected <= context.assume["select.patience"]
    return option.meets_deadline and option.meets_budget and patient


def _point(context: Context, option: Option) -> Point:
    keeps = keeps_limits(context, option)
    days, usd = option.days.expected, option.cost.total.expected
    return Point(
        option_id=option.id,
        label=f"{option.count} × {option.accelerator_name}, {source_words(option.id)}",
        days=days,
        cost_usd=usd,
        on_frontier=False,
        feasible=keeps,
        reason="" if keeps else _miss(context, days, option.days.high, cash_needed(option.cost.model, usd)),
    )


def source_words(identifier: str) -> str:
    """Where the accelerators come from, in words: “aws on demand”, “bought”, “owned”."""
    parts = identifier.split(":")[0].split("/")
    if parts[0] in ("on-prem", "owned"):
        return "bought" if parts[0] == "on-prem" else "owned"
    return f"{parts[0]} {parts[-1].replace('_', ' ')}"


def _miss(context: Context, days: float, sure: float, cash: float) -> str:
    """Which limit is broken, and by how much; `cash` is what a budget must hold [USD]."""
    limits = context.spec.constraints
    if limits.budget_usd and cash > limits.budget_usd:
        return f"{cash - limits.budget_usd:,.0f} USD over the budget"
    if limits.deadline_days and days > limits.deadline_days:
        return f"misses the deadline by {days - limits.deadline_days:.1f} days"
    if limits.deadline_days:
        return f"may take up to {sure:.1f} days, more than the {limits.deadline_days:g} allowed"
    return f"takes {days:,.0f} days, longer than the {context.assume['select.patience']:g} that a run may last"
