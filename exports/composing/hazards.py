"""What could go wrong, from the plan's own numbers: capacity, price, pace, interruptions, load; the gravest first."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

from engine.answer import NEEDED, CostInput, Flip, Option, ServingResult
from engine.inputs.currency import in_unit
from exports.composing.context import Context, option_name, seller, terms
from exports.composing.latencies import latencies
from exports.composing.words import engine_text
from exports.cost_values import values_of
from exports.document import Fact
from exports.numbers import chance, days, exact, input_value, long_date, percent, plural, significant, whole
from exports.text import CELL_LIMIT, clean_text, lower_first, upper_first
from exports.wording import both, mark, tr

MOST_HAZARDS = 5
_PRICES = ("price_per_instance_hour", "price_per_server")
_MOVE = 0.1
"""By how much a price is moved to show what it means."""


@dataclass(frozen=True, kw_only=True)
class Hazard:
    """One thing that could go wrong: what kind, what it would mean, and what it would cost."""

    kind: str
    text: str
    cost: float
    """How much it could add to the cost, in the currency of the plan: for the order only."""

    @property
    def label(self) -> str:
        """Its kind in words, as a sentence continues."""
        return tr(HAZARD_LABELS[self.kind])


def hazard_facts(context: Context, best: Option) -> tuple[Fact, ...]:
    """Rows of the decision block, the gravest first; its key is “risk”."""
    # Little head room is a hazard of its own, with a row above: page 1 has no room for one more.
    rows = hazards(context, best)[: MOST_HAZARDS - len(room_fact(context, best))]
    return tuple(
        Fact(key="risk" if index == 0 else f"risk_{row.kind}", label=f"{tr('Risk')}: {row.label}", text=row.text)
        for index, row in enumerate(rows)
    )


HAZARD_LABELS = {
    "weakness": mark("to be checked"),
    "signed": mark("who carries the rest"),
    "capacity": mark("no capacity"),
    "price": mark("price"),
    "pace": mark("slower than computed"),
    "failures": mark("interruptions"),
    "load": mark("more load or a failure"),
    "replica": mark("a lost replica"),
    "choice": mark("another option wins"),
}


def hazards(context: Context, best: Option) -> tuple[Hazard, ...]:
    """All that this plan can say: first who carries the rest of what is signed, then a weakness that the engine named."""
    found = [_capacity(context, best), _price(context, best)]
    if best.serving and not context.batch:
        found += [_load(context, best, best.serving), _promise(context, best.serving)]
    else:
        found += [_pace(context, best), _failures(context, best), _lost_replica(context, best)]
    # Equal ones stay in this order: that another option wins costs nothing and is said last.
    rows = sorted((row for row in (*found, _choice(context)) if row), key=lambda row: -row.cost)
    return tuple([*_rest(context, best), *_weakness(context, best), *rows][:MOST_HAZARDS])


def _weakness(context: Context, best: Option) -> list[Hazard]:
    texts = (engine_text(text, 200).rstrip(".") for text in (*best.warnings, *context.answer.warnings)[:1])
    return [Hazard(kind="weakness", text=f"{text}.", cost=float("inf")) for text in texts]


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
        spot = (
            tr("; the provider promises none, and takes back {share} of them in a month", share=percent(share))
            if share
            else tr("; the provider promises none and may take it back at any time")
        )
    start = tr(
        "{option} must be free {seller} on {start}{spot}.",
        option=option_name(best),
        seller=seller(best),
        start=long_date(context.start),
        spot=spot,
    )
    other = _fallback(context, best)
    if other is None:
        return Hazard(
            kind="capacity",
            text=tr("{start} No other option of this plan keeps the limits.", start=start),
            cost=best.cost.total.expected,
        )
    more = other.cost.total.expected - best.cost.total.expected
    gap = context.money.rounded(abs(more))
    money = tr("{amount} more", amount=gap) if more >= 0 else tr("{amount} less", amount=gap)
    pace = ""
    timed = context.batch or not best.serving
    if timed and abs(other.days.expected - best.days.expected) > 0.02 * best.days.expected:
        later = other.days.expected - best.days.expected
        span = days(abs(later))
        pace = " " + (tr("and takes {days} longer", days=span) if later > 0 else tr("and takes {days} less", days=span))
    text = tr(
        "{start} If not, the nearest elsewhere, {option} {seller}{terms}, costs {money}{pace}.",
        start=start,
        option=option_name(other),
        seller=seller(other),
        terms=f", {terms(other)}" if other.offer else "",
        money=money,
        pace=pace,
    )
    return Hazard(kind="capacity", text=text, cost=max(0.0, more))


def _fallback(context: Context, best: Option) -> Option | None:
    """The cheapest option within the limits that needs nothing of the same seller."""
    here = best.offer.provider if best.offer else ""
    rest = [
        option
        for option in context.answer.alternatives
        if option.keeps_limits
        and option.kind != "on_prem"  # which would be months away
        and (option.offer is None or option.offer.provider != here)
    ]
    return min(rest, key=lambda option: option.cost.total.expected, default=None)


def _price(context: Context, best: Option) -> Hazard | None:
    """What a tenth on the price means, and what the pessimistic end of its range does."""
    item = next((row for name in _PRICES for row in best.cost.model.inputs if row.name == name), None)
    if item is None or not item.value:
        return None
    tenth = _added(best, item, item.value * (1 + _MOVE))
    moved = context.money.rounded(tenth)
    text = tr("A price {share} higher adds {amount}", share=percent(_MOVE), amount=moved)
    worst = _added(best, item, item.high) if item.high > item.value else 0.0
    if worst:
        unit = in_unit(clean_text(item.unit, 20), context.money.code)
        ends = tr(
            "{high} instead of {value} {unit}",
            high=input_value(context.money.of(item.high), unit),
            value=input_value(context.money.of(item.value), unit),
            unit=unit,
        )
        text += tr("; the high end of its range, {ends}, adds {amount}", ends=ends, amount=context.money.rounded(worst))
    return Hazard(kind="price", text=f"{text}.{_limit(context, best, item)}", cost=max(worst, tenth))


def _added(best: Option, item: CostInput, value: float) -> float:
    """Change of the total when that input takes that value, in the currency of the plan."""
    model = best.cost.model
    return values_of(model, {item.name: value})[model.total] - values_of(model, {})[model.total]


def _limit(context: Context, best: Option, item: CostInput) -> str:
    """Whether the budget still holds when that price takes its high end, or is a tenth higher."""
    budget = context.budget
    if not budget:
        return ""
    values = values_of(best.cost.model, {item.name: max(item.high, item.value * (1 + _MOVE))})
    held = values.get(NEEDED, values[best.cost.model.total]) <= budget
    return " " + (tr("The budget still holds.") if held else tr("The budget would not hold."))


def _pace(context: Context, best: Option) -> Hazard | None:
    """What the pessimistic end of the step time does to cost and deadline."""
    item = next((row for row in best.cost.model.inputs if row.name == "run_hours"), None)
    more = _added(best, item, item.high) if item and item.high > item.value else 0.0
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
        "{words}, one failure in {mtbf}\u00a0hours; {lost} of the time goes into saving, repeated work and restarts",
        words=upper_first(words),
        mtbf=significant(point.mtbf_h),
        lost=percent(point.lost_share),
    )
    item = next((row for row in best.cost.model.inputs if row.name == "goodput"), None)
    more = _added(best, item, item.low) if item and 0 < item.low < item.value else 0.0
    if more:
        text += tr(
            "; if only {share} of the time is progress, it costs {amount} more",
            share=percent(item.low) if item else "",
            amount=context.money.rounded(more),
        )
    return Hazard(kind="failures", text=f"{text}.", cost=more)


NARROW = 0.1
"""Growth of the peak below which page 1 shows the head room among its first lines."""


def room_fact(context: Context, best: Option) -> tuple[Fact, ...]:
    """How little the peak may grow, and what one more replica costs and brings; nothing where there is room."""
    serving = best.serving
    if serving is None or context.batch or not serving.utilisation > 0 or _room(serving, serving.replicas) >= NARROW:
        return ()
    text = _growth(context, _room(serving, serving.replicas)) + "."
    every = best.count / max(1, serving.accelerators_per_replica)
    item = next((row for row in best.cost.model.inputs if row.name == "instances" and row.value > 0), None)
    if item and every >= 1:
        more = _added(best, item, item.value * (every + 1) / every)
        share = percent(_room(serving, serving.replicas + 1))
        amount = context.money.rounded(more)
        text += " " + tr("One more replica costs {amount} and makes that {share}.", amount=amount, share=share)
    return (Fact(key="room", label=tr("Head room"), text=text, tone="warning"),)


def _room(serving: ServingResult, replicas: int) -> float:
    """By what share the peak may grow on that many replicas before they are full."""
    return replicas / (serving.replicas * serving.utilisation) - 1


def _growth(context: Context, room: float) -> str:
    if not context.promised:
        return (
            tr("The peak may grow by {room} before answers wait longer than planned", room=percent(room))
            if room > 0.005
            else tr("The replicas have no room: if the peak grows, answers wait longer than planned")
        )
    if room > 0.005:
        return tr("The peak may grow by {room} before the promise breaks", room=percent(room))
    return tr("The replicas have no room: any growth of the peak breaks the promise")


def _load(context: Context, best: Option, serving: ServingResult) -> Hazard | None:
    """How much the peak may grow, and what a failure beyond the spare replicas does."""
    if not serving.utilisation > 0:
        return None
    # What page 1 says among its first lines is not said again.
    parts = [] if room_fact(context, best) else [_growth(context, _room(serving, serving.replicas))]
    active, spare = serving.replicas, serving.spare_replicas
    lost = tr("{replicas} at once", replicas=plural(spare + 1, "replica")) if spare else tr("one replica")
    if active > 1:
        share = serving.utilisation * active / (active - 1)
        then = (
            (tr("the promise still holds") if context.promised else tr("the others still carry it"))
            if share <= 1
            else tr("the others would need {share} of their capacity", share=percent(share))
        )
        parts.append(tr("Should {lost} fail at the peak, {then}", lost=lost, then=then))
    else:
        parts.append(
            tr("Should {lost} fail, nobody answers until one is back", lost=lost)
            if spare
            else tr("Should {lost} fail, nobody answers until it is back", lost=lost)
        )
    return Hazard(kind="load", text=f"{'. '.join(parts)}.", cost=0.0)


def _promise(context: Context, serving: ServingResult) -> Hazard | None:
    """Whether the promised latencies hold at the pessimistic end of what was computed."""
    shown = [
        tr(
            mark("the {name} is {value}\u00a0ms at p95, within the promised {limit}\u00a0ms")
            if row.p95.high <= limit
            else mark("the {name} is {value}\u00a0ms at p95, beyond the promised {limit}\u00a0ms"),
            name=lower_first(label),
            value=significant(row.p95.high),
            limit=exact(limit),
        )
        for _, label, row, limit in latencies(context, serving)
        if limit
    ]
    if not shown:
        return None
    return Hazard(kind="pace", text=tr("At the pessimistic end {parts}.", parts=both(shown)), cost=0.0)


def _choice(context: Context) -> Hazard | None:
    """The nearest threshold at which another option wins."""
    return next(
        (Hazard(kind="choice", text=f"{flip_text(flip, context)}.", cost=0.0) for flip in context.answer.flips[:1]),
        None,
    )


FLIP_UNITS = {"day": mark("days"), "month": mark("months"), "h": mark("hours")}
"""Units that a sentence spells out."""


def flip_text(flip: Flip, context: Context) -> str:
    """“If the price of one accelerator-hour rises from 2.99 to 3.62 USD/h, 64 × H200 becomes the cheapest option”."""
    unit = f" {tr(FLIP_UNITS.get(flip.unit, clean_text(flip.unit, 20)))}" if flip.unit not in {"", "share"} else ""
    label = clean_text(flip.label, CELL_LIMIT)
    then = engine_text(flip.then, 160).rstrip(".")
    return tr(
        mark("If “{label}” rises from {now} to {threshold}{unit}, {then}")
        if flip.threshold > flip.now
        else mark("If “{label}” falls from {now} to {threshold}{unit}, {then}"),
        label=label,
        now=input_value(flip.now, flip.unit),
        threshold=input_value(flip.threshold, flip.unit, computed=True),
        unit=unit,
        then=then,
    )


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
