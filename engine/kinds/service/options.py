"""One finalist of a service, wholly described: replicas, latency, memory, money, energy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from engine.answer import Chance, Cost, CostModel, Estimate, Money, Option, ServingResult, Standing, scaled
from engine.choice.cautions import offer_warnings, porting_warning
from engine.choice.sure import asked_of, enough, is_sure
from engine.choice.terms_noted import terms_noted
from engine.context import SEED, Context
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import Finding, Quantity, Ref, finding
from engine.kinds.service import ServingChoice, ServingDetail, ServingWork, describe
from engine.kinds.service.costs import (
    DAYS_PER_MONTH,
    ServingFinalist,
    around_of,
    batch_days,
    ends,
    months_of,
    priced_model,
    second_of,
    spans_of,
)
from engine.kinds.service.hosted import Hosted, hosted_beside
from engine.kinds.service.load import load_sigma
from engine.kinds.service.standing import standing_of
from engine.kinds.service.work import demand, is_batch
from engine.money.buying import comparison_of
from engine.money.caused import caused
from engine.money.cost import cash_needed, draw, probability, signed_of, total_of, with_cash
from engine.money.decision import decision_of
from engine.money.draws import Draws, band_of, kept_with, probability_of_both
from engine.money.energy import energy_of
from engine.money.schedule import finish_date, probability_in_time, wait_of
from engine.odds.chances import chance_within, promise_of
from engine.odds.evidence import serving_evidence
from engine.odds.normal import P90
from engine.odds.waits import ended
from engine.reliability.outages import HOURS_PER_YEAR
from engine.supply import Supply

AT_RISK = "warning.at_risk"
"""That a promise is kept less surely than was asked, because nothing keeps it so surely."""
UNAVAILABLE = "warning.unavailable"
"""That a service is up for less of the time than is asked."""


def build_serving_option(
    context: Context, work: ServingWork, pair: ServingFinalist, *, whole: bool = True, simulated: bool = True
) -> Option:
    """The option with bands, latency and money. CostError when it has no cost.

    Unless `whole`, without cash flow and the comparison with bought hardware, which a live panel does not show. Unless
    `simulated`, latencies are those of the steady state.
    """
    supply, choice = pair.supply, pair.choice
    detail = describe(work, choice, context.assume, simulated=simulated, whole=whole)
    months = months_of(context, choice)
    model = priced_model(context, work, pair)
    model = with_cash(model, context.start) if whole else model
    outcome = draw(model, assume=context.assume, seed=SEED, decision=decision_of(context))
    total = band_of(outcome.total, total_of(model), model.currency)
    limits = context.spec.constraints
    days = _days(context, supply, choice, detail)
    chance = probability_in_time(context, supply, batch_days(choice, detail.log_sigma))
    odds = _chance(context, work, choice, detail, outcome, chance)
    spans = spans_of(context)
    hours = scaled(replace(detail.accelerator_hours, unit="h"), spans)
    hosted = _hosted(context, detail, total, spans) if whole and work.language else None
    standing = standing_of(context, work, supply, choice, normal_ms=detail.normal_ms)
    return Option(
        id=f"{supply.id}:{choice.accelerators}:{detail.precision}",
        kind=supply.kind,
        accelerator=supply.device.slug,
        accelerator_name=supply.device.name,
        count=choice.accelerators,
        nodes=choice.nodes,
        offer=supply.offer,
        on_prem=supply.system.slug if supply.system and not supply.offer else "",
        system_name=supply.system.name if supply.system and not supply.offer else "",
        parallelism=detail.layout,
        precision=detail.precision,
        recompute="none",
        micro_batch=1,
        gradient_accumulation=1,
        global_batch=detail.result.max_batch,
        framework=detail.engine,
        step_time_s=None,
        steps=0,
        tokens_per_s=detail.tokens_per_s,
        mfu=Estimate(low=0.0, expected=0.0, high=0.0, unit="1"),
        days=days,
        finish=finish_date(context.start, days.expected),
        accelerator_hours=hours,
        memory=detail.memory,
        time=detail.time,
        cost=_cost(context, pair, model, total, hours, months, drawn=outcome, whole=whole),
        checkpoint=None,
        serving=replace(
            _serving(detail, total, months=0.0 if ends(context) else months, spans=spans, hosted=hosted),
            standing=standing,
        ),
        energy=energy_of(
            context,
            supply,
            choice.accelerators,
            _busy_days(hours, choice.accelerators),
            model,
            second=second_of(supply, choice),
        ),
        meets_deadline=enough(chance, context.assume["select.confidence"]),
        meets_budget=not limits.budget_usd or cash_needed(model) <= limits.budget_usd,
        sure=_is_sure(context, work, odds),
        probability_in_time=chance,
        probability_in_budget=probability(outcome.cash, limits.budget_usd),
        probability_of_both=probability_of_both(outcome, chance, limits.budget_usd),
        chance=odds,
        binding=detail.result.bound,
        reasons=(),
        warnings=(
            *_at_risk(context, work, odds),
            *_short_standing(standing),
            *detail.warnings,
            *((hosted.told,) if hosted and hosted.cheaper else ()),
            *terms_noted(context, supply, model),
            *offer_warnings(context, supply, choice.accelerators),
        ),
        porting=porting_warning(context, supply),
        evidence=serving_evidence(context.arch, supply.device, detail.precision),
    )


def _chance(
    context: Context,
    work: ServingWork,
    choice: ServingChoice,
    detail: ServingDetail,
    outcome: Draws,
    in_time: float | None,
) -> Chance:
    """How likely it keeps its limits. A stack that is slower than thought is slower in all that it does, so load and promise
    hold in the same draws; prices have nothing to do with it."""
    budget = context.spec.constraints.budget_usd
    within, both = probability(outcome.cash, budget), probability_of_both(outcome, in_time, budget)
    if is_batch(work):
        stated = next((value for value in (both, in_time, within) if value is not None), 1.0)
        return Chance(all=stated, deadline=in_time, budget=within)
    load = carried_chance(choice.replicas * choice.carries_per_replica, work, choice, context.assume)
    promise = promise_of(detail.result.ttft_ms, detail.result.tpot_ms, context.spec.serving)
    served = load if promise is None else min(load, promise)
    return Chance(all=served * (1.0 if within is None else within), budget=within, promise=promise, capacity=load)


def _is_sure(context: Context, work: ServingWork, odds: Chance) -> bool:
    """Are its limits kept as surely as is asked? Of a promise that nothing keeps so surely, all but that; one that is kept so surely
    by itself is no excuse for a budget."""
    if _risked(context, work, odds):
        within = 1.0 if odds.budget is None else odds.budget
        return enough((odds.capacity or 0.0) * within, context.assume["select.confidence"])
    return is_sure(odds, asked_of(context.assume))


def _at_risk(context: Context, work: ServingWork, odds: Chance) -> Iterator[Finding]:
    """That nothing keeps the promise as surely as is asked."""
    if _risked(context, work, odds) and odds.promise is not None:
        asked = context.assume["select.confidence"]
        yield finding(AT_RISK, chance=Quantity(odds.promise, "chance"), asked=Quantity(asked, "chance"))


def _risked(context: Context, work: ServingWork, odds: Chance) -> bool:
    """Is its promise kept less surely than was asked, where nothing keeps it so surely?"""
    return work.kept < work.sure and odds.promise is not None and odds.promise < context.assume["select.confidence"]


def _short_standing(standing: Standing | None) -> Iterator[Finding]:
    """That the service is up for less of the time than is asked, and what of it no spare replica mends."""
    if standing is None or standing.holds:
        return
    worst = max(standing.lost, key=lambda one: one.hours_per_year)
    yield finding(
        UNAVAILABLE,
        availability=Quantity(standing.availability, "availability"),
        asked=Quantity(standing.asked, "availability"),
        hours=Quantity((1.0 - standing.availability) * HOURS_PER_YEAR, "hour"),
        worst=Ref("word", f"lost.{worst.cause}"),
        most=Quantity(worst.hours_per_year, "hour"),
    )


def carried_chance(most: float, work: ServingWork, choice: ServingChoice, assume: Assumptions) -> float:
    """Probability that replicas which serve so much at most [request/s] carry the peak, both as uncertain as they are."""
    sigma = load_sigma(choice.cluster.device, work, assume)
    return chance_within(most, demand(work), demand(work) * math.exp(P90 * sigma))


def _days(context: Context, supply: Supply, choice: ServingChoice, detail: ServingDetail) -> Estimate:
    """The costed time of a service is exact; a batch ends after its hardware is there and as long as its throughput is
    uncertain."""
    if ends(context):
        return ended(wait_of(context, supply), batch_days(choice, detail.log_sigma, detail.because))
    days = months_of(context, choice) * DAYS_PER_MONTH
    return Estimate(
        low=days,
        expected=days,
        high=days,
        unit="day",
        because=() if context.spec.horizon_months else ("service.months",),
    )


def _busy_days(hours: Estimate, count: int) -> Estimate:
    """Days that all accelerators would run to use those hours."""
    scale = 1.0 / (24.0 * count)
    return Estimate(low=hours.low * scale, expected=hours.expected * scale, high=hours.high * scale, unit="day")


def _cost(
    context: Context,
    pair: ServingFinalist,
    model: CostModel,
    total: Money,
    hours: Estimate,
    months: float,
    *,
    drawn: Draws,
    whole: bool,
) -> Cost:
    rented = pair.supply.kind == "cloud"
    per_hour = total.expected / hours.expected
    on_prem, even = (
        comparison_of(
            context,
            pair.supply,
            pair.choice.accelerators,
            hours.expected,
            model,
            around=around_of(context, pair.choice),
        )
        if rented and whole
        else (None if rented else total, None)
    )
    return Cost(
        total=total,
        final_run=total,
        cloud=total if rented else None,
        on_prem=on_prem,
        break_even=even,
        model=model,
        price_per_accelerator_hour=per_hour,
        signed=signed_of(model),
        cash_needed=cash_needed(model),
        expected_holds=probability(drawn.total, total.expected),
        at_confidence=kept_with(drawn.total, context.assume["select.confidence"]),
        npv=caused(model, decision_of(context)),
        npv_at_confidence=kept_with(drawn.ranked, context.assume["select.confidence"]),
    )


def _hosted(context: Context, detail: ServingDetail, total: Money, spans: float) -> Hosted | None:
    return hosted_beside(context, total.expected, into=detail.input_tokens * spans, out=detail.output_tokens * spans)


def _serving(
    detail: ServingDetail, total: Money, *, months: float, spans: float, hosted: Hosted | None
) -> ServingResult:
    """Latency and throughput from physics, money from the cost model. `months`: of a service; 0 for a batch."""
    physics = detail.result
    into, out = detail.input_tokens * spans / 1e6, detail.output_tokens * spans / 1e6
    return ServingResult(
        **physics.__dict__,
        price_per_million_input=_scaled(total, detail.input_share / into if into else 0.0, 4),
        price_per_million_output=_scaled(total, (1.0 - detail.input_share) / out if out else 0.0, 4),
        monthly=_scaled(total, 1.0 / months, 2) if months else None,
        api_break_even=hosted.told if hosted else None,
    )


def _scaled(money: Money, factor: float, places: int) -> Money:
    return replace(
        money,
        low=round(money.low * factor, places),
        expected=round(money.expected * factor, places),
        high=round(money.high * factor, places),
    )
