"""What would make an infeasible request feasible: one change at a time, each with its price."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from engine.answer import Nearest
from engine.choice.opened import opened
from engine.choice.patience import LONGEST_WAY_OUT, PROGRAMME, RUN, most_patient, needed_for, without_patience
from engine.choice.unpriced import price_ways
from engine.context import Context
from engine.inputs.names import counted, days_words
from engine.inputs.spec import LONGEST_DEADLINE, MOST_ACCELERATORS, FixedLayout, Objective
from engine.kinds.training.best import Pace, TrainingWork
from engine.kinds.training.best import search as search_again
from engine.kinds.training.choice import Field, costed_finalists, pace_in, survey
from engine.kinds.training.costed import Costed, Finalist, acceptable
from engine.kinds.training.ways_out import cost_words, less_work, more_accelerators, named, said
from engine.money.signed import held_words, signed_of
from engine.supply import Supplies, supplies_for

_A_LITTLE_LATER = 1.25
"""Times the shortest deadline within which another is looked for that asks for much less money."""
_MUCH_LESS = 0.5


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
    return (*ways, *less_work(context, able or _able(without_patience(free), field, pace)))


def relaxed_constraints(context: Context) -> tuple[Nearest, ...]:
    """Which single constraint, dropped, leaves at least one source of accelerators."""
    found = []
    for change in opened(context):
        left = [one for one in supplies_for(change.spec, context.market).supplies if one.kind != "on_prem"]
        if left:
            found.append(
                Nearest(
                    field=change.field,
                    now=change.now,
                    needed=change.needed,
                    sentence=f"{change.words[:1].upper()}{change.words[1:]}: {counted(len(left), 'offer')} can then be used.",
                )
            )
    return tuple(found)


def _does_not_fit(context: Context, work: TrainingWork, supplies: Supplies) -> tuple[Nearest, ...]:
    """Nothing holds the model within the allowed count or layout: the changes that do, each tried."""
    limits = context.spec.constraints
    changes = []
    open_work = replace(work, fixed=FixedLayout())
    if work.fixed != FixedLayout() and _fits(context, open_work, supplies, limits.max_accelerators):
        changes.append(
            Nearest(field="fixed", now="decided", needed="open", sentence="Leave the layout open in “fixed”.")
        )
    for needed in _larger_counts(limits.max_accelerators):
        if _fits(context, work, _pooled(supplies, needed), needed):
            changes += _with_more(context, needed)
            break
    return tuple(changes) or relaxed_constraints(context)


def _larger_counts(now: int) -> list[int]:
    """Numbers of accelerators that are tried where those that are allowed are not enough, the smallest first."""
    return sorted({most for most in (min(now * 4, MOST_ACCELERATORS), 1024, 16_384) if most > now})


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
    return Nearest(
        field="constraints.max_accelerators",
        now=counted(now, "accelerator"),
        needed=counted(needed, "accelerator"),
        sentence=f"Allow {needed:,} accelerators instead of {now:,}: {said(best, context.currency)}.",
    )


def _with_more(context: Context, most: int) -> list[Nearest]:
    """That many accelerators allowed: with its price where that is enough, else with what has to change beside it."""
    best, changed, field = more_accelerators(context, most)
    if best is not None:
        return [_allowed(context, best)]
    now = context.spec.constraints.max_accelerators
    beside = nearest_training(changed, field, pace_in(changed, field)) if len(field.pairs) else ()
    return [
        replace(
            item,
            field="constraints",
            now=f"{now:,} accelerators, {item.now}",
            needed=f"{most:,} accelerators, {item.needed}",
            sentence=f"Allow {most:,} accelerators instead of {now:,}. That alone is not enough. {item.sentence}",
        )
        for item in beside
    ]


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
    able = _able(_limited(context, "time", deadline_days=LONGEST_DEADLINE), field, pace)
    days = math.ceil(min((option.days.high for option in able), default=0.0))
    if days <= limits.deadline_days or days > LONGEST_WAY_OUT:
        return []
    soonest = min((one for one in able if one.days.high <= days), key=_money_needed)
    thrifty = _least_money(context, days * _A_LITTLE_LATER) or soonest
    offered = [(days, soonest, "")]
    if thrifty.cash_needed < soonest.cash_needed * _MUCH_LESS:
        offered.append((math.ceil(thrifty.days.high), thrifty, ", which asks for the least money,"))
    return [
        Nearest(
            field="constraints.deadline_days",
            now=_days(limits.deadline_days),
            needed=_days(due),
            sentence=f"Give it {_days(due)} instead of {limits.deadline_days:g}: {named(one)}{least} then finishes in time "
            f"with 90% probability, for {cost_words(one, context.currency)}.",
        )
        for due, one, least in offered
    ]


def _least_money(context: Context, days: float) -> Costed | None:
    """What asks for the least money of all that surely ends in those days, of servers too that are bought for so long a run."""
    changed = _limited(context, "cost", deadline_days=days)
    field = survey(changed)
    able = _able(changed, field, pace_in(changed, field)) if len(field.pairs) else []
    return min((one for one in able if one.days.high <= days), key=_money_needed, default=None)


def _money_needed(option: Costed) -> float:
    return option.cash_needed


def _budget(context: Context, field: Field, pace: Callable[[Finalist], Pace]) -> list[Nearest]:
    """The smallest budget with which some option keeps the deadline: its cost, or what has to be bought for it."""
    limits = context.spec.constraints
    if not limits.budget_usd:
        return []
    able = _able(_limited(context, "cost", budget_usd=0.0), field, pace)
    if not able:
        return []
    cheapest, money = min(able, key=lambda option: option.cash_needed), context.currency
    needed = money.enough(cheapest.cash_needed)
    return [
        Nearest(
            field="constraints.budget_usd",
            now=money.whole(limits.budget_usd),
            needed=money.whole(needed),
            sentence=f"Raise the budget from {money.whole(limits.budget_usd)} to {money.whole(needed)}: "
            f"{named(cheapest)} then does it in {days_words(cheapest.days.expected)}"
            f"{held_words(signed_of(cheapest.model), money)}.",
        )
    ]


def _both(context: Context, able: Sequence[Costed]) -> list[Nearest]:
    """Where no budget keeps the deadline and no deadline the budget: what the cheapest option needs of both."""
    limits = context.spec.constraints
    soon = [one for one in able if one.days.high <= LONGEST_WAY_OUT]
    if not (limits.deadline_days and limits.budget_usd and soon):
        return []
    cheapest = min(soon, key=lambda option: option.cash_needed)
    days, money = math.ceil(cheapest.days.high), context.currency
    asked, needed = money.whole(limits.budget_usd), money.whole(money.enough(cheapest.cash_needed))
    return [
        Nearest(
            field="constraints",
            now=f"{_days(limits.deadline_days)}, {asked}",
            needed=f"{_days(days)}, {needed}",
            sentence=f"Neither limit alone makes room. Give it {_days(days)} instead of {limits.deadline_days:g} and raise "
            f"the budget from {asked} to {needed}: {named(cheapest)} then does it"
            f"{held_words(signed_of(cheapest.model), money)}.",
        )
    ]


def _length(context: Context, field: Field, pace: Callable[[Finalist], Pace]) -> list[Nearest]:
    """How long runs would have to be allowed to last, where that alone is enough."""
    able = _able(most_patient(context), field, pace)
    if not able:
        return []
    shortest = min(able, key=lambda option: option.run_days)
    needed = needed_for(context, shortest.run_days)
    names = ", ".join(needed)
    return [
        Nearest(
            field=f"assumptions.{names}" if len(needed) == 1 else "assumptions",
            now=", ".join(_days(context.assume[name]) for name in needed),
            needed=", ".join(_days(most) for most in needed.values()),
            sentence=f"{_longer(context, needed)}: {said(shortest, context.currency)}.",
        )
    ]


_LENGTHS = {RUN: "let a single run last", PROGRAMME: "let all runs take"}


def _longer(context: Context, needed: Mapping[str, float]) -> str:
    """“Let a single run last 420 days instead of 365 (assumption select.patience)”."""
    parts = [
        f"{_LENGTHS[name]} {most:,.0f} days instead of {context.assume[name]:,.0f} (assumption {name})"
        for name, most in needed.items()
    ]
    words = " and ".join(parts)
    return words[:1].upper() + words[1:]


def _all(context: Context, field: Field, pace: Callable[[Finalist], Pace]) -> list[Nearest]:
    """Where no two changes are enough: what the fastest option needs of every limit that it breaks."""
    limits = context.spec.constraints
    free = most_patient(_limited(context, "time", deadline_days=0.0, budget_usd=0.0))
    able = [one for one in _able(free, field, pace) if one.days.high <= LONGEST_WAY_OUT]
    if not able:
        return []
    fastest = min(able, key=lambda option: option.days.high)
    days, money, needed = math.ceil(fastest.days.high), context.currency, needed_for(context, fastest.run_days)
    changes = []
    if limits.deadline_days and days > limits.deadline_days:
        changes.append(("constraints.deadline_days", f"give it {_days(days)} instead of {limits.deadline_days:g}"))
    if limits.budget_usd and fastest.cash_needed > limits.budget_usd:
        room = money.whole(money.enough(fastest.cash_needed))
        raised = f"raise the budget from {money.whole(limits.budget_usd)} to {room}"
        changes.append(("constraints.budget_usd", raised))
    if needed:
        longer = _longer(context, needed)
        changes.append(("assumptions", longer[:1].lower() + longer[1:]))
    if not changes:
        return []
    words = ", ".join(text for _, text in changes)
    return [
        Nearest(
            field=", ".join(field for field, _ in changes),
            now="",
            needed="",
            sentence=f"No one of these alone is enough: {words}; {named(fastest)} then does it.",
        )
    ]


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


def _days(days: float) -> str:
    return f"{days:,.10g} {'day' if days == 1 else 'days'}"
