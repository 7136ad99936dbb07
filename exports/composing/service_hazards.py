"""What could go wrong with a service: little head room, a failed replica, a broken promise, capacity that does not come back."""

from __future__ import annotations

import math

from engine.answer import Option, ServingResult
from exports.composing.context import Context, provider
from exports.composing.hazard import Hazard, added
from exports.composing.latencies import latencies
from exports.document import Fact
from exports.numbers import exact, percent, plural, significant
from exports.text import lower_first
from exports.wording import both, mark, tr

NARROW = 0.1
"""Growth of the peak below which page 1 shows the head room among its first lines."""


def room_fact(context: Context, best: Option) -> tuple[Fact, ...]:
    """How little the peak may grow, and what one more replica costs and brings; nothing where there is room."""
    serving = best.serving
    if serving is None or context.batch or not serving.utilisation > 0 or _room(serving, serving.replicas) >= NARROW:
        return ()
    text = _growth(context, _room(serving, serving.replicas)) + "."
    text += _one_more(context, best, serving)
    return (Fact(key="room", label=tr("Head room"), text=text, tone="warning"),)


def _one_more(context: Context, best: Option, serving: ServingResult) -> str:
    """What one more replica brings and costs, in the whole instances that it takes; nothing of servers, which are not paid by number,
    nor of two sites, where more stands by for it at the other one."""
    item = next((row for row in best.cost.model.inputs if row.name == "instances" and row.value > 0), None)
    if item is None or best.offer is None or len(best.sites) > 1 or best.count < serving.accelerators_per_replica:
        return ""
    each, here = serving.accelerators_per_replica, best.offer.devices
    every = best.count // each
    held, then = (_instances(number, each, here) for number in (every, every + 1))
    share = percent(_room(serving, serving.replicas + 1))
    if then == held:
        return " " + tr("One more replica fits on what is paid anyway and makes that {share}.", share=share)
    amount = context.money.rounded(added(best, item, item.value * then / held))
    return " " + tr("One more replica costs {amount} and makes that {share}.", amount=amount, share=share)


def _instances(replicas: int, each: int, here: int) -> int:
    """Instances of so many accelerators that so many replicas take: whole replicas to an instance, or whole instances to a replica."""
    return math.ceil(replicas / (here // each)) if each <= here else replicas * math.ceil(each / here)


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


def load(context: Context, best: Option, serving: ServingResult) -> Hazard | None:
    """How much the peak may grow, and what a failure beyond the spare replicas does."""
    if not serving.utilisation > 0:
        return None
    # What page 1 says among its first lines is not said again.
    parts = [] if room_fact(context, best) else [_growth(context, _room(serving, serving.replicas))]
    active, spare = serving.replicas, serving.spare_replicas
    if active > 1:
        share = serving.utilisation * active / (active - 1)
        down = plural(spare + 1, "replica") if spare else tr("one replica")
        text = _held(context) if share <= 1 else _overrun(context)
        parts.append(tr(text, replicas=down, share=percent(share)))
    else:
        parts.append(
            tr("Should all {replicas} be down, nobody answers until one is back", replicas=plural(spare + 1, "replica"))
            if spare
            else tr("Should the one replica fail, nobody answers until it is back")
        )
    return Hazard(kind="load", text=f"{'. '.join(parts)}.", cost=0.0)


def mornings(context: Context, best: Option, serving: ServingResult) -> Hazard | None:
    """That what is given back at night may be somebody else's in the morning, and what keeping it would cost."""
    inputs = {item.name: item for item in best.cost.model.inputs}
    held, peak = inputs.get("instances"), inputs.get("instances_peak")
    scale = serving.autoscale
    if best.offer is None or not held or not peak or held.value >= peak.value:
        return None
    keep = added(best, held, peak.value)
    text = tr(
        "The total counts on giving back up to {count} of {replicas} when the load falls, and {provider} promises none of "
        "them in the morning: keeping all of them at all hours costs {amount} more.",
        count=scale.max - scale.min,
        replicas=plural(scale.max, "replica"),
        provider=provider(best.offer.provider),
        amount=context.money.rounded(keep),
    )
    return Hazard(kind="mornings", text=text, cost=keep)


def _held(context: Context) -> str:
    if context.promised:
        return mark("Should {replicas} be down at the peak, the promise still holds")
    return mark("Should {replicas} be down at the peak, the others still carry it")


def _overrun(context: Context) -> str:
    if context.promised:
        return mark(
            "Should {replicas} be down at the peak, the promise breaks: the others would be asked for {share} of what they "
            "can hold"
        )
    return mark("Should {replicas} be down at the peak, the others would be asked for {share} of what they can hold")


def promise(context: Context, serving: ServingResult) -> Hazard | None:
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
