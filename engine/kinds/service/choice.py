"""The choice among all sources of a service for somebody who is still typing: no more simulation than decides it.

A recommendation finds the best replicas of every cluster. Here the same search leaves out every choice that could not
be cheaper than the best one known, so that most clusters need no simulation. What is left is costed exactly, as in the
recommendation.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.answer import Signed
from engine.choice.near_equal import Entry, leader_first
from engine.choice.sure import enough
from engine.context import Context
from engine.kinds.service import ServingChoice, ServingWork
from engine.kinds.service.batches import rented_of
from engine.kinds.service.choices import Affordable
from engine.kinds.service.costs import ServingFinalist, batch_days, ends
from engine.kinds.service.held import budgeted_with, held_with
from engine.kinds.service.load import size_sigma
from engine.kinds.service.prospects import Prospects
from engine.kinds.service.remembered import Exact, costed, once
from engine.kinds.service.rough import Billing
from engine.kinds.service.sizing import Sizes, Tries, choices_of
from engine.kinds.service.sums import Sums, held_one_by_one, held_pairs, likely_of, sums_of
from engine.kinds.service.work import is_batch
from engine.money.cost import cash_needed, probability, signed_of, total_of
from engine.money.draws import Draws, kept_with, probability_of_both
from engine.money.schedule import probability_in_time, wait_days
from engine.odds.normal import upto
from engine.supply import Supplies, Supply, may_buy

_EQUAL = 1 + 1e-9
"""What costs the same is looked at too: latency then decides."""
ROUGHLY = 0.97
"""Of what a pair roughly costs with the confidence that is asked, the exact sum may be so much: what varies by itself evens out."""
_SIZES = 6
"""Numbers of accelerators of a source that are costed exactly."""
_STEPS = 12
"""Sources whose first numbers are costed exactly."""


@dataclass(frozen=True, kw_only=True)
class CostedService:
    """A source with its choice and its exact cost."""

    pair: ServingFinalist
    usd: float
    sure: float
    """What the cash that it causes is worth at most, as surely as is asked: what it is ranked by [USD]."""
    paid: float
    """What is paid for it at most, as surely [USD]."""
    cash: float
    """What a budget must hold [USD], as surely as is asked where one is."""
    signed: Signed
    meets_budget: bool

    @property
    def rank(self) -> tuple[float, float, str]:
        """As the options of a recommendation are ordered by cost."""
        choice = self.pair.choice
        return (self.sure, choice.ttft_p95_ms, f"{self.pair.supply.id}:{choice.accelerators}:{choice.precision}")

    def entry(self, context: Context) -> Entry:
        """What decides between it and one that costs nearly the same."""
        choice = self.pair.choice
        days = wait_days(context, self.pair.supply) + choice.hours / 24.0
        return Entry(
            cost=self.sure,
            count=choice.accelerators,
            pace=days if ends(context) else choice.ttft_p95_ms,
            signed=self.signed.total,
            paid=self.paid,
        )


def cost_of(
    context: Context, work: ServingWork, pair: ServingFinalist, exact: Exact | None = None
) -> CostedService | None:
    """That source with its exact cost; None when it has none. `exact`: what was costed of that request before."""
    found = exact.of(pair) if exact is not None else costed(context, work, pair)
    if found is None:
        return None
    model, outcome = found
    budget, held = context.spec.constraints.budget_usd, held_with(context, work)
    spent = outcome.cash if budget else None
    return CostedService(
        pair=pair,
        usd=total_of(model),
        sure=kept_with(outcome.ranked, context.assume["select.confidence"]),
        paid=kept_with(outcome.total, context.assume["select.confidence"]),
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
    busy = batch_days(pair.choice, size_sigma(pair.choice.cluster.device, work))
    in_time = probability_in_time(context, pair.supply, busy)
    return probability_of_both(outcome, in_time, context.spec.constraints.budget_usd)


def few_of_each(pairs: Iterable[ServingFinalist]) -> list[ServingFinalist]:
    """The first few sizes of each source: two of a batch may cost the same but for what is rounded, and one takes half the time."""
    taken: defaultdict[str, set[int]] = defaultdict(set)
    found = []
    for pair in pairs:
        sizes = taken[pair.supply.id]
        if len(sizes) < _SIZES and pair.choice.accelerators not in sizes:
            sizes.add(pair.choice.accelerators)
            found.append(pair)
    return found


def best_of(found: Iterable[CostedService]) -> CostedService | None:
    """The cheapest that keeps the budget."""
    return min((one for one in found if one.meets_budget), key=lambda one: one.rank, default=None)


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """One cluster with its sources, and what the work costs there at least and probably [USD]: see `Sums`."""

    ranked: list[int]
    supplies: list[Supply]
    likely: float
    least: float


@dataclass
class Search:
    """The clusters of one service, tried from the most promising one on."""

    context: Context
    field: Prospects
    supplies: Supplies
    sizes: Sizes
    exact: Exact

    def steady(self) -> CostedService | None:
        """The best by the closed form alone."""
        likely = sorted((one for one in self.clusters if one.likely < math.inf), key=lambda one: one.likely)
        pairs = (self._held(one.supplies, likely_of(self.field, one.ranked[0])) for one in likely[:_STEPS])
        found = [cost_of(self.context, self.field.work, min(every, key=self._kept), self.exact) for every in pairs]
        return best_of(one for one in found if one)

    def settle(self, tries: Tries | None = None) -> tuple[CostedService | None, CostedService | None]:
        """The best that keeps the budget, and the one that needs the smallest budget; None where there is none. Spent where
        that takes more `tries`."""
        tries = tries or Tries()
        clusters = sorted(self.clusters, key=lambda one: (one.likely, one.least))
        able: list[CostedService] = []
        best: CostedService | None = None
        cheapest: CostedService | None = None
        for cluster in clusters:
            most = self._most_usd(best, cheapest)
            if cluster.least > most:
                continue
            for pair in sorted(self._pairs(cluster, most, tries), key=self._kept):
                # What may not be better than what is known by now is not costed exactly.
                if self._kept(pair) * ROUGHLY > self._most_usd(best, cheapest):
                    break
                if one := cost_of(self.context, self.field.work, pair, self.exact):
                    able += [one] if one.meets_budget else []
                    best = best_of(able)
                    cheapest = min(one, cheapest or one, key=lambda found: (found.cash, found.rank))
        return next(iter(self._leading(able)), None), cheapest

    def _leading(self, able: Sequence[CostedService]) -> list[CostedService]:
        """Those, from the cheapest on, with the one that leads among those that cost nearly the least first."""
        ordered = sorted(able, key=lambda one: one.rank)
        return leader_first(ordered, lambda one: one.entry(self.context), self._near)

    @cached_property
    def _billing(self) -> Billing:
        return Billing(context=self.context, work=self.field.work)

    @cached_property
    def sources(self) -> list[list[Supply]]:
        """The sources of each cluster, as far as they may be had at all."""
        found: list[list[Supply]] = [[] for _ in self.supplies.clusters]
        buys = may_buy(self.context.spec)
        for supply in self.supplies.supplies:
            if buys or supply.kind != "on_prem" or supply.system is None:
                found[supply.cluster].append(supply)
        return found

    @cached_property
    def clusters(self) -> list[Cluster]:
        """Those that may hold the work."""

        def summed(asked: Context) -> Sums:
            return sums_of(Billing(context=asked, work=self.field.work), self.field, self.sources)

        sums = once(self.context, "sums", self.field.work, summed)
        return [
            Cluster(ranked=ranked, supplies=supplies, likely=likely, least=least * ROUGHLY)
            for ranked, supplies, likely, least in zip(
                sums.ranked, self.sources, sums.likely.tolist(), sums.least.tolist(), strict=True
            )
            if least < math.inf
        ]

    def _held(self, supplies: list[Supply], choices: Iterable[ServingChoice]) -> list[ServingFinalist]:
        """Each of those choices from each source that can hold it."""
        return held_pairs(self._billing, supplies, choices)

    def _pairs(self, cluster: Cluster, most: float, tries: Tries) -> list[ServingFinalist]:
        """The simulated choices of a cluster from each of its sources, the cheapest few of each source, as far as they
        may cost no more than `most`."""

        def worth(choice: ServingChoice) -> bool:
            return most == math.inf or any(
                self._kept(pair) * ROUGHLY <= most
                for pair in held_one_by_one(self._billing, cluster.supplies, [choice])
            )

        found = choices_of(
            self.field, cluster.ranked, self.context.assume, self.sizes, worth, tries, self._able(cluster, most)
        )
        choices = found.choices
        pairs = self._held(cluster.supplies, choices)
        return few_of_each(sorted(pairs, key=lambda one: (self._kept(one), one.choice.accelerators)))

    def _able(self, cluster: Cluster, most: float) -> Affordable | None:
        """The same for many sizes of a batch at once, where all that the cluster is had from is billed by its price alone."""
        if not is_batch(self.field.work) or most == math.inf or not all(map(self._billing.alone, cluster.supplies)):
            return None
        rented = rented_of(self._billing, cluster.supplies)
        return (lambda size: rented.within(size, most / ROUGHLY)) if rented else None

    def _most_usd(self, best: CostedService | None, cheapest: CostedService | None) -> float:
        """What it may cost at most where a choice is still of interest: cheaper than what is known, or in need of a
        smaller budget."""
        known = best or cheapest
        if known is None:
            return math.inf
        # Without a plan within the budget, whatever would be one counts, and what would be the cheapest of all.
        if best:
            return best.sure * (_EQUAL + self._near)
        return max(known.cash, self.context.spec.constraints.budget_usd) * _EQUAL

    def _kept(self, pair: ServingFinalist) -> float:
        """What that pair costs with the confidence that is asked, roughly [USD]."""
        return pair.at(self._level)

    @property
    def _near(self) -> float:
        return self.context.assume["select.near_equal"]

    @cached_property
    def _level(self) -> float:
        return upto(self.context.assume["select.confidence"])
