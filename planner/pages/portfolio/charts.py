"""The charts of the portfolio: plans over time, use of what is owned, and money from January on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from charts.chart import Chart, Series
from engine.inputs.finding import Typed, finding
from engine.money.cash import add_months
from planner.charting.words import axis_of_money, name
from planner.pages.portfolio import sums
from planner.pages.portfolio.sums import Band, Clash, Holding, Work, YearSum
from planner.telling import PAGES
from voice.speech import say


def charts_of(
    works: Sequence[Work],
    holdings: Sequence[Holding],
    clashes: Sequence[Clash],
    years: Sequence[YearSum],
    months: Mapping[str, Band],
    code: str,
) -> list[Chart]:
    """All charts that those plans have, amounts in the currency of that code."""
    uses = (_use(works, item, clashes) for item in holdings)
    return [_timeline(works, clashes), *(chart for chart in uses if chart), *_money(months, years, code)]


def _timeline(works: Sequence[Work], clashes: Sequence[Clash]) -> Chart:
    names = _names(works)
    groups = ((name("on_owned", PAGES), True), (name("elsewhere", PAGES), False))
    series = [
        Series(
            name=label,
            points=tuple(
                (float(work.start.toordinal()), float(work.end.toordinal())) for work in works if work.owned is owned
            ),
            labels=tuple(names[work.ident] for work in works if work.owned is owned),
        )
        for label, owned in groups
    ]
    over = list(_over(works, clashes, names))
    if over:
        series.append(
            Series(
                name=name("more_than_owned", PAGES),
                points=tuple(span for _, span in over),
                labels=tuple(name for name, _ in over),
                role="limit",
            )
        )
    inside = {ident for clash in clashes for ident in clash.plans}
    told = finding("chart.plans.calm", plans=len(works)) if works else finding("chart.plans.none")
    if clashes:
        told = finding("chart.plans.clash", inside=len(inside), plans=len(works), times=len(clashes))
    return Chart(
        id="portfolio-timeline",
        kind="gantt",
        finding=say(told, PAGES),
        x_label=name("months", PAGES),
        y_label=name("plan", PAGES),
        categories=tuple(names[work.ident] for work in works),
        series=tuple(item for item in series if item.points),
        dates=True,
    )


def _over(
    works: Sequence[Work], clashes: Sequence[Clash], names: Mapping[str, str]
) -> Iterator[tuple[str, tuple[float, float]]]:
    """The part of each plan that lies in a clash that it takes part in."""
    for clash in clashes:
        for work in works:
            start, end = max(work.start, clash.start), min(work.end, clash.end)
            if work.ident in clash.plans and start < end:
                yield names[work.ident], (float(start.toordinal()), float(end.toordinal()))


def _names(works: Sequence[Work]) -> dict[str, str]:
    """Each plan's name, told apart where two are called the same."""
    found: dict[str, str] = {}
    for work in works:
        at = sum(1 for other in found.values() if other == work.name or other.startswith(f"{work.name} ("))
        found[work.ident] = f"{work.name} ({at + 1})" if at else work.name
    return found


def _use(works: Sequence[Work], holding: Holding, clashes: Sequence[Clash]) -> Chart | None:
    """Stacked use of one owned accelerator against how many there are; None when nothing uses it."""
    parts = sums.stretches(works, holding.accelerator)
    if not parts:
        return None
    names = _names(works)
    days = sorted({day for part in parts for day in (part.start, part.end)})
    at_day = {part.start: part.counts for part in parts}
    users = [work for work in works if any(work.ident in part.counts for part in parts)]
    most = max(part.demand for part in parts)
    mine = [clash for clash in clashes if clash.accelerator == holding.accelerator]
    known, owned = Typed(holding.name), holding.count
    if mine:
        told = finding("chart.use.over", name=known, most=most, over=most - owned)
    elif most < owned:
        told = finding("chart.use.under", name=known, most=most, owned=owned)
    else:
        told = finding("chart.use.all", name=known, owned=owned)
    return Chart(
        id=f"use-{holding.accelerator.replace('.', '-')}",
        kind="steps",
        finding=say(told, PAGES),
        x_label=name("since", PAGES),
        y_label=name("in_use", PAGES),
        series=tuple(
            Series(
                name=names[work.ident],
                points=tuple((float(day.toordinal()), float(at_day.get(day, {}).get(work.ident, 0))) for day in days),
            )
            for work in users
        ),
        limits=((name("owned", PAGES), float(holding.count)),),
        dates=True,
    )


def _money(months: Mapping[str, Band], years: Sequence[YearSum], code: str) -> Iterator[Chart]:
    """What the plans pay from January on, month by month, against the budget of the year."""
    if not months:
        return
    over = [item for item in years if item.spent_in]
    budgets = {item.year: item.budget for item in years if item.budget is not None}
    ends = {part: tuple(_at_month_ends(months, part)) for part in ("high", "expected", "low")}
    series = [
        Series(name=name("expected", PAGES), points=ends["expected"]),
        Series(name=name("p90", PAGES), points=ends["high"]),
        Series(name=name("p10", PAGES), points=ends["low"]),
    ]
    for year, budget in budgets.items():
        span = (date(year, 1, 1).toordinal(), date(year + 1, 1, 1).toordinal() - 1)
        points = tuple((float(day), budget) for day in span)
        series.append(Series(name=name("budget_of", PAGES, year=Typed(str(year))), points=points, role="limit"))
    told = finding("chart.paid.held") if budgets else finding("chart.paid")
    if over:
        told = finding("chart.paid.over", years=tuple(Typed(str(item.year)) for item in over))
    yield Chart(
        id="portfolio-money",
        kind="line",
        finding=say(told, PAGES),
        x_label=name("months", PAGES),
        y_label=axis_of_money("paid", code, PAGES),
        series=tuple(series),
        dates=True,
    )


def _at_month_ends(paid: Mapping[str, Band], part: str) -> Iterator[tuple[float, float]]:
    """(day, sum since January) at the end of each month, from zero at each new year."""
    year = ""
    for month, band in paid.items():
        first = date.fromisoformat(f"{month}-01")
        if month[:4] != year:
            year = month[:4]
            yield float(first.toordinal()), 0.0
        yield float(add_months(first, 1).toordinal() - 1), getattr(band, part)
