"""From one plan's cost to another's, line by line: a waterfall."""

from __future__ import annotations

from itertools import accumulate

from charts.chart import Chart, Series
from engine.answer import CostLine
from engine.inputs.finding import Finding, finding
from planner.charting.words import axis_of_money, name
from planner.frozen.snapshot import Plan
from planner.money import carried
from planner.telling import PAGES
from voice.speech import Voice, say

MOST_STEPS = 8
"""Lines that are drawn for themselves; the smaller ones are one step together."""
_SMALLEST = 0.01
"""Of the largest change: what is smaller is no step of its own."""


def waterfall(before: Plan, after: Plan, names: tuple[str, str], voice: Voice = PAGES) -> Chart | None:
    """Both totals and the steps between them, in the currency of the later; None when one has no cost or no line differs by a cent."""
    first, second = before.recommendation.recommended, after.recommendation.recommended
    steps = line_changes(before, after)
    if first is None or second is None or not steps:
        return None
    start, end = first.cost.total.expected * carried(before, after), second.cost.total.expected
    largest = max(steps, key=lambda step: abs(step[1]))
    large = [step for step in steps if abs(step[1]) >= _SMALLEST * abs(largest[1])]
    shown = sorted(large, key=lambda step: -abs(step[1]))[:MOST_STEPS]
    rest = end - start - sum(change for _, change in shown)
    if abs(rest) >= 0.01:
        shown.append((finding("chart.name.rest"), rest))
    levels = list(accumulate((change for _, change in shown), initial=start))
    return Chart(
        id="waterfall",
        kind="waterfall",
        finding=say(finding(_code(end - start), line=largest[0]), voice),
        x_label="",
        y_label=axis_of_money("total", second.cost.total.currency, voice),
        categories=(names[0], *(say(label, voice) for label, _ in shown), names[1]),
        series=(
            Series(name=name("from", voice), values=(0.0, *levels[:-1], 0.0)),
            Series(name=name("to", voice), values=(start, *levels[1:], end)),
        ),
    )


def line_changes(before: Plan, after: Plan) -> list[tuple[Finding, float]]:
    """Label and change of each line, in the currency of the later plan, that the total adds up and that differs by a cent or more."""
    old, new = leaves_of(before), leaves_of(after)
    scale = carried(before, after)
    found = []
    for line in dict.fromkeys((*old, *new)):
        first, second = old.get(line), new.get(line)
        change = (second.amount if second else 0.0) - (first.amount * scale if first else 0.0)
        known = second or first
        if known is not None and abs(change) >= 0.01:
            found.append((known.label, change))
    return found


def leaves_of(plan: Plan) -> dict[str, CostLine]:
    """The lines of money of the recommended option that its total adds up, by name."""
    best = plan.recommendation.recommended
    lines = best.cost.model.lines if best else ()
    return {line.name: line for line in lines if line.kind in ("opex", "capex") and line.schedule != "none"}


def _code(change: float) -> str:
    if abs(change) < 0.01:
        return "chart.changes.none"
    return "chart.changes.more" if change > 0 else "chart.changes.less"
