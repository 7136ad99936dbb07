"""Of one option: what fills its memory, where its time goes, how often it saves, how fast it answers."""

from __future__ import annotations

from charts.chart import Chart, Series
from engine.answer import Checkpoint, Option
from engine.inputs.finding import Quantity, Typed, finding
from planner.asked.kinds import WORK
from planner.charting.words import name
from planner.telling import PAGES
from voice.speech import Voice, say

MOST_BARS = 10


def memory(option: Option, voice: Voice = PAGES) -> Chart:
    """What fills the fullest accelerator, against its capacity [GB]."""
    used, room = option.memory.total_gb.expected, option.memory.capacity_gb
    told = finding(
        "chart.memory",
        used=Quantity(used * 1e9, "byte"),
        room=Quantity(room * 1e9, "byte"),
        share=Quantity(used / room, "share"),
    )
    return Chart(
        id="memory",
        kind="stacked_bar",
        finding=say(told, voice),
        x_label="",
        y_label=name("each", voice),
        categories=(option.accelerator_name,),
        series=tuple(Series(name=say(part.label, voice), values=(part.value,)) for part in option.memory.parts),
        limits=((name("capacity", voice), room),),
    )


def time_budget(option: Option, voice: Voice = PAGES) -> Chart | None:
    """Where one step's, or one request's, time goes, longest first; None without parts."""
    parts = sorted((part for part in option.time if part.value > 0), key=lambda part: -part.value)[:MOST_BARS]
    whole = sum(part.value for part in option.time)
    if not parts or whole <= 0:
        return None
    unit = parts[0].unit
    told = finding(
        "chart.time",
        part=parts[0].label,
        share=Quantity(parts[0].value / whole, "share"),
        whole=finding(f"chart.name.{WORK[option.work].timed(option)}"),
    )
    return Chart(
        id="time",
        kind="bar",
        finding=say(told, voice),
        x_label="",
        # A letter alone under an axis would be overlooked.
        y_label=name(unit, voice) if unit in ("s", "ms") else unit,
        categories=tuple(say(part.label, voice) for part in parts),
        series=(Series(name=name("spent", voice, unit=Typed(unit)), values=tuple(part.value for part in parts)),),
    )


def checkpoint_curve(option: Option, voice: Voice = PAGES) -> Chart | None:
    """Share of time lost over the checkpoint interval: a U with the chosen point; None without checkpoints."""
    point = option.checkpoint
    if point is None or len(point.curve) < 3:
        return None
    chosen = min(point.curve, key=lambda pair: abs(pair[0] - point.interval_s))
    return Chart(
        id="checkpoint",
        kind="line",
        finding=_saving_finding(option, point, voice),
        x_label=name("between", voice),
        y_label=name("lost_share", voice),
        series=(
            Series(name=name("lost", voice), points=tuple((x / 60, y * 100) for x, y in point.curve)),
            Series(name=name("interval", voice), points=((chosen[0] / 60, chosen[1] * 100),), role="highlight"),
        ),
        log_x=True,
    )


def _saving_finding(option: Option, point: Checkpoint, voice: Voice) -> str:
    """In minutes, the unit of the axis under it."""
    if point.interval_steps >= option.steps:
        return say(finding("chart.checkpoint.once"), voice)
    return say(finding("chart.checkpoint", minutes=point.interval_s / 60), voice)


def latency(option: Option, which: str, promise_ms: float, voice: Voice = PAGES) -> Chart | None:
    """Percentiles of TTFT (`ttft`) or TPOT (`tpot`) with their bands, against the promise at p95 [ms].

    An answer that comes as a whole has no further tokens.
    """
    row = WORK[option.work].latencies(option).get(which)
    if row is None:
        return None
    values = (row.p50, row.p95, row.p99)
    expected = tuple(float(f"{value.expected:.3g}") for value in values)
    slow = tuple(float(f"{value.high:.3g}") for value in values)
    what = "first_token" if which == "ttft" else "next_token"
    if option.counts != "token":
        what = "answer"
    told = finding(
        "chart.latency",
        share=Quantity(0.95, "share"),
        what=finding(f"chart.name.{what}"),
        time=Quantity(row.p95.expected, "ms"),
    )
    promised = name("promised", voice, time=Quantity(promise_ms, "ms"))
    return Chart(
        id=which,
        kind="bar",
        finding=say(told, voice),
        x_label="",
        y_label="ms",
        categories=("p50", "p95", "p99"),
        series=(
            Series(name=name("expected", voice), values=expected),
            Series(name=name("slow", voice), values=slow, role="muted"),
        ),
        limits=((promised, promise_ms),) if promise_ms else (),
    )
