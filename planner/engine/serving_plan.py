"""The recommendation for a service: search each cluster, price every source, choose, say what else was possible."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.engine.advice import advise
from planner.engine.context import Context, summary_of
from planner.engine.cost import CostError, cash_needed, drivers
from planner.engine.flips import flips_of
from planner.engine.glance import Glance
from planner.engine.points import source_words
from planner.engine.remember import remembered, search_key
from planner.engine.result import Nearest, Option, Point, Recommendation
from planner.engine.select import pareto
from planner.engine.serving import ServingSearch, ServingWork, any_traffic, search, work_from
from planner.engine.serving.sizing import Known, Prospects, prospects, space_of
from planner.engine.serving_choice import CostedService, Search
from planner.engine.serving_nearest import nearest_serving
from planner.engine.serving_options import ServingFinalist, build_serving_option, may_hold, roughly
from planner.engine.supply import Supplies, supplies_for
from planner.engine.training_plan import merged
from planner.engine.version import ENGINE_VERSION

SHOWN = 20
"""Options described in full."""
_SLACK = 1.1
"""Rough costs may exceed the budget by this much before the exact ones decide."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """Everything that was searched for a service."""

    work: ServingWork
    supplies: Supplies
    search: ServingSearch
    finalists: tuple[ServingFinalist, ...]
    """Every (source, choice) pair, cheapest first."""


def survey(context: Context) -> Field:
    """All priced pairs of a serving spec."""
    work = work_from(context.spec, context.arch)
    supplies = supplies_for(context.spec, context.market)
    key = search_key("serving", work, supplies.clusters, context.spec.assumptions)
    found = remembered(key, lambda: search(work, supplies.clusters, assume=context.assume))
    pairs = [
        roughly(context, supply, choice)
        for supply in supplies.supplies
        for choice in found.choices
        if choice.cluster == supplies.clusters[supply.cluster] and may_hold(context, supply, choice)
    ]
    pairs.sort(key=lambda pair: (pair.monthly_usd, pair.choice.accelerators, pair.supply.id))
    return Field(work=work, supplies=supplies, search=found, finalists=tuple(pairs))


def recommend_serving(context: Context) -> Recommendation:
    """The answer to a serving spec."""
    field = survey(context)
    options = _options(context, field)
    best = next((option for option in options if option.meets_budget and option.meets_deadline), None)
    others = [option for option in options if option is not best]
    if best is not None:
        best = replace(best, reasons=(*_reasons(best, others), *best.reasons))
    return Recommendation(
        feasible=best is not None,
        headline=_headline(context, best),
        model=summary_of(context.arch),
        recommended=best,
        alternatives=tuple(others),
        frontier=_points(context, options),
        rejected=merged(field.search.rejected, field.supplies.rejected),
        nearest=() if best else tuple(nearest_serving(context, field.work, field.supplies, _cheapest(options))),
        drivers=drivers(best.cost.model) if best else (),
        flips=flips_of(context, best, [one for one in others if one.meets_deadline and one.meets_budget])
        if best
        else (),
        advice=advise(context.spec, best, device=context.market.devices[best.accelerator]) if best else (),
        assumptions=context.assume.all(),
        searched=field.search.searched,
        catalog_release=context.market.release,
        catalog_date=context.market.release_date,
        engine_version=ENGINE_VERSION,
    )


def glance_serving(context: Context, *, settle: bool) -> Glance:
    """The choice of the same recommendation and its figures.

    Unless `settle`, in steady state while what decides is not known from earlier simulations.
    """
    work = work_from(context.spec, context.arch)
    if not work.language or context.spec.objective in ("time", "carbon"):
        return _whole_glance(context)
    supplies = supplies_for(context.spec, context.market)
    field, known = _prospects(context, work, supplies)
    look = Search(context=context, field=field, supplies=supplies, known=known)
    if not settle and not known and work.requests_per_s:
        return _glance(context, field, look.steady(), (), settled=False)
    best, cheapest = look.settle()
    nearest: Iterable[Nearest] = ()
    if best is None:
        words = cheapest and f"{cheapest.pair.choice.accelerators} × {cheapest.pair.supply.device.name}"
        nearest = nearest_serving(context, work, supplies, (cheapest.cash, words) if cheapest and words else None)
    return _glance(context, field, best, nearest, settled=True)


def _glance(
    context: Context, field: Prospects, best: CostedService | None, nearest: Iterable[Nearest], *, settled: bool
) -> Glance:
    option = (
        build_serving_option(context, field.work, best.pair, whole=False, simulated=settled)
        if best is not None
        else None
    )
    return Glance(
        headline=_headline(context, option),
        best=option,
        nearest=tuple(nearest),
        searched=len(field.space.found),
        settled=settled,
    )


def _prospects(context: Context, work: ServingWork, supplies: Supplies) -> tuple[Prospects, Known]:
    """The closed form of all candidates and what simulations of them have shown so far; neither follows from the number
    of requests, except where it decides how a replica is run."""
    decides = bool(work.tpot_p95_ms) or work.speculative_accepted > 1 or work.batch is not None
    same = work if decides else replace(work, requests_per_s=1.0, load_curve=(), spare_replicas=0)
    changed, clusters, assume = context.spec.assumptions, supplies.clusters, context.assume
    layouts = search_key("space", any_traffic(work), clusters, changed)
    space = remembered(layouts, lambda: space_of(work, clusters, assume=assume))
    key = search_key("prospects", same, clusters, changed)
    field = remembered(key, lambda: prospects(same, clusters, assume=assume, space=space))
    known: Known = remembered(("sized", key), dict)
    return replace(field, work=work), known


def _whole_glance(context: Context) -> Glance:
    """Where all finalists must be described before one can be chosen."""
    field = survey(context)
    options = _options(context, field)
    best = next((option for option in options if option.meets_budget and option.meets_deadline), None)
    return Glance(
        headline=_headline(context, best),
        best=best,
        nearest=() if best else tuple(nearest_serving(context, field.work, field.supplies, _cheapest(options))),
        searched=field.search.searched,
    )


def _options(context: Context, field: Field) -> list[Option]:
    """The finalists in full: the cheapest of each accelerator, then of each source; from best to worst."""
    built = []
    for pair in _worth_describing(context, field.finalists):
        try:
            built.append(build_serving_option(context, field.work, pair))
        except CostError:
            continue
    key = {"time": _by_latency, "carbon": _by_carbon}.get(context.spec.objective, _by_cost)
    return sorted(built, key=lambda option: (not option.meets_budget, *key(option), option.id))


def _worth_describing(context: Context, pairs: Sequence[ServingFinalist]) -> list[ServingFinalist]:
    """Those that the budget may hold; and a few that it does not, those that need least first, so that the plan can say
    what they would have cost."""
    budget = context.spec.constraints.budget_usd
    if not budget:
        return _diverse(pairs, SHOWN)
    inside = _diverse([pair for pair in pairs if pair.cash <= budget * _SLACK], SHOWN)
    outside = sorted((pair for pair in pairs if pair.cash > budget * _SLACK), key=lambda pair: pair.cash)
    return [*inside, *_diverse(outside, 4 if inside else SHOWN)]


def _diverse(pairs: Sequence[ServingFinalist], most: int) -> list[ServingFinalist]:
    """The first of each accelerator, then of each source."""
    devices: dict[str, ServingFinalist] = {}
    sources: dict[str, ServingFinalist] = {}
    for pair in pairs:
        devices.setdefault(pair.supply.device.slug, pair)
        sources.setdefault(pair.supply.id, pair)
    heads = list(devices.values())[: math.ceil(most * 0.7)]
    return (heads + [pair for pair in sources.values() if pair not in heads])[:most]


def _by_cost(option: Option) -> tuple[float, float]:
    return (option.cost.total.expected, _latency(option))


def _by_latency(option: Option) -> tuple[float, float]:
    return (_latency(option), option.cost.total.expected)


def _by_carbon(option: Option) -> tuple[float, float]:
    kg = option.energy.kg_co2e
    return (kg.expected if kg else math.inf, option.cost.total.expected)


def _latency(option: Option) -> float:
    return option.serving.ttft_ms.p95.expected if option.serving else math.inf


def _headline(context: Context, best: Option | None) -> str:
    if best is None or best.serving is None:
        return "No option in the catalog keeps this promise within the limits you set."
    serving = best.serving
    replicas = "1 replica" if serving.replicas == 1 else f"{serving.replicas} replicas"
    spare = f" and {serving.spare_replicas} spare" if serving.spare_replicas else ""
    monthly = float(f"{serving.monthly.expected:.3g}")
    if context.spec.serving is not None and context.spec.serving.batch and not context.spec.serving.requests_per_s:
        return (
            f"{replicas} of {serving.accelerators_per_replica} × {best.accelerator_name} ({source_words(best.id)}) "
            f"finish the batch in {best.days.expected * 24:.1f} hours for about "
            f"{float(f'{best.cost.total.expected:.3g}'):,.0f} USD."
        )
    return (
        f"{replicas}{spare} of {serving.accelerators_per_replica} × {best.accelerator_name} "
        f"({source_words(best.id)}) serve the peak for about {monthly:,.0f} USD a month."
    )


def _reasons(best: Option, others: Sequence[Option]) -> tuple[str, ...]:
    """Why this option: against the next accelerator, its latency, its memory."""
    found = []
    rivals = [option for option in others if option.accelerator != best.accelerator and option.meets_budget]
    if rivals:
        rival = min(rivals, key=lambda option: option.cost.total.expected)
        saved = 1.0 - best.cost.total.expected / rival.cost.total.expected
        name = f"{rival.count} × {rival.accelerator_name} ({source_words(rival.id)})"
        found.append(
            f"It costs {saved:.0%} less than the next best accelerator, {name}."
            if saved >= 0.01
            else f"It costs about the same as {name}."
        )
    else:
        found.append("No other accelerator that you allow keeps the promise within the limits.")
    if best.serving is not None:
        found.append(
            f"At the peak each replica carries {best.serving.utilisation:.0%} of the load it can hold the promise at; "
            f"what limits it is {best.binding.lower()}."
        )
    used, room = best.memory.total_gb.expected, best.memory.capacity_gb
    cached = any(part.key == "kv_cache" and part.value > 0 for part in best.memory.parts)
    what = "cache" if cached else "activations"
    found.append(f"Weights, {what} and buffers take {used:.1f} of {room:.1f} GB on each accelerator.")
    return tuple(found)


def _points(context: Context, options: Sequence[Option]) -> tuple[Point, ...]:
    """Cost against p95 time to first token, since a service has no finish."""
    if not options:
        return ()
    front = pareto(
        np.array([_latency(option) for option in options]), np.array([o.cost.total.expected for o in options])
    )
    budget = context.spec.constraints.budget_usd
    return tuple(
        Point(
            option_id=option.id,
            label=f"{option.count} × {option.accelerator_name}, {source_words(option.id)}",
            days=_latency(option),
            cost_usd=option.cost.total.expected,
            on_frontier=bool(on),
            feasible=option.meets_budget,
            reason="" if option.meets_budget else f"{_cash(option) - budget:,.0f} USD over the budget",
        )
        for option, on in zip(options, front, strict=True)
    )


def _cheapest(options: Sequence[Option]) -> tuple[float, str] | None:
    """What a budget must hold at least [USD], and for which hardware; None without any option."""
    best = min(options, key=_cash, default=None)
    return (_cash(best), f"{best.count} × {best.accelerator_name}") if best else None


def _cash(option: Option) -> float:
    return cash_needed(option.cost.model, option.cost.total.expected)
