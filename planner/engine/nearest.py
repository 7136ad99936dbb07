"""What would make an infeasible request feasible: one change at a time, each with its price."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from planner.engine.context import Context
from planner.engine.points import source_words
from planner.engine.result import Nearest
from planner.engine.spec import LONGEST_DEADLINE, Constraints, FixedLayout, Objective
from planner.engine.supply import Supplies, supplies_for
from planner.engine.training import Pace, TrainingSearch, TrainingWork
from planner.engine.training import search as search_again
from planner.engine.training_choice import Field, costed_finalists
from planner.engine.training_costed import Costed, Finalist, acceptable
from planner.engine.training_words import days_words, usd_words

_WORDS = {
    "accelerators": "allow other accelerators",
    "providers": "allow other providers",
    "regions": "allow other regions",
    "residency": "drop the residency rule",
    "spot": "allow spot capacity",
    "commitments": "allow commitments of one or three years",
    "framework": "allow any framework",
    "custom_kernels": "do without custom CUDA kernels",
}


def nearest_training(context: Context, field: Field, pace: Callable[[Finalist], Pace]) -> tuple[Nearest, ...]:
    """The changes to deadline, budget or other limits, each alone where that is enough, that would give at least one plan.

    `pace` gives the exact step time of a finalist.
    """
    if all(supply.kind == "on_prem" for supply in field.supplies.supplies) and not context.spec.horizon_months:
        return relaxed_constraints(context)
    if not len(field.search.rows.count) or not len(field.pairs):
        return _does_not_fit(context, field.work, field.supplies, field.search)
    alone = [*_deadline(context, field, pace), *_budget(context, field, pace)]
    return tuple(alone or _both(context, field, pace))


def relaxed_constraints(context: Context) -> tuple[Nearest, ...]:
    """Which single constraint, dropped, leaves at least one source of accelerators."""
    default = Constraints(max_accelerators=context.spec.constraints.max_accelerators)
    found = []
    for name, words in _WORDS.items():
        now, open_ = getattr(context.spec.constraints, name), getattr(default, name)
        if now == open_:
            continue
        limits = replace(context.spec.constraints, **{name: open_})
        found_now = supplies_for(replace(context.spec, constraints=limits), context.market).supplies
        left = [supply for supply in found_now if supply.kind != "on_prem"]
        if left:
            found.append(
                Nearest(
                    field=f"constraints.{name}",
                    now=_shown(now),
                    needed=_shown(open_) or "any",
                    sentence=f"To get any accelerators at all, {words}: then {_sources(len(left))} can be used.",
                )
            )
    return tuple(found)


def _sources(count: int) -> str:
    return "one source" if count == 1 else f"{count:,} sources"


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value)
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _does_not_fit(
    context: Context, work: TrainingWork, supplies: Supplies, search: TrainingSearch
) -> tuple[Nearest, ...]:
    """Nothing holds the model within the allowed count or layout: the changes that do, each tried."""
    limits = context.spec.constraints
    miss = next((item.nearest for item in search.rejected if item.nearest), "").rstrip(".")
    detail = f" The nearest miss: {miss}." if miss else ""
    changes = []
    open_work = replace(work, fixed=FixedLayout())
    if work.fixed != FixedLayout() and _fits(context, open_work, supplies, limits.max_accelerators):
        changes.append(
            Nearest(field="fixed", now="decided", needed="open", sentence=f"Leave the layout open in “fixed”.{detail}")
        )
    for needed in (limits.max_accelerators * 4, 1024, 16_384):
        if needed > limits.max_accelerators and _fits(context, work, _pooled(supplies, needed), needed):
            changes.append(
                Nearest(
                    field="constraints.max_accelerators",
                    now=f"{limits.max_accelerators:,}",
                    needed=f"{needed:,}",
                    sentence=f"Allow {needed:,} accelerators instead of {limits.max_accelerators:,}.{detail}",
                )
            )
            break
    return tuple(changes) or relaxed_constraints(context)


def _fits(context: Context, work: TrainingWork, supplies: Supplies, most: int) -> bool:
    """Does any layout run with that change?"""
    return bool(len(search_again(work, supplies.clusters, max_count=most, assume=context.assume).rows))


def _pooled(supplies: Supplies, most: int) -> Supplies:
    """The same sources where more of them may be pooled."""
    clusters = tuple(
        replace(cluster, max_devices=most) if cluster.nic_bandwidth > 0 and cluster.devices_per_node > 1 else cluster
        for cluster in supplies.clusters
    )
    return replace(supplies, clusters=clusters)


def _deadline(context: Context, field: Field, pace: Callable[[Finalist], Pace]) -> list[Nearest]:
    """The shortest deadline that some option within the budget keeps."""
    limits = context.spec.constraints
    if not limits.deadline_days:
        return []
    open_ended = _limited(context, "time", deadline_days=LONGEST_DEADLINE)
    able = _able(open_ended, field, pace)
    if not able:
        return []
    fastest = min(able, key=lambda option: option.days.high)
    days = math.ceil(fastest.days.high)
    if days <= limits.deadline_days:
        return []
    return [
        Nearest(
            field="constraints.deadline_days",
            now=f"{limits.deadline_days:g}",
            needed=f"{days}",
            sentence=f"Give it {_days(days)} instead of {limits.deadline_days:g}: {_named(fastest)} then finishes in time "
            f"with 90% probability, for about {usd_words(fastest.usd)}.",
        )
    ]


def _budget(context: Context, field: Field, pace: Callable[[Finalist], Pace]) -> list[Nearest]:
    """The smallest budget with which some option keeps the deadline: its cost, or what has to be bought for it."""
    limits = context.spec.constraints
    if not limits.budget_usd:
        return []
    able = _able(_limited(context, "cost", budget_usd=0.0), field, pace)
    if not able:
        return []
    cheapest = min(able, key=lambda option: option.cash_needed)
    return [
        Nearest(
            field="constraints.budget_usd",
            now=f"{limits.budget_usd:,.0f}",
            needed=f"{enough(cheapest.cash_needed):,.0f}",
            sentence=f"Raise the budget from {limits.budget_usd:,.0f} to {enough(cheapest.cash_needed):,.0f} USD: "
            f"{_named(cheapest)} then does it in {days_words(cheapest.days.expected)}.",
        )
    ]


def _both(context: Context, field: Field, pace: Callable[[Finalist], Pace]) -> list[Nearest]:
    """Where no budget keeps the deadline and no deadline the budget: what the cheapest option needs of both."""
    limits = context.spec.constraints
    if not (limits.deadline_days and limits.budget_usd):
        return []
    able = _able(_limited(context, "cost", deadline_days=0.0, budget_usd=0.0), field, pace)
    if not able:
        return []
    cheapest = min(able, key=lambda option: option.cash_needed)
    days, usd = math.ceil(cheapest.days.high), enough(cheapest.cash_needed)
    return [
        Nearest(
            field="constraints",
            now=f"{limits.deadline_days:g} days, {limits.budget_usd:,.0f} USD",
            needed=f"{days} days, {usd:,.0f} USD",
            sentence=f"Neither limit alone makes room. Give it {_days(days)} instead of {limits.deadline_days:g} and raise "
            f"the budget from {limits.budget_usd:,.0f} to {usd:,.0f} USD: {_named(cheapest)} then does it.",
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


def enough(usd: float) -> float:
    """The smallest round budget that holds that much: three digits, no coarser than a thousand dollars [USD]."""
    step = min(1000.0, 10.0 ** max(math.floor(math.log10(max(usd, 1.0))) - 2, 0))
    return math.ceil(usd / step) * step


def _days(days: int) -> str:
    return f"{days} {'day' if days == 1 else 'days'}"


def _named(option: Costed) -> str:
    return f"{option.pair.count} × {option.pair.supply.device.name} ({source_words(option.id)})"
