"""The recommendation for a service: search each cluster, price every source, choose, say what else was possible."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.answer import Flip, Glance, Nearest, Option, Point, Recommendation, Rejection
from engine.choice.advice import advised
from engine.choice.balanced import balanced_beside
from engine.choice.beside import nearest_of
from engine.choice.flips import flips_of
from engine.choice.idle import idle_beside
from engine.choice.kept import kept_limits
from engine.choice.select import pareto
from engine.choice.surer import surer_beside
from engine.choice.unpriced import refusal
from engine.context import SEED, Context, summary_of
from engine.inputs.finding import Finding, Quantity, Ref, Sum, Value, finding
from engine.inputs.named import device_ref, hardware, hardware_of, source_of, source_of_option
from engine.kinds.service import ServingSearch, ServingWork
from engine.kinds.service.alternatives import with_patterns
from engine.kinds.service.basis import basis_of, with_distance
from engine.kinds.service.bought_by import bought_by
from engine.kinds.service.certainty import OtherSizes, certainty_of, chosen_of, measured_first
from engine.kinds.service.checked import held_against_others
from engine.kinds.service.choice import CostedService
from engine.kinds.service.costs import ServingFinalist, second_offer
from engine.kinds.service.description import drafts_left_off
from engine.kinds.service.gate import gate_of
from engine.kinds.service.held import SLACK, budgeted_with, there_in_time, waiting
from engine.kinds.service.least import least_of_all
from engine.kinds.service.levers import levers_of
from engine.kinds.service.nearest import Cheapest, nearest_serving
from engine.kinds.service.options import AT_RISK, build_serving_option
from engine.kinds.service.pairs import by_cluster, priced, searched
from engine.kinds.service.prospects import Prospects
from engine.kinds.service.ranks import by_cost, in_order, in_rank, latency
from engine.kinds.service.settled import looking, settled
from engine.kinds.service.sizing import Spent, Tries
from engine.kinds.service.soonest import soonest_first
from engine.kinds.service.standing import work_of
from engine.kinds.service.surest import surest
from engine.kinds.service.upheld import with_what_holds
from engine.money.cost import CostError, draw, drivers
from engine.money.draws import kept_with
from engine.money.schedule import wait_days
from engine.money.signed import signed_beside
from engine.supply import Supplies, Supply, examples_of, merged
from engine.version import ENGINE_VERSION

SHOWN = 20
"""Options described in full."""
AT_ONCE = 24
"""So many candidates are simulated before the first number, which then is the last one."""
_CHEAPEST = 4
"""Of those that cost least by their exact sums, so many beside those that are ranked first."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """Everything that was searched for a service."""

    work: ServingWork
    supplies: Supplies
    search: ServingSearch
    finalists: tuple[ServingFinalist, ...]
    """Every (source, choice) pair, the best for the objective first."""


@dataclass(frozen=True, kw_only=True)
class _Surveyed:
    """The finalists of a request at one confidence, and the best of them described."""

    field: Field
    options: list[Option]

    @property
    def able(self) -> bool:
        """Is one kept, or fail all for another reason than how surely the promise is?"""
        if any(option.keeps_limits for option in self.options):
            return True
        return bool(self.options) and not any(replace(option, sure=True).keeps_limits for option in self.options)


def survey(context: Context) -> _Surveyed:
    """All priced pairs of a serving spec, at the confidence that is asked or the surest at which something keeps its promise."""
    work = work_of(context)
    return surest(work, lambda each: _surveyed(context, each), lambda one: one.able)[1]


def _surveyed(context: Context, work: ServingWork) -> _Surveyed:
    found = searched(context, work)
    pairs = in_order(context, work, priced(context, work, context.supplies, found.choices))
    pairs = soonest_first(context, work, pairs)
    field = Field(work=work, supplies=context.supplies, search=found, finalists=tuple(pairs))
    return _Surveyed(field=field, options=_options(context, field))


def _begun(context: Context) -> tuple[Context, _Surveyed]:
    """What was found among sources that serve from the start; where none of them keeps what is asked, among those too for which the
    service would have to wait."""
    late = waiting(context)
    if len(late) == len(context.supplies.supplies):
        context = replace(context, late=True)
    found = survey(context)
    if late and not context.late and not any(option.keeps_limits for option in found.options):
        context = replace(context, late=True)
        found = survey(context)
    return context, found


def recommend_serving(context: Context) -> Recommendation:
    """The answer to a serving spec."""
    context, found = _begun(context)
    field, options = found.field, found.options
    best = next((option for option in options if option.keeps_limits), None)
    held = held_against_others(context, field.work, field.finalists, options, best) if best else None
    if held and held.better:
        options = in_rank(context, field.work, [*options, *held.better])
        best = options[0]
    others = [option for option in options if option is not best]
    chosen = chosen_of(field.finalists, best) if best else None
    sizes = OtherSizes(context, field.work, chosen) if chosen else None
    certainty = certainty_of(context, field.work, field.finalists, best, sizes) if best and sizes else ()
    gate = gate_of(context, field.work, field.finalists, best, others, sizes) if best and sizes else None
    if best is not None:
        balanced = balanced_beside(context, best, _points(context, options))
        surer = surer_beside(context, best, others) if by_cost(context, field.work) else ()
        taken = _taken(context, field.work, best, chosen)
        reasons = (*_reasons(context, best, others), *surer, *balanced, *taken, *best.reasons)
        best = with_distance(field.work, chosen.choice, best) if chosen else best
        basis = basis_of(context, field.work, chosen.choice, best) if chosen else ()
        best = replace(best, reasons=reasons, basis=basis)
        best = with_what_holds(context, _with_gate(context, field.work, chosen, best, told=bool(gate and gate.pays)))
    return Recommendation(
        feasible=best is not None,
        headline=_headline(context, best),
        model=summary_of(context.arch),
        recommended=best,
        alternatives=tuple(others),
        frontier=_points(context, options),
        rejected=merged(
            field.search.rejected,
            field.supplies.rejected,
            _not_there_yet(context, field),
            _without_second(field),
        ),
        nearest=() if best else tuple(nearest_serving(context, _cheapest(context, field.work, options))),
        drivers=drivers(best.cost.model) if best else (),
        flips=_flips(context, field.work, best, others) if best else (),
        certainty=certainty,
        checked=held.told if held else None,
        levers=tuple(levers_of(context, field.work, best)) if best else (),
        gate=gate,
        advice=advised(context, best),
        assumptions=context.assume.all(),
        searched=field.search.searched,
        catalog_release=context.market.release,
        catalog_date=context.market.release_date,
        engine_version=ENGINE_VERSION,
    )


def _flips(context: Context, work: ServingWork, best: Option, others: Sequence[Option]) -> tuple[Flip, ...]:
    return flips_of(
        context,
        best,
        [one for one in others if one.keeps_limits],
        near_equal=context.assume["select.near_equal"],
        smallest_budget=_sure_cash(context, work, best),
    )


def _not_there_yet(context: Context, field: Field) -> tuple[Rejection, ...]:
    """Hardware that would do the work and comes too late for it."""
    held = by_cluster(field.supplies.clusters, field.search.choices)
    later: dict[str, Supply] = {}
    for supply in field.supplies.supplies:
        able = held[supply.cluster]
        if able and not any(there_in_time(context, supply, choice) for choice in able):
            later[supply.id] = supply
    if not later:
        return ()
    soonest = min(later.values(), key=lambda supply: wait_days(context, supply))
    nearest = finding(
        "example.late_delivery",
        accelerator=device_ref(soonest.device),
        source=source_of(soonest),
        wait=Quantity(wait_days(context, soonest), "day"),
    )
    return (Rejection(code="delivery", reason=finding("left_out.delivery"), count=len(later), nearest=nearest),)


def _without_second(field: Field) -> tuple[Rejection, ...]:
    """Hardware that would do the work and is had at one site only, where two are asked for."""
    held = by_cluster(field.supplies.clusters, field.search.choices)
    alone = [
        one
        for one in field.supplies.supplies
        if one.second is None and any(choice.standby.apart for choice in held[one.cluster])
    ]
    if not alone:
        return ()
    examples = examples_of(list(dict.fromkeys(device_ref(one.device) for one in alone)))
    return (Rejection(code="second_site", reason=finding("left_out.second_site"), count=len(alone), nearest=examples),)


def glance_serving(context: Context, *, settle: bool) -> Glance:
    """The choice of the same recommendation and its figures.

    Unless `settle`, in steady state where what decides needs many simulations that are not known from earlier ones.
    """
    late = waiting(context)
    if late and len(late) == len(context.supplies.supplies):
        return _settled_glance(replace(context, late=True), settle=settle)
    found = _settled_glance(context, settle=settle)
    if found.best is not None or not late or not found.settled:
        return found
    return _settled_glance(replace(context, late=True), settle=settle)


def _settled_glance(context: Context, *, settle: bool) -> Glance:
    """The same among sources that serve from the start, or as the context says."""
    work = work_of(context)
    if not work.language or not by_cost(context, work):
        return _whole_glance(context)
    tries = Tries(left=math.inf if settle or not work.requests_per_s else AT_ONCE)
    try:
        _, found = surest(work, lambda each: settled(context, each, tries), lambda one: bool(one.best or one.cheapest))
    except Spent:
        with looking(context, work) as look:
            return _glance(context, look.field, look.steady(), (), settled=False)
    field, best, cheapest = found.field, found.best, found.cheapest
    nearest: Iterable[Nearest] = ()
    if best is None:
        nearest = nearest_serving(context, _named(cheapest) if cheapest else None, whole=False)
    glance = _glance(context, field, best, nearest, settled=True)
    # Described in full it may be a little less sure than the search thought: then the plan chooses another one.
    return glance if glance.best is None or glance.best.keeps_limits else _whole_glance(context)


def _glance(
    context: Context, field: Prospects, best: CostedService | None, nearest: Iterable[Nearest], *, settled: bool
) -> Glance:
    option = (
        build_serving_option(context, field.work, best.pair, whole=False, simulated=settled)
        if best is not None
        else None
    )
    if option is not None and best is not None:
        option = with_distance(field.work, best.pair.choice, option)
        option = _with_gate(context, field.work, best.pair, option) if settled else option
    return Glance(
        headline=_headline(context, option),
        best=option,
        nearest=tuple(nearest),
        searched=len(field.space.found),
        settled=settled,
    )


def _with_gate(
    context: Context, work: ServingWork, pair: ServingFinalist | None, best: Option, *, told: bool = False
) -> Option:
    """The recommendation with the measurement that may come before it, where certainty is what is paid for and unless that is `told`,
    and with the other patterns in which its replicas could stand by."""
    if pair is None:
        return best
    gate = () if told else measured_first(context, work, pair, best)
    risk = tuple(found for found in best.warnings if found.code == AT_RISK)
    rest = (found for found in best.warnings if found.code != AT_RISK)
    return with_patterns(context, work, pair, replace(best, warnings=(*risk, *gate, *rest)))


def _whole_glance(context: Context) -> Glance:
    """Where all finalists must be described before one can be chosen."""
    context, found = _begun(context)
    field, options = found.field, found.options
    best = next((option for option in options if option.keeps_limits), None)
    if best is not None:
        chosen = chosen_of(field.finalists, best)
        best = with_distance(field.work, chosen.choice, best) if chosen else best
        best = _with_gate(context, field.work, chosen, best)
    return Glance(
        headline=_headline(context, best),
        best=best,
        nearest=() if best else tuple(nearest_serving(context, _cheapest(context, field.work, options), whole=False)),
        searched=field.search.searched,
    )


def _options(context: Context, field: Field) -> list[Option]:
    """The finalists in full: the best of each accelerator, then of each source, and a few that cost least by their exact sums, so that
    none of them is overlooked and a plan by another objective can say what that costs; from best to worst."""
    built, told = [], _worth_describing(context, field.finalists)
    sure = context.assume["select.confidence"]
    by_sum = field.finalists
    if not by_cost(context, field.work):
        by_sum = tuple(sorted(by_sum, key=lambda pair: (pair.kept(sure), pair.choice.accelerators)))
    told += [pair for pair in least_of_all(context, field.work, by_sum, _CHEAPEST) if pair not in told]
    for pair in told:
        try:
            built.append(build_serving_option(context, field.work, pair))
        except CostError:
            continue
    return in_rank(context, field.work, built)


def _worth_describing(context: Context, pairs: Sequence[ServingFinalist]) -> list[ServingFinalist]:
    """Those that the budget may hold; and a few that it does not, those that need least first, so that the plan can say
    what they would have cost."""
    budget = context.spec.constraints.budget_usd
    if not budget:
        return _diverse(pairs, SHOWN)
    inside = _diverse([pair for pair in pairs if pair.cash <= budget * SLACK], SHOWN)
    outside = sorted((pair for pair in pairs if pair.cash > budget * SLACK), key=lambda pair: pair.cash)
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


def _headline(context: Context, best: Option | None) -> Finding:
    asked = context.spec.serving
    if best is None or best.serving is None:
        if asked is not None and asked.batch is not None:
            return refusal(context) or finding("refusal.batch")
        return refusal(context) or finding(
            "refusal.promise" if asked is not None and asked.promised else "refusal.load"
        )
    serving = best.serving
    values: dict[str, Value] = {
        "replicas": serving.replicas,
        "spares": serving.spare_replicas,
        "hardware": hardware(
            serving.accelerators_per_replica,
            Ref("accelerator", best.accelerator, best.accelerator_name),
            source_of_option(best),
        ),
        "signed": signed_beside(best.cost.signed),
    }
    if serving.monthly is None:
        time = Quantity(best.days.expected, "day")
        return finding("headline.batch", **values, time=time, cost=Sum(best.cost.total.expected))
    code = "headline.service.spares" if serving.spare_replicas else "headline.service"
    if serving.standing and not serving.standing.holds:
        code += ".unavailable"
        values["availability"] = Quantity(serving.standing.availability, "availability")
        values["asked"] = Quantity(serving.standing.asked, "availability")
    return finding(code, **values, cost=Sum(serving.monthly.expected))


def _reasons(context: Context, best: Option, others: Sequence[Option]) -> Iterator[Finding]:
    """Why this option: against the next accelerator, its latency, its memory."""
    promised = context.spec.serving is not None and context.spec.serving.promised
    batch = best.serving is not None and best.serving.monthly is None
    able = [option for option in others if option.keeps_limits]
    rivals = [option for option in able if option.accelerator != best.accelerator]
    if rivals:
        yield from nearest_of(context, best, rivals, able)
    else:
        yield finding(
            "reason.no_rival.batch" if batch else "reason.no_rival.promise" if promised else "reason.no_rival.load"
        )
    yield from _in_time(context, best)
    if best.serving is not None:
        use, bound = Quantity(best.serving.utilisation, "share"), Ref("word", f"bound.{best.binding}")
        code = "reason.use.batch" if batch else "reason.use.promise" if promised else "reason.use.load"
        yield finding(code, use=use, bound=bound)
    used, room = best.memory.total_gb.expected, best.memory.capacity_gb
    cached = any(part.key == "kv_cache" and part.value > 0 for part in best.memory.parts)
    yield finding(
        "reason.room.cache" if cached else "reason.room",
        used=Quantity(used * 1e9, "byte"),
        room=Quantity(room * 1e9, "byte"),
    )


def _taken(context: Context, work: ServingWork, best: Option, pair: ServingFinalist | None) -> Iterator[Finding]:
    """Which promise takes the hardware, and what of it nobody uses."""
    if pair:
        yield from drafts_left_off(work, pair.choice)
        yield from bought_by(context, work, pair, best)
        yield from idle_beside(best, pair.supply, pair.choice.cluster.devices_per_node)


def _in_time(context: Context, best: Option) -> Iterator[Finding]:
    """How likely a batch ends by its deadline, and within its budget."""
    batch = context.spec.serving.batch if context.spec.serving else None
    if batch is not None and best.probability_in_time is not None:
        yield kept_limits(best, Quantity(batch.deadline_hours, "hour"), best.probability_in_time)


def _points(context: Context, options: Sequence[Option]) -> tuple[Point, ...]:
    """Cost against the days of a batch, or against the p95 time to first token of a service, which has no finish."""
    if not options:
        return ()
    batch = context.spec.serving is not None and context.spec.serving.batch is not None
    paces = [option.days.expected if batch else latency(option) for option in options]
    front = pareto(np.array(paces), np.array([o.cost.total.expected for o in options]))
    return tuple(
        Point(
            option_id=option.id,
            label=hardware_of(option),
            days=pace if batch else None,
            ttft_p95_ms=None if batch else pace,
            cost=option.cost.total.expected,
            at_confidence=option.cost.at_confidence,
            npv_at_confidence=option.cost.npv_at_confidence,
            on_frontier=bool(on),
            feasible=option.keeps_limits,
            reason=None if option.keeps_limits else _miss(context, option),
        )
        for option, pace, on in zip(options, paces, front, strict=True)
    )


def _miss(context: Context, option: Option) -> Finding:
    """Which limit is broken, and by how much."""
    budget, asked = context.spec.constraints.budget_usd, context.assume["select.confidence"]
    if budget and _cash(option) > budget:
        return finding("miss.budget", over=Sum(_cash(option) - budget))
    chance = option.chance.all if option.chance else 0.0
    return finding("miss.chance", chance=Quantity(chance, "chance"), asked=Quantity(asked, "chance"))


def _cheapest(context: Context, work: ServingWork, options: Sequence[Option]) -> Cheapest | None:
    """The option that needs the smallest budget, as surely as is asked; None without any."""
    costs = [(_sure_cash(context, work, option), option) for option in options]
    if not costs:
        return None
    cash, best = min(costs, key=lambda pair: pair[0])
    return Cheapest(cash=cash, hardware=hardware_of(best), signed=best.cost.signed)


def _sure_cash(context: Context, work: ServingWork, option: Option) -> float:
    """The smallest budget [USD] that it keeps as surely as is asked."""
    spent = draw(option.cost.model, assume=context.assume, seed=SEED).cash
    return kept_with(spent, budgeted_with(context, work))


def _named(one: CostedService) -> Cheapest:
    supply, choice = one.pair.supply, one.pair.choice
    found = hardware(choice.accelerators, device_ref(supply.device), source_of(supply, second_offer(supply, choice)))
    return Cheapest(cash=one.cash, hardware=found, signed=one.signed)


def _cash(option: Option) -> float:
    return option.cost.cash_needed
