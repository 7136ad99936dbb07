"""What could go wrong, from the plan's own numbers: capacity, price, pace, interruptions, load, inputs; by chance times money."""

from __future__ import annotations

from collections.abc import Callable
from math import exp

from engine.answer import NEEDED, CostInput, Driver, Flip, Option
from engine.inputs.currency import in_unit
from engine.inputs.finding import Sum
from engine.inputs.kind import PerKind
from engine.inputs.quantity import day_after
from exports.composing.blocks import PACES, outlasted
from exports.composing.capacity import capacity
from exports.composing.context import Context
from exports.composing.hazard import TAIL, Hazard, added, ranked, together
from exports.composing.kinds import PRINTED
from exports.composing.service_hazards import host, load, mornings, promise
from exports.composing.words import told
from exports.cost_values import values_of
from exports.numbers import (
    chance,
    days,
    input_value,
    long_date,
    measured,
    measured_band,
    percent,
    plural,
    seconds,
    significant,
    whole,
)
from exports.text import clean_text, upper_first
from exports.wording import label, mark, tr
from planner.asked.blocks import block_days
from planner.asked.kinds import served
from planner.asked.spans import DELIVERY_INPUTS, delivery_input, latest_wait_days, wait_days, wait_of, work_days
from planner.price_age import price_days, price_limit

_PRICES = ("price_per_instance_hour", "price_per_server", "second_price_per_instance_hour")
_TOLD = {*_PRICES, *PACES, *DELIVERY_INPUTS, "accelerator_hours", "goodput"}
"""Inputs whose bad end is told by a hazard of its own."""
_MOST_INPUTS, _LEAST = 3, 0.005
"""Other inputs that are told as risks, and the share of the total that they must be able to add; the tornado has them all."""
_WORK = ("beyond_share", "corrupted_share", "evaluation_share", "busy_load", "pue", "desktops_per_fte")
"""Inputs that follow from how the work is run."""
_SHORT = {
    "beyond_share": mark("more hours than the run needs"),
    "residual_share": mark("less left of the purchase"),
    "utilisation": mark("hardware used for fewer hours"),
    "fallback_share": mark("more hours on demand"),
}
"""Inputs that are called at length elsewhere, as what their bad end means."""
_FAR = 10.0
_CLOSE = 0.01
"""Share of a value below which a threshold is within what nobody knows of it."""
_MOVE = 0.1
"""By how much a price is moved to show what it means."""


def hazards(context: Context, best: Option) -> tuple[Hazard, ...]:
    """All that this plan can say, by chance times money; what nobody knows the chance of comes last."""
    found = [*_rest(context, best), *_software(best), capacity(context, best), _price(context, best)]
    found += [_delivery(context, best), outlasted(context, best)]
    found += [hazard(context, best) for hazard in _OF_WORK[context.kind]]
    # Equal ones stay in this order: that another option wins costs nothing and is said last.
    return ranked(
        [
            row
            for row in (*found, *_inputs(context, best), *_weakness(context, best), _choice(context))
            if row is not None
        ]
    )


def weaknesses(context: Context, best: Option, limit: int) -> tuple[str, ...]:
    """What the engine says to check, but for the software, which is a hazard of its own."""
    texts = (text for text in (*best.warnings, *context.answer.warnings) if text != best.porting)
    return tuple(dict.fromkeys(told(text, limit) for text in texts))


def _weakness(context: Context, best: Option) -> list[Hazard]:
    texts = weaknesses(context, best, 200)[:1]
    return [Hazard(kind="weakness", text=f"{text.rstrip('.')}.") for text in texts]


def _software(best: Option) -> list[Hazard]:
    """That code and kernels must be brought to software of another vendor; at stake is the most that this may take."""
    if not best.porting:
        return []
    most = best.porting.values.get("most")
    return [Hazard(kind="software", text=told(best.porting, 400), stake=most.amount if isinstance(most, Sum) else None)]


