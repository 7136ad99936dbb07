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
from engine.inputs.hardware import Cluster
from engine.kinds.training.best import TrainingSearch, TrainingWork, search, work_from
from engine.kinds.training.choice import ROUNDING, Field
from engine.kinds.training.costed import Costed, score_of
from engine.kinds.training.pairs import price_pairs
from engine.kinds.training.promising import MOST, best_rate, promising, run_flops
from engine.kinds.training.searched import Searched
from engine.money.carbon import power_share
from engine.money.drawing import drawing_of
from engine.money.schedule import programme_factor
from engine.odds.calibrate import NO_CALIBRATION
from engine.supply import Supplies, Supply, may_buy, within

REACHED = 0.85
"""Share of its best matrix product that no whole step reaches. Of all presets, methods and accelerators of the catalog the
highest is 0.69 (GPT-J 6B on TPU v5p); a test holds it."""

AT_ONCE = 30
"""So many more clusters are searched before the first number, which then is the last one."""


@dataclass(frozen=True, kw_only=True)
class Likely:
    """One request whose clusters are searched as far as they are needed."""

    context: Context
    work: TrainingWork
    supplies: Supplies
    key: Hashable
    """Where what was searched for that work is remembered."""

    @cached_property
    def _rates(self) -> list[float]:
        return [best_rate(self.context, self.work, cluster) for cluster in self.supplies.clusters]

    def offers(self, places: Sequence[int]) -> Field:
        """Everything that those clusters offer."""
        supplies, one = within(self.supplies, places), replace(self.work, total=1.0)
        most, assume, known = self.context.spec.constraints.max_accelerators, self.context.assume, self.context.known

        def look(clusters: tuple[Cluster, ...]) -> TrainingSearch:
            return search(one, clusters, max_count=most, assume=assume, known=known)

        with known.growing(self.key, Searched) as searched:
            found = searched.over(supplies.clusters, look).timed(self.work)
        pairs = price_pairs(self.context, self.work, supplies, found)
        return Field(work=self.work, supplies=supplies, search=found, pairs=pairs, calibration=NO_CALIBRATION)

    def first(self) -> tuple[int, ...]:
        """Places of the clusters that are looked at first."""
        return promising(self.context, self.work, self.supplies, self._rates)

    def left(self, first: Sequence[int], best: Costed) -> tuple[int, ...]:
        """Places of the other clusters that might hold something better than that."""
        most = score_of(best, self.context) * (1.0 + self.context.assume["select.near_equal"]) / ROUNDING
        tried = frozenset(first)
        rest = (supply for supply in self.supplies.supplies if supply.cluster not in tried)
        flops, longest = run_flops(self.work), _longest(self.context)
        return tuple(sorted({supply.cluster for supply in rest if self._least(supply, flops, longest) <= most}))

    def knows(self, places: Sequence[int]) -> bool:
        """Have those clusters been searched?"""
        searched = self.context.known.remembered(self.key, Searched)
        return searched.knows(self.supplies.clusters[place] for place in places)

    def _least(self, supply: Supply, flops: float, longest: float) -> float:
        """What is minimised, if steps took the least time there that they could; infinite where that would be too long.

        `flops`: of one run; `longest`: days that it may take.
        """
        context, cluster, offer = self.context, self.supplies.clusters[supply.cluster], supply.offer
        rate = self._rates[supply.cluster] * REACHED
        if supply.kind == "owned":
            return 0.0
        if not rate or offer is None:
            return math.inf
        hours = flops / 3600.0 / rate
        size = min(cluster.poolable, context.spec.constraints.max_accelerators, supply.slots or math.inf)
        if hours / size / 24.0 > longest:
            return math.inf
        if drawing_of(context, offer) and context.spec.objective in ("cost", "balanced"):
            return 0.0
        hours *= programme_factor(context)
        taxed = 1.0 + context.taxes.owed_on_services
        days, usd = hours / size / 24.0, hours * offer.usd_per_hour / offer.devices * taxed
        match context.spec.objective:
            case "time":
                return days
            case "balanced":
                return usd * days
            case "carbon":
                grid = context.grid(offer)
                share = power_share(supply.device, supply.system, context.assume, kind=supply.kind)
                return hours * supply.device.tdp_w / 1e3 * share * grid[0] / 1e3 if grid else math.inf
        return usd


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
    work = work_from(spec, context.arch)
    key = context.key("clusters", (replace(work, total=1.0), spec.constraints.max_accelerators), ())
    return Likely(context=context, work=work, supplies=supplies, key=key)
