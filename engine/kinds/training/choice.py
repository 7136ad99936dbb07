"""The choice among all (source, layout) pairs of a training run: rank them as arrays, cost the best exactly, decide.

A recommendation describes every finalist; the live panel only the one that is chosen. Both decide here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.answer import Rejection
from engine.choice.near_equal import Entry, equal_to_least, leading
from engine.choice.porting import porting_usd
from engine.choice.select import Floats, Pairs, score
from engine.context import Context
from engine.kinds.training.best import Calibration, TrainingSearch, TrainingWork, calibrate, search, work_from
from engine.kinds.training.costed import Costed, Finalist, acceptable, costed, finalist, score_of, sure_cash, sure_days
from engine.kinds.training.own_layouts import with_own_layouts
from engine.kinds.training.pace import Pace, measured_rows, pace_of
from engine.kinds.training.pairs import kept_at
from engine.kinds.training.priced import priced
from engine.kinds.training.shortlist import (
    BEYOND,
    SHOWN,
    Found,
    Verdict,
    again,
    beyond_limits,
    nearest_to_limits,
    of_the_team,
    within_limits,
)
from engine.money.carbon import power_share
from engine.money.cost import CostError, signed_of
from engine.money.draws import kept_with
from engine.odds.normal import upto
from engine.reliability.formulas import CannotProgress
from engine.supply import WHOLE_DAYS, Supplies, Supply

NARROW_TIME, _NARROW_SPOT = 0.9, 0.5
"""Which part of its rough spread the exact one of a score has at least, and besides where spot capacity is paid for."""
ROUNDING = 0.99
"""An exact score may be so much lower than what it would be without failures, for what is rounded on the way."""
_SOURCES = 2
"""Of a layout that was measured itself, sources that are costed."""
_LOOKS = 3
"""How often sources whose pairs broke a limit when they were costed are looked at again."""

Costs = dict[tuple[str, int, int], Costed]
"""What was costed exactly for one request: by source, accelerators and precision, of which a cluster has one layout each."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """Everything that was searched: sources, layouts and the priced pairs that may be recommended."""

    work: TrainingWork
    supplies: Supplies
    search: TrainingSearch
    pairs: Pairs
    calibration: Calibration
    """What the team's own measurements say of this hardware."""
    unsold: tuple[Rejection, ...] = ()
    """Layouts whose size nobody sells, or for so long."""


def survey(context: Context) -> Field:
    """All priced pairs of a training spec."""
    return _surveyed(context, work_from(context.spec, context.arch, context.assume), context.supplies)


def _key(context: Context, work: TrainingWork, supplies: Supplies) -> Hashable:
    """How long a step takes does not depend on how many there are: one search serves every amount of work."""
    most = context.spec.constraints.max_accelerators
    return context.key("training", (replace(work, total=1.0), most), supplies.clusters)


def _surveyed(context: Context, work: TrainingWork, supplies: Supplies) -> Field:
    spec, one = context.spec, replace(work, total=1.0)

    def look() -> tuple[TrainingSearch, Calibration]:
        most, assume, known = spec.constraints.max_accelerators, context.assume, context.known
        learnt = calibrate(one, spec.measured, supplies.clusters, assume)
        every = search(one, supplies.clusters, max_count=most, assume=assume, calibration=learnt, known=known)
        return with_own_layouts(every, one, spec.measured, supplies.clusters, assume, learnt), learnt

    found, learnt = context.known.remembered(_key(context, work, supplies), look)
    found = found.timed(work)
    every = priced(context, work, supplies, found, searched=(spec.measured, supplies.clusters), calibration=learnt)
    return Field(work=work, supplies=supplies, search=found, pairs=every.pairs, calibration=learnt, unsold=every.unsold)


