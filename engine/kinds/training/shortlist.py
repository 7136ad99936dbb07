"""Which (source, layout) pairs of a training run are worth costing exactly, and what the exact numbers of one teach about
the others of its source.

The approximate days and costs of `training_pairs` are nearly always a little too low, so a pair that seems to keep a limit
may break it when it is costed. Then the others of that source are looked at once more with its numbers raised as much.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.choice.patience import longest_run
from engine.choice.select import Bools, Floats, Ints, Pairs, best_of_each, in_limits, ranked, ranked_small_first
from engine.context import Context
from engine.kinds.training.best import PRECISION_NAMES, TrainingSearch
from engine.kinds.training.reasons import SIXTEEN_BIT
from engine.kinds.training.rough import paid_whole
from engine.supply import Supplies

SHOWN = 20
"""Options described in full; the chart and the refusals cover the rest."""
BEYOND = 4
"""Of these, options that break a limit, where others keep all of them."""
_TOLD_APART = 3
"""Sources whose cheapest pair is costed beside a smaller one that costs nearly the same."""
_STEPS = 6
"""Numbers of accelerators that are costed of such a source."""
_ROUGH = 1.05
"""By which factor the rough costs of two sizes of a source may be apart further than their exact ones."""
_MOST_COUNT = 10_000_000
_SLACK = 1.01
"""Approximate days and costs may exceed a limit by this much before the exact ones decide."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """Sources, layouts and the pairs of both."""

    supplies: Supplies
    search: TrainingSearch
    pairs: Pairs


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What costing one pair exactly has shown."""

    index: int
    days_sure: float
    """Exact days within which it ends with the wanted confidence; infinite where it could not be costed."""
    run_days: float
    """Exact days of one run; infinite likewise."""
    cash: float
    """What a budget must hold for it [USD]."""
    acceptable: bool


def within_limits(context: Context, found: Found, among: Bools | None = None) -> list[int]:
    """Within the limits the best pair of each accelerator, then of each source; of the best few sources also the cheapest pair where
    a smaller one counts as equal: their exact spreads may tell them apart; and where another objective is asked, so that the plan can
    say what it costs. Of the best few sources a few numbers of accelerators that cost nearly the same, since the larger one leads where it
    is the cheaper; where what is paid for moves by whole days or terms any number, since a rough time falls on the wrong side of a step."""
    near = _near(context, found)
    index = np.flatnonzero(near if among is None else near & among)
    heads = _diverse(found, _order(context, found, index), SHOWN)
    strictly = index[ranked(found.pairs.take(index), "cost")]
    cheapest = best_of_each(found.pairs.supply, strictly)[:_TOLD_APART].tolist()
    sizes = _sizes(context, found, strictly) if context.spec.objective == "cost" else ()
    return list(dict.fromkeys([*heads, *cheapest, *sizes, *_elsewhere(found, index)]))


def _elsewhere(found: Found, index: Ints) -> list[int]:
    """The cheapest of all, where it runs on software that the work must first be brought to: the plan says what it would cost."""
    least = index[np.argsort(found.pairs.worth_kept[index], kind="stable")[:1]]
    kept: list[int] = least[found.pairs.porting[least] > 0.0].tolist()
    return kept


def _sizes(context: Context, found: Found, order: Ints) -> Iterator[int]:
    """The best pair of a few numbers of accelerators, of the best few sources those that cost nearly the least of their source, of the
    best few that are paid in whole steps or owned any; `order`: best first."""
    pairs, sources = found.pairs, found.supplies.supplies
    # Of what is owned energy and upkeep have wider spreads than time, which are not in the rough sum.
    told = [paid_whole(context, source) or source.kind == "owned" for source in sources]
    whole = np.array(told, dtype=bool)[pairs.supply[order]]
    usd = pairs.worth_kept
    least = np.full(len(sources), np.inf)
    np.minimum.at(least, pairs.supply[order], usd[order])
    near = usd[order] <= least[pairs.supply[order]] * (1.0 + context.assume["select.near_equal"]) * _ROUGH
    counts = pairs.supply * _MOST_COUNT + found.search.rows.count[pairs.row].astype(np.int64)
    for some in (order[whole], order[near]):
        yield from _few_of_each(pairs.supply, best_of_each(counts, some))


def _few_of_each(sources: Ints, order: Ints) -> Iterator[int]:
    """The first few of each of the first few sources."""
    taken: Counter[int] = Counter()
    for index in order.tolist():
        source = int(sources[index])
        if source in taken or len(taken) < _TOLD_APART:
            taken[source] += 1
            if taken[source] <= _STEPS:
                yield index


def beyond_limits(context: Context, found: Found) -> list[int]:
    """The best few that break a limit, so that the plan can say what they would have cost."""
    near = _near(context, found)
    return _diverse(found, _order(context, found, np.flatnonzero(~near)), BEYOND)


