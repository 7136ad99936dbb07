"""What could go wrong, from the plan's own numbers: capacity, price, pace, interruptions, load; the gravest first."""

from __future__ import annotations

from math import exp

from engine.answer import NEEDED, CostInput, Flip, Option
from engine.inputs.currency import in_unit
from exports.composing.context import Context, option_name, seller, terms
from exports.composing.hazard import Hazard, added, together
from exports.composing.service_hazards import load, mornings, promise, room_fact
from exports.composing.words import told
from exports.cost_values import values_of
from exports.document import Fact
from exports.numbers import chance, days, input_value, long_date, measured, percent, seconds, significant, whole
from exports.text import CELL_LIMIT, clean_text, upper_first
from exports.wording import mark, tr
from planner.promises import asked_confidence

MOST_HAZARDS = 5
_PRICES = ("price_per_instance_hour", "price_per_server", "second_price_per_instance_hour")
_PACES = ("run_hours", "batch_hours")
_UNPRICED = 0.25
"""Share of the total that a risk must be able to add to come before a weakness, which has no price."""
_FAR = 10.0
_MOVE = 0.1
"""By how much a price is moved to show what it means."""


def hazard_facts(context: Context, best: Option) -> tuple[Fact, ...]:
    """Rows of the decision block, the gravest first; its key is “risk”."""
    # Little head room is a hazard of its own, with a row above: page 1 has no room for one more.
    rows = hazards(context, best)[: MOST_HAZARDS - len(room_fact(context, best))]
    return tuple(
        Fact(key="risk" if index == 0 else f"risk_{row.kind}", label=f"{tr('Risk')}: {row.label}", text=row.text)
        for index, row in enumerate(rows)
    )


def hazards(context: Context, best: Option) -> tuple[Hazard, ...]:
    """All that this plan can say: first who carries the rest of what is signed, then software, then the costliest."""
    found = [_capacity(context, best), _price(context, best)]
    if best.serving and not context.batch:
        found += [
            mornings(context, best, best.serving),
            load(context, best, best.serving),
            promise(context, best.serving),
        ]
    else:
        found += [_pace(context, best), _failures(context, best), _lost_replica(context, best)]
    # Equal ones stay in this order: that another option wins costs nothing and is said last.
    rows = sorted(
        (row for row in (*_weakness(context, best), *found, _choice(context)) if row), key=lambda row: -row.cost
    )
    return tuple([*_rest(context, best), *_software(best), *rows][:MOST_HAZARDS])


def weaknesses(context: Context, best: Option, limit: int) -> tuple[str, ...]:
    """What the engine says to check, but for the software, which is a hazard of its own."""
    texts = (text for text in (*best.warnings, *context.answer.warnings) if text != best.porting)
    return tuple(dict.fromkeys(told(text, limit) for text in texts))


def _weakness(context: Context, best: Option) -> list[Hazard]:
    texts = weaknesses(context, best, 200)[:1]
    rank = _UNPRICED * best.cost.total.expected
    return [Hazard(kind="weakness", text=f"{text.rstrip('.')}.", cost=rank) for text in texts]


def _software(best: Option) -> list[Hazard]:
    """That code and kernels must be brought to software of another vendor."""
    if not best.porting:
        return []
    return [Hazard(kind="software", text=told(best.porting, 400), cost=float("inf"))]


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
    return [Hazard(kind="signed", text=text, cost=signed.rest)]


def _capacity(context: Context, best: Option) -> Hazard | None:
    """What is left when the capacity is not there on the day: the next option that keeps the limits."""
    if best.offer is None:
        return None
    spot = ""
    if best.offer.option == "spot":
        share = best.offer.interruption_per_month
        spot = " " + (
            tr("The provider promises none, and takes back {share} of them in a month.", share=percent(share))
            if share
            else tr("The provider promises none and may take them back at any time.")
        )
    start = tr(
        "Should {option} not be free {seller} on {start}",
        option=option_name(best),
        seller=seller(best),
        start=long_date(context.start),
    )
    return _other_capacity(context, best, start, spot)


def _other_capacity(context: Context, best: Option, start: str, spot: str) -> Hazard:
    """What the next option costs more, as surely as is asked: elsewhere, else of the same seller on other terms."""
    elsewhere = _fallback(context, best)
    other = elsewhere or _fallback(context, best, same=True)
    if other is None:
        return Hazard(
            kind="capacity",
            text=tr("{start}, no other option of this plan keeps the limits.", start=start) + spot,
            cost=best.cost.total.expected,
        )
    more = other.cost.ranked_by - best.cost.ranked_by
    gap = context.money.rounded(abs(more))
    money = tr("{amount} more", amount=gap) if more >= 0 else tr("{amount} less", amount=gap)
    pace = ""
    timed = context.batch or not best.serving
    if timed and abs(other.days.expected - best.days.expected) > 0.02 * best.days.expected:
        later = other.days.expected - best.days.expected
        span = days(abs(later))
        pace = " " + (tr("and takes {days} longer", days=span) if later > 0 else tr("and takes {days} less", days=span))
    nearest = mark(
        "{start}, the nearest elsewhere, {option} {seller}{terms}, costs {money} at {sure} confidence{pace}."
    )
    same = mark(
        "{start}, the nearest, {option} {seller}{terms}, costs {money} at {sure} confidence{pace}; no option of another seller keeps "
        "the limits."
    )
    text = tr(
        nearest if elsewhere else same,
        start=start,
        option=option_name(other),
        seller=seller(other),
        terms=f", {terms(other)}" if other.offer else "",
        money=money,
        sure=percent(asked_confidence(context.spec)),
        pace=pace,
    )
    return Hazard(kind="capacity", text=text + spot, cost=max(0.0, more))


