"""The four large numbers at the top of page 1."""

from __future__ import annotations

from engine.answer import Option, ServingResult
from exports.composing.context import Context, option_name, replicas, servers
from exports.composing.things import MILLION, whole_answers
from exports.document import KeyFigure, KeyFigures
from exports.numbers import NBSP, band, chance, day_band, days, exact, percent, percent_band, significant
from exports.wording import tr
from planner.promises import asked_confidence, promise_chance


def figures(context: Context, best: Option) -> KeyFigures:
    """Cost, time or latency, capacity, and how sure."""
    money, total = context.money, best.cost.total
    cost = KeyFigure(label=tr("Cost"), value=money.amount(total.expected), detail=_beside(context, best))
    rest = _service(context, best, best.serving) if best.serving else _run(context, best)
    return KeyFigures(items=(cost, *rest))


def _beside(context: Context, best: Option) -> str:
    """The band of the cost, and what is signed as a whole where it is a share of that."""
    band_ = tr("80% band {band}", band=context.money.range(best.cost.total))
    if best.cost.signed.drawn:
        drawn = context.money.amount(best.cost.signed.drawn)
        return tr("{band}; {drawn} draw a commitment", band=band_, drawn=drawn)
    if best.cost.signed.what == "none":
        return band_
    return tr("{band}; signed: {whole}", band=band_, whole=context.money.amount(best.cost.signed.total))


def _service(context: Context, best: Option, serving: ServingResult) -> tuple[KeyFigure, ...]:
    value = serving.ttft_ms.p95
    first = KeyFigure(
        label=tr("Answer, p95") if whole_answers(context) else tr("First token, p95"),
        value=f"{significant(value.expected)}{NBSP}ms",
        detail=tr("80% band {band}\u00a0ms", band=band(value.low, value.high)),
    )
    return (
        _span(best) if context.batch else first,
        KeyFigure(label=tr("Capacity"), value=option_name(best), detail=replicas(best)),
        _in_time(context, best) or _kept(context, best, serving),
    )


def _kept(context: Context, best: Option, serving: ServingResult) -> KeyFigure:
    """How sure the promise is; without a promise, what a token costs."""
    asked = context.spec.serving
    likely = promise_chance(best, context.spec)
    if asked is None or likely is None:
        text = context.money.price(serving.price_per_million_output.expected)
        label = tr(MILLION[context.answer.model.counts])
        if whole_answers(context):
            ends = tr("80% band {band}", band=context.money.range(serving.price_per_million_output))
            return KeyFigure(label=label, value=text, detail=ends)
        price = tr("input {price}", price=context.money.price(serving.price_per_million_input.expected))
        return KeyFigure(label=label, value=text, detail=price)
    limits = [f"{exact(limit)}{NBSP}ms" for limit in (asked.ttft_p95_ms, asked.tpot_p95_ms) if limit]
    label, detail = tr("Chance to keep the promise"), tr("{limits} at p95", limits=", ".join(limits))
    return KeyFigure(
        label=label,
        value=chance(likely),
        detail=detail,
        tone="good" if likely >= asked_confidence(context.spec) else "warning",
    )


def _run(context: Context, best: Option) -> tuple[KeyFigure, ...]:
    capacity = KeyFigure(label=tr("Capacity"), value=option_name(best), detail=servers(best))
    share = tr("80% band {band}", band=percent_band(best.mfu.low, best.mfu.high))
    used = KeyFigure(label=tr("Model FLOPs utilisation"), value=percent(best.mfu.expected), detail=share)
    return _span(best), capacity, _in_time(context, best) or used


def _in_time(context: Context, best: Option) -> KeyFigure | None:
    """How sure the deadline is; None without one."""
    limit = context.deadline_days
    if best.probability_in_time is None or not limit:
        return None
    return KeyFigure(
        label=tr("Chance to be in time"),
        value=chance(best.probability_in_time),
        detail=tr("deadline {limit}", limit=days(limit)),
    )


def _span(best: Option) -> KeyFigure:
    """How long it takes."""
    ends = day_band(best.days)
    return KeyFigure(label=tr("Time"), value=days(best.days.expected), detail=tr("80% band {band}", band=ends))
