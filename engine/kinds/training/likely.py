"""The choice for somebody who still types: only clusters are searched that could hold it.

First those that the data sheets speak for (`promising`). What they give is a bound: another cluster is searched only if
it could be better at a rate that no layout reaches.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from engine.choice.patience import longest_run
from engine.context import Context
from engine.inputs.hardware import Cluster, Device
from engine.kinds.training.best import TrainingSearch, TrainingWork, search, work_from
from engine.kinds.training.choice import NARROW_TIME, ROUNDING, Field, narrow
from engine.kinds.training.costed import Costed, score_of
from engine.kinds.training.pace import least_spread
from engine.kinds.training.priced import priced
from engine.kinds.training.promising import MOST, best_rate, promising, run_flops
from engine.kinds.training.searched import Searched
from engine.money.carbon import power_share
from engine.money.drawing import drawing_of
from engine.money.schedule import programme_factor
from engine.odds.calibrate import NO_CALIBRATION
from engine.odds.normal import upto
from engine.supply import Supplies, Supply, may_buy, within

REACHED = 0.85
"""Share of its best matrix product that no whole step reaches. Of all presets, methods and accelerators of the catalog the
highest is 0.69 (GPT-J 6B on TPU v5p); a test holds it."""

AT_ONCE = 30
"""So many clusters are searched before the first number, which then is the last one."""


@dataclass(frozen=True, kw_only=True)
class Likely:
    """One request whose clusters are searched as far as they are needed."""

    context: Context
    work: TrainingWork
    supplies: Supplies
    key: Hashable
    """Where what was searched for that work is remembered."""

    @cached_property
    def _searched(self) -> Searched:
        return self.context.known.remembered(self.key, Searched)

    @cached_property
    def _flops(self) -> float:
        return run_flops(self.work)

    @cached_property
    def _rates(self) -> list[float]:
        return [self._paces[cluster.device][0] for cluster in self.supplies.clusters]

    @cached_property
    def _paces(self) -> dict[Device, tuple[float, float]]:
        """Of each accelerator the rate of its best matrix product, and the least spread that a step time has there."""
        known = self._searched.paces
        for device in {cluster.device: None for cluster in self.supplies.clusters}:
            if device not in known:
                known[device] = (
                    best_rate(self.context, self.work, device),
                    least_spread(self.context, self.work, device),
                )
        return known

    def offers(self, places: Sequence[int]) -> Field:
        """Everything that those clusters offer."""
        supplies, one = within(self.supplies, places), replace(self.work, total=1.0)
        most, assume, known = self.context.spec.constraints.max_accelerators, self.context.assume, self.context.known

        def look(clusters: tuple[Cluster, ...]) -> TrainingSearch:
            return search(one, clusters, max_count=most, assume=assume, known=known)

        with known.growing(self.key, lambda: self._searched) as searched:
            found = searched.over(supplies.clusters, look).timed(self.work)
        every = priced(self.context, self.work, supplies, found, searched=tuple(places))
        return Field(work=self.work, supplies=supplies, search=found, pairs=every.pairs, calibration=NO_CALIBRATION)

    @cached_property
    def _promising(self) -> list[int]:
        return promising(self.context, self.work, self.supplies, self._rates)

    @cached_property
    def first(self) -> tuple[int, ...]:
        """Places of the clusters that are looked at first."""
        return tuple(sorted(self._promising[:MOST]))

    def knows(self, places: Sequence[int]) -> bool:
        """Have those clusters been searched?"""
        return self._searched.knows(self.supplies.clusters[place] for place in places)

    @cached_property
    def known(self) -> tuple[int, ...]:
        """The same with the next most promising ones, as far as they were searched before: they cost next to nothing."""
        return tuple(sorted({*self.first, *(at for at in self._promising[MOST:AT_ONCE] if self.knows([at]))}))

    def left(self, first: Sequence[int], best: Costed, *, remembered: bool = True) -> tuple[int, ...]:
        """Places of the other clusters that might hold something better than that. `remembered`: of those that were searched before
        only what they do hold."""
        most = score_of(best, self.context) * (1.0 + self.context.assume["select.near_equal"]) / ROUNDING
        tried = frozenset(first)
        rest = [supply for supply in self.supplies.supplies if supply.cluster not in tried]
        hours = {place: self._hours(place, remembered=remembered) for place in {supply.cluster for supply in rest}}
        longest = _longest(self.context)
        able = {one.cluster for one in rest if self._least(one, *hours[one.cluster], longest=longest) <= most}
        return tuple(sorted(able))

    def counted(self, best: Costed, field: Field) -> int:
        """How many layouts were searched for that choice, whether anything was remembered or not."""
        here = dict(zip(field.supplies.clusters, field.search.each, strict=True))

        def count(cluster: Cluster) -> int:
            # Looked up one by one: others search meanwhile, and what they find is added to the same memory.
            known = self._searched.found.get(cluster)
            return here.get(cluster, known.searched if known else 0)

        places = (*self.first, *self.left(self.first, best, remembered=False))
        return sum(count(self.supplies.clusters[place]) for place in places)

    def _least(self, supply: Supply, hours: float, all_hours: float, *, longest: float) -> float:
        """What is minimised, if a run took so few accelerator-hours and hours and were known as well as it can be; infinite where
        that would be longer than so many days."""
        context, offer = self.context, supply.offer
        if supply.kind == "owned":
            return 0.0
        if offer is None:
            return math.inf
        if supply.slots:
            all_hours = max(all_hours, hours / supply.slots)
        if all_hours / 24.0 > longest:
            return math.inf
        if drawing_of(context, offer) and context.spec.objective in ("cost", "balanced"):
            return 0.0
        hours, all_hours = hours * programme_factor(context), all_hours * programme_factor(context)
        taxed = 1.0 + context.taxes.owed_on_services
        days, usd = all_hours / 24.0, hours * offer.usd_per_hour / offer.devices * taxed
        level, time = upto(context.assume["select.confidence"]), NARROW_TIME * self._paces[supply.device][1]
        later = math.exp(level * time)
        match context.spec.objective:
            case "time":
                return days * later
            case "balanced":
                return usd * days * later
            case "carbon":
                grid = context.grid(offer)
                share = power_share(supply.device, supply.system, context.assume, kind=supply.kind)
                return hours * supply.device.tdp_w / 1e3 * share * grid[0] / 1e3 * later if grid else math.inf
        return usd * (later if narrow(supply) == 1.0 else 1.0)

    def _hours(self, place: int, *, remembered: bool) -> tuple[float, float]:
        """The fewest accelerator-hours that a run takes on that cluster, and the fewest hours: those of the best layouts where they
        are remembered, else at a rate that none reaches."""
        cluster = self.supplies.clusters[place]
        if remembered and cluster in self._searched.best:
            each, all_ = self._searched.best[cluster]
            return (self.work.total / each / 3600.0, self.work.total / all_ / 3600.0) if each else (math.inf, math.inf)
        rate = self._rates[place] * REACHED
        if not rate:
            return math.inf, math.inf
        hours = self._flops / 3600.0 / rate
        return hours, hours / min(cluster.poolable, self.context.spec.constraints.max_accelerators)


def _longest(context: Context) -> float:
    """Days that one run may compute at most; where a plan may miss its deadline more often than not, as long as any."""
    deadline = context.spec.constraints.deadline_days
    if not deadline or context.assume["select.confidence"] < 0.5:
        return longest_run(context)
    return min(deadline / programme_factor(context), longest_run(context))


def likely(context: Context) -> Likely | None:
    """That way to the choice; None where clusters are few, or where more than the data sheets speaks for one."""
    spec, supplies = context.spec, context.supplies
    if spec.measured or may_buy(spec) or len(supplies.clusters) <= MOST:
        return None
    work = work_from(spec, context.arch, context.assume)
    key = context.key("clusters", (replace(work, total=1.0), spec.constraints.max_accelerators), ())
    return Likely(context=context, work=work, supplies=supplies, key=key)
