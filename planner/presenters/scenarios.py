"""Scenarios beside their plan: the inputs that differ, the answers, and charts of cost and finish."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from catalog.days import dated, plain_date
from charts.chart import Chart
from engine.answer import Estimate, Money, Option
from engine.inputs.finding import Finding, Quantity, Sum, Typed, finding
from planner.asked.kinds import WORK
from planner.charting.bands import bands
from planner.charting.words import axis_of_money, name
from planner.frozen.snapshot import Plan
from planner.presenters.currency import Currency, currency_of
from planner.presenters.degrees import Reading, readings
from planner.presenters.figures import promise_words
from planner.presenters.kinds import PAGED, first_token
from planner.presenters.request import request_words
from planner.presenters.signed import signed_as
from planner.presenters.views import ChartView, chart_view
from planner.presenters.words import chance, days, days_span, hardware, layout, place
from planner.telling import PAGES, told

MOST = 3
"""Scenarios that stand beside the plan: four columns in all."""
_NONE = "nothing is feasible"
OUT_OF_REACH = "nothing is so sure"


@dataclass(frozen=True, kw_only=True)
class Column:
    """The plan or one scenario: its name, and its plan."""

    name: str
    plan: Plan

    @property
    def best(self) -> Option | None:
        """What is recommended there."""
        return self.plan.recommendation.recommended


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One value; `differs` from the plan's."""

    text: str
    differs: bool
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One row of the side-by-side table."""

    label: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, kw_only=True)
class Degree:
    """The columns at one degree of confidence."""

    key: str
    name: str
    lines: tuple[Line, ...]
    shown: bool


@dataclass(frozen=True, kw_only=True)
class SideBySide:
    """The whole comparison, the plan first."""

    names: tuple[str, ...]
    inputs: tuple[Line, ...]
    answers: tuple[Line, ...]
    degrees: tuple[Degree, ...]
    """What each comes to at every degree of confidence that the plan was worked out for."""
    charts: tuple[ChartView, ...]
    note: str


def side_by_side(columns: Sequence[Column], sure: str = "") -> SideBySide:
    """Plan and scenarios in one table. All amounts are in the plan's currency. `sure`: the degree of confidence at which the
    slider stands, in percent; else what was asked of the plan."""
    money = currency_of(columns[0].plan)
    releases = {column.plan.recommendation.catalog_date for column in columns}
    return SideBySide(
        names=tuple(column.name for column in columns),
        inputs=tuple(_inputs(columns)),
        answers=tuple(_line(label, [words(column) for column in columns]) for label, words in _rows(columns, money)),
        degrees=tuple(_degrees(columns, money, sure)),
        charts=tuple(chart_view(chart) for chart in charts_of(columns, money)),
        note="" if len(releases) == 1 else "Not all were made with the same catalog: prices and facts may differ too.",
    )


def _degrees(columns: Sequence[Column], money: Currency, sure: str) -> Iterator[Degree]:
    found = [{one.key: one for one in readings(column.plan, money)} for column in columns]
    ends = any(one.time for one in found[0].values())
    for own in readings(columns[0].plan, money, sure):
        each = [of.get(own.key) for of in found]
        rows: list[tuple[str, list[str]]] = [
            ("Costs at most", [one.cost if one and one.reached else OUT_OF_REACH for one in each]),
            ("All limits hold", [one.chance if one and one.chance else "not known" for one in each]),
            ("Runs on", [one.hardware if one and one.hardware else "not known" for one in each]),
        ]
        if ends:
            rows.insert(1, ("Done within", [_ends(one) for one in each]))
        lines = tuple(_line(label, texts) for label, texts in rows)
        yield Degree(key=own.key, name=own.name, lines=lines, shown=own.shown)


def _ends(one: Reading | None) -> str:
    if one is None or not one.reached:
        return OUT_OF_REACH
    return f"{one.time}, by {one.finish}" if one.finish else one.time or "no end"


def _line(label: str, texts: Sequence[str]) -> Line:
    return Line(
        label=label, cells=tuple(Cell(text=text, differs=bool(texts[0]) and text != texts[0]) for text in texts)
    )


def _inputs(columns: Sequence[Column]) -> Iterator[Line]:
    """The fields of the request that are not the same in all columns."""
    flat = [request_words(column.plan, columns[0].plan) for column in columns]
    for key in dict.fromkeys(key for found in flat for key in found):
        texts = [found.get(key, "not set") for found in flat]
        if len(set(texts)) > 1:
            yield _line(key, texts)


def _rows(columns: Sequence[Column], money: Currency) -> Iterator[tuple[str, Callable[[Column], str]]]:
    """Labels of the answers and how each is told."""
    known = [(column.best, PAGED[column.best.work]) for column in columns if column.best]
    yield (
        "Total cost",
        _of(lambda best, _: f"{money.amount(best.cost.total.expected)} ({money.range(best.cost.total)})"),
    )
    yield "Against the plan", lambda column: _against(column, columns[0], money)
    yield "To be signed", _of(lambda best, _: signed_as(best.cost.signed, money) or "nothing")
    yield "All limits hold", _of(lambda best, _: f"{chance(best.chance.all)} likely" if best.chance else "not known")
    if any(paged.replicas(best) for best, paged in known):
        yield "Replicas", _of(lambda best, _: PAGED[best.work].replicas(best) or "none")
    if any(paged.answers for _, paged in known):
        tokens = all(column.best is None or column.best.counts == "token" for column in columns)
        yield f"Time to {'first token' if tokens else 'the answer'}, p95", _of(_first_token)
    else:
        yield "Time to finish", _of(lambda best, _: f"{days(best.days.expected)} ({days_span(best.days)})")
        yield "Finish", _of(_finish)
    yield "Hardware", _of(lambda best, _: hardware(best))
    yield "From", _of(lambda best, _: place(best))
    yield "Layout", _of(lambda best, _: f"{layout(best.parallelism)}, {best.precision.upper()}")
    yield "Limits", _of(_limits)
    yield "Buying instead of renting", _of(lambda best, _: _break_even(best, money))
    yield "The plan’s own hardware and seller", lambda column: _own_option(column, columns[0], money)
    yield "Catalog", lambda column: dated(f"of {column.plan.recommendation.catalog_date}")


def _of(words: Callable[[Option, Plan], str]) -> Callable[[Column], str]:
    """A row that is told of the recommended option."""
    return lambda column: words(column.best, column.plan) if column.best else _NONE


def _against(column: Column, base: Column, money: Currency) -> str:
    if column is base or column.best is None or base.best is None:
        return "" if column is base else _NONE
    return money.change(column.best.cost.total.expected, base.best.cost.total.expected)


def _finish(best: Option, _: Plan) -> str:
    """The date with the band that its days give."""
    if best.finish is None:
        return "no date"
    start = best.finish - timedelta(days=math.ceil(best.days.expected))
    ends = [start + timedelta(days=math.ceil(end)) for end in (best.days.low, best.days.high)]
    if len({best.finish, *ends}) == 1:
        return plain_date(best.finish)
    return f"{plain_date(best.finish)} ({plain_date(ends[0])} to {plain_date(ends[1])})"


def _first_token(best: Option, _: Plan) -> str:
    text, band = first_token(best)
    return f"{text} ({band})" if band else text


def _limits(best: Option, plan: Plan) -> str:
    """How likely each limit is kept."""
    words, work = [], WORK[plan.spec.kind]
    promised = dict(work.promised(plan.spec)).get("ttft")
    if promised:
        name = "first token" if best.counts == "token" else "answer"
        words.append(f"{name} {promise_words(work.latencies(best)['ttft'].p95, promised)}")
    if plan.spec.due_days and best.probability_in_time is not None:
        words.append(f"in time {chance(best.probability_in_time)} likely")
    if plan.spec.constraints.budget_usd and best.probability_in_budget is not None:
        words.append(f"within the budget {chance(best.probability_in_budget)} likely")
    if best.probability_of_both is not None:
        words.append(f"both {chance(best.probability_of_both)}")
    return "; ".join(words).capitalize() if words else "none are set"


def _break_even(best: Option, money: Currency) -> str:
    return told(best.cost.break_even.told) if best.cost.break_even else "not compared"


def _own_option(column: Column, base: Column, money: Currency) -> str:
    """What the plan's own choice would cost under the scenario's inputs."""
    if base.best is None or column is base:
        return ""
    answer = column.plan.recommendation
    known = ((answer.recommended,) if answer.recommended else ()) + answer.alternatives
    same = next((option for option in known if _source(option) == _source(base.best)), None)
    if same is None:
        return "no longer among the options"
    word = "still recommended" if same is answer.recommended else "possible"
    return f"{word}: {same.count:,} × at {money.amount(same.cost.total.expected)}"


def _source(option: Option) -> tuple[str, str, str]:
    return option.accelerator, option.offer.id if option.offer else option.on_prem, option.kind


def charts_of(columns: Sequence[Column], money: Currency) -> list[Chart]:
    """Cost and, for runs, days of each column with their 80% bands."""
    found = [column for column in columns if column.best]
    if len(found) < 2:
        return []
    costs = [(column.name, column.best.cost.total) for column in found if column.best]
    charts = [bands("scenario-cost", _cost_finding(costs), axis_of_money("total", money.code, PAGES), costs, PAGES)]
    lasting = [(column.name, WORK[column.best.work].duration(column.best)) for column in found if column.best]
    times = [(called, took) for called, took in lasting if took]
    if len(times) > 1:
        charts.append(bands("scenario-days", _days_finding(times), name("days", PAGES), times, PAGES))
    return charts


def _cost_finding(costs: Sequence[tuple[str, Money]]) -> Finding:
    (low, least), (high, most) = (pick(costs, key=lambda row: row[1].expected) for pick in (min, max))
    cheapest, dearest = (Sum(money.expected, money.currency) for money in (least, most))
    if cheapest == dearest:
        return finding("chart.scenarios.same", cost=cheapest)
    return finding("chart.scenarios.cost", low=Typed(low), least=cheapest, high=Typed(high), most=dearest)


def _days_finding(times: Sequence[tuple[str, Estimate]]) -> Finding:
    quick, value = min(times, key=lambda row: row[1].expected)
    time = Quantity(value.expected, "day")
    if all(days(row.expected) == days(value.expected) for _, row in times):
        return finding("chart.scenarios.alike", time=time)
    return finding("chart.scenarios.first", name=Typed(quick), time=time)
