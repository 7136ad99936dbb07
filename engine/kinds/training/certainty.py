"""What other degrees of confidence would cost of a training run: the same pairs ranked again, no new search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.answer import Certainty
from engine.choice.certain import Taken, levels, told
from engine.choice.sure import asked_of, enough
from engine.context import Context
from engine.kinds.training.choice import Costs, Field, best_of, costed_finalists
from engine.kinds.training.costed import Costed, Finalist
from engine.kinds.training.pace import Pace
from engine.kinds.training.pairs import as_sure
from engine.money.draws import kept_with
from engine.money.schedule import kept_deadline


def certainty_of(
    context: Context, field: Field, chosen: Costed, pace: Callable[[Finalist], Pace], costs: Costs
) -> tuple[Certainty, ...]:
    """A row for each degree of confidence; the one that is asked for is what was chosen. `costs`: what was costed for it; days
    and money of a pair do not depend on how sure one must be."""
    asked = asked_of(context.assume)
    taken = []
    for level in levels(asked.all):
        one = chosen if level == asked.all else _best_at(context, field, chosen, level, pace, costs)
        taken.append(_taken(context, one, level) if one else Taken(confidence=level))
    return told(taken, asked)


def _best_at(
    context: Context, field: Field, chosen: Costed, level: float, pace: Callable[[Finalist], Pace], costs: Costs
) -> Costed | None:
    """What would be chosen if that were asked: without deadline and budget the same, where it fits so surely."""
    limits, fits = context.spec.constraints, _fits(context, level)
    if not limits.deadline_days and not limits.budget_usd and enough(chosen.chance.memory, fits):
        return chosen
    changed = replace(context, assume=context.assume.override({"select.confidence": level, "select.fits": fits}))
    pairs = as_sure(changed, field.pairs)
    found = costed_finalists(changed, replace(field, pairs=pairs), pace, all_of_them=False, costs=costs)
    return best_of(changed, found)


def _fits(context: Context, level: float) -> float:
    """How surely it must fit into memory where that is asked of all limits together."""
    if "select.fits" in context.spec.assumptions:
        return context.assume["select.fits"]
    return replace(context.spec.confidence, all=level).fits


def _taken(context: Context, one: Costed, level: float) -> Taken:
    return Taken(
        confidence=level,
        supply=one.pair.supply,
        option_id=one.id,
        count=one.pair.count,
        usd=kept_with(one.drawn().total, level),
        authorised=kept_with(one.drawn().authorised, level),
        days=kept_deadline(context, one.pair.supply, one.busy, level),
        chance=one.chance.all,
    )