def _rest(context: Context, best: Option) -> list[Hazard]:
    """Who carries what is signed beyond this work's share: it is owed whether other work comes or not."""
    signed, money = best.cost.signed, context.money
    if not signed.rest:
        return []
    text = tr(
        "{whole} is signed, and this work carries {share} of it. Should no other work carry the rest of {rest}, "
        "it is owed all the same.",
        whole=money.amount(signed.total),
        share=percent(signed.share / signed.total),
        rest=money.amount(signed.rest),
    )
    return [Hazard(kind="signed", text=text, stake=signed.rest)]


def _inputs(context: Context, best: Option) -> list[Hazard]:
    """Inputs of the cost model that no other hazard tells: what each adds at the end of its range that costs more."""
    least = _LEAST * best.cost.total.expected
    rows = [row for row in context.answer.drivers if row.name not in _TOLD and _more(row) > max(least, 0.0)]
    return [_input(context, row) for row in sorted(rows, key=_more, reverse=True)[:_MOST_INPUTS]]


def _more(row: Driver) -> float:
    """What its bad end adds to the total."""
    return max(row.low_change, row.high_change)


def _input(context: Context, row: Driver) -> Hazard:
    high = row.high_change >= row.low_change
    text = tr(
        mark("Over its range of {ends}, the high end adds {amount}.")
        if high
        else mark("Over its range of {ends}, the low end adds {amount}."),
        ends=measured_band(row.low_value, row.high_value, row.unit),
        amount=context.money.rounded(_more(row)),
    )
    return Hazard(
        kind=_kind(context, row),
        name=tr(_SHORT[row.name]) if row.name in _SHORT else label(row.label).partition(",")[0],
        text=text,
        stake=_more(row),
        chance=TAIL,
    )


def _kind(context: Context, row: Driver) -> str:
    """Whether somebody sells it, or the way of working decides it; of neither, what finance reckons with."""
    if row.name in _WORK:
        return "input_work"
    bought = row.unit.startswith(f"{context.money.code}/") and "FTE" not in row.unit
    return "input_price" if bought else "input"


def _price(context: Context, best: Option) -> Hazard | None:
    """What a tenth on the price means, and what the pessimistic end of its range does; of two sites both at once: where two
    sellers set them, how likely that is nobody knows, because the draws move each alone."""
    prices = [row for row in best.cost.model.inputs if row.name in _PRICES and row.value]
    if not prices:
        return None
    higher = {row.name: row.value * (1 + _MOVE) for row in prices}
    highest = {row.name: max(row.high, row.value) for row in prices}
    tenth, worst = together(best, higher), together(best, highest)
    moved = context.money.rounded(tenth)
    text = tr("A price {share} higher adds {amount}", share=percent(_MOVE), amount=moved)
    if any(line.name == "second_compute" for line in best.cost.model.lines):
        text = tr("Prices {share} higher at both sites add {amount}", share=percent(_MOVE), amount=moved)
    if worst > 0:
        text += _high_end(context, prices, worst)
    dearest = {name: max(higher[name], highest[name]) for name in higher}
    text = f"{text}.{_limit(context, best, dearest)}{_age(context, best)}"
    if worst <= 0:  # an agreed price has no range: what a tenth would cost is known, how likely it is not
        return Hazard(kind="price", text=text, stake=tenth)
    return Hazard(kind="price", text=text, stake=worst, chance=TAIL if len(prices) == 1 else None)


def _age(context: Context, best: Option) -> str:
    """That the price is older than it may be, or of a day that nobody knows."""
    age, most = price_days(best, context.issued), price_limit(best)
    if age is None:
        return " " + tr("The day of the price is not known.")
    if age <= most:
        return ""
    return " " + tr(
        "The price is {age} old; after {most} it is to be confirmed.", age=plural(age, "day"), most=plural(most, "day")
    )


