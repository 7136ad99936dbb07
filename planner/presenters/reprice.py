"""A frozen plan and the same request at today's prices: what would differ, before anybody accepts it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planner.engine.result import CostLine
from planner.presenters.currency import Currency, currency_of
from planner.presenters.scenarios import Column, SideBySide, side_by_side
from planner.snapshot import Plan


@dataclass(frozen=True, kw_only=True)
class LineChange:
    """One line of the cost model, before and now."""

    label: str
    before: str
    now: str
    change: str


@dataclass(frozen=True, kw_only=True)
class Repriced:
    """The whole comparison."""

    same: bool
    """Would the same plan come out, to the last digit?"""
    beside: SideBySide
    lines: tuple[LineChange, ...]
    releases: tuple[str, str]


def repriced(frozen: Plan, now: Plan, *, name: str) -> Repriced:
    """What today's prices and facts make of the request of that frozen plan, in the plan's currency at its rate."""
    return Repriced(
        same=frozen.sha256 == now.sha256,
        beside=side_by_side(columns_of(frozen, now, name=name)),
        lines=tuple(_lines(frozen, now, currency_of(frozen))),
        releases=(_release(frozen), _release(now)),
    )


def columns_of(frozen: Plan, now: Plan, *, name: str) -> list[Column]:
    """Both plans as columns, the frozen one first."""
    return [Column(name=name, plan=frozen), Column(name="At today’s prices", plan=now)]


def _release(plan: Plan) -> str:
    answer = plan.recommendation
    return f"{answer.catalog_release[:12]} of {answer.catalog_date}, engine {answer.engine_version}"


def _lines(frozen: Plan, now: Plan, money: Currency) -> Iterator[LineChange]:
    """The lines that the total adds up, and the total, where they differ by a cent or more."""
    before, after = _dollars(frozen), _dollars(now)
    for name in dict.fromkeys((*before, *after)):
        first, second = before.get(name), after.get(name)
        known = second or first
        change = (second.amount if second else 0.0) - (first.amount if first else 0.0)
        if known is None or abs(change) < 0.01:
            continue
        yield LineChange(
            label=known.label,
            before=money.amount(first.amount) if first else "no such line",
            now=money.amount(second.amount) if second else "no such line",
            change=f"{'+' if change > 0 else ''}{money.amount(change)}",
        )


def _dollars(plan: Plan) -> dict[str, CostLine]:
    best = plan.recommendation.recommended
    if best is None:
        return {}
    model = best.cost.model
    return {
        line.name: line
        for line in model.lines
        if line.unit == "USD" and (line.kind != "total" or line.name == model.total)
    }
