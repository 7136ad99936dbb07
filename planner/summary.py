"""A plan in a few lines of text, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from engine.answer import Estimate, Levers, Money, Option, Recommendation
from planner.asked import approval_text, request_text
from planner.asked.backing import backing_text
from planner.asked.kinds import WORK
from planner.counting import checked
from planner.frozen.snapshot import Plan
from planner.levers.weighed import Weighed
from planner.levers.words import idle, said
from planner.presenters.certainty import NONE, certainty_rows
from planner.presenters.currency import currency_of
from planner.presenters.voice import page_voice
from planner.presenters.words import place
from planner.request.quantities import rounded, whole_units
from planner.telling import told


def summary_lines(plan: Plan, weighed: Weighed | None = None) -> list[str]:
    """The recommendation, its runners-up and what was refused; `weighed`: what could cost less, where that was asked for."""
    answer = plan.recommendation
    return [
        f"{plan.name} · plan {plan.short_hash}",
        "",
        told(answer.headline),
        "",
        *_asked(plan),
        *_supplied(plan),
        "",
        *_body(plan, answer, plan.as_of, weighed),
    ]


def _asked(plan: Plan) -> tuple[str, str]:
    """What was asked for, and what is to be approved."""
    voice = page_voice(currency_of(plan).amount)
    return f"Request: {request_text(plan, voice)}", f"To approve: {approval_text(plan, voice)}"


def _supplied(plan: Plan) -> Iterator[str]:
    """On which kind of price it rests, and what to ask for to have the hardware."""
    text = backing_text(plan, page_voice(currency_of(plan).amount))
    if text:
        yield f"Rests on: {text}"
    for step in plan.recommendation.obtaining:
        yield f"To do: {told(step)}"


def _body(plan: Plan, answer: Recommendation, as_of: date, weighed: Weighed | None) -> Iterator[str]:
    options = ([answer.recommended] if answer.recommended else []) + list(answer.alternatives)
    for option in options[:8]:
        mark = "→" if option is answer.recommended else " "
        yield f"{mark} {_row(option)}"
    for row in certainty_rows(answer, currency_of(plan)):
        asked = ", as asked" if row.asked else ""
        time = "" if row.time in ("", NONE) else f" in {row.time}"
        change = f" ({row.change})" if row.change else ""
        yield f"  {row.confidence} sure{asked}: {row.cost}{time} at most{change}"
    if answer.gate:
        yield f"  {told(answer.gate.said)}"
    if (best := answer.recommended) and (hosted := WORK[best.work].hosted(best)):
        yield f"  {told(hosted)}"
    yield from _levers(answer, weighed.levers if weighed else None)
    if held := checked(answer):
        yield f"{told(held)}."
    for item in answer.nearest:
        yield f"To make it feasible: {told(item.told)}"
    for rejection in answer.rejected[:6]:
        nearest = f" ({told(rejection.nearest)})" if rejection.nearest else ""
        yield f"  left out {rejection.count:,}: {told(rejection.reason)}{nearest}"
    yield ""
    yield f"asked on {as_of} · catalog {answer.catalog_release[:12]} of {answer.catalog_date} · engine {answer.engine_version}"


def _levers(answer: Recommendation, found: Levers | None) -> Iterator[str]:
    """What would cost less and needs something first: the plan's own, or all that was weighed."""
    for lever in found.levers if found else answer.levers:
        yield f"  {told(said(lever))}"
    if found:
        for one in (found.signed and found.signed.told, idle(found)):
            if one:
                yield f"  {told(one)}"


def _row(option: Option) -> str:
    layout = option.parallelism
    context = f" × CP {layout.cp}" if layout.cp > 1 else ""
    shape = f"TP {layout.tp} × PP {layout.pp}{context} × DP {layout.dp}"
    replicas = WORK[option.work].replicas(option)
    days = told(replicas) if replicas else _span(option.days)
    sure = f"≤ {_amount(option.cost.at_confidence)}" if option.cost.at_confidence else ""
    return (
        f"{option.count:>6,} × {option.accelerator_name:<28} {days:<22} {_money(option.cost.total):<40} {sure:>14}  "
        f"{shape:<24} {place(option)}"
    )


def _span(value: Estimate) -> str:
    """The days with their band, of short runs in hours or minutes."""
    scale, unit = next(
        (scale, unit)
        for scale, unit, least in ((1.0, "d", 2.0), (24.0, "h", 2.0 / 24), (1440.0, "min", 0.0))
        if value.expected >= least
    )
    low, middle, high = (rounded(end * scale) for end in (value.low, value.expected, value.high))
    return f"{middle} {unit} ({low}–{high})"


def _money(value: Money) -> str:
    return f"{_amount(value.expected)} {value.currency} ({_amount(value.low)}–{_amount(value.high)})"


def _amount(value: float) -> str:
    """Whole units, cents below ten."""
    return f"{value:,.2f}" if 0.0 < value < 9.995 else whole_units(value)