def _high_end(context: Context, prices: list[CostInput], worst: float) -> str:
    """What the high end of the price's range adds, or the high ends of both."""
    amount = context.money.rounded(worst)
    if len(prices) > 1:
        return tr("; the high ends of their ranges add {amount}", amount=amount)
    (item,) = prices
    unit = in_unit(clean_text(item.unit, 20), context.money.code)
    ends = tr(
        "{high} instead of {value} {unit}",
        high=input_value(context.money.of(item.high), unit),
        value=input_value(context.money.of(item.value), unit),
        unit=unit,
    )
    return tr("; the high end of its range, {ends}, adds {amount}", ends=ends, amount=amount)


def _limit(context: Context, best: Option, dearest: dict[str, float]) -> str:
    """Whether the budget still holds when prices take their high ends, or are a tenth higher."""
    budget = context.budget
    if not budget:
        return ""
    values = values_of(best.cost.model, dearest)
    held = values.get(NEEDED, values[best.cost.model.total]) <= budget
    return " " + (tr("The budget still holds.") if held else tr("The budget would not hold."))


def _delivery(context: Context, best: Option) -> Hazard | None:
    """What servers do that come at the late end of their delivery: work that waits for them ends later, what is rented until then is
    rented for longer."""
    item = delivery_input(best)
    if item is None or item.high <= item.value:
        return None
    more, wait = added(best, item, item.high), wait_of(best)
    months = {"high": input_value(item.high, item.unit), "value": input_value(item.value, item.unit)}
    if wait.certain:  # the same is rented until they come, or they are there long before the start
        if more <= 0:
            return None
        text = tr(
            "Servers that come after {high} months instead of {value} add {amount} of rent until then.",
            amount=context.money.rounded(more),
            **months,
        )
        return Hazard(kind="delivery", text=text, stake=more, chance=TAIL)
    late = latest_wait_days(best)
    if late <= wait.days:
        return None
    begins = {"day": long_date(day_after(context.start, 24.0 * late)), **months}
    longest = late + best.days.expected - wait.days
    text = PRINTED[context.kind].begins(longest, begins) + _deadline(context, longest)
    return Hazard(kind="delivery", text=text, stake=more if more > 0 else None, chance=TAIL)


def _pace(context: Context, best: Option) -> Hazard | None:
    """What the pessimistic end of the step time does to cost and deadline."""
    item = next((row for row in best.cost.model.inputs if row.name in PACES), None)
    more = added(best, item, item.high) if item and item.high > item.value else 0.0
    if not more and best.days.high <= best.days.expected:
        return None
    longest = wait_days(best) + work_days(best).high
    longer = PRINTED[context.kind].longest
    if context.several_runs:
        longer = mark("At the pessimistic end all runs together take {longest} instead of {days}")
    text = tr(
        longer,
        longest=days(longest),
        days=days(best.days.expected),
    )
    booked = block_days(best)
    if booked and longest > booked:
        text += tr(", longer than the {booked} that are booked", booked=days(booked))
    elif more:
        text += tr("; computing alone adds {amount}", amount=context.money.rounded(more))
    step = best.step_time_s
    if step:
        text += tr(
            ". A step then takes {longest}\u00a0s instead of {step}\u00a0s",
            longest=significant(step.high),
            step=significant(step.expected),
        )
    return Hazard(
        kind="pace", text=f"{text}.{_deadline(context, longest)}", stake=more if more > 0 else None, chance=TAIL
    )


def _deadline(context: Context, longest: float) -> str:
    """Whether the deadline still holds after that many days."""
    spare = context.deadline_days - longest
    if not context.deadline_days:
        return ""
    if spare >= 0:
        return " " + tr("The deadline still holds by {spare}.", spare=days(spare))
    return " " + tr("The deadline is then missed by {spare}.", spare=days(-spare))


def _lost_replica(context: Context, best: Option) -> Hazard | None:
    """What a batch does when one of its replicas is gone for good."""
    active = served(best).replicas
    if active < 2:
        return Hazard(kind="replica", text=tr("Should the one replica fail, the batch stands still until it is back."))
    wait = wait_days(best)
    longest = wait + (best.days.expected - wait) * active / (active - 1)
    text = tr("Should one replica fail at the start and stay away, the batch takes {longest}.", longest=days(longest))
    return Hazard(kind="replica", text=f"{text}{_deadline(context, longest)}")


