"""The choice among all sources of a service for somebody who is still typing: no more simulation than decides it.

A recommendation finds the best replicas of every cluster. Here the same search leaves out every choice that could not
be cheaper than the best one known, so that most clusters need no simulation. What is left is costed exactly, as in the
recommendation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from engine.answer import Signed
from engine.choice.sure import enough
from engine.context import SEED, Context
from engine.kinds.service import ServingChoice, ServingWork
from engine.kinds.service.burdens import ranked_rows
from engine.kinds.service.costs import ServingFinalist, priced_model
from engine.kinds.service.held import budgeted_with, held_with, may_hold
from engine.kinds.service.load import size_sigma
from engine.kinds.service.prospects import Prospects
from engine.kinds.service.rough import Billing
from engine.kinds.service.sizing import Sizes, Tries, bounds_of, choices_at, choices_of
from engine.kinds.service.work import is_batch
from engine.money.cost import CostError, cash_needed, draw, probability, signed_of, total_of
from engine.money.draws import Draws, kept_with, probability_of_both
from engine.money.schedule import wait_days
from engine.odds.chances import chance_within
from engine.odds.normal import P90, upto
from engine.supply import Supplies, Supply

_EQUAL = 1 + 1e-9
"""What costs the same is looked at too: latency then decides."""
_ROUGHLY = 0.97
"""Of what a pair roughly costs with the confidence that is asked, the exact sum may be so much: what varies by itself evens out."""
_STEPS = 12
"""Sources whose first numbers are costed exactly."""


@dataclass(frozen=True, kw_only=True)
class CostedService:
    """A source with its choice and its exact cost."""

    pair: ServingFinalist
    usd: float
    sure: float
    """The least total within which it stays as surely as is asked [USD]."""
    cash: float
    """What a budget must hold [USD], as surely as is asked where one is."""
    signed: Signed
    meets_budget: bool

    @property
    def rank(self) -> tuple[float, float, str]:
        """As the options of a recommendation are ordered by cost."""
        choice = self.pair.choice
        return (self.sure, choice.ttft_p95_ms, f"{self.pair.supply.id}:{choice.accelerators}:{choice.precision}")


def cost_of(context: Context, work: ServingWork, pair: ServingFinalist) -> CostedService | None:
    """That source with its exact cost; None when it has none."""
    try:
        model = priced_model(context, work, pair)
    except CostError:
        return None
    budget, held = context.spec.constraints.budget_usd, held_with(context, work)
    outcome = draw(model, assume=context.assume, seed=SEED)
    spent = outcome.cash if budget else None
    return CostedService(
        pair=pair,
        usd=total_of(model),
        sure=kept_with(outcome.total, context.assume["select.confidence"]),
        cash=cash_needed(model) if spent is None else kept_with(spent, budgeted_with(context, work)),
        signed=signed_of(model),
        meets_budget=spent is None
        or (
            enough(probability(spent, budget), held)
            and enough(_both(context, work, pair, outcome), context.assume["select.confidence"])
        ),
    )


def _both(context: Context, work: ServingWork, pair: ServingFinalist, outcome: Draws) -> float | None:
    """Probability that a batch ends in time and within its budget; None of a service."""
    if not is_batch(work):
        return None
    wait, due = wait_days(context, pair.supply), context.spec.due_days
    hours, sigma = pair.choice.hours, size_sigma(pair.choice.cluster.device, work)
    in_time = chance_within(due - wait, hours / 24.0, hours / 24.0 * math.exp(P90 * sigma)) if due > wait else 0.0
    return probability_of_both(outcome, in_time, context.spec.constraints.budget_usd)


def best_of(found: Iterable[CostedService]) -> CostedService | None:
    """The cheapest that keeps the budget."""
    return min((one for one in found if one.meets_budget), key=lambda one: one.rank, default=None)


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """One cluster with its sources, and what the work costs there at least and probably [USD]."""

    ranked: list[int]
    """Its candidates that may hold the promises, the most promising first."""
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
    sizes: Sizes

    def steady(self) -> CostedService | None:
        """The best by the closed form alone."""
        likely = sorted((c.likely for c in self.clusters if c.likely), key=self._kept)
        costed = [cost_of(self.context, self.field.work, pair) for pair in likely[:_STEPS]]
        return best_of(one for one in costed if one)

    def settle(self, tries: Tries | None = None) -> tuple[CostedService | None, CostedService | None]:
        """The best that keeps the budget, and the one that needs the smallest budget; None where there is none. Spent where
        that takes more `tries`."""
        tries = tries or Tries()
        clusters = sorted(self.clusters, key=lambda c: (self._kept(c.likely) if c.likely else math.inf, c.least))
        best: CostedService | None = None
        cheapest: CostedService | None = None
        for cluster in clusters:
            most = self._most_usd(best, cheapest)
            if cluster.least > most:
                continue
            for pair in sorted(self._pairs(cluster, most, tries), key=self._kept):
                # What may not be better than what is known by now is not costed exactly.
                if self._kept(pair) * _ROUGHLY > self._most_usd(best, cheapest):
                    break
                if one := cost_of(self.context, self.field.work, pair):
                    best = best_of([one, *([best] if best else [])])
                    cheapest = min(one, cheapest or one, key=lambda found: (found.cash, found.rank))
        return best, cheapest

    @cached_property
    def _billing(self) -> Billing:
        return Billing(context=self.context, work=self.field.work)

    @cached_property
    def clusters(self) -> list[Cluster]:
        """Those that may hold the work."""
        return list(self._clusters())

    def _clusters(self) -> Iterator[Cluster]:
        by_cluster: dict[int, list[Supply]] = {}
        for supply in self.supplies.supplies:
            by_cluster.setdefault(supply.cluster, []).append(supply)
        every = ranked_rows(self.field)
        for index, (ranked, bounds) in enumerate(zip(every, bounds_of(self.field, every), strict=True)):
            supplies = by_cluster.get(index, [])
            least = min(
                (self._kept(pair) * _ROUGHLY for one in bounds for pair in self._held(supplies, one)), default=math.inf
            )
            if least == math.inf:
                continue
            likely = self._likely(ranked[0])
            first = min((pair for one in likely for pair in self._held(supplies, one)), key=self._kept, default=None)
            yield Cluster(ranked=ranked, supplies=supplies, likely=first, least=least)

    def _likely(self, row: int) -> list[ServingChoice]:
        closed = self.field.closed
        rate = float(closed.saturated[row] if is_batch(self.field.work) else closed.rate[row])
        return choices_at(self.field, row, rate)

    def _held(self, supplies: list[Supply], choice: ServingChoice) -> list[ServingFinalist]:
        """That choice from each source that can hold it."""
        return [self._billing.roughly(one, choice) for one in supplies if may_hold(self.context, one, choice)]

    def _pairs(self, cluster: Cluster, most: float, tries: Tries) -> list[ServingFinalist]:
        """The simulated choices of a cluster from each of its sources, the cheapest of each source, as far as it
        may cost no more than `most`."""

        def worth(choice: ServingChoice) -> bool:
            return most == math.inf or any(
                self._kept(pair) * _ROUGHLY <= most for pair in self._held(cluster.supplies, choice)
            )

        found: dict[str, ServingFinalist] = {}
        for choice in choices_of(self.field, cluster.ranked, self.context.assume, self.sizes, worth, tries).choices:
            for pair in self._held(cluster.supplies, choice):
                other = found.setdefault(pair.supply.id, pair)
                found[pair.supply.id] = min(other, pair, key=lambda one: (self._kept(one), one.choice.accelerators))
        return list(found.values())

    def _most_usd(self, best: CostedService | None, cheapest: CostedService | None) -> float:
        """What it may cost at most where a choice is still of interest: cheaper than what is known, or in need of a
        smaller budget."""
        known = best or cheapest
        if known is None:
            return math.inf
        # Without a plan within the budget, whatever would be one counts, and what would be the cheapest of all.
        limit = best.sure if best else max(known.cash, self.context.spec.constraints.budget_usd)
        return limit * _EQUAL

    def _kept(self, pair: ServingFinalist) -> float:
        """What that pair costs with the confidence that is asked, roughly [USD]."""
        return pair.at(self._level)

    @cached_property
    def _level(self) -> float:
        return upto(self.context.assume["select.confidence"])
