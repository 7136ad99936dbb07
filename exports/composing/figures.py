"""The four large numbers at the top of page 1: the choice is `planner.asked.key_figures`', here is how a document tells each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from engine.answer import Estimate, Option
from exports.composing.context import Context, option_name
from exports.composing.kinds import PRINTED
from exports.composing.things import MILLION, whole_answers
from exports.document import KeyFigure, KeyFigures
from exports.numbers import NBSP, band, chance, day_band, days, exact, percent, percent_band, significant
from exports.wording import tr
from planner.asked.key_figures import Key, Value, first_four
from planner.asked.kinds import WORK
from planner.promises import asked_confidence


def figures(context: Context, best: Option) -> KeyFigures:
    """Cost, time or latency, capacity, and how sure."""
    chosen = first_four(best, context.spec)
    return KeyFigures(items=tuple(_TOLD[one.key](context, best, one.value) for one in chosen))


def _cost(context: Context, best: Option, _value: Value) -> KeyFigure:
    amount = context.money.amount(best.cost.total.expected)
    return KeyFigure(label=tr("Cost"), value=amount, detail=_beside(context, best))


def _beside(context: Context, best: Option) -> str:
    """The band of the cost, and what is signed as a whole where it is a share of that."""
    band_ = tr("80% band {band}", band=context.money.range(best.cost.total))
    if best.cost.signed.drawn:
        drawn = context.money.amount(best.cost.signed.drawn)
        return tr("{band}; {drawn} draw a commitment", band=band_, drawn=drawn)
    if best.cost.signed.what == "none":
        return band_
    return tr("{band}; signed: {whole}", band=band_, whole=context.money.amount(best.cost.signed.total))


def _first(context: Context, _best: Option, value: Value) -> KeyFigure:
    assert isinstance(value, Estimate)  # of a latency
    return KeyFigure(
        label=tr("Answer, p95") if whole_answers(context) else tr("First token, p95"),
        value=f"{significant(value.expected)}{NBSP}ms",
        detail=tr("80% band {band}\u00a0ms", band=band(value.low, value.high)),
    )


def _promise(context: Context, _best: Option, value: Value) -> KeyFigure:
    """How sure the promise is."""
    assert isinstance(value, float)  # a chance
    promised = WORK[context.kind].promised(context.spec)
    limits = [f"{exact(limit)}{NBSP}ms" for _, limit in promised if limit]
    return KeyFigure(
        label=tr("Chance to keep the promise"),
        value=chance(value),
        detail=tr("{limits} at p95", limits=", ".join(limits)),
        tone="good" if value >= asked_confidence(context.spec) else "warning",
    )


def _price(context: Context, best: Option, _value: Value) -> KeyFigure:
    """What a million tokens or answers cost."""
    assert best.serving is not None  # a run has no price
    found = best.serving.price_per_million_output
    label, text = tr(MILLION[context.answer.model.counts]), context.money.price(found.expected)
    if whole_answers(context):
        return KeyFigure(label=label, value=text, detail=tr("80% band {band}", band=context.money.range(found)))
    price = tr("input {price}", price=context.money.price(best.serving.price_per_million_input.expected))
    return KeyFigure(label=label, value=text, detail=price)


def _capacity(context: Context, best: Option, _value: Value) -> KeyFigure:
    return KeyFigure(label=tr("Capacity"), value=option_name(best), detail=PRINTED[context.kind].hardware(best))


def _used(_context: Context, best: Option, _value: Value) -> KeyFigure:
    share = tr("80% band {band}", band=percent_band(best.mfu.low, best.mfu.high))
    return KeyFigure(label=tr("Model FLOPs utilisation"), value=percent(best.mfu.expected), detail=share)


def _in_time(context: Context, _best: Option, value: Value) -> KeyFigure:
    """How sure the deadline is."""
    assert isinstance(value, float)  # a chance
    detail = tr("deadline {limit}", limit=days(context.deadline_days))
    return KeyFigure(label=tr("Chance to be in time"), value=chance(value), detail=detail)


def _time(_context: Context, best: Option, _value: Value) -> KeyFigure:
    """How long it takes."""
    ends = day_band(best.days)
    return KeyFigure(label=tr("Time"), value=days(best.days.expected), detail=tr("80% band {band}", band=ends))


_TOLD: Final[Mapping[Key, Callable[[Context, Option, Value], KeyFigure]]] = {
    "cost": _cost,
    "time": _time,
    "ttft": _first,
    "hardware": _capacity,
    "in_time": _in_time,
    "promise": _promise,
    "mfu": _used,
    "price": _price,
}
"""A document has no room for a fifth, so the time per token is told in its chapter."""
