"""The what-if panel: fields with sliders, and what the plan would cost and take with those values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from charts.chart import Chart
from engine.answer import Option
from engine.inputs.finding import finding
from planner.asked.kinds import WORK
from planner.charting.bands import bands
from planner.charting.money import tornado
from planner.charting.words import axis_of_money, name
from planner.frozen.snapshot import Plan
from planner.presenters.currency import Currency, currency_of
from planner.presenters.signed import signed_as, signed_note
from planner.presenters.views import ChartView, chart_view
from planner.presenters.words import chance, days, percent
from planner.telling import PAGES, told
from planner.what_if import knobs as model


@dataclass(frozen=True, kw_only=True)
class Slide:
    """One knob as the form shows it: a field, and a slider of a hundred steps ."""

    key: str
    label: str
    unit: str
    help: str
    shown: str
    planned: str
    low: str
    high: str
    step: str
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One number of the outcome, against the plan."""

    label: str
    value: str
    note: str
    good: bool | None = None


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """The whole panel."""

    slides: tuple[Slide, ...]
    verdicts: tuple[Verdict, ...]
    charts: tuple[ChartView, ...]
    flips: tuple[str, ...]
    changed: bool
    fault: str = ""
    query: str = ""
    """What was typed, as the query of an address."""


def what_if(plan: Plan, typed: Mapping[str, str]) -> WhatIf | None:
    """The panel for what was typed; None when nothing is recommended or nothing can be moved."""
    best = plan.recommendation.recommended
    knobs = model.knobs_of(best, plan.spec) if best else ()
    if best is None or not knobs:
        return None
    money = currency_of(plan)
    values, errors = model.read(knobs, typed, code=money.code, per_usd=money.per_usd)
    slides = tuple(
        _slide(knob, values[knob.key], typed.get(knob.key, ""), errors.get(knob.key, ""), money) for knob in knobs
    )
    try:
        found = model.outcome(plan.recommendation, best, knobs, values, plan.spec)
    except model.CostError as error:
        return WhatIf(
            slides=slides, verdicts=(), charts=(), flips=(), changed=True, fault=told(error.told) or str(error)
        )
    return WhatIf(
        slides=slides,
        verdicts=tuple(_verdicts(plan, best, found, money)),
        charts=tuple(chart_view(chart) for chart in _charts(best, found)),
        flips=tuple(f"{told(flip.label)}: {told(flip.then)}." for flip in found.flips),
        changed=found.changed,
        query=urlencode({slide.key: typed[slide.key] for slide in slides if typed.get(slide.key, "").strip()}),
    )


def charts_of_what_if(plan: Plan, typed: Mapping[str, str]) -> list[Chart]:
    """The charts of the panel for what was typed; none when there is no outcome."""
    best = plan.recommendation.recommended
    if best is None:
        return []
    knobs, money = model.knobs_of(best, plan.spec), currency_of(plan)
    values, _ = model.read(knobs, typed, code=money.code, per_usd=money.per_usd)
    try:
        found = model.outcome(plan.recommendation, best, knobs, values, plan.spec)
    except model.CostError:
        return []
    return _charts(best, found)


def _slide(knob: model.Knob, value: float, typed: str, error: str, money: Currency) -> Slide:
    """The control of a knob; one of money in the plan's currency."""
    scale = money.per_usd if knob.is_money else 1.0
    low, high = knob.low * scale, knob.high * scale
    step = 5.0 if knob.key == "sure" else 1.0 if knob.whole else (high - low) / 200
    return Slide(
        key=knob.key,
        label=knob.label,
        unit=knob.unit.replace("USD", money.code) if knob.is_money else knob.unit,
        help=knob.help,
        shown=typed.strip() or model.write(value * scale),
        planned=model.write(knob.value * scale),
        low=f"{low:.10g}",
        high=f"{high:.10g}",
        step=f"{step:.10g}",
        error=error,
    )


def _verdicts(plan: Plan, best: Option, found: model.Outcome, money: Currency) -> list[Verdict]:
    limits, total = plan.spec.constraints, found.total
    budget = money.of(limits.budget_usd)
    rows = [
        Verdict(
            label="Total cost",
            value=money.amount(total.expected),
            note=f"{money.code} {money.range(total)}, 80% range",
        ),
        Verdict(
            label="Against the plan",
            value=money.change(total.expected, best.cost.total.expected),
            note=f"planned {money.amount(best.cost.total.expected)}",
        ),
    ]
    if found.signed.rest and not budget:
        rows[0] = replace(rows[0], note=f"{rows[0].note}; {signed_note(found.signed, money)}")
    if budget:
        held = found.cash <= budget
        rows[0] = Verdict(
            label="Total cost",
            value=rows[0].value,
            note=f"{rows[0].note}; {_held(found, money)}{'within' if held else 'over'} the budget of {money.amount(budget)}",
            good=held,
        )
    if found.days is not None:
        deadline = limits.deadline_days
        kept = found.days <= deadline if deadline else None
        note = f"planned {days(best.days.expected)}"
        if kept is not None:
            note = f"{'within' if kept else 'past'} the deadline of {days(deadline)}, {note}"
        rows.append(Verdict(label="Time to finish", value=days(found.days), note=note, good=kept))
    return [*rows, *_sure(plan, found, money)]


def _sure(plan: Plan, found: model.Outcome, money: Currency) -> Iterator[Verdict]:
    """What the asked confidence comes to."""
    sure = found.sure
    note = f"{percent(sure.confidence)} sure{', extrapolated' if sure.extrapolated else ''}"
    yield Verdict(label="Costs at most", value=money.amount(sure.cost), note=note)
    if sure.days is not None:
        yield Verdict(label="Done within", value=days(sure.days), note=note)
    spec = plan.spec
    if sure.chance is not None and (WORK[spec.kind].limited(spec) or spec.constraints.budget_usd):
        yield Verdict(
            label="All limits hold",
            value=chance(sure.chance),
            note=f"{percent(sure.confidence)} is asked",
            good=sure.chance >= sure.confidence - 1e-9,
        )


def _held(found: model.Outcome, money: Currency) -> str:
    """What counts against a budget where it is more than the total."""
    if found.cash <= found.total.expected:
        return ""
    return f"it must hold {money.amount(found.cash)}, with {signed_as(found.signed, money)}, which is "


def _charts(best: Option, found: model.Outcome) -> list[Chart]:
    totals = (best.cost.total, found.total)
    labelled = tuple(zip((name("planned", PAGES), name("yours", PAGES)), totals, strict=True))
    axis = axis_of_money("total", found.total.currency, PAGES)
    band = bands("what-if-band", finding("chart.what_if"), axis, labelled, PAGES)
    drivers = tornado(found.drivers, found.total)
    return [band, *([replace(drivers, id="what-if-tornado")] if drivers else [])]
