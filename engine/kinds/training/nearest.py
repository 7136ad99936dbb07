"""What would make an infeasible request feasible: one change at a time, each with its price."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from engine.answer import Change, Nearest
from engine.choice.opened import LAYOUT_OPEN, more_change, opened
from engine.choice.patience import LONGEST_WAY_OUT, RUN, most_patient, needed_for, without_patience
from engine.choice.sure import LEAST_SURE, asked_of
from engine.choice.unpriced import price_ways
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Ref, Sum, finding
from engine.inputs.spec import LONGEST_DEADLINE, MOST_ACCELERATORS, FixedLayout, Objective
from engine.kinds.training.best import TrainingWork
from engine.kinds.training.best import search as search_again
from engine.kinds.training.choice import Field, costed_finalists, pace_in, survey
from engine.kinds.training.costed import Costed, Finalist, acceptable, needs, sure_cash, sure_days
from engine.kinds.training.pace import Pace
from engine.kinds.training.ways_out import (
    cost_values,
    does_it,
    hardware_named,
    larger_batch,
    less_work,
    more_accelerators,
)
from engine.money.signed import held_beside, signed_of
from engine.supply import Supplies, supplies_for

_A_LITTLE_LATER = 1.25
"""Times the shortest deadline within which another is looked for that asks for much less money."""
_MUCH_LESS = 0.5
_MUCH_LATER = 2.0
"""Times the deadline that is asked beyond which more accelerators are offered beside a later one."""


def nearest_training(context: Context, field: Field, pace: Callable[[Finalist], Pace]) -> tuple[Nearest, ...]:
    """The changes to deadline, budget or other limits, each alone where that is enough, that would give at least one plan.

    `pace` gives the exact step time of a finalist.
    """
    if all(supply.kind == "on_prem" for supply in field.supplies.supplies) and not context.spec.horizon_months:
        return (*price_ways(context), *relaxed_constraints(context))
    if not len(field.search.rows.count) or not len(field.pairs):
        return _does_not_fit(context, field.work, field.supplies)
    alone = [*_deadline(context, field, pace), *_budget(context, field, pace), *_length(context, field, pace)]
    free = _limited(context, "cost", deadline_days=LONGEST_DEADLINE, budget_usd=0.0)
    able = _able(free, field, pace)
    ways = alone or _both(context, able) or _all(context, field, pace) or _more(context)
    return (
        *ways,
        *(_more(context) if alone and _much_later(alone) else ()),
        *larger_batch(context, field.work),
        *_less_sure(context, field, pace),
        *less_work(context, able or _able(without_patience(free), field, pace)),
    )


def relaxed_constraints(context: Context) -> tuple[Nearest, ...]:
    """Which single constraint, dropped, leaves at least one source of accelerators."""
    found = []
    for change in opened(context):
        left = [one for one in supplies_for(change.spec, context.market).supplies if one.kind != "on_prem"]
        if left:
            told = finding("way.opened", opening=change.told, offers=len(left))
            found.append(Nearest(changes=(change.change,), told=(told,)))
    return tuple(found)


def _does_not_fit(context: Context, work: TrainingWork, supplies: Supplies) -> tuple[Nearest, ...]:
    """Nothing holds the model within the allowed count or layout: the changes that do, each tried."""
    limits = context.spec.constraints
    changes = []
    open_work = replace(work, fixed=FixedLayout())
    if work.fixed != FixedLayout() and _fits(context, open_work, supplies, limits.max_accelerators):
        changes.append(Nearest(changes=(LAYOUT_OPEN,), told=(finding("way.open_layout"),)))
    for needed in _larger_counts(limits.max_accelerators):
        if _fits(context, work, _pooled(supplies, needed), needed):
            changes += _with_more(context, needed)
            break
    return tuple(changes) or relaxed_constraints(context)


def _larger_counts(now: int) -> list[int]:
    """Numbers of accelerators that are tried where those that are allowed are not enough, the smallest first."""
    return sorted({most for most in (min(now * 4, MOST_ACCELERATORS), 1024, 16_384, 65_536) if most > now})


def _more(context: Context) -> list[Nearest]:
    """The first larger number of accelerators that is enough on its own."""
    for most in _larger_counts(context.spec.constraints.max_accelerators):
        best, _, _ = more_accelerators(context, most)
        if best is not None:
            return [_allowed(context, best)]
    return []


def _allowed(context: Context, best: Costed) -> Nearest:
    """As many accelerators as the best takes where more are allowed."""
    now, needed = context.spec.constraints.max_accelerators, best.pair.count
    told = finding("way.more", needed=needed, now=now, does=does_it(best))
    return Nearest(changes=(more_change(now, needed),), told=(told,))


def _much_later(ways: Sequence[Nearest]) -> bool:
    """Is every deadline that is offered so late that more accelerators may be the better way?"""
    changes = [change for way in ways for change in way.changes if change.field == "constraints.deadline_days"]
    spans = [(one.now.value, one.needed.value) for one in changes
             if isinstance(one.now, Quantity) and isinstance(one.needed, Quantity)]  # fmt: skip
    return bool(spans) and all(needed > now * _MUCH_LATER for now, needed in spans)


def _with_more(context: Context, most: int) -> list[Nearest]:
    """That many accelerators allowed: with its price where that is enough, else with what has to change beside it."""
    best, changed, field = more_accelerators(context, most)
    if best is not None:
        return [_allowed(context, best)]
    now = context.spec.constraints.max_accelerators
    beside = nearest_training(changed, field, pace_in(changed, field)) if len(field.pairs) else ()
    more = finding("way.more_and", needed=most, now=now)
    return [replace(item, changes=(more_change(now, most), *item.changes), told=(more, *item.told)) for item in beside]


def _fits(context: Context, work: TrainingWork, supplies: Supplies, most: int) -> bool:
    """Does any layout run with that change?"""
    found = search_again(work, supplies.clusters, max_count=most, assume=context.assume, known=context.known)
    return bool(len(found.rows))


def _pooled(supplies: Supplies, most: int) -> Supplies:
    """The same sources where more of them may be pooled."""
    clusters = tuple(
        replace(cluster, max_devices=most) if cluster.nic_bandwidth > 0 and cluster.devices_per_node > 1 else cluster
        for cluster in supplies.clusters
    )
    return replace(supplies, clusters=clusters)


def _deadline(context: Context, field: Field, pace: Callable[[Finalist], Pace]) -> list[Nearest]:
    """The shortest deadline that some option within the budget keeps; and one a little later, where much less is then signed
    or paid."""
    limits = context.spec.constraints
    if not limits.deadline_days:
        return []
    patient = _limited(context, "time", deadline_days=LONGEST_DEADLINE)
    able = [one for one in _able(patient, field, pace) if sure_days(one, patient) < math.inf]
    days = _stated(min((sure_days(one, patient) for one in able), default=0.0))
    if days <= limits.deadline_days or days > LONGEST_WAY_OUT:
        return []
    soonest = min((one for one in able if sure_days(one, patient) <= days), key=_money_needed)
    thrifty = _least_money(context, days * _A_LITTLE_LATER) or soonest
    offered = [(days, soonest, "way.deadline")]
    if thrifty.cash_needed < soonest.cash_needed * _MUCH_LESS:
        offered.append((_stated(sure_days(thrifty, patient)), thrifty, "way.deadline.thrifty"))
    return [
        Nearest(
            changes=(_due(limits.deadline_days, due),),
            told=(
                finding(
                    code,
                    needed=Quantity(due, "day"),
                    now=Quantity(limits.deadline_days, "day"),
                    hardware=hardware_named(one),
                    chance=Quantity(asked_of(context.assume).all, "chance"),
                    **cost_values(one),
                ),
            ),
        )
        for due, one, code in offered
    ]


def _least_money(context: Context, days: float) -> Costed | None:
    """What asks for the least money of all that surely ends in those days, of servers too that are bought for so long a run."""
    changed = _limited(context, "cost", deadline_days=days)
    field = survey(changed)
    able = _able(changed, field, pace_in(changed, field)) if len(field.pairs) else []
    return min((one for one in able if sure_days(one, changed) <= days), key=_money_needed, default=None)


def _money_needed(option: Costed) -> float:
    return option.cash_needed


def _budget(context: Context, field: Field, pace: Callable[[Finalist], Pace]) -> list[Nearest]:
    """The smallest budget with which some option keeps the deadline: its cost, or what has to be bought for it."""
    limits = context.spec.constraints
    if not limits.budget_usd:
        return []
    free = _limited(context, "cost", budget_usd=0.0)
    costs = {one.id: (sure_cash(one, free), one) for one in _able(free, field, pace)}
    least, cheapest = min(costs.values(), key=lambda pair: pair[0], default=(math.inf, None))
    if cheapest is None or least == math.inf:
        return []
    needed = context.currency.enough(least)
    told = finding(
        "way.budget",
        now=Sum(limits.budget_usd),
        needed=Sum(needed),
        hardware=hardware_named(cheapest),
        time=Quantity(cheapest.days.expected, "day"),
        held=held_beside(signed_of(cheapest.model), limits.budget_basis),
    )
    return [Nearest(changes=(_paid(limits.budget_usd, needed),), told=(told,))]


def _both(context: Context, able: Sequence[Costed]) -> list[Nearest]:
    """Where no budget keeps the deadline and no deadline the budget: what the cheapest option needs of both."""
    limits = context.spec.constraints
    if not (limits.deadline_days and limits.budget_usd):
        return []
    soon = [(needs(one, context), one) for one in able]
    soon = [(both, one) for both, one in soon if both[0] <= LONGEST_WAY_OUT]
    if not soon:
        return []
    (time, cash), cheapest = min(soon, key=lambda pair: pair[0][1])
    days, needed = _stated(time), context.currency.enough(cash)
    told = finding(
        "way.both",
        days=Quantity(days, "day"),
        deadline=Quantity(limits.deadline_days, "day"),
        now=Sum(limits.budget_usd),
        needed=Sum(needed),
        hardware=hardware_named(cheapest),
        held=held_beside(signed_of(cheapest.model), limits.budget_basis),
    )
    return [Nearest(changes=(_due(limits.deadline_days, days), _paid(limits.budget_usd, needed)), told=(told,))]


def _less_sure(context: Context, field: Field, pace: Callable[[Finalist], Pace]) -> list[Nearest]:
    """How sure one could be within the limits as they are, where that is worth a plan."""
    assume, asked = context.assume, asked_of(context.assume)
    bold = replace(context, assume=assume.override({"select.confidence": LEAST_SURE, "select.fits": LEAST_SURE}))
    surest = max(_able(bold, field, pace), key=lambda one: one.chance.all, default=None)
    if surest is None:
        return []
    every = math.floor(surest.chance.all * 100.0) / 100.0
    fits = math.floor((surest.chance.memory or 1.0) * 100.0) / 100.0
    if every >= asked.all and fits >= asked.fits:
        return []
    changes = [_confidence("all", asked.all, min(every, asked.all))]
    if fits < asked.fits:
        changes.append(_confidence("memory", asked.fits, fits))
    told = finding(
        "way.less_sure",
        needed=Quantity(min(every, asked.all), "chance"),
        now=Quantity(asked.all, "chance"),
        does=does_it(surest),
    )
    return [Nearest(changes=tuple(changes), told=(told,))]


def _confidence(name: str, now: float, needed: float) -> Change:
    return Change(field=f"confidence.{name}", now=Quantity(now, "chance"), needed=Quantity(needed, "chance"))


def _length(context: Context, field: Field, pace: Callable[[Finalist], Pace]) -> list[Nearest]:
    """How long runs would have to be allowed to last, where that alone is enough."""
    able = _able(most_patient(context), field, pace)
    if not able:
        return []
    shortest = min(able, key=lambda option: option.run_days)
    needed = needed_for(context, shortest.run_days)
    told = finding("way.priced", opening=_longer(context, needed), does=does_it(shortest))
    return [Nearest(changes=_lengths(context, needed), told=(told,))]


def _lengths(context: Context, needed: Mapping[str, float]) -> tuple[Change, ...]:
    return tuple(
        Change(field=f"assumptions.{name}", now=Quantity(context.assume[name], "day"), needed=Quantity(most, "day"))
        for name, most in needed.items()
    )


def _longer(context: Context, needed: Mapping[str, float]) -> Finding:
    """“let a single run last 420 days instead of 365 (assumption select.patience)”."""
    parts = tuple(
        finding(
            "longer.run" if name == RUN else "longer.programme",
            most=round(most),
            now=round(context.assume[name]),
            assumption=Ref("assumption", name),
        )
        for name, most in needed.items()
    )
    return finding("longer", parts=parts)


def _all(context: Context, field: Field, pace: Callable[[Finalist], Pace]) -> list[Nearest]:
    """Where no two changes are enough: what the fastest option needs of every limit that it breaks."""
    limits = context.spec.constraints
    free = most_patient(_limited(context, "time", deadline_days=0.0, budget_usd=0.0))
    able = [(needs(one, context), one) for one in _able(free, field, pace)]
    able = [(both, one) for both, one in able if both[0] <= LONGEST_WAY_OUT]
    if not able:
        return []
    (time, cash), fastest = min(able, key=lambda pair: pair[0][0])
    changes: list[Change] = []
    parts: list[Finding] = []
    days, needed = _stated(time), needed_for(context, fastest.run_days)
    if limits.deadline_days and days > limits.deadline_days:
        changes.append(_due(limits.deadline_days, days))
        parts.append(
            finding("change.deadline", days=Quantity(days, "day"), deadline=Quantity(limits.deadline_days, "day"))
        )
    if limits.budget_usd and cash > limits.budget_usd:
        room = context.currency.enough(cash)
        changes.append(_paid(limits.budget_usd, room))
        parts.append(finding("change.budget", now=Sum(limits.budget_usd), needed=Sum(room)))
    if needed:
        changes += _lengths(context, needed)
        parts.append(_longer(context, needed))
    if not changes:
        return []
    told = finding("way.all", changes=tuple(parts), hardware=hardware_named(fastest))
    return [Nearest(changes=tuple(changes), told=(told,))]


def _stated(days: float) -> float:
    """A deadline that a person would state and that is no shorter: whole days from two on, below that hundredths of a day."""
    return float(math.ceil(days)) if days > 2.0 else math.ceil(round(days * 100.0, 6)) / 100.0


def _due(now: float, needed: float) -> Change:
    return Change(field="constraints.deadline_days", now=Quantity(now, "day"), needed=Quantity(needed, "day"))


def _paid(now: float, needed: float) -> Change:
    """Of the budget [USD]."""
    return Change(field="constraints.budget_usd", now=Sum(now), needed=Sum(needed))


def _limited(
    context: Context, objective: Objective, *, deadline_days: float | None = None, budget_usd: float | None = None
) -> Context:
    """The same request with those limits (none: as it is), ranked by that objective."""
    spec, limits = context.spec, context.spec.constraints
    changed = replace(
        limits,
        deadline_days=limits.deadline_days if deadline_days is None else deadline_days,
        budget_usd=limits.budget_usd if budget_usd is None else budget_usd,
    )
    return replace(context, spec=replace(spec, constraints=changed, objective=objective))


def _able(context: Context, field: Field, pace: Callable[[Finalist], Pace]) -> list[Costed]:
    """The options that could be recommended under those limits, with their exact days and money."""
    return [one for one in costed_finalists(context, field, pace) if acceptable(one, context)]
