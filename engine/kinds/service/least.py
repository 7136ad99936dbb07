"""The finalists that cost least by their exact sums: rough ones rank thousands and may be wrong by some percent between two sources."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.choice.near_equal import leader_first
from engine.context import Context
from engine.kinds.service import ServingWork
from engine.kinds.service.choice import ROUGHLY, CostedService, cost_of, few_of_each
from engine.kinds.service.costs import ServingFinalist


def least_of_all(
    context: Context, work: ServingWork, pairs: Sequence[ServingFinalist], most: int
) -> list[ServingFinalist]:
    """Up to so many of those that keep the budget: the one that leads by cost, then the cheapest. Only those whose rough sum could be
    nearly the least are costed, a few sizes of each source. `pairs`: from the least rough sum on."""
    sure, near = context.assume["select.confidence"], context.assume["select.near_equal"]
    able: list[CostedService] = []
    least = math.inf
    for pair in few_of_each(pairs):
        if pair.kept(sure) * ROUGHLY > least * (1.0 + near):
            break
        one = cost_of(context, work, pair)
        if one and one.meets_budget:
            able.append(one)
            least = min(least, one.sure)
    ordered = leader_first(sorted(able, key=lambda one: one.rank), lambda one: one.entry(context), near)
    return [one.pair for one in ordered[:most]]
