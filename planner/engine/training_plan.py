"""The recommendation for a training run: search, rank, describe the finalists, choose, say what else was possible."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from planner.engine.advice import advise
from planner.engine.context import Context, summary_of
from planner.engine.cost import CostError, drivers
from planner.engine.failure_math import CannotProgress
from planner.engine.flips import flips_of
from planner.engine.nearest import nearest_training
from planner.engine.points import points_of
from planner.engine.remember import remembered, search_key
from planner.engine.result import Option, Recommendation, Rejection
from planner.engine.select import Ints, Pairs, best_of_each, in_limits, ranked, ranked_small_first
from planner.engine.supply import Supplies, supplies_for
from planner.engine.training import (
    PRECISION_NAMES,
    Calibration,
    TrainingSearch,
    TrainingWork,
    calibrate,
    search,
    work_from,
)
from planner.engine.training_options import build_option, finalist
from planner.engine.training_pairs import price_pairs
from planner.engine.training_words import SIXTEEN_BIT, headline, reasons_of
from planner.engine.version import ENGINE_VERSION

SHOWN = 20
"""Options described in full; the chart and the refusals cover the rest."""
_SLACK = 1.1
"""Approximate days may exceed the limit by this much before the exact ones decide."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """Everything that was searched: sources, layouts and the priced pairs that may be recommended."""

    work: TrainingWork
    supplies: Supplies
    search: TrainingSearch
    pairs: Pairs
    calibration: Calibration
    """What the team's own measurements say of this hardware."""


def survey(context: Context) -> Field:
    """All priced pairs of a training spec."""
    spec = context.spec
    work = work_from(spec, context.arch)
    supplies = supplies_for(spec, context.market)
    learnt = calibrate(work, spec.measured, supplies.clusters, context.assume)
    most = spec.constraints.max_accelerators
    key = search_key("training", (work, most), supplies.clusters, spec.assumptions)
    found = remembered(
        key, lambda: search(work, supplies.clusters, max_count=most, assume=context.assume, calibration=learnt)
    )
    pairs = price_pairs(context, work, supplies, found)
    return Field(work=work, supplies=supplies, search=found, pairs=pairs, calibration=learnt)


def recommend_training(context: Context) -> Recommendation:
    """The answer to a training spec."""
    field = survey(context)
    options = _options(context, field)
    good = [option for option in options if acceptable(option, context)]
    best = good[0] if good else None
    others = [option for option in options if option is not best]
    points = points_of(context, field.supplies, field.search.rows, field.pairs, options)
    if best is not None:
        best = replace(best, reasons=reasons_of(context, best, others, points))
    return Recommendation(
        feasible=best is not None,
        headline=headline(context, best, options),
        model=summary_of(context.arch),
        recommended=best,
        alternatives=tuple(others),
        frontier=points,
        rejected=merged(field.search.rejected, field.supplies.rejected),
        nearest=()
        if best
        else nearest_training(context, field.work, field.supplies, field.search, field.pairs, options),
        drivers=drivers(best.cost.model) if best else (),
        flips=flips_of(context, best, others) if best else (),
        advice=advise(context.spec, best, device=context.market.devices[best.accelerator]) if best else (),
        assumptions=context.assume.all(),
        searched=field.search.searched,
        catalog_release=context.market.release,
        catalog_date=context.market.release_date,
        engine_version=ENGINE_VERSION,
    )


def _options(context: Context, field: Field) -> list[Option]:
    """The finalists in full, acceptable ones first, each group from best to worst."""
    built = []
    for index in finalists(context, field):
        pair = finalist(field.supplies, field.search, int(field.pairs.supply[index]), int(field.pairs.row[index]))
        try:
            built.append(build_option(context, field.work, field.search, pair, field.calibration))
        except (CannotProgress, CostError):
            continue
    key = {"time": _by_days, "balanced": _by_both, "carbon": _by_carbon}.get(context.spec.objective, _by_cost)
    default = context.spec.training is not None and context.spec.training.precision == "auto"
    ordered = sorted(
        built, key=lambda option: (not acceptable(option, context, default=default), *key(option), option.id)
    )
    return _smaller_first(context, ordered) if context.spec.objective == "cost" else ordered


