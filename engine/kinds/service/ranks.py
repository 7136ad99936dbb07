"""In which order a service's finalists are looked at, and options are told: by what the request asked to be least.

Only the first finalists are described, so they must be ordered by the objective before anything is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from engine.answer import Estimate, Option
from engine.choice.near_equal import entry_of, leader_first
from engine.context import Context
from engine.inputs.assumptions import Assumptions
from engine.kinds.service import ServingChoice, ServingWork, describe
from engine.kinds.service.costs import ServingFinalist, batch_days, cost_draws, second_of, service_model, spans_of
from engine.kinds.service.load import size_sigma
from engine.kinds.service.work import is_batch
from engine.money.cost import CostError
from engine.money.draws import kept_with
from engine.money.energy import energy_of
from engine.money.schedule import kept_deadline
from engine.odds.chances import within_surely

Rank = tuple[float, float]


def by_cost(context: Context, work: ServingWork) -> bool:
    """Is it ranked by cost alone? A service lasts as long as it was asked to: its cost × days is least where its cost is."""
    objective = context.spec.objective
    return objective == "cost" or (objective == "balanced" and not is_batch(work))


def in_order(context: Context, work: ServingWork, pairs: Sequence[ServingFinalist]) -> list[ServingFinalist]:
    """Finalists that come by cost, with the best for the objective first."""
    if by_cost(context, work):
        return list(pairs)
    score = {"carbon": _kg, "balanced": _usd_days}.get(context.spec.objective, _soon)
    return sorted(pairs, key=lambda pair: score(context, work, pair))


def exact_score(context: Context, work: ServingWork, pair: ServingFinalist) -> float:
    """What the request asked to be least, of a finalist that is not described. CostError where it has no cost."""
    if by_cost(context, work):
        return sure_total(context, work, pair)
    if context.spec.objective == "balanced":
        return sure_total(context, work, pair) * _days(context, work, pair)
    if context.spec.objective == "time" and not is_batch(work):
        return answers_in_ms(work, pair.choice, context.assume)
    return {"carbon": _kg}.get(context.spec.objective, _soon)(context, work, pair)


def answers_in_ms(work: ServingWork, choice: ServingChoice, assume: Assumptions) -> float:
    """Time to the first token of 19 of 20 requests under the load of the peak [ms], as an option tells it."""
    return describe(work, choice, assume, whole=False).result.ttft_ms.p95.expected


def sure_total(context: Context, work: ServingWork, pair: ServingFinalist) -> float:
    """What the cash that it causes is worth at most, as surely as is asked [USD]. CostError where it has no cost."""
    return kept_with(cost_draws(context, work, pair).ranked, context.assume["select.confidence"])


def rank(context: Context, work: ServingWork) -> Callable[[Option], Rank]:
    """The same for options that are wholly described: what is least, then what is told apart by."""
    if by_cost(context, work):
        return _by_cost
    sure = context.assume["select.confidence"]

    def end(option: Option) -> float:
        return within_surely(option.days.expected, option.days.high, sure)

    def by_end(option: Option) -> Rank:
        return (end(option), option.cost.ranked_by)

    def by_both(option: Option) -> Rank:
        return (option.cost.ranked_by * end(option), end(option))

    soonest = by_end if is_batch(work) else _by_latency
    return {"carbon": _by_carbon, "balanced": by_both}.get(context.spec.objective, soonest)


def in_rank(context: Context, work: ServingWork, options: Sequence[Option]) -> list[Option]:
    """Those that keep the limits first, each group from best to worst; where cost alone decides, first the one that leads among those
    that cost nearly the least."""
    key = rank(context, work)
    ordered = sorted(options, key=lambda option: (not option.keeps_limits, *key(option), option.id))
    if not by_cost(context, work):
        return ordered
    able = [option for option in ordered if option.keeps_limits]
    return [*leader_first(able, entry_of, context.assume["select.near_equal"]), *ordered[len(able) :]]


def _soon(context: Context, work: ServingWork, pair: ServingFinalist) -> float:
    return _days(context, work, pair) if is_batch(work) else pair.choice.ttft_p95_ms


def _usd_days(context: Context, work: ServingWork, pair: ServingFinalist) -> float:
    return pair.kept(context.assume["select.confidence"]) * _days(context, work, pair)


def _days(context: Context, work: ServingWork, pair: ServingFinalist) -> float:
    """Days in which a batch ends as surely as is asked."""
    busy = batch_days(pair.choice, size_sigma(pair.choice.cluster.device, work))
    return kept_deadline(context, pair.supply, busy, context.assume["select.confidence"])


def _kg(context: Context, work: ServingWork, pair: ServingFinalist) -> float:
    """Emissions [kg CO₂e] as the option tells them; where they are unknown, it comes last."""
    supply, choice = pair.supply, pair.choice
    try:
        model = service_model(context, work, pair)
    except CostError:
        return math.inf
    days = choice.accelerator_hours * spans_of(context) / (24.0 * choice.accelerators)
    held = Estimate(low=days, expected=days, high=days, unit="day")
    second = second_of(supply, choice)
    kg = energy_of(context, supply, choice.accelerators, held, model, second=second).kg_co2e
    return kg.expected if kg else math.inf


def _by_cost(option: Option) -> Rank:
    return (option.cost.ranked_by, latency(option))


def _by_latency(option: Option) -> Rank:
    return (latency(option), option.cost.ranked_by)


def _by_carbon(option: Option) -> Rank:
    kg = option.energy.kg_co2e
    return (kg.expected if kg else math.inf, option.cost.ranked_by)


def latency(option: Option) -> float:
    """Time to the first token of 19 of 20 requests [ms]."""
    return option.serving.ttft_ms.p95.expected if option.serving else math.inf
