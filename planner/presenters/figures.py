"""The decision block: few large numbers, each with its 80% range, its limit and its reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from catalog.days import plain_date
from charts.band import band
from engine.answer import Estimate, Money, Option, ServingResult
from engine.inputs.spec import Spec
from engine.odds.chances import promise_chance
from planner.asked.approval import beyond_days
from planner.presenters.basis import rows_behind
from planner.presenters.currency import Currency
from planner.presenters.signed import signed_note
from planner.presenters.trail import How, Source
from planner.presenters.words import chance, days, days_span, hardware, layout, pace_words, percent, place, span
from planner.quantities import show_quantity
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


def figures(option: Option, spec: Spec, trail: Sources, money: Currency) -> list[Figure]:
    """The key figures of an option, most important first."""
    own = _serving(option, spec, trail, money) if option.serving else _training(option, spec, trail)
    return [_cost(option, spec, trail, money), *own]


def _cost(option: Option, spec: Spec, trail: Sources, money: Currency) -> Figure:
    total, budget = option.cost.total, money.of(spec.constraints.budget_usd)
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
        label="Total cost" if option.serving is None else f"Total cost over {_months(option)}",
        value=money.amount(total.expected),
        range=_range_of(total, money),
        band=_band(total, budget),
        notes=tuple(notes),
        how=How(words=words, sources=trail([option.offer.id] if option.offer else [])),
    )


def _months(option: Option) -> str:
    """How long a service is costed for, in words."""
    count = option.days.expected / 30.4375
    if count < 1.0:
        return days(option.days.expected)
    return "1 month" if round(count) == 1 else f"{count:.3g} months"


def _training(option: Option, spec: Spec, trail: Sources) -> Iterator[Figure]:
    step = f", each {show_quantity(option.step_time_s.expected, 's')}" if option.step_time_s else ""
    kept = f", with {percent(option.checkpoint.goodput.expected)} of the time kept" if option.checkpoint else ""
    rows = rows_behind(option, "speed")
    how = How(words=f"{option.steps:,} optimizer steps{step}{kept}.", sources=trail(option.days.because), rows=rows)
    yield _time(option, spec, how)
    yield _hardware(option)
    yield Figure(
        key="mfu",
        label="Model FLOPs utilisation",
        value=percent(option.mfu.expected),
        range=f"{span(option.mfu.low * 100, option.mfu.high * 100)}%, 80% range",
        band=_band(option.mfu, 0.0),
        notes=(pace_words(option.tokens_per_s),),
        how=How(
            words="Useful model arithmetic divided by the dense peak of all accelerators.",
            sources=trail(option.mfu.because),
        ),
    )


def _time(option: Option, spec: Spec, how: How) -> Figure:
    """When work that ends is done, and how surely by its deadline."""
    deadline = spec.due_days
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
        how=how,
    )


def _serving(option: Option, spec: Spec, trail: Sources, money: Currency) -> Iterator[Figure]:
    result, asked = option.serving, spec.serving
    if result is None:
        return
    ttft, tpot = result.ttft_ms.p95, result.tpot_ms.p95
    promised = (asked.ttft_p95_ms if asked else 0.0, asked.tpot_p95_ms if asked else 0.0)
    how = (
        "From the simulation of arrivals, batching and decoding."
        if result.simulated
        else "Steady state, not simulated."
    )
    tokens = option.counts == "token"
    if option.ends:
        words = f"{pace_words(option.tokens_per_s)} on all replicas, after the time until they answer."
        rows = rows_behind(option, "speed")
        yield _time(option, spec, How(words=words, sources=trail(option.days.because), rows=rows))
        yield _hardware(option)
        yield _price(option, result, money)
        return
    first = "Time to first token, p95" if tokens else "Time to the answer, p95"
    yield _latency("ttft", first, ttft, promised[0], How(words=how, sources=trail(ttft.because)))
    yield _hardware(option)
    if tokens:
        sources = trail(tpot.because)
        rows = rows_behind(option, "speed")
        yield _latency(
            "tpot", "Time per output token, p95", tpot, promised[1], How(words=how, sources=sources, rows=rows)
        )
    kept = promise_chance(result, asked)
    if kept is not None:
        words = "Log-normal over the range of each promised latency; of two promises the less likely one."
        yield Figure(key="promise", label="Chance to keep the promise", value=chance(kept), how=How(words=words))
    yield _price(option, result, money)


def _price(option: Option, result: ServingResult, money: Currency) -> Figure:
    """What an answer costs, in the unit of the model."""
    tokens, price = option.counts == "token", result.price_per_million_output
    return Figure(
        key="price",
        label="Per million output tokens" if tokens else f"Per million {option.counts}s",
        value=money.amount(price.expected),
        range=_range_of(price, money),
        band=_band(price, 0.0),
        notes=(f"{money.amount(result.price_per_million_input.expected)} per million input tokens",) if tokens else (),
    )


def _hardware(option: Option) -> Figure:
    if option.serving:
        each = option.serving.accelerators_per_replica
        spare = min(option.serving.spare_replicas, option.count // max(each, 1))
        busy = option.count // max(each, 1) - spare
        shape = (
            f"{busy} replicas{f' and {spare} spare' if spare else ''}, {each} accelerator{'s' if each > 1 else ''} each"
        )
    else:
        servers = "1 server" if option.nodes == 1 else f"{option.nodes} servers"
        shape = f"{servers}, {layout(option.parallelism)}"
    return Figure(
        key="hardware",
        label="Hardware",
        value=hardware(option),
        notes=(place(option), f"{shape}, {option.precision.upper()}"),
    )


def _latency(key: str, label: str, value: Estimate, promise: float, how: How) -> Figure:
    notes = (promise_words(value, promise),) if promise else ()
    return Figure(
        key=key,
        label=label,
        value=show_quantity(value.expected, "ms"),
        range=f"{span(value.low, value.high)} ms, 80% range",
        band=_band(value, promise),
        notes=notes,
        how=how,
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
