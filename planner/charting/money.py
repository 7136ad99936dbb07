"""What one option costs: its lines, its months, what moves its total, and whether owning would cost less."""

from __future__ import annotations

import math

from charts.chart import Chart, Series
from engine.answer import CashMonth, CostLine, CostModel, Driver, Money, Option
from engine.inputs.finding import Finding, Quantity, finding
from engine.inputs.spec import Spec
from planner.charting.words import axis_of_money, month_of, name, share_of
from planner.telling import PAGES
from voice.speech import Voice, say

MOST_BARS = 10
_SMALL = 0.02
"""Share of all lines that those told together are at most."""
_LONGEST = 96
"""Characters of a name beside a bar."""
_MOST_DRIVERS = 8
_CENTS = 0.1
"""Amounts of money that differ by less do so by how they were rounded."""
_ABOVE_MEAN = 1.5
"""Times the mean month that the largest one must be to be named."""


def cost_lines(model: CostModel, voice: Voice = PAGES) -> Chart | None:
    """The lines that make up the total, largest first; None when there is only one. What there is no room for, at most a
    fiftieth, is one line that names them."""
    lines = sorted((line for line in model.lines if is_cost(line) and line.amount), key=lambda line: -line.amount)
    whole = sum(line.amount for line in lines)
    if len(lines) < 2 or whole <= 0:
        return None
    code, base = "chart.cost", whole
    if lines[0].amount > whole:  # as where a spend commitment pays a part
        code, base = "chart.cost.before", sum(line.amount for line in lines if line.amount > 0)
    told = finding(code, line=lines[0].label, share=share_of(lines[0].amount / base))
    bars = _bars(lines, small_lines(model), voice)
    return Chart(
        id="cost-lines",
        kind="bar",
        finding=say(told, voice),
        x_label="",
        y_label=model.currency,
        categories=tuple(name for name, _ in bars),
        series=(Series(name=model.currency, values=tuple(amount for _, amount in bars)),),
    )


def _bars(lines: list[CostLine], small: list[CostLine], voice: Voice) -> list[tuple[str, float]]:
    """What a chart of those lines shows: the large ones, and the small ones together."""
    shown = [(say(line.label, voice), line.amount) for line in lines if line not in small]
    return [*shown, (_together(small, voice), math.fsum(line.amount for line in small))] if small else shown


def _together(small: list[CostLine], voice: Voice) -> str:
    """Their names, or how many they are where these are too long for a bar: the tables of costs have each of them."""
    named = say(finding("chart.cost.small", names=tuple(line.label for line in small)), voice)
    return named if len(named) <= _LONGEST else say(finding("chart.cost.smaller", lines=len(small)), voice)


def small_lines(model: CostModel) -> list[CostLine]:
    """Of more lines than a chart has room for the smallest, as few as leave room and no more than a fiftieth of all together."""
    lines = sorted((line for line in model.lines if is_cost(line) and line.amount), key=lambda line: -line.amount)
    if len(lines) <= MOST_BARS:
        return []
    by_size, left = sorted(lines, key=lambda line: abs(line.amount)), _SMALL * sum(abs(line.amount) for line in lines)
    small: list[CostLine] = []
    for line in by_size[: len(lines) - MOST_BARS + 1]:
        left -= abs(line.amount)
        if left < 0:
            break
        small.append(line)
    return [line for line in lines if line in small] if len(small) > 1 else []


def is_cost(line: CostLine) -> bool:
    """Whether that line is money that leaves: neither a quantity nor a total, and no part of a whole purchase.

    The price of bought servers stands in the model too, but the plan pays only its share of it, in the line “Purchase”.
    """
    return line.kind in {"opex", "capex"} and line.schedule != "none"


def cash(model: CostModel, voice: Voice = PAGES) -> Chart | None:
    """Cash by month, opex and capex; None when it all leaves in one month."""
    months = model.cash
    if len(months) < 2:
        return None
    series = [Series(name=name("opex", voice), values=tuple(month.opex for month in months))]
    if any(month.capex for month in months):
        capex = tuple(month.capex for month in months)
        series.append(Series(name=name("capex", voice), values=capex, role="highlight"))
    return Chart(
        id="cash",
        kind="stacked_bar",
        finding=say(_cash_finding(months, voice), voice),
        x_label="",
        y_label=axis_of_money("monthly", model.currency, voice),
        categories=tuple(month.month for month in months),
        series=tuple(series),
    )


def _cash_finding(months: tuple[CashMonth, ...], voice: Voice) -> Finding:
    paid = sum(max(amount, 0.0) for month in months for amount in (month.opex, month.capex))
    apart = max(month.opex for month in months) - min(month.opex for month in months)
    if apart < 0.01 * abs(paid) / len(months) and not any(month.capex for month in months):
        return finding("chart.cash.same" if apart < _CENTS else "chart.cash.alike", months=len(months))
    if paid <= 0:
        return finding("chart.cash.plain")
    most = max(months, key=lambda month: month.opex + month.capex)
    sold = any(month.capex < 0 for month in months)
    share = Quantity((most.opex + most.capex) / paid, "share")
    if not sold and share.value * len(months) < _ABOVE_MEAN:
        return finding("chart.cash.spread", share=share)
    return finding("chart.cash.sold" if sold else "chart.cash", share=share, month=month_of(most.month, voice))


def tornado(drivers: tuple[Driver, ...], total: Money, voice: Voice = PAGES, most: int = _MOST_DRIVERS) -> Chart | None:
    """How far the total moves over each driver's range, in their order, widest first; None without drivers."""
    rows = drivers[:most]
    if not rows or total.expected <= 0:
        return None
    share = Quantity(_swing(rows[0]) / total.expected, "share")
    return Chart(
        id="tornado",
        kind="tornado",
        finding=say(finding("chart.tornado", driver=rows[0].label, share=share), voice),
        x_label="",
        y_label=axis_of_money("change", total.currency, voice),
        categories=tuple(say(row.label, voice) for row in rows),
        series=(
            Series(name=name("low", voice), values=tuple(row.low_change for row in rows)),
            Series(name=name("high", voice), values=tuple(row.high_change for row in rows), role="highlight"),
        ),
    )


def _swing(driver: Driver) -> float:
    return max(abs(driver.low_change), abs(driver.high_change))


def break_even(option: Option, spec: Spec, voice: Voice = PAGES) -> Chart | None:
    """Cost of a used accelerator-hour, rented and owned, over utilisation; None when nothing breaks even."""
    even = option.cost.break_even
    rent = (even.rented_per_accelerator_hour if even else 0.0) or option.cost.price_per_accelerator_hour
    if even is None or not even.cloud_per_accelerator_hour or option.offer is None or not rent:
        return None
    # Owning costs the same whether the machine works or not, so the cost of a used hour falls with utilisation.
    meets = even.utilisation
    fixed = rent * meets if meets else even.cloud_per_accelerator_hour * (even.expected_utilisation or spec.utilisation)
    steps = tuple(share / 100 for share in range(20, 101, 5))
    share = fixed / rent
    told = finding("chart.break_even", share=Quantity(share, "share")) if 0 < share <= 1 else None
    owned = tuple((step * 100, fixed / step) for step in steps)
    return Chart(
        id="break-even",
        kind="line",
        finding=say(told or finding("chart.break_even.never"), voice),
        x_label=name("used", voice),
        y_label=axis_of_money("hourly", option.cost.total.currency, voice),
        series=(
            Series(name=name("rented", voice), points=tuple((step * 100, rent) for step in steps)),
            Series(name=name("owned", voice), points=owned, role="highlight"),
        ),
    )
