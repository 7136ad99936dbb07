"""What could go wrong with a service: little head room, a failed replica, a broken promise, capacity that does not come back."""

from __future__ import annotations

import math

from engine.answer import Option, ServingResult
from exports.composing.ask import months
from exports.composing.context import Context, provider
from exports.composing.hazard import Hazard, added, at_least_once
from exports.composing.kinds import PRINTED
from exports.composing.latencies import latencies
from exports.composing.words import told
from exports.document import Fact
from exports.numbers import exact, percent, plural, significant
from exports.text import lower_first
from exports.wording import both, mark, tr
from planner.promises import promise_chance
from planner.standing import standing_rows

NARROW = 0.1
"""Growth of the peak below which page 1 shows the head room among its first lines."""


def room_fact(context: Context, best: Option) -> tuple[Fact, ...]:
    """How little the peak may grow, and what one more replica costs and brings; nothing where there is room."""
    loaded = PRINTED[context.kind].at_peak(best)
    if loaded is None or not loaded.utilisation > 0 or _room(loaded, loaded.replicas) >= NARROW:
        return ()
    text = _growth(context, _room(loaded, loaded.replicas)) + "."
    text += _one_more(context, best, loaded)
    return (Fact(key="room", label=tr("Head room"), text=text, tone="warning"),)


def _one_more(context: Context, best: Option, serving: ServingResult) -> str:
    """What one more replica brings and costs, in the whole instances that it takes."""
    cost = _next_replica(best, serving)
    if cost is None:
        return ""
    share = percent(_room(serving, serving.replicas + 1))
    if not cost:
        return " " + tr("One more replica fits on what is paid anyway and makes that {share}.", share=share)
    amount = context.money.rounded(cost)
    return " " + tr("One more replica costs {amount} and makes that {share}.", amount=amount, share=share)


def _next_replica(best: Option, serving: ServingResult) -> float | None:
    """What one more replica costs, in the currency of the plan. None of servers, which are not paid by number, and of two sites, where
    more stands by for it at the other one."""
    item = next((row for row in best.cost.model.inputs if row.name == "instances" and row.value > 0), None)
    if item is None or best.offer is None or len(best.sites) > 1 or best.count < serving.accelerators_per_replica:
        return None
    each, here = serving.accelerators_per_replica, best.offer.devices
    every = best.count // each
    held, then = (_instances(number, each, here) for number in (every, every + 1))
    return 0.0 if then == held else added(best, item, item.value * then / held)


def _instances(replicas: int, each: int, here: int) -> int:
    """Instances of so many accelerators that so many replicas take: whole replicas to an instance, or whole instances to a replica."""
    return math.ceil(replicas / (here // each)) if each <= here else replicas * math.ceil(each / here)


def _room(serving: ServingResult, replicas: int) -> float:
    """By what share the peak may grow on that many replicas before each has more than the rate at which it keeps its promises as surely
    as planned. What a promise bears at an even chance is more."""
    return replicas / (serving.replicas * serving.utilisation) - 1


def _growth(context: Context, room: float) -> str:
    if not context.promised:
        return (
            tr("The peak may grow by {room} before answers wait longer than planned", room=percent(room))
            if room > 0.005
            else tr("The replicas have no room: if the peak grows, answers wait longer than planned")
        )
    if room > 0.005:
        return tr("The peak may grow by {room} before the promise is kept less surely than planned", room=percent(room))
    return tr("The replicas have no room: if the peak grows, the promise is kept less surely than planned")


def load(context: Context, best: Option, serving: ServingResult) -> Hazard | None:
    """How much the peak may grow, and what a failure beyond the spare replicas does; at stake is what one more replica costs."""
    if not serving.utilisation > 0:
        return None
    # What page 1 says among its first lines is not said again.
    parts = [] if room_fact(context, best) else [_growth(context, _room(serving, serving.replicas))]
    active, spare = serving.replicas, serving.spare_replicas
    if active > 1:
        share = serving.utilisation * active / (active - 1)
        down = plural(spare + 1, "replica") if spare else tr("one replica")
        if serving.standing and serving.standing.on_one_host:
            down = tr("{replicas} of a host that is up", replicas=down)
        text = _held(context) if share <= 1 else _overrun(context)
        parts.append(tr(text, replicas=down, share=percent(share)))
    else:
        parts.append(
            tr("Should {replicas} be down, nothing is served until one is back", replicas=_every(spare + 1))
            if spare
            else tr("Should the one replica fail, nothing is served until it is back")
        )
    return Hazard(kind="load", text=f"{'. '.join(parts)}.", stake=_next_replica(best, serving) or None)


def _every(count: int) -> str:
    """All replicas there are: “both replicas”, “all 3 replicas”."""
    if count == 2:
        return tr("both replicas")
    return tr("all {replicas}", replicas=plural(count, "replica"))


def host(context: Context, best: Option, serving: ServingResult) -> Hazard | None:
    """What a host takes with it that is down, where less than all is served then; spare replicas on it are none. What an hour without
    the service costs whoever uses it, no plan knows."""
    standing = serving.standing
    down = next((one for one in standing.cases if one.case == "host"), None) if standing else None
    if standing is None or down is None or down.served >= 1.0:
        return None
    row = next(one for one in standing_rows(standing) if one.case.code == "case.host")
    text = tr(
        "While a host is down ({often}), the others serve {share}.", often=told(row.often), share=told(row.served)
    )
    if standing.on_one_host:
        text = tr(
            "All replicas stand on one host. While it is down ({often}), nothing is served.", often=told(row.often)
        )
        if serving.spare_replicas:
            text += " " + tr("What is spare stands in for a replica that fails, not for the host.")
    likely = at_least_once(down.per_year, months(context, best) / 12) if down.per_year else None
    return Hazard(kind="host", text=text, chance=likely)


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
    cases = serving.standing.cases if serving.standing else ()
    short = next((one.per_year for one in cases if one.case == "morning" and one.per_year), None)
    likely = at_least_once(short, months(context, best) / 12) if short else None
    return Hazard(kind="mornings", text=text, stake=keep, chance=likely)


def _held(context: Context) -> str:
    if context.promised:
        return mark("Should {replicas} be down at the peak, the promise holds as surely as planned")
    return mark("Should {replicas} be down at the peak, the others still carry it")


def _overrun(context: Context) -> str:
    if context.promised:
        return mark(
            "Should {replicas} be down at the peak, the promise is kept less surely than planned: the others would be asked for "
            "{share} of what they keep it at"
        )
    return mark("Should {replicas} be down at the peak, the others would be asked for {share} of what they can hold")


def promise(context: Context, best: Option, serving: ServingResult) -> Hazard | None:
    """Whether the promised latencies hold at the pessimistic end of what was computed, and how likely they do not."""
    promised = [row for row in latencies(context, best) if row[3]]
    broken = any(row.p95.high > limit for _, _, row, limit in promised)
    shown = [  # a promise that holds is no part of the risk beside one that does not
        tr(
            mark("the {name} is {value}\u00a0ms at p95, within the promised {limit}\u00a0ms")
            if row.p95.high <= limit
            else mark("the {name} is {value}\u00a0ms at p95, beyond the promised {limit}\u00a0ms"),
            name=lower_first(label),
            value=significant(row.p95.high),
            limit=exact(limit),
        )
        for _, label, row, limit in promised
        if row.p95.high > limit or not broken
    ]
    if not shown:
        return None
    kept = promise_chance(best, context.spec)
    text = tr("At the pessimistic end {parts}.", parts=both(shown))
    return Hazard(kind="promise", text=text, chance=None if kept is None else 1.0 - kept)
