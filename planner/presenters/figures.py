"""The decision block: few large numbers, each with its 80% range, its limit and its reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from catalog.days import plain_date
from charts.band import band
from engine.answer import Estimate, Money, Option
from engine.inputs.spec import Spec
from planner.asked.key_figures import Key, KeyFigure, key_figures
from planner.asked.spans import beyond_days
from planner.presenters.basis import rows_behind
from planner.presenters.currency import Currency
from planner.presenters.kinds import PAGED
from planner.presenters.signed import signed_note
from planner.presenters.trail import How, Source
from planner.presenters.words import chance, days, days_span, hardware, pace_words, percent, place, span
from planner.request.quantities import show_quantity
from voice.glossary import GLOSSARY

Sources = Callable[[Iterable[str]], tuple[Source, ...]]
"""What the ids of reasons stand for: a `Trail`, or nothing where no source is shown."""
_NONE = SafeString("")


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One large number."""

    key: str
    label: str
    value: str
    range: str = ""
    band: SafeString = _NONE
    notes: tuple[str, ...] = ()
    how: How | None = None

    @property
    def meaning(self) -> str:
        """What the label says, for whoever meets it for the first time."""
        return GLOSSARY.get(f"figure.{self.key}", "")


@dataclass(frozen=True, kw_only=True)
class _Of:
    """The option that is told, and with what."""

    option: Option
    spec: Spec
    trail: Sources
    money: Currency


def figures(option: Option, spec: Spec, trail: Sources, money: Currency) -> list[Figure]:
    """The key figures of an option, most important first; how surely it is in time is told beside the time."""
    of = _Of(option=option, spec=spec, trail=trail, money=money)
    return [_TOLD[one.key](of, one) for one in key_figures(option, spec) if one.key in _TOLD]


def _cost(of: _Of, _chosen: KeyFigure) -> Figure:
    option, money = of.option, of.money
    total, budget = option.cost.total, money.of(of.spec.constraints.budget_usd)
    signed, needed = option.cost.signed, option.cost.cash_needed if budget else 0.0
    note = signed_note(signed, money, needed=needed)
    notes = [note] if note else []
    if budget:
        sure = f", {chance(option.probability_in_budget)} likely" if option.probability_in_budget is not None else ""
        word = "within" if option.meets_budget else "over"
        notes.append(f"{word} the budget of {money.amount(budget)}{sure}")
    rate = option.cost.price_per_accelerator_hour
    words = f"Sum of the cost lines below, at {money.amount(rate)} per accelerator-hour."
    return Figure(
        key="cost",
        label=PAGED[of.spec.kind].cost_label(option),
        value=money.amount(total.expected),
        range=_range_of(total, money),
        band=_band(total, budget),
        notes=tuple(notes),
        how=How(words=words, sources=of.trail([option.offer.id] if option.offer else [])),
    )


def _used(of: _Of, _chosen: KeyFigure) -> Figure:
    option = of.option
    return Figure(
        key="mfu",
        label="Model FLOPs utilisation",
        value=percent(option.mfu.expected),
        range=f"{span(option.mfu.low * 100, option.mfu.high * 100)}%, 80% range",
        band=_band(option.mfu, 0.0),
        notes=(pace_words(option.tokens_per_s),),
        how=How(
            words="Useful model arithmetic divided by the dense peak of all accelerators in the precision of the run.",
            sources=of.trail(option.mfu.because),
        ),
    )


def _time(of: _Of, chosen: KeyFigure) -> Figure:
    """When work that ends is done, and how surely by its deadline."""
    option, deadline = of.option, chosen.limit
    words, rows = PAGED[of.spec.kind].time_of(option), rows_behind(option, "speed")
    notes = [f"done by {plain_date(option.finish)}"] if option.finish else []
    if more := beyond_days(option):
        notes.append(f"{days(more)} of it restarts, ramp, evaluation and idle time, as whole published programmes took")
    if deadline:
        sure = f", {chance(option.probability_in_time)} likely" if option.probability_in_time is not None else ""
        notes.append(f"{'within' if option.meets_deadline else 'past'} the deadline of {days(deadline)}{sure}")
    return Figure(
        key="time",
        label="Time to finish",
        value=days(option.days.expected),
        range=f"{days_span(option.days)}, 80% range",
        band=_band(option.days, deadline),
        notes=tuple(notes),
        how=How(words=words, sources=of.trail(option.days.because), rows=rows),
    )