def costed_finalists(
    context: Context,
    field: Field,
    pace: Callable[[Finalist], Pace],
    *,
    all_of_them: bool = True,
    costs: Costs | None = None,
    below: float = math.inf,
) -> list[Costed]:
    """The finalists with their exact days and money, acceptable ones first, each group from best to worst.

    Unless `all_of_them`, those are left out that could not be the best if nothing ever failed: see `least_scores`.
    `costs`: what was costed before for this very request; `below`: a score that something else has, by which more of them are left
    out.
    """
    exact = _costing(context, field, pace, {} if costs is None else costs)
    found = Found(supplies=field.supplies, search=field.search, pairs=field.pairs)
    floor = None if all_of_them else least_scores(context, field)
    first = within_limits(context, found)
    seen = _cost(context, field, [*first, *_measured(field)], exact, floor, {}, below)
    verdicts: dict[int, Verdict] = {}
    for _ in range(_LOOKS):
        verdicts.update(_verdicts(context, seen, verdicts))
        learnt, open_ = again(found, verdicts.values())
        known, seen = seen, _cost(context, field, within_limits(context, learnt, open_), exact, floor, seen, below)
        if len(seen) == len(known):
            break
    kept = _worth_showing(context, field, seen)
    missed = beyond_limits(context, found) if first else nearest_to_limits(context, found)
    beyond = [*missed, *of_the_team(context, found)]
    if floor is None or (not kept and below == math.inf):
        over = _cost(context, field, beyond, exact, floor, seen)
        kept += [one for index in beyond if index not in seen and (one := over.get(index))]
    return ranked_options(context, kept)


def _measured(field: Field) -> Iterator[int]:
    """The cheapest pairs of the layouts that were measured themselves: the search may know them slower, or faster, than they are."""
    for row in measured_rows(field.search.rows, field.supplies.clusters, field.calibration):
        there = np.flatnonzero(field.pairs.row == row)
        yield from (int(index) for index in there[np.argsort(field.pairs.usd[there], kind="stable")[:_SOURCES]])


def _cost(
    context: Context,
    field: Field,
    indices: Iterable[int],
    exact: Callable[[Finalist], Costed],
    floor: Floats | None,
    seen: Mapping[int, Costed | None],
    below: float = math.inf,
) -> dict[int, Costed | None]:
    """`seen` and those pairs, costed exactly; None where a pair cannot be. With a `floor`, none that could not win."""
    costs = dict(seen)
    least = min(
        (score_of(one, context) for one in costs.values() if one and acceptable(one, context)),
        default=math.inf,
    )
    least = min(least, below)
    for index in indices if floor is None else sorted(indices, key=lambda index: floor[index]):
        if index in costs:
            continue
        if floor is not None and floor[index] * ROUNDING > least * (1.0 + context.assume["select.near_equal"]):
            break
        pair = finalist(field.supplies, field.search, int(field.pairs.supply[index]), int(field.pairs.row[index]))
        try:
            one = exact(pair)
        except (CannotProgress, CostError):
            costs[index] = None
            continue
        costs[index] = one
        if acceptable(one, context):
            least = min(least, score_of(one, context))
    return costs


def _costing(
    context: Context, field: Field, pace: Callable[[Finalist], Pace], costs: Costs
) -> Callable[[Finalist], Costed]:
    """How a finalist is costed that was not costed before."""

    def exact(pair: Finalist) -> Costed:
        key = (pair.supply.id, pair.count, int(field.search.rows.precision[pair.row]))
        if key not in costs:
            costs[key] = costed(context, field.work, pair, pace(pair))
        return replace(costs[key], pair=pair)

    return exact


def _verdicts(
    context: Context, seen: Mapping[int, Costed | None], known: Mapping[int, Verdict]
) -> Iterator[tuple[int, Verdict]]:
    """What the exact numbers say of each pair of which it is not `known` yet."""
    for index, one in seen.items():
        if index in known:
            continue
        if one is None:
            none = Verdict(index=index, days_sure=math.inf, run_days=math.inf, cash=math.inf, acceptable=False)
            yield index, none
            continue
        good = acceptable(one, context)
        # Without any limit on money, nothing of it is to be drawn.
        cash = sure_cash(one, context) if context.spec.constraints.budget_usd and not good else one.cash_needed
        days = sure_days(one, context)
        yield index, Verdict(index=index, days_sure=days, run_days=one.run_days, cash=cash, acceptable=good)


def _worth_showing(context: Context, field: Field, seen: Mapping[int, Costed | None]) -> list[Costed]:
    """All that are acceptable, and of sources that have nothing acceptable the first that was tried."""
    built = {index: one for index, one in seen.items() if one}
    good = {int(field.pairs.supply[index]) for index, one in built.items() if acceptable(one, context)}
    kept = []
    for index, one in built.items():
        source = int(field.pairs.supply[index])
        if acceptable(one, context) or source not in good:
            good.add(source)
            kept.append(one)
    return kept