def _smaller_first(context: Context, options: list[Option]) -> list[Option]:
    """The same order, but among acceptable options that cost nearly the least the one with fewest accelerators leads."""
    good = [option for option in options if acceptable(option, context)]
    if not good:
        return options
    level = good[0].cost.total.expected * (1.0 + context.assume["select.near_equal"])
    equal = [option for option in good if option.cost.total.expected <= level]
    leader = min(equal, key=lambda option: (option.count, option.cost.total.expected))
    return [leader, *(option for option in options if option is not leader)]


def finalists(context: Context, field: Field) -> Iterable[int]:
    """Indices of the pairs worth describing: within limits the best of each accelerator, then of each source; and the
    best few that break a limit, so that the plan can say what they would have cost."""
    limits = context.spec.constraints
    near = in_limits(
        field.pairs,
        deadline_days=limits.deadline_days * _SLACK,
        budget_usd=limits.budget_usd * _SLACK,
        patience_days=context.assume["select.patience"],
    )
    inside, outside = _order(context, field, np.flatnonzero(near)), _order(context, field, np.flatnonzero(~near))
    chosen = _diverse(field, inside, SHOWN)
    return [*chosen, *_diverse(field, outside, 4 if chosen else SHOWN)]


def _order(context: Context, field: Field, index: Ints) -> Ints:
    """Those pairs from best to worst."""
    pairs = field.pairs.take(index)
    if context.spec.objective != "cost":
        return index[ranked(pairs, context.spec.objective)]
    counts = field.search.rows.count[pairs.row]
    near_equal = context.assume["select.near_equal"]
    return index[ranked_small_first(pairs, pairs.supply, counts, near_equal=near_equal)]


def _diverse(field: Field, order: Ints, most: int) -> list[int]:
    """The first of each accelerator and precision class, then of each source, without repeats."""
    if not len(order):
        return []
    devices = {supply.device.slug: number for number, supply in enumerate(field.supplies.supplies)}
    device = np.array([devices[supply.device.slug] for supply in field.supplies.supplies])
    fast = ~np.isin(np.array(PRECISION_NAMES)[field.search.rows.precision], SIXTEEN_BIT)
    pairs = field.pairs
    by_device = best_of_each(device[pairs.supply] * 2 + fast[pairs.row], order)
    by_source = best_of_each(pairs.supply * 2 + fast[pairs.row], order)
    heads = [int(index) for index in by_device[: math.ceil(most * 0.7)]]
    rest = [int(index) for index in by_source if int(index) not in heads]
    return (heads + rest)[:most]


def acceptable(option: Option, context: Context, *, default: bool | None = None) -> bool:
    """Within deadline (with the wanted confidence) and budget, and in a precision that needs no decision."""
    spec = context.spec
    auto = spec.training is not None and spec.training.precision == "auto" if default is None else default
    if auto and option.precision not in SIXTEEN_BIT:
        return False
    sure = option.probability_in_time is None or option.probability_in_time >= context.assume["select.confidence"]
    patient = bool(spec.constraints.deadline_days) or option.days.expected <= context.assume["select.patience"]
    return sure and option.meets_budget and patient


def merged(*groups: Iterable[Rejection]) -> tuple[Rejection, ...]:
    """All refusals, the most frequent first."""
    found = [rejection for group in groups for rejection in group]
    return tuple(sorted(found, key=lambda item: (-item.count, item.reason)))


def _by_cost(option: Option) -> tuple[float, float]:
    return (option.cost.total.expected, option.days.expected)


def _by_days(option: Option) -> tuple[float, float]:
    return (option.days.expected, option.cost.total.expected)


def _by_both(option: Option) -> tuple[float, float]:
    return (option.cost.total.expected * option.days.expected, option.days.expected)


def _by_carbon(option: Option) -> tuple[float, float]:
    kg = option.energy.kg_co2e
    return (kg.expected if kg else math.inf, option.cost.total.expected)
