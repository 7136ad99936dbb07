"""The choice among all sources of a service for somebody who is still typing: no more simulation than decides it.

A recommendation simulates the best replicas of every cluster. Here a cluster is simulated only while it could still be
cheaper than the best one known: no replica serves more than its saturated rate, and one simulation at the rate that it
would need to win shows whether it can. What is left is costed exactly, as in the recommendation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from planner.engine.context import Context
from planner.engine.cost import CostError, cash_needed, total_of
from planner.engine.serving import ServingChoice, ServingWork
from planner.engine.serving.capacity import LEAST
from planner.engine.serving.replica_size import Sized, ceiling, demand, may_reach
from planner.engine.serving.sizing import Known, Prospects, choice_of, choices_of, ranked_rows
from planner.engine.serving_options import ServingFinalist, may_hold, months_of, roughly, service_model
from planner.engine.supply import Supplies, Supply

_SAFE = 0.97
"""A cluster is tried at a little less than the rate that it needs: a bisection ends within three per cent."""
_STEPS = 12
"""Sources whose first numbers are costed exactly."""


@dataclass(frozen=True, kw_only=True)
class CostedService:
    """A source with its choice and its exact cost."""

    pair: ServingFinalist
    usd: float
    cash: float
    """What a budget must hold [USD]."""
    meets_budget: bool

    @property
    def rank(self) -> tuple[float, float, str]:
        """As the options of a recommendation are ordered by cost."""
        choice = self.pair.choice
        return (self.usd, choice.ttft_p95_ms, f"{self.pair.supply.id}:{choice.accelerators}:{choice.precision}")


def cost_of(context: Context, work: ServingWork, pair: ServingFinalist) -> CostedService | None:
    """That source with its exact cost; None when it has none."""
    try:
        model = service_model(context, work, pair)
    except CostError:
        return None
    budget, usd = context.spec.constraints.budget_usd, total_of(model)
    cash = cash_needed(model, usd)
    return CostedService(pair=pair, usd=usd, cash=cash, meets_budget=not budget or cash <= budget)


def best_of(found: Iterable[CostedService]) -> CostedService | None:
    """The cheapest that keeps the budget."""
    return min((one for one in found if one.meets_budget), key=lambda one: one.rank, default=None)


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """One cluster with its sources, and what a month costs there at least and probably [USD]."""

    rows: range
    ranked: list[int]
    supplies: list[Supply]
    likely: ServingFinalist | None
    """By the closed form."""
    least: float


@dataclass
class Search:
    """The clusters of one service, tried from the most promising one on."""

    context: Context
    field: Prospects
    supplies: Supplies
    known: Known

    def steady(self) -> CostedService | None:
        """The best by the closed form alone."""
        likely = sorted((c.likely for c in self._clusters() if c.likely), key=lambda pair: pair.monthly_usd)
        costed = [cost_of(self.context, self.field.work, pair) for pair in likely[:_STEPS]]
        return best_of(one for one in costed if one)

    def settle(self) -> tuple[CostedService | None, CostedService | None]:
        """The best that keeps the budget, and the one that needs the smallest budget; None where there is none."""
        clusters = sorted(self._clusters(), key=lambda c: (c.likely.monthly_usd if c.likely else math.inf, c.least))
        best: CostedService | None = None
        cheapest: CostedService | None = None
        for cluster in clusters:
            if not self._may_win(cluster, best, cheapest):
                continue
            found = [one for pair in self._pairs(cluster) if (one := cost_of(self.context, self.field.work, pair))]
            best = best_of([*found, *([best] if best else [])])
            cheapest = min(
                [*found, *([cheapest] if cheapest else [])], key=lambda one: (one.cash, one.rank), default=None
            )
        return best, cheapest

    def _clusters(self) -> Iterator[Cluster]:
        by_cluster: dict[int, list[Supply]] = {}
        for supply in self.supplies.supplies:
            by_cluster.setdefault(supply.cluster, []).append(supply)
        for index, rows in enumerate(self.field.space.rows):
            ranked = ranked_rows(self.field, rows)
            supplies = by_cluster.get(index, [])
            if not ranked or not supplies:
                continue
            tops = [
                self._choice(row, ceiling(float(self.field.closed.saturated[row]), self.field.work)) for row in ranked
            ]
            least = min(
                (pair.monthly_usd for top in tops if top for pair in self._held(supplies, top)), default=math.inf
            )
            likely = self._likely(ranked[0])
            first = min(self._held(supplies, likely), key=_month, default=None) if likely else None
            yield Cluster(rows=rows, ranked=ranked, supplies=supplies, likely=first, least=least)

    def _likely(self, row: int) -> ServingChoice | None:
        closed, work = self.field.closed, self.field.work
        batch = work.batch is not None and not work.requests_per_s
        rate = float(closed.saturated[row] if batch else closed.rate[row])
        accepted = work.speculative_accepted
        return self._choice(row, Sized(rate=rate, ttft_p95_ms=0.0, tpot_p95_ms=0.0, accepted=accepted))

    def _choice(self, row: int, sized: Sized) -> ServingChoice | None:
        return choice_of(self.field.space.found[row], sized, float(self.field.closed.fits[row]), self.field.work)

    def _held(self, supplies: list[Supply], choice: ServingChoice) -> list[ServingFinalist]:
        """That choice from each source that can hold it."""
        return [roughly(self.context, supply, choice) for supply in supplies if may_hold(self.context, supply, choice)]

    def _pairs(self, cluster: Cluster) -> list[ServingFinalist]:
        """The simulated choices of a cluster from each of its sources, the cheapest of each source."""
        found: dict[str, ServingFinalist] = {}
        for choice in choices_of(self.field, cluster.rows, self.context.assume, self.known):
            for pair in self._held(cluster.supplies, choice):
                other = found.setdefault(pair.supply.id, pair)
                found[pair.supply.id] = min(other, pair, key=lambda one: (one.monthly_usd, one.choice.accelerators))
        return list(found.values())

    def _may_win(self, cluster: Cluster, best: CostedService | None, cheapest: CostedService | None) -> bool:
        """Could that cluster hold something cheaper than what is known, or that needs a smaller budget?"""
        known = best or cheapest
        batch = self.field.work.batch is not None and not self.field.work.requests_per_s
        if cluster.least == math.inf or known is None or batch:
            return cluster.least < math.inf
        # Without a plan within the budget, whatever would be one counts, and what would be the cheapest of all.
        limit = best.usd if best else max(known.cash, self.context.spec.constraints.budget_usd)
        monthly = limit / months_of(self.context, known.pair.choice)
        return cluster.least < monthly and any(self._reaches(cluster, row, monthly) for row in cluster.ranked)

    def _reaches(self, cluster: Cluster, row: int, monthly: float) -> bool:
        """Does one simulation at the rate that this replica needs to cost less than that leave it in the race?"""
        field, work = self.field, self.field.work
        need, top = demand(work), ceiling(float(field.closed.saturated[row]), work).rate

        def affordable(replicas: int) -> bool:
            each = Sized(rate=need / (replicas - 0.5), ttft_p95_ms=0.0, tpot_p95_ms=0.0)
            choice = self._choice(row, each)
            return choice is not None and any(p.monthly_usd < monthly for p in self._held(cluster.supplies, choice))

        least = max(math.ceil(need / top), 1)
        if not affordable(least):
            return False
        most = least
        while affordable(most * 2):
            most *= 2
        beyond = most * 2
        while beyond - most > 1:
            middle = (most + beyond) // 2
            most, beyond = (middle, beyond) if affordable(middle) else (most, middle)
        rate = max(need / most * _SAFE, top * LEAST)
        candidate, numbers = field.space.found[row], field.space.numbers[row]
        return may_reach(candidate, numbers, field.closed, row, work, self.context.assume, rate=rate)


def _month(pair: ServingFinalist) -> float:
    return pair.monthly_usd
