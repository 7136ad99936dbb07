"""A frozen plan and the same request at today's prices: what would differ, before anybody accepts it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.days import dated, plain_date
from charts.chart import Chart
from planner.charting.changes import leaves_of, line_changes, waterfall
from planner.frozen.snapshot import Plan
from planner.presenters.currency import Currency, currency_of
from planner.presenters.scenarios import Column, SideBySide, side_by_side
from planner.presenters.views import ChartView, chart_view
from planner.telling import told

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
    day_only: bool
    """Is the catalog the same, so that whatever differs comes from the later day?"""
    moved: str
    """Where the start that was asked for has passed meanwhile: that, and when the work would begin instead."""
    beside: SideBySide
    lines: tuple[LineChange, ...]
    waterfall: ChartView | None
    releases: tuple[str, str]


def repriced(frozen: Plan, now: Plan, *, name: str) -> Repriced:
    """What today's prices and facts make of the request of that frozen plan, in the plan's currency."""
    return Repriced(
        same=frozen.sha256 == now.sha256,
        day_only=frozen.recommendation.catalog_release == now.recommendation.catalog_release,
        moved=_moved(frozen, now),
        beside=side_by_side(columns_of(frozen, now, name=name)),
        lines=tuple(_lines(frozen, now, currency_of(frozen))),
        waterfall=chart_view(chart) if (chart := waterfall_of(frozen, now, name=name)) else None,
        releases=(_release(frozen), _release(now)),
    )


def waterfall_of(frozen: Plan, now: Plan, *, name: str) -> Chart | None:
    """From the frozen total to today's, in the plan's currency."""
    return waterfall(frozen, now, (name, TODAY))


def columns_of(frozen: Plan, now: Plan, *, name: str) -> list[Column]:
    """Both plans as columns, the frozen one first."""
    return [Column(name=name, plan=frozen), Column(name=TODAY, plan=now)]


def _moved(frozen: Plan, now: Plan) -> str:
    if frozen.spec.start is None or frozen.spec.start == now.spec.start:
        return ""
    before, after = plain_date(frozen.start), plain_date(now.start)
    return f"The start that was asked for, {before}, has passed: the work would begin on {after}."


def _release(plan: Plan) -> str:
    answer = plan.recommendation
    return dated(
        f"asked on {plan.as_of}, catalog {answer.catalog_release[:12]} of {answer.catalog_date}, engine {answer.engine_version}"
    )


def _lines(frozen: Plan, now: Plan, money: Currency) -> Iterator[LineChange]:
    """The lines that the total adds up, where they differ by a cent or more."""
    before, after = leaves_of(frozen), leaves_of(now)
    labels = [label for label, _ in line_changes(frozen, now)]
    for name in dict.fromkeys((*before, *after)):
        first, second = before.get(name), after.get(name)
        known = second or first
        if known is None or known.label not in labels:
            continue
        change = (second.amount if second else 0.0) - (first.amount if first else 0.0)
        yield LineChange(
            label=told(known.label),
            before=money.amount(first.amount) if first else "no such line",
            now=money.amount(second.amount) if second else "no such line",
            change=f"{'+' if change > 0 else ''}{money.amount(change)}",
        )
