"""Slides of one chart each: its finding is the headline, points stand beside it, the sources are in the notes."""

from __future__ import annotations

from collections.abc import Callable

from charts.chart import Chart
from engine.answer import Option
from engine.inputs.kind import PerKind
from exports.composing.context import Context, day_of, figure, layout, state_text
from exports.composing.drivers import driver_text
from exports.composing.hazards import interruptions
from exports.composing.kinds import PRINTED
from exports.composing.risks import drivers_chart
from exports.composing.rivals import break_even
from exports.composing.things import ONE
from exports.composing.ways import ways_line
from exports.composing.words import told, voice
from exports.cost_values import leaves
from exports.document import (
    MAX_SLIDE_BULLET,
    Block,
    Bullets,
    Slide,
)
from exports.numbers import percent, percent_band, plural, seconds, significant
from exports.text import clean_text, sentences
from exports.wording import label, tr
from planner.asked.kinds import served
from planner.charting.money import break_even as break_even_chart
from planner.charting.money import cash, cost_lines, small_lines
from planner.charting.options import cost_bands, pareto, rejections
from planner.charting.work import checkpoint_curve, latency, memory


def source(context: Context) -> str:
    """Which catalog the numbers of a slide come from."""
    return tr(
        "catalog release {release} of {date}",
        release=clean_text(context.answer.catalog_release[:12], 12),
        date=day_of(context.answer.catalog_date),
    )


def state_notes(context: Context) -> str:
    """Where the plan stands, its number, and where its facts are from."""
    return tr(
        "{state}. Plan {plan}. Prices and facts: {source}.",
        state=state_text(context.release),
        plan=context.plan.short_hash,
        source=source(context),
    )


def first_sentences(text: str) -> str:
    """As many whole sentences as a bullet holds; of a longer one as many of its parts."""
    said = sentences(text, MAX_SLIDE_BULLET)
    end = said.rfind("; ", 0, MAX_SLIDE_BULLET)
    return said if len(said) <= MAX_SLIDE_BULLET or end < 50 else f"{said[:end]}."


def _chart(context: Context, chart: Chart | None, name: str, notes: str, *points: str) -> Slide | None:
    """A slide of one chart with its finding as headline, points beside it where there are any."""
    shown = figure(chart)
    if shown is None:
        return None
    said = tuple(point for point in points if point)
    blocks: tuple[Block, ...] = (shown, Bullets(items=said)) if said else (shown,)
    return Slide(
        id=name,
        headline=shown.caption,
        layout="split" if said else "one",
        blocks=blocks,
        notes=f"{shown.alt}\n{notes}\n{tr('Source: {source}.', source=source(context))}",
    )


def front(context: Context) -> Slide | None:
    """Time against cost of all options; why none was left when nothing is feasible."""
    return _chart(
        context,
        pareto(context.answer, context.spec, voice())
        or (rejections(context.answer, voice()) if context.best is None else None),
        "front",
        tr("Each point is one option; those on the front are not beaten in both time and cost.")
        if len({point.pace for point in context.answer.frontier}) > 1
        else tr("Candidates by the first limit that they break."),
    )


_NEARLY_ALL = 0.98
"""Share of all lines from which on one of them says enough of the cost."""


def cost(context: Context, best: Option) -> Slide | None:
    """Cost by line; where one line is nearly all, how sure the options' costs are says more."""
    words = tr("Every line is a live formula in the workbook.")
    small = small_lines(best.cost.model)
    if small:
        words += " " + tr("Told together: {lines}.", lines=", ".join(label(line.label) for line in small))
    amounts = [abs(line.amount) for line in leaves(best.cost.model)]
    if amounts and max(amounts) > _NEARLY_ALL * sum(amounts):
        bands = _chart(
            context, cost_bands(context.options, 8, voice()), "cost", tr("Cost of each option: P10, expected, P90.")
        )
        if bands:
            return bands
    return _chart(context, cost_lines(best.cost.model, voice()), "cost", words)


def cash_by_month(context: Context, best: Option) -> Slide | None:
    """When the money leaves."""
    return _chart(context, cash(best.cost.model, voice()), "cash", tr("Calendar months; running cost and investment."))


def design(context: Context, best: Option) -> Slide | None:
    """What fills the fullest accelerator."""
    points = (
        f"{layout(best)}, {best.precision.upper()}",
        f"{plural(best.nodes, 'server')}, {plural(best.count, 'accelerator')}",
        _utilisation(context, best),
    )
    return _chart(
        context, memory(best, voice()), "design", tr("Memory of the fullest accelerator, in GB of 10⁹ bytes."), *points
    )


def _busy(context: Context, best: Option) -> str:
    """“91.4% busy at the peak”; a batch has none."""
    return tr(PRINTED[context.kind].busy_short, share=percent(served(best).utilisation))


def _utilisation(context: Context, best: Option) -> str:
    return _USED[context.kind](context, best)


def _of_replicas(context: Context, best: Option) -> str:
    result, busy = served(best), _busy(context, best)
    if best.counts != "token":
        return tr("{busy}, up to {batch} in one batch", busy=busy, batch=plural(result.max_batch, ONE[best.counts]))
    return tr("{busy}, {batch} requests at once", busy=busy, batch=significant(result.batch_at_peak))


def _of_run(_context: Context, best: Option) -> str:
    return tr(
        "Utilisation: {mfu} of the dense peak (80% band {band})",
        mfu=f"{best.mfu.expected:.0%}",
        band=percent_band(best.mfu.low, best.mfu.high),
    )


_USED: PerKind[Callable[[Context, Option], str]] = {"run": _of_run, "service": _of_replicas, "batch": _of_replicas}


def time(context: Context, best: Option) -> Slide | None:
    """Checkpoints of a run, latency of a service."""
    return _TIMES[context.kind](context, best)


def _latencies(context: Context, best: Option) -> Slide | None:
    asked = context.spec.serving
    chart = latency(best, "ttft", asked.ttft_p95_ms if asked else 0.0, voice())
    load = tr("Replicas are {busy}", busy=_busy(context, best))
    warm = tr("A new replica answers after {time}", time=seconds(served(best).autoscale.warmup_s))
    return _chart(context, chart, "latency", tr(PRINTED[context.kind].latency_slide), load, warm)


def _checkpoints(context: Context, best: Option) -> Slide | None:
    point = best.checkpoint
    if point is None:
        return None
    points = (
        tr("One save: {size}\u00a0GB in {time}", size=significant(point.size_gb), time=seconds(point.write_s)),
        tr(
            "A failure every {mtbf} on average: {interruptions}",
            mtbf=seconds(point.mtbf_h * 3600),
            interruptions=interruptions(point.failures_expected, each=context.several_runs),
        ),
        tr("{goodput} of the time is progress", goodput=percent(point.goodput.expected)),
        ways_line(best),
    )
    return _chart(context, checkpoint_curve(best, voice()), "checkpoints", told(point.told, 300), *points)


_TIMES: PerKind[Callable[[Context, Option], Slide | None]] = {
    "run": _checkpoints,
    "service": _latencies,
    "batch": _latencies,
}


def drivers(context: Context, best: Option) -> Slide | None:
    """What moves the cost most."""
    said = "; ".join(driver_text(driver, context) for driver in context.answer.drivers[:3])
    return _chart(context, drivers_chart(context, best, 6), "drivers", f"{said}.")


def own(context: Context, best: Option) -> Slide | None:
    """Renting against owning."""
    return _chart(context, break_even_chart(best, context.spec, voice()), "own", break_even(context, best))
