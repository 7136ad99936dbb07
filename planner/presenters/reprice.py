"""A frozen plan and the same request at today's prices: what would differ, before anybody accepts it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.days import dated
from planner.chart_changes import leaves_of, line_changes, waterfall
from planner.charts import Chart
from planner.presenters.currency import Currency, currency_of
from planner.presenters.scenarios import Column, SideBySide, side_by_side
from planner.presenters.views import ChartView, chart_view
from planner.snapshot import Plan

TODAY = "At today’s prices"


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
    waterfall: ChartView | None
    releases: tuple[str, str]


def repriced(frozen: Plan, now: Plan, *, name: str) -> Repriced:
    """What today's prices and facts make of the request of that frozen plan, in the plan's currency at its rate."""
    return Repriced(
        same=frozen.sha256 == now.sha256,
        beside=side_by_side(columns_of(frozen, now, name=name)),
        lines=tuple(_lines(frozen, now, currency_of(frozen))),
        waterfall=chart_view(chart) if (chart := waterfall_of(frozen, now, name=name)) else None,
        releases=(_release(frozen), _release(now)),
    )


def waterfall_of(frozen: Plan, now: Plan, *, name: str) -> Chart | None:
    """From the frozen total to today's, in the plan's currency."""
    chart = waterfall(frozen, now, (name, TODAY))
    return currency_of(frozen).chart(chart) if chart else None


def columns_of(frozen: Plan, now: Plan, *, name: str) -> list[Column]:
    """Both plans as columns, the frozen one first."""
    return [Column(name=name, plan=frozen), Column(name=TODAY, plan=now)]


def _release(plan: Plan) -> str:
    answer = plan.recommendation
    return dated(f"{answer.catalog_release[:12]} of {answer.catalog_date}, engine {answer.engine_version}")


def _lines(frozen: Plan, now: Plan, money: Currency) -> Iterator[LineChange]:
    """The lines that the total adds up, where they differ by a cent or more."""
    before, after = leaves_of(frozen), leaves_of(now)
    labels = dict.fromkeys(label for label, _ in line_changes(frozen, now))
    for name in dict.fromkeys((*before, *after)):
        first, second = before.get(name), after.get(name)
        known = second or first
        if known is None or known.label not in labels:
            continue
        change = (second.amount if second else 0.0) - (first.amount if first else 0.0)
        yield LineChange(
            label=known.label,
            before=money.amount(first.amount) if first else "no such line",
            now=money.amount(second.amount) if second else "no such line",
            change=f"{'+' if change > 0 else ''}{money.amount(change)}",
        )
