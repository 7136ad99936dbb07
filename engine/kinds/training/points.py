"""The cost–time chart: one point for each accelerator and count at its cheapest source, the Pareto front marked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.answer import Option, Point, TooLong
from engine.choice.patience import longest_run, too_long, too_long_told
from engine.choice.select import Pairs, best_of_each, in_limits, pareto, ranked
from engine.choice.sure import asked_of, enough
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Sum, finding
from engine.inputs.named import device_ref, hardware, hardware_of, source_of
from engine.kinds.training.best import PRECISION_NAMES, Candidates
from engine.kinds.training.costed import Costed, option_id
from engine.money.draws import kept_with
from engine.supply import Supplies

MOST = 80


def points_of(
    context: Context,
    supplies: Supplies,
    rows: Candidates,
    pairs: Pairs,
    options: Sequence[Option],
    ordered: Sequence[Costed],
) -> tuple[Point, ...]:
    """Points by days, the described options, which were `ordered`, at their exact values."""
    exact = {option.id: option for option in options}
    pairs = _as_costed(context, supplies, pairs, ordered)
    points = {point.option_id: point for point in _approximate(context, supplies, rows, pairs)}
    for option in options:
        points[option.id] = _point(context, option)
    days = np.array([point.pace for point in points.values()])
    usd = np.array([point.cost for point in points.values()])
    front = pareto(days, usd)
    marked = [replace(point, on_frontier=bool(on)) for point, on in zip(points.values(), front, strict=True)]
    kept = sorted(marked, key=lambda point: (not (point.on_frontier or point.option_id in exact), point.cost))
    return tuple(sorted(kept[:MOST], key=lambda point: (point.pace, point.cost, point.option_id)))


def _as_costed(context: Context, supplies: Supplies, pairs: Pairs, ordered: Sequence[Costed]) -> Pairs:
    """Those pairs with the sums that each needs at the asked confidence as far above what is expected as the exact costs of its
    source tell: a rough spread that is too narrow would show as cheaper what is not."""
    sure, sources = context.assume["select.confidence"], list(supplies.supplies)
    kept, worth = pairs.usd_kept.copy(), pairs.worth_kept.copy()
    for one in reversed(ordered):  # the best of a source has the last word
        same = pairs.supply == sources.index(one.pair.supply)
        its = np.flatnonzero(same & (pairs.row == one.pair.row))
        if not len(its) or one.usd <= 0:
            continue
        for values, rough, exact in (
            (kept, pairs.usd_kept, kept_with(one.drawn().total, sure) / one.usd),
            (worth, pairs.worth_kept, one.sure_usd(sure) / one.usd),
        ):
            its_rough, its_usd = rough[its[0]], pairs.usd[its[0]]
            if 0 < its_rough < math.inf and its_usd > 0:  # else a rough sum of nothing says nothing of the others
                values[same] = rough[same] * exact / (its_rough / its_usd)
    return replace(pairs, usd_kept=kept, worth_kept=worth)


def _approximate(context: Context, supplies: Supplies, rows: Candidates, pairs: Pairs) -> list[Point]:
    """The cheapest source of each accelerator and count."""
    if not len(pairs):
        return []
    slugs = sorted({supply.device.slug for supply in supplies.supplies})
    device = np.array([slugs.index(supply.device.slug) for supply in supplies.supplies])
    keys = device[pairs.supply] * 1_000_000 + rows.count[pairs.row].astype(int)
    best = best_of_each(keys, ranked(pairs, "cost"))
    limits = context.spec.constraints
    keeps = in_limits(
        pairs,
        deadline_days=limits.deadline_days,
        budget_usd=limits.budget_usd,
        longest_run=longest_run(context),
        fits=context.assume["select.fits"],
    )
    points = []
    for index in best:
        supply, row = supplies.supplies[pairs.supply[index]], int(pairs.row[index])
        count, days, usd = int(rows.count[row]), float(pairs.days[index]), float(pairs.usd[index])
        points.append(
            Point(
                option_id=option_id(supply, count, PRECISION_NAMES[rows.precision[row]]),
                label=hardware(count, device_ref(supply.device), source_of(supply)),
                days=days,
                cost=usd,
                at_confidence=float(pairs.usd_kept[index]),
                npv_at_confidence=float(pairs.worth_kept[index]),
                on_frontier=False,
                ported=bool(pairs.porting[index] > 0.0),
                feasible=bool(keeps[index]),
                reason=None
                if keeps[index]
                else _miss(
                    context,
                    days,
                    sure=float(pairs.days_sure[index]),
                    cash=float(pairs.cash[index]),
                    fits=float(pairs.fits[index]),
                    over=too_long(context, float(pairs.run_days[index])),
                ),
            )
        )
    return points


def _point(context: Context, option: Option) -> Point:
    keeps = option.keeps_limits
    days, usd = option.days.expected, option.cost.total.expected
    return Point(
        option_id=option.id,
        label=hardware_of(option),
        days=days,
        cost=usd,
        at_confidence=option.cost.at_confidence,
        npv_at_confidence=option.cost.npv_at_confidence,
        on_frontier=False,
        ported=option.porting is not None,
        feasible=keeps,
        reason=None
        if keeps
        else _miss(
            context,
            days,
            sure=option.days.high,
            cash=option.cost.cash_needed,
            fits=option.chance.memory if option.chance else None,
            chance=option.chance.all if option.chance else None,
            over=option.too_long,
        ),
    )


def _miss(
    context: Context,
    days: float,
    *,
    sure: float,
    cash: float,
    over: TooLong | None,
    fits: float | None,
    chance: float | None = None,
) -> Finding:
    """Which limit is broken, and by how much; `cash` is what a budget must hold [USD], `fits` and `chance` how likely it fits
    into memory and keeps all limits."""
    limits, asked = context.spec.constraints, asked_of(context.assume)
    if limits.budget_usd and cash > limits.budget_usd:
        return finding("miss.budget", over=Sum(cash - limits.budget_usd))
    if limits.deadline_days and days > limits.deadline_days:
        return finding("miss.deadline", over=Quantity(days - limits.deadline_days, "day"))
    if over:
        return too_long_told(over)
    # What fits less surely than all limits together are to hold is in no time sure enough.
    needed = max(asked.fits, asked.all)
    if not enough(fits, needed):
        return finding("miss.memory", chance=Quantity(fits or 0.0, "chance"), asked=Quantity(needed, "chance"))
    if chance is not None and limits.budget_usd:
        return finding("miss.chance", chance=Quantity(chance, "chance"), asked=Quantity(asked.all, "chance"))
    return finding("miss.maybe", days=Quantity(sure, "day"), deadline=Quantity(limits.deadline_days, "day"))
