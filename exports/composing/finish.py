"""When a run or a batch ends, and how well its deadline holds."""

from __future__ import annotations

from engine.answer import Option
from exports.composing.context import Context
from exports.document import Fact, Tone
from exports.numbers import chance, day_band, days, long_date, plural
from exports.text import upper_first
from exports.wording import mark, tr
from planner.asked.spans import beyond_days, wait_days


def finish(context: Context, best: Option) -> Fact:
    """The row of page 1 for a run or a batch: the day, the band, and how surely the deadline holds."""
    span = {"days": days(best.days.expected), "band": day_band(best.days)}
    text = (
        tr("By {date}, after {days} (80% band {band}).", date=long_date(best.finish), **span)
        if best.finish
        else tr("After {days} (80% band {band}).", **span)
    )
    limit = context.deadline_days
    if not limit:
        return Fact(key="finish", label=tr("Finish"), text=tr("{text} No deadline was set.", text=text))
    words, tone = slack(limit, best.days.expected, best.days.high)
    likely = (
        " " + tr("Chance to be in time: {chance}.", chance=chance(best.probability_in_time))
        if best.probability_in_time is not None
        else ""
    )
    return Fact(
        key="finish",
        label=tr("Finish"),
        text=tr("{text} Deadline {limit}: {held}.{likely}", text=text, limit=days(limit), held=words, likely=likely),
        tone=tone,
    )


def slack(limit: float, expected: float, high: float) -> tuple[str, Tone]:
    """How well a deadline holds [days], in words, and the tone that goes with it."""
    if 0 <= limit - high < 0.005 * limit:
        return tr("just met at the pessimistic end"), "good"
    if high <= limit:
        return tr("met, with {days} to spare even at the pessimistic end", days=days(limit - high)), "good"
    if expected <= limit:
        return tr(
            "met at the expected pace, missed by {days} at the pessimistic end", days=days(high - limit)
        ), "warning"
    return tr("missed by {days}", days=days(expected - limit)), "bad"


def all_steps(context: Context, best: Option) -> str:
    """How the steps come to the days of the plan: of one run or of all, and after a delivery that the work waits for."""
    wait, step = wait_days(best), best.step_time_s
    text = tr(
        mark("{steps} of one run take {alone}; with starting, checkpoints and interruptions all runs take {days}")
        if context.several_runs
        else mark("{steps} take {alone}; with starting, checkpoints and interruptions the run takes {days}"),
        steps=plural(best.steps, "step"),
        alone=days(best.steps * (step.expected if step else 0.0) / 86_400),
        days=days(best.days.expected - wait),
    )
    waited = tr(", after {days} of waiting for the servers", days=days(wait)) if wait else ""
    return f"{text}{waited}.{_beyond(best)}"


def _beyond(best: Option) -> str:
    """What of these days no benchmark of a step shows."""
    more = beyond_days(best)
    if not more:
        return ""
    told = tr(
        "{days} of these are restarts by hand, ramp, evaluation and idle time: whole published programmes took that much longer "
        "than their steps.",
        days=upper_first(days(more)),
    )
    return f" {told}"