def _failures(context: Context, best: Option) -> Hazard | None:
    """How often the run will be interrupted, what of it is in the estimate, and what more would cost."""
    point = best.checkpoint
    if point is None:
        return None
    words = interruptions(point.failures_expected, each=context.several_runs)
    text = tr(
        "{words}, one failure in {mtbf}; {lost} of the time goes into saving, repeated work and restarts",
        words=upper_first(words),
        mtbf=seconds(point.mtbf_h * 3600),
        lost=percent(point.lost_share),
    )
    item = next((row for row in best.cost.model.inputs if row.name == "goodput"), None)
    more = added(best, item, item.low) if item and 0 < item.low < item.value else 0.0
    if more:
        text += tr(
            "; if only {share} of the time is progress, it costs {amount} more",
            share=percent(item.low) if item else "",
            amount=context.money.rounded(more),
        )
    if more <= 0:
        return Hazard(kind="failures", text=f"{text}.", chance=1 - exp(-point.failures_expected))
    return Hazard(kind="failures", text=f"{text}.", stake=more, chance=TAIL)


def _choice(context: Context) -> Hazard | None:
    """The nearest threshold at which another option wins."""
    return next(
        (Hazard(kind="choice", text=f"{flip_text(flip, context)}.") for flip in near_flips(context)[:1]),
        None,
    )


def near_flips(context: Context) -> tuple[Flip, ...]:
    """Thresholds that may be crossed: that a limit could be ten times as tight tells nobody anything, and a price that moves by less than
    anybody knows it decides nothing: the table of options has both at about the same cost."""
    return tuple(
        flip
        for flip in context.answer.flips
        if (not flip.name.startswith("constraints.") or flip.threshold * _FAR >= flip.now)
        and abs(flip.threshold - flip.now) >= _CLOSE * abs(flip.now)
    )


def flip_text(flip: Flip, context: Context) -> str:
    """“If the price of one accelerator-hour rises from 2.99 to 3.62 USD/h, 64 × H200 becomes the cheapest option”."""
    then = told(flip.then, 160)
    now, threshold = _ends(flip, context)
    return tr(
        mark("If “{label}” rises from {now} to {threshold}, {then}")
        if flip.threshold > flip.now
        else mark("If “{label}” falls from {now} to {threshold}, {then}"),
        label=label(flip.label),
        now=now,
        threshold=threshold,
        then=then,
    )


def _ends(flip: Flip, context: Context) -> tuple[str, str]:
    """The value now and at the threshold: times and amounts each in the unit that reads best, others with one unit."""
    if flip.unit == "day":
        return days(flip.now), days(flip.threshold)
    if flip.unit == context.money.code:
        return context.money.amount(flip.now), context.money.amount(flip.threshold)
    shown = input_value(flip.threshold, flip.unit, computed=True)
    return input_value(flip.now, flip.unit), measured(shown, clean_text(flip.unit, 20))


def interruptions(count: float, *, each: bool = False) -> str:
    """How many failures to expect of the run, or of each of several, in words that fit the number."""
    when = tr("during each run") if each else tr("during the run")
    if count < 0.05:
        return tr("an interruption {when} is unlikely", when=when)
    if count < 0.9:
        return tr("the chance of an interruption {when} is {chance}", when=when, chance=chance(1 - exp(-count)))
    if count < 1.5:
        return tr("about one interruption is expected {when}", when=when)
    return tr("about {count} interruptions are expected {when}", count=whole(count), when=when)


_OF_WORK: PerKind[tuple[Callable[[Context, Option], Hazard | None], ...]] = {
    "run": (_pace, _failures),
    "service": (
        lambda context, best: mornings(context, best, served(best)),
        lambda context, best: host(context, best, served(best)),
        lambda context, best: load(context, best, served(best)),
        lambda context, best: promise(context, best, served(best)),
    ),
    "batch": (_pace, _failures, _lost_replica),
}
"""What can go wrong with work of that kind alone."""
