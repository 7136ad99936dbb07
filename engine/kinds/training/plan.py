"""The recommendation for a training run: the choice, every finalist described, and what else was possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.answer import Flip, Glance, Nearest, Option, Recommendation
from engine.choice.advice import advised
from engine.choice.flips import flips_of
from engine.choice.idle import idle_beside
from engine.context import Context, summary_of
from engine.inputs.finding import Finding
from engine.kinds.training.basis import basis_of, with_distance
from engine.kinds.training.best import TrainingDetail, describe
from engine.kinds.training.certainty import certainty_of
from engine.kinds.training.checked import held_against_others
from engine.kinds.training.choice import (
    Costs,
    Field,
    best_of,
    costed_finalists,
    pace_in,
    ranked_options,
    survey,
)
from engine.kinds.training.costed import Costed, Finalist, costed, sure_cash, sure_days
from engine.kinds.training.gate import gate_of
from engine.kinds.training.likely import AT_ONCE, Likely, likely
from engine.kinds.training.nearest import nearest_training
from engine.kinds.training.options import build_option
from engine.kinds.training.pace import Pace
from engine.kinds.training.points import points_of
from engine.kinds.training.reasons import headline, reasons_of
from engine.money.cost import drivers
from engine.supply import merged
from engine.version import ENGINE_VERSION


def recommend_training(context: Context) -> Recommendation:
    """The answer to a training spec."""
    field = survey(context)
    details: dict[tuple[str, int], TrainingDetail] = {}

    def described(pair: Finalist) -> Pace:
        details[pair.supply.id, pair.row] = found = _detail(context, field, pair)
        return found

    costs = Costs()
    ordered = costed_finalists(context, field, described, costs=costs)
    chosen = best_of(context, ordered)
    held = held_against_others(context, field, ordered, chosen, pace_in(context, field), costs) if chosen else None
    if held and held.better:
        ordered = ranked_options(
            context, [*ordered, *(costed(context, field.work, one.pair, described(one.pair)) for one in held.better)]
        )
        chosen = best_of(context, ordered)
    options = [build_option(context, field.work, one, details[one.pair.supply.id, one.pair.row]) for one in ordered]
    best = options[ordered.index(chosen)] if chosen else None
    others = [option for option in options if option is not best]
    points = points_of(context, field.supplies, field.search.rows, field.pairs, options, ordered)
    if best is not None:
        best = with_distance(context, best)
        reasons = reasons_of(context, best, others, points)
        basis = (
            basis_of(context, best, measured=details[chosen.pair.supply.id, chosen.pair.row].measured) if chosen else ()
        )
        best = replace(best, reasons=(*reasons, *_idle(field, chosen, best)) if chosen else reasons, basis=basis)
    return Recommendation(
        feasible=best is not None,
        headline=headline(context, best, [one.chance for one in ordered]),
        model=summary_of(context.arch),
        recommended=best,
        alternatives=tuple(others),
        frontier=points,
        rejected=merged(field.search.rejected, field.supplies.rejected, field.unsold),
        nearest=() if best else nearest_training(context, field, pace_in(context, field)),
        drivers=drivers(best.cost.model) if best else (),
        flips=_flips(context, field, chosen, best, others) if chosen and best else (),
        certainty=certainty_of(context, field, chosen, pace_in(context, field), costs) if chosen else (),
        checked=held.told if held else None,
        gate=gate_of(context, field, chosen, details[chosen.pair.supply.id, chosen.pair.row], ordered)
        if chosen
        else None,
        advice=advised(context, best),
        assumptions=context.assume.all(),
        searched=field.search.searched,
        catalog_release=context.market.release,
        catalog_date=context.market.release_date,
        engine_version=ENGINE_VERSION,
    )


def _idle(field: Field, chosen: Costed, best: Option) -> Iterator[Finding]:
    supply = chosen.pair.supply
    return idle_beside(best, supply, field.supplies.clusters[supply.cluster].devices_per_node)


def _flips(context: Context, field: Field, chosen: Costed, best: Option, others: Sequence[Option]) -> tuple[Flip, ...]:
    rivals = [option for option in others if option.keeps_limits]
    shortest = sure_days(chosen, context)
    near_equal = context.assume["select.near_equal"]
    least = sure_cash(chosen, context) if context.spec.constraints.budget_usd else 0.0
    return flips_of(context, best, rivals, near_equal=near_equal, shortest_deadline=shortest, smallest_budget=least)


def glance_training(context: Context, *, settle: bool = True) -> Glance:
    """The choice of the same recommendation and its figures; the other finalists are costed, but not described.

    Where the likeliest clusters keep all limits, only those others are searched that could be better. Unless `settle`,
    when these are many, the best of the likeliest comes first.
    """
    some = likely(context)
    if some and (found := _likely_glance(context, some, settle=settle)):
        return found
    field = survey(context)
    best, ordered = _best_of(context, field)
    nearest = () if best else nearest_training(context, field, pace_in(context, field))
    found = _glance(context, field, best, nearest, settled=True, ordered=ordered)
    return replace(found, searched=some.counted(best, field)) if some and best else found


def _likely_glance(context: Context, some: Likely, *, settle: bool) -> Glance | None:
    """The choice among the clusters that could hold it; None where the likeliest of them keep no limits."""
    costs = Costs()
    field = some.offers(some.known) if some.known else None
    best = _best_of(context, field, costs)[0] if field else None
    if field is None or best is None:
        return None
    left = some.left(some.known, best)
    settled = not left
    if left and (settle or len(left) <= AT_ONCE or some.knows(left)):
        field, settled = some.offers(sorted({*some.known, *left})), True
        best, _ = _best_of(context, field, costs)
    glance = _glance(context, field, best, (), settled=settled)
    return replace(glance, searched=some.counted(best, field)) if settled and best else glance


def _best_of(context: Context, field: Field, costs: Costs | None = None) -> tuple[Costed | None, list[Costed]]:
    ordered = costed_finalists(context, field, pace_in(context, field), all_of_them=False, costs=costs)
    return best_of(context, ordered), ordered


def _glance(
    context: Context,
    field: Field,
    best: Costed | None,
    nearest: tuple[Nearest, ...],
    *,
    settled: bool,
    ordered: Sequence[Costed] = (),
) -> Glance:
    option = build_option(context, field.work, best, _detail(context, field, best.pair), whole=False) if best else None
    option = with_distance(context, option) if option else None
    return Glance(
        headline=headline(context, option, [one.chance for one in ordered]),
        best=option,
        nearest=nearest,
        searched=field.search.searched,
        settled=settled,
    )


def _detail(context: Context, field: Field, pair: Finalist) -> TrainingDetail:
    return describe(
        field.work, pair.cluster, field.search.rows, pair.row, context.assume, calibration=field.calibration
    )
