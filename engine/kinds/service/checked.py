"""The chosen replicas of a service or a batch held against others that were ranked and never described."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.answer import Checked, Option
from engine.choice.checked import drawn_places
from engine.context import Context
from engine.kinds.service import ServingWork
from engine.kinds.service.costs import ServingFinalist
from engine.kinds.service.options import build_serving_option
from engine.kinds.service.ranks import by_cost, exact_score, in_rank, rank
from engine.money.cost import CostError


@dataclass(frozen=True, kw_only=True)
class Held:
    """What was drawn, and those that are better than the choice."""

    told: Checked
    better: tuple[Option, ...]


def held_against_others(
    context: Context, work: ServingWork, finalists: Sequence[ServingFinalist], options: Sequence[Option], best: Option
) -> Held:
    """Pairs of a source and replicas drawn at random among all that were priced, costed exactly; what is no dearer is described,
    and better where it keeps all limits."""
    pairs = list(_others(context, finalists, options))
    near = context.assume["select.near_equal"] if by_cost(context, work) else 0.0
    most = rank(context, work)(best)[0] * (1.0 + near)
    better = tuple(option for pair in pairs if (option := _better(context, work, pair, options, most)))
    return Held(told=Checked(alternatives=len(pairs), better=len(better)), better=better)


def _others(
    context: Context, finalists: Sequence[ServingFinalist], options: Sequence[Option]
) -> Iterator[ServingFinalist]:
    known = {option.id for option in options}
    for place in drawn_places(context.spec, len(finalists)).tolist():
        pair = finalists[place]
        if f"{pair.supply.id}:{pair.choice.accelerators}:{pair.choice.precision}" not in known:
            yield pair


def _better(
    context: Context, work: ServingWork, pair: ServingFinalist, options: Sequence[Option], most: float
) -> Option | None:
    """That pair as an option where it would be chosen of all; nothing that costs more than `most` would."""
    try:
        if exact_score(context, work, pair) > most:
            return None
        option = build_serving_option(context, work, pair)
    except CostError:
        return None
    return option if option.keeps_limits and in_rank(context, work, [*options, option])[0] is option else None