def _first(of: _Of, chosen: KeyFigure) -> Figure:
    label = "Time to first token, p95" if of.option.counts == "token" else "Time to the answer, p95"
    return _latency(of, chosen, label, ())


def _each(of: _Of, chosen: KeyFigure) -> Figure:
    return _latency(of, chosen, "Time per output token, p95", rows_behind(of.option, "speed"))


def _promise(_of: _Of, chosen: KeyFigure) -> Figure:
    assert isinstance(chosen.value, float)  # a chance
    words = "Log-normal over the range of each promised latency; of two promises the less likely one."
    return Figure(key="promise", label="Chance to keep the promise", value=chance(chosen.value), how=How(words=words))


def _price(of: _Of, _chosen: KeyFigure) -> Figure:
    """What an answer costs, in the unit of the model."""
    option, money, result = of.option, of.money, of.option.serving
    assert result is not None  # a run has no price
    tokens, price = option.counts == "token", result.price_per_million_output
    return Figure(
        key="price",
        label="Per million output tokens" if tokens else f"Per million {option.counts}s",
        value=money.amount(price.expected),
        range=_range_of(price, money),
        band=_band(price, 0.0),
        notes=(f"{money.amount(result.price_per_million_input.expected)} per million input tokens",) if tokens else (),
    )


def _hardware(of: _Of, _chosen: KeyFigure) -> Figure:
    option = of.option
    return Figure(
        key="hardware",
        label="Hardware",
        value=hardware(option),
        notes=(place(option), f"{PAGED[of.spec.kind].shape(option)}, {option.precision.upper()}"),
    )


def _latency(of: _Of, chosen: KeyFigure, label: str, rows: tuple[str, ...]) -> Figure:
    value, promise, result = chosen.value, chosen.limit, of.option.serving
    assert isinstance(value, Estimate)  # of a latency
    simulated = result is not None and result.simulated
    words = "From the simulation of arrivals, batching and decoding." if simulated else "Steady state, not simulated."
    return Figure(
        key=chosen.key,
        label=label,
        value=show_quantity(value.expected, "ms"),
        range=f"{span(value.low, value.high)} ms, 80% range",
        band=_band(value, promise),
        notes=(promise_words(value, promise),) if promise else (),
        how=How(words=words, sources=of.trail(value.because), rows=rows),
    )


def promise_words(value: Estimate, promise: float) -> str:
    """Whether a latency keeps its promise [ms], at the expected value and at the ends of its band."""
    limit = show_quantity(promise, "ms")
    if value.high <= promise:
        return f"keeps the promise of {limit} over the whole band"
    if value.low > promise:
        return f"breaks the promise of {limit} over the whole band"
    if value.expected <= promise:
        return f"keeps the promise of {limit} as expected, breaks it at the slow end, {show_quantity(value.high, 'ms')}"
    return f"breaks the promise of {limit} as expected, keeps it at the fast end, {show_quantity(value.low, 'ms')}"


def _range_of(value: Money, money: Currency) -> str:
    return f"{money.code} {money.range(value)}, 80% range"


def _band(value: Estimate | Money, limit: float) -> SafeString:
    near = limit if limit and limit < 4 * value.high else None
    return mark_safe(band(value.low, value.expected, value.high, limit=near))  # noqa: S308 — drawn by us from numbers


_TOLD: Mapping[Key, Callable[[_Of, KeyFigure], Figure]] = {
    "cost": _cost,
    "time": _time,
    "ttft": _first,
    "hardware": _hardware,
    "tpot": _each,
    "promise": _promise,
    "mfu": _used,
    "price": _price,
}