def _fallback(context: Context, best: Option, *, same: bool = False) -> Option | None:
    """The cheapest option within the limits that needs nothing of the same seller, or one of the same seller on other terms."""
    here = best.offer.provider if best.offer else ""
    rest = [
        option
        for option in context.answer.alternatives
        if option.keeps_limits
        and option.kind != "on_prem"  # which would be months away
        and (option.offer is not None and option.offer.provider == here) == same
    ]
    return min(rest, key=lambda option: option.cost.ranked_by, default=None)


def _price(context: Context, best: Option) -> Hazard | None:
    """What a tenth on the price means, and what the pessimistic end of its range does; of two sites both at once."""
    prices = [row for row in best.cost.model.inputs if row.name in _PRICES and row.value]
    if not prices:
        return None
    higher = {row.name: row.value * (1 + _MOVE) for row in prices}
    highest = {row.name: max(row.high, row.value) for row in prices}
    tenth, worst = together(best, higher), together(best, highest)
    moved = context.money.rounded(tenth)
    text = tr("A price {share} higher adds {amount}", share=percent(_MOVE), amount=moved)
    if len(prices) > 1:
        text = tr("Prices {share} higher at both sites add {amount}", share=percent(_MOVE), amount=moved)
    if worst > 0:
        text += _high_end(context, prices, worst)
    dearest = {name: max(higher[name], highest[name]) for name in higher}
    return Hazard(kind="price", text=f"{text}.{_limit(context, best, dearest)}", cost=max(worst, tenth))


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


def _pace(context: Context, best: Option) -> Hazard | None:
    """What the pessimistic end of the step time does to cost and deadline."""
    item = next((row for row in best.cost.model.inputs if row.name in _PACES), None)
    more = added(best, item, item.high) if item and item.high > item.value else 0.0
    if not more and best.days.high <= best.days.expected:
        return None
    longer = mark("At the pessimistic end the run takes {longest} instead of {days}")
    if context.batch:
        longer = mark("At the pessimistic end the batch takes {longest} instead of {days}")
    elif context.several_runs:
        longer = mark("At the pessimistic end all runs together take {longest} instead of {days}")
    text = tr(
        longer,
        longest=days(best.days.high),
        days=days(best.days.expected),
    )
    if more:
        text += tr("; computing alone adds {amount}", amount=context.money.rounded(more))
    step = best.step_time_s
    if step:
        text += tr(
            ". A step then takes {longest}\u00a0s instead of {step}\u00a0s",
            longest=significant(step.high),
            step=significant(step.expected),
        )
    return Hazard(kind="pace", text=f"{text}.{_deadline(context, best.days.high)}", cost=more)


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
    if best.serving is None:
        return None
    active = best.serving.replicas
    if active < 2:
        return Hazard(
            kind="replica", text=tr("Should the one replica fail, the batch stands still until it is back."), cost=0.0
        )
    longest = best.days.expected * active / (active - 1)
    text = tr("Should one replica fail at the start and stay away, the batch takes {longest}.", longest=days(longest))
    return Hazard(kind="replica", text=f"{text}{_deadline(context, longest)}", cost=0.0)


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
    return Hazard(kind="failures", text=f"{text}.", cost=more)


def _choice(context: Context) -> Hazard | None:
    """The nearest threshold at which another option wins."""
    return next(
        (Hazard(kind="choice", text=f"{flip_text(flip, context)}.", cost=0.0) for flip in near_flips(context)[:1]),
        None,
    )


def near_flips(context: Context) -> tuple[Flip, ...]:
    """Thresholds that may be crossed: that a limit could be ten times as tight tells nobody anything."""
    return tuple(
        flip
        for flip in context.answer.flips
        if not flip.name.startswith("constraints.") or flip.threshold * _FAR >= flip.now
    )


def flip_text(flip: Flip, context: Context) -> str:
    """“If the price of one accelerator-hour rises from 2.99 to 3.62 USD/h, 64 × H200 becomes the cheapest option”."""
    label = clean_text(flip.label, CELL_LIMIT)
    then = told(flip.then, 160)
    now, threshold = _ends(flip, context)
    return tr(
        mark("If “{label}” rises from {now} to {threshold}, {then}")
        if flip.threshold > flip.now
        else mark("If “{label}” falls from {now} to {threshold}, {then}"),
        label=label,
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