def nearest_to_limits(context: Context, found: Found) -> list[int]:
    """Where nothing keeps the limits those that miss them by least, all together: the cheapest may take a hundred years. Before
    them the soonest and the cheapest, which tell whether each limit alone can be kept."""
    limits, pairs = context.spec.constraints, found.pairs
    over = np.maximum(pairs.run_days / longest_run(context), 1.0)
    if limits.deadline_days:
        over = over * np.maximum(pairs.days_sure / limits.deadline_days, 1.0)
    if limits.budget_usd:
        over = over * np.maximum(pairs.cash / limits.budget_usd, 1.0)
    if not len(pairs):
        return []
    ends = [int(np.argmin(pairs.days_sure)), int(np.argmin(pairs.cash))]
    return list(dict.fromkeys([*ends, *_diverse(found, np.argsort(over, kind="stable"), SHOWN)]))[:SHOWN]


def of_the_team(context: Context, found: Found) -> list[int]:
    """The fastest pair of each kind of hardware that the team owns, whatever limits it breaks."""
    kinds = np.array([supply.kind == "owned" for supply in found.supplies.supplies], dtype=bool)
    own = np.flatnonzero(kinds[found.pairs.supply])
    order = own[np.argsort(found.pairs.days_sure[own], kind="stable")]
    return [int(index) for index in best_of_each(found.pairs.supply, order)]


def _near(context: Context, found: Found) -> Bools:
    """Which pairs keep the limits, with some slack, as far as the approximation can tell."""
    limits = context.spec.constraints
    return in_limits(
        found.pairs,
        deadline_days=limits.deadline_days * _SLACK,
        budget_usd=limits.budget_usd * _SLACK,
        longest_run=longest_run(context) * _SLACK,
        fits=context.assume["select.fits"],
    )


def again(found: Found, verdicts: Iterable[Verdict]) -> tuple[Found, Bools]:
    """The pairs with what was learnt of their sources, and which of them to look at once more: those that were not costed,
    of sources that have only failed, and of accelerators of which no source is acceptable."""
    pairs, seen = found.pairs, tuple(verdicts)
    days, runs, cash = _raised(pairs, seen)
    slugs = np.array([supply.device.slug for supply in found.supplies.supplies])
    good = np.array(sorted({int(pairs.supply[one.index]) for one in seen if one.acceptable}), dtype=np.int64)
    failed = np.array(sorted({int(pairs.supply[one.index]) for one in seen} - set(good.tolist())), dtype=np.int64)
    open_ = np.isin(pairs.supply, failed) | ~np.isin(slugs[pairs.supply], slugs[good])
    open_[[one.index for one in seen]] = False
    raised = replace(pairs, days_sure=pairs.days_sure * days, run_days=pairs.run_days * runs, cash=pairs.cash * cash)
    return replace(found, pairs=raised), open_


def _raised(pairs: Pairs, verdicts: Iterable[Verdict]) -> tuple[Floats, Floats, Floats]:
    """For each pair, by how much the approximate days, days of one run and cash of its source were too low at most."""
    days, runs, cash = np.ones(len(pairs)), np.ones(len(pairs)), np.ones(len(pairs))
    for one in verdicts:
        same = pairs.supply == pairs.supply[one.index]
        for values, exact, rough in (
            (days, one.days_sure, pairs.days_sure),
            (runs, one.run_days, pairs.run_days),
            (cash, one.cash, pairs.cash),
        ):
            if math.isfinite(exact) and rough[one.index] > 0:
                values[same] = np.maximum(values[same], exact / rough[one.index])
    return days, runs, cash


def _order(context: Context, found: Found, index: Ints) -> Ints:
    """Those pairs from best to worst."""
    pairs = found.pairs.take(index)
    if context.spec.objective != "cost":
        return index[ranked(pairs, context.spec.objective)]
    counts = found.search.rows.count[pairs.row]
    near_equal = context.assume["select.near_equal"]
    return index[ranked_small_first(pairs, pairs.supply, counts, near_equal=near_equal)]


def _diverse(found: Found, order: Ints, most: int) -> list[int]:
    """The first of each accelerator and precision class, then of each source, without repeats."""
    if not len(order):
        return []
    devices = {supply.device.slug: number for number, supply in enumerate(found.supplies.supplies)}
    device = np.array([devices[supply.device.slug] for supply in found.supplies.supplies])
    fast = ~np.isin(np.array(PRECISION_NAMES)[found.search.rows.precision], SIXTEEN_BIT)
    pairs = found.pairs
    by_device = best_of_each(device[pairs.supply] * 2 + fast[pairs.row], order)
    by_source = best_of_each(pairs.supply * 2 + fast[pairs.row], order)
    heads = [int(index) for index in by_device[: math.ceil(most * 0.7)]]
    return list(dict.fromkeys([*heads, *(int(index) for index in by_source)]))[:most]
