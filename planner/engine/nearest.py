"""What would make an infeasible request feasible: one change at a time, each with its price."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from planner.engine.context import Context
from planner.engine.result import Nearest
from planner.engine.select import Pairs
from planner.engine.spec import Constraints, FixedLayout
from planner.engine.supply import Supplies, supplies_for
from planner.engine.training import TrainingSearch, TrainingWork
from planner.engine.training import search as search_again
from planner.engine.training_costed import Costed
from planner.engine.training_words import days_words

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


def nearest_training(
    context: Context,
    work: TrainingWork,
    supplies: Supplies,
    search: TrainingSearch,
    pairs: Pairs,
    options: Sequence[Costed],
) -> tuple[Nearest, ...]:
    """The changes to deadline, budget or other limits, each alone, that would give at least one plan."""
    if all(supply.kind == "on_prem" for supply in supplies.supplies) and not context.spec.horizon_months:
        return relaxed_constraints(context)
    if not len(search.rows.count) or not len(pairs):
        return _does_not_fit(context, work, supplies, search)
    found = [*_deadline(context, options), *_budget(context, options)]
    return tuple(found)


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


def _deadline(context: Context, options: Sequence[Costed]) -> list[Nearest]:
    """The shortest deadline that some option within the budget keeps."""
    limits = context.spec.constraints
    able = [option for option in options if option.meets_budget]
    if not limits.deadline_days or not able:
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
            sentence=f"Give it {days} {'day' if days == 1 else 'days'} instead of {limits.deadline_days:g}: "
            f"{fastest.pair.count} × {fastest.pair.supply.device.name} then finishes in time with 90% probability, "
            f"for about {fastest.usd:,.0f} USD.",
        )
    ]


def _budget(context: Context, options: Sequence[Costed]) -> list[Nearest]:
    """The smallest budget with which some option keeps the deadline."""
    limits = context.spec.constraints
    in_time = [option for option in options if option.meets_deadline]
    if not limits.budget_usd or not in_time:
        return []
    cheapest = min(in_time, key=lambda option: option.usd)
    needed = float(np.ceil(cheapest.usd / 1000.0) * 1000.0)
    if needed <= limits.budget_usd:
        return []
    return [
        Nearest(
            field="constraints.budget_usd",
            now=f"{limits.budget_usd:,.0f}",
            needed=f"{needed:,.0f}",
            sentence=f"Raise the budget from {limits.budget_usd:,.0f} to {needed:,.0f} USD: "
            f"{cheapest.pair.count} × {cheapest.pair.supply.device.name} then does it in {days_words(cheapest.days.expected)}.",
        )
    ]
