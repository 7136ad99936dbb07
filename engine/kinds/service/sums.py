"""What a service or a batch costs on each cluster, at least and probably: hundreds of sources, while somebody is typing.

Rented sources of a service are summed all at once; own hardware, batches and services on two sites one by one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import le

import numpy as np

from engine.context import Context
from engine.kinds.service import ServingChoice
from engine.kinds.service.batches import rented_of
from engine.kinds.service.burdens import Needs, Rows, by_cluster, least_needs, needs_at, ranked_rows
from engine.kinds.service.costs import ServingFinalist
from engine.kinds.service.held import may_hold
from engine.kinds.service.prospects import Prospects
from engine.kinds.service.refused import Indices
from engine.kinds.service.rough import Billing, Charges
from engine.kinds.service.sizing import choices_at, least_of, sizes_at
from engine.kinds.service.work import is_batch
from engine.odds.normal import upto
from engine.physics.token.step import Numbers
from engine.supply import Supply


@dataclass(frozen=True, kw_only=True)
class Sums:
    """Roughly, with the confidence that is asked [USD]: a value for each cluster, infinite where the work may not be had there."""

    ranked: Rows
    """The candidates that may hold the promises, the most promising first."""
    least: Numbers
    """By the bounds of all of them."""
    likely: Numbers
    """By the closed form of the most promising one."""


def sums_of(billing: Billing, field: Prospects, sources: Sequence[Sequence[Supply]]) -> Sums:
    """Those of every cluster. `sources`: of each of them."""
    context, ranked = billing.context, ranked_rows(field)
    by_price = billing.alone if is_batch(field.work) else billing.plain
    plain = [[one for one in every if by_price(one)] for every in sources]
    if is_batch(field.work):
        rows, least, likely = ranked, *_of_batch(billing, field, plain, ranked)
    else:
        needs, first = least_needs(field, ranked), np.array([part[0] for part in ranked if part], dtype=np.intp)
        rows, rented = by_cluster(field, needs.rows), _rented(billing, plain)
        least, likely = (
            rented.cheapest(billing, some, field.space.cluster[some.rows], deviations=_level(context))
            for some in (needs, needs_at(field, first, field.closed.rate[first]))
        )
    for at, (every, summed) in enumerate(zip(sources, plain, strict=True)):
        if len(summed) < len(every) and ranked[at]:
            others = [one for one in every if not by_price(one)]
            least[at] = min(least[at], _least(held_pairs(billing, others, least_of(field, rows[at])), context))
            likely[at] = min(likely[at], _least(held_pairs(billing, others, likely_of(field, ranked[at][0])), context))
    return Sums(ranked=ranked, least=least, likely=likely)


def _of_batch(
    billing: Billing, field: Prospects, plain: Sequence[Sequence[Supply]], ranked: Rows
) -> tuple[Numbers, Numbers]:
    """The least of a batch by bounds and by closed form, from sources that are billed by their price alone."""
    least, likely = (np.full(len(ranked), np.inf) for _ in range(2))
    for at, (sources, rows) in enumerate(zip(plain, ranked, strict=True)):
        if sources and rows and (one := rented_of(billing, sources)):
            least[at] = one.least([sizes_at(field, row, float(field.most[row])) for row in _quickest(field, rows)])
            likely[at] = one.least([sizes_at(field, rows[0], float(field.closed.saturated[rows[0]]))])
    return least, likely


def _quickest(field: Prospects, rows: Sequence[int]) -> list[int]:
    """Those of one cluster without the ones that are as large as another, and in nothing better."""
    found: dict[int, list[tuple[float, float, float]]] = {}
    kept = []
    for row in rows:
        mine = (-float(field.most[row]), float(field.start_s[row]), float(field.surely[row]))
        others = found.setdefault(int(field.space.devices[row]), [])
        if not any(all(map(le, other, mine)) for other in others):
            others.append(mine)
            kept.append(row)
    return kept


def likely_of(field: Prospects, row: int) -> list[ServingChoice]:
    """What is chosen of that candidate if it does what the closed form says."""
    closed = field.closed
    return choices_at(field, row, float(closed.saturated[row] if is_batch(field.work) else closed.rate[row]))


def held_pairs(billing: Billing, sources: Iterable[Supply], choices: Iterable[ServingChoice]) -> list[ServingFinalist]:
    """Each of those choices from each source that can hold it."""
    return list(held_one_by_one(billing, list(sources), choices))


def held_one_by_one(
    billing: Billing, sources: Sequence[Supply], choices: Iterable[ServingChoice]
) -> Iterator[ServingFinalist]:
    """The same, for whoever needs to see no more of them than the first that will do."""
    for choice in choices:
        for one in sources:
            if may_hold(billing.context, one, choice):
                yield billing.roughly(one, choice)


def _level(context: Context) -> float:
    return upto(context.assume["select.confidence"])


def _least(pairs: Iterable[ServingFinalist], context: Context) -> float:
    return min((pair.at(_level(context)) for pair in pairs), default=math.inf)


@dataclass(frozen=True, kw_only=True)
class _Rented:
    """The sources of all clusters that are billed by their price alone, cluster by cluster."""

    charges: Charges
    begins: Indices
    """Where those of each cluster begin."""
    counts: Indices

    def cheapest(self, billing: Billing, needs: Needs, clusters: Indices, *, deviations: float) -> Numbers:
        """The least that a row costs on each cluster. `clusters`: of each row."""
        counts = self.counts[clusters]
        row = np.repeat(np.arange(len(clusters)), counts)
        at = np.arange(len(row)) + np.repeat(self.begins[clusters] - (np.cumsum(counts) - counts), counts)
        able = needs.accelerators[row] <= self.charges.slots[at]
        row, at = row[able], at[able]
        usd = billing.kept(
            self.charges.of(at), nodes=needs.nodes[row], mean_nodes=needs.mean_nodes[row], deviations=deviations
        )
        found = np.full(len(self.counts), np.inf)
        np.minimum.at(found, clusters[row], usd)
        return found


def _rented(billing: Billing, plain: Sequence[Sequence[Supply]]) -> _Rented:
    counts = np.array([len(every) for every in plain], dtype=np.intp)
    charges = billing.charges([one for every in plain for one in every])
    return _Rented(charges=charges, begins=np.cumsum(counts) - counts, counts=counts)