def ranked_options(context: Context, built: list[Costed]) -> list[Costed]:
    """Acceptable options first, each group from best to worst, no more than are shown; always among them is what the team owns, because
    its first question is why that is not enough, and where another objective is asked what costs least, because that is finance's."""
    default = context.spec.training is not None and context.spec.training.precision == "auto"
    ordered = sorted(
        built, key=lambda one: (not acceptable(one, context, default=default), *_key_of(one, context), one.id)
    )
    ordered = _leader_first(context, ordered) if context.spec.objective == "cost" else ordered
    own = [one for one in ordered if one.pair.supply.kind == "owned"][:1]
    able = [one for one in ordered if acceptable(one, context, default=default)]
    sure = context.assume["select.confidence"]
    cheapest = sorted(able, key=lambda one: one.sure_usd(sure))[:1]
    if context.spec.objective == "cost":  # it comes first, unless it runs on another vendor's software
        cheapest = [one for one in cheapest if porting_usd(context, one.pair.supply)]
    most = SHOWN + BEYOND
    told = [*cheapest, *(one for one in own if one not in cheapest)]
    last = [one for one in told if one not in ordered[:most]]
    return [*ordered[: most - len(last)], *last]


def least_scores(context: Context, field: Field) -> Floats:
    """What each pair's score would be if nothing failed: no exact one is lower. Emissions with their exact power."""
    pairs, sources, objective = field.pairs, field.supplies.supplies, context.spec.objective
    part = np.array([narrow(source) for source in sources], dtype=float)[pairs.supply]
    level = upto(context.assume["select.confidence"])
    least = kept_at(replace(pairs, worth=pairs.least, usd_sigma=pairs.usd_sigma * part), level * NARROW_TIME)
    floor: Floats = score(least, objective)
    if objective != "cost":  # the days shrink as well; what is paid has shrunk already
        floor *= pairs.kept
    if objective == "carbon":
        floor *= np.array([_power(context, source) for source in sources], dtype=float)[pairs.supply]
    return floor


def _power(context: Context, source: Supply) -> float:
    """The least mean power of that source over that of rented hardware."""
    device, system, assume = source.device, source.system, context.assume
    rented = power_share(device, system, assume, kind="cloud")
    return power_share(device, system, assume, kind=source.kind) / rented if rented else 0.0


def narrow(source: Supply) -> float:
    """Which part of the rough spread of what it costs the exact one has at least: an old price of spot capacity moves no
    further than the price of what replaces it, and what is paid in whole steps may not move at all."""
    offer = source.offer
    if offer is None or offer.term_months or offer.option == WHOLE_DAYS:
        return 0.0
    return _NARROW_SPOT if offer.option == "spot" else 1.0


def _leader_first(context: Context, options: list[Costed]) -> list[Costed]:
    """The same order, but among acceptable options that cost nearly the least the one that leads comes first."""
    good = [option for option in options if acceptable(option, context)]
    if not good:
        return options
    near = context.assume["select.near_equal"]
    entries = [entry_of(one, context) for one in good]
    # What a spend commitment pays of two is compared too: of its money no more is used up than is needed.
    gross = (entries[0].cost + good[0].drawn_usd) * (1.0 + near)
    among = [at for at in equal_to_least(entries, near) if entries[at].cost + good[at].drawn_usd <= gross]
    leader = good[leading(entries, near, among)]
    return [leader, *(option for option in options if option is not leader)]


def entry_of(one: Costed, context: Context) -> Entry:
    """What decides between it and one that costs nearly the same."""
    return Entry(
        cost=score_of(one, context),
        count=one.pair.count,
        pace=one.days.expected,
        signed=signed_of(one.model).total,
        paid=kept_with(one.drawn().total, context.assume["select.confidence"]),
        chance=one.chance.all,
    )


def pace_in(context: Context, field: Field) -> Callable[[Finalist], Pace]:
    """The step time of a finalist, without all else that describes its layout."""

    def searched(pair: Finalist) -> Pace:
        rows, known = field.search.rows, field.calibration
        return pace_of(field.work, pair.cluster, rows, pair.row, context.assume, calibration=known)

    return searched


def best_of(context: Context, options: Sequence[Costed]) -> Costed | None:
    """The first that may be recommended."""
    return next((option for option in options if acceptable(option, context)), None)


def leader_of(context: Context, options: Sequence[Costed]) -> Costed | None:
    """What would be recommended of those."""
    return best_of(context, ranked_options(context, list(options)))


def _key_of(one: Costed, context: Context) -> tuple[float, ...]:
    """What is minimised, and what tells apart those that are alike in that."""
    return (score_of(one, context), one.usd, one.drawn_usd, one.days.expected)
