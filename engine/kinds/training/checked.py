"""The chosen pair of a training run held against others that were ranked and never costed exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.answer import Checked
from engine.choice.checked import drawn_places
from engine.choice.patience import longest_run
from engine.choice.select import Ints, in_limits, ranked
from engine.context import Context
from engine.kinds.training.choice import Costs, Field, best_of, ranked_options
from engine.kinds.training.costed import Costed, Finalist, acceptable, costed, finalist, score_of
from engine.kinds.training.pace import Pace
from engine.money.cost import CostError
from engine.reliability.formulas import CannotProgress

_ROOM = 1.25
"""By so much a pair may seem to break a limit and is drawn all the same: what ranks it is approximate."""


@dataclass(frozen=True, kw_only=True)
class Held:
    """What was drawn, and those that are better than the choice."""

    told: Checked
    better: tuple[Costed, ...]


def held_against_others(
    context: Context,
    field: Field,
    ordered: Sequence[Costed],
    chosen: Costed,
    pace: Callable[[Finalist], Pace],
    costs: Costs,
) -> Held:
    """Pairs drawn at random among all that may keep the limits, costed exactly. `costs`: what was costed before, which is drawn no
    more."""
    pairs = list(_others(context, field, costs))
    near = score_of(chosen, context) * (1.0 + context.assume["select.near_equal"])
    better = []
    for pair in pairs:
        try:
            one = costed(context, field.work, pair, pace(pair))
        except (CannotProgress, CostError):
            continue
        able = score_of(one, context) <= near and acceptable(one, context)
        if able and best_of(context, ranked_options(context, [*ordered, one])) is one:
            better.append(one)
    return Held(told=Checked(alternatives=len(pairs), better=len(better)), better=tuple(better))


def _others(context: Context, field: Field, costs: Costs) -> Iterator[Finalist]:
    order = _order(context, field)
    for place in drawn_places(context.spec, len(order)):
        index = order[place]
        pair = finalist(field.supplies, field.search, int(field.pairs.supply[index]), int(field.pairs.row[index]))
        if (pair.supply.id, pair.count, int(field.search.rows.precision[pair.row])) not in costs:
            yield pair


def _order(context: Context, field: Field) -> Ints:
    """The pairs that may keep the limits, from best to worst as far as the approximation can tell."""
    limits = context.spec.constraints
    near = np.flatnonzero(
        in_limits(
            field.pairs,
            deadline_days=limits.deadline_days * _ROOM,
            budget_usd=limits.budget_usd * _ROOM,
            longest_run=longest_run(context) * _ROOM,
            fits=context.assume["select.fits"],
        )
    )
    order: Ints = near[ranked(field.pairs.take(near), context.spec.objective)]
    return order
