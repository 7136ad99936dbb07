"""One finalist of a service, wholly described: replicas, latency, memory, money, energy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.answer import Chance, Cost, CostModel, Estimate, Money, Option, ServingResult, Standing, scaled
from engine.choice.cautions import offer_warnings, porting_warning
from engine.choice.sure import asked_of, enough, is_sure
from engine.choice.terms_noted import terms_noted
from engine.context import SEED, Context
from engine.inputs.architecture import counts_of
from engine.inputs.assumptions import Assumption, Assumptions, Limits
from engine.inputs.finding import Finding, Quantity, Ref, finding
from engine.inputs.hardware import Offer
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.kinds.service import ServingChoice, ServingDetail, ServingWork, answered, describe
from engine.kinds.service.choices import nodes_of
from engine.kinds.service.hosted import Hosted, hosted_beside
from engine.kinds.service.load import load_sigma, size_sigma
from engine.kinds.service.standing import standing_of
from engine.kinds.service.work import demand, is_batch
from engine.money.buying import comparison_of, own_model
from engine.money.cost import cash_needed, draw, probability, rented_serving, signed_of, total_of, with_cash
from engine.money.drawing import drawing_of, relief
from engine.money.draws import Draws, band_of, kept_with, probability_of_both
from engine.money.drift import log_sigma_of
from engine.money.energy import energy_of
from engine.money.leased import with_own_storage
from engine.money.own_around import Around
from engine.money.rented import BATCH_HOURS, stack_usd_month
from engine.money.schedule import done_before, finish_date, probability_in_time, wait_days
from engine.money.second_site import Second
from engine.money.signed import budgeted
from engine.money.spot import fallback_share
from engine.odds.chances import chance_within, promise_of
from engine.odds.evidence import serving_evidence
from engine.odds.normal import P90, upto
from engine.reliability.outages import HOURS_PER_YEAR
from engine.supply import Supply, may_buy

AT_RISK = "warning.at_risk"
"""That a promise is kept less surely than was asked, because nothing keeps it so surely."""
UNAVAILABLE = "warning.unavailable"
"""That a service is up for less of the time than is asked."""
_VERSIONS = 2.0
"""Versions of the weights that are kept."""
DAYS_PER_MONTH = HOURS_PER_MONTH / 24.0

SERVICE_ASSUMPTIONS: Mapping[str, Assumption] = {
    item.id: item
    for item in (
        Assumption(
            id="service.months",
            value=12.0,
            low=6.0,
            high=36.0,
            limits=Limits(1, 240),
            unit="month",
            meaning="months of service that a plan is costed for when no horizon is given",
            source="planning convention: one budget year",
        ),
        Assumption(
            id="service.bytes_per_token",
            value=5.0,
            low=3.5,
            high=8.0,
            limits=Limits(0, 1000),
            unit="byte",
            meaning="bytes of text sent to users for each output token, framing included",
            source="English text averages about four characters a token in published tokenizer statistics",
        ),
        Assumption(
            id="service.bytes_per_picture",
            value=1.0e6,
            low=2.0e5,
            high=3.0e6,
            limits=Limits(0, 1e9),
            unit="byte",
            meaning="bytes sent to users for each picture that a diffusion model makes",
            source="planning judgement: a picture of 1,024 × 1,024 takes 0.2 MB as WebP and 1–3 MB as PNG",
        ),
        Assumption(
            id="service.bytes_per_vector",
            value=4.0e3,
            low=1.5e3,
            high=2.0e4,
            limits=Limits(0, 1e9),
            unit="byte",
            meaning="bytes sent to users for each text that an encoder reads",
            source="a vector of 1,024 numbers of 4 bytes; 384 numbers to 1,024 written as text",
        ),
        Assumption(
            id="service.bytes_per_answer",
            value=5.0e2,
            low=5.0e1,
            high=5.0e3,
            limits=Limits(0, 1e9),
            unit="byte",
            meaning="bytes sent to users for each answer of other models that write no text: a label, a score, a transcript",
            source="planning judgement: a few words or numbers with the headers around them",
        ),
    )
}


@dataclass(frozen=True, kw_only=True)
class ServingFinalist:
    """One source with one choice of replica, and roughly what it costs."""

    supply: Supply
    choice: ServingChoice
    usd: float
    """Cost of the whole batch, or of all months of the service."""
    cash: float
    """What a budget must hold for it [USD]."""
    usd_sigma: float = 0.0
    """Standard deviation of the log of that cost."""

    def kept(self, sure: float) -> float:
        """What it costs at most with that probability [USD]."""
        return self.usd * math.exp(upto(sure) * self.usd_sigma)


def roughly(context: Context, work: ServingWork, supply: Supply, choice: ServingChoice) -> ServingFinalist:
    """That choice from that source, priced for ranking."""
    if supply.offer is None:
        model = _model(context, supply, choice, egress_gb_month=0.0)
        usd = total_of(model)
        return ServingFinalist(supply=supply, choice=choice, usd=usd, cash=cash_needed(model))
    paid, around = _paid_months(supply.offer, months_of(context, choice)), _around(context, work, supply, choice)
    hour, moving = _hour(context, supply, supply.offer, choice)
    instances = _mean_nodes(supply, choice) * hour * HOURS_PER_MONTH * paid
    usd = instances + around
    usd_sigma = instances / usd * _sigma_of(context, work, supply.offer, choice, moving / hour) if instances else 0.0
    drawing, drawn = drawing_of(context, supply.offer), 0.0
    if drawing:
        found, more = relief(drawing, billed=usd, instances=instances, hours=paid * HOURS_PER_MONTH)
        drawn, usd = float(found), usd + float(more)
    usd = usd * (1.0 + context.taxes.owed_on_services) - drawn
    return ServingFinalist(supply=supply, choice=choice, usd=usd, cash=usd, usd_sigma=usd_sigma)


def _hour(context: Context, supply: Supply, offer: Offer, choice: ServingChoice) -> tuple[float, float]:
    """What an hour of an instance costs with the hours that spot capacity is not there, and how much of that moves with the offer's
    own price; the prices of two sites move apart [USD/h]."""
    second = second_of(supply, choice, 0.0)
    share = second.share if second else 0.0
    sites = ((1.0 - share) * offer.usd_per_hour, share * second.offer.usd_per_hour if second else 0.0)
    price, apart = sum(sites), math.hypot(*sites)
    missing = fallback_share(choice.nodes * offer.devices, context.assume)
    more = missing * max(supply.fallback_usd_per_hour - price, 0.0)
    premium = context.assume["cost.managed_premium"]
    return price * (1.0 + premium) + more, apart * (1.0 + premium - (missing if more else 0.0))


def _sigma_of(context: Context, work: ServingWork, offer: Offer, choice: ServingChoice, moving: float) -> float:
    """Standard deviation of the log of what instances cost, of which so much moves with the price of the offer, and all of it with
    the time that a batch takes; a term is paid whole."""
    days = round(
        months_of(context, choice) * DAYS_PER_MONTH
    )  # whole ones: pairs of a batch then share what is remembered
    dear = log_sigma_of(offer, context.assume, start=context.start, days=days) * moving
    lasts = is_batch(work) and not offer.term_months
    return math.hypot(dear, size_sigma(choice.cluster.device, work)) if lasts else dear


def second_of(supply: Supply, choice: ServingChoice, weights_gb: float) -> Second | None:
    """The second site of that choice; None without one."""
    if supply.second is None or not choice.standby.apart:
        return None
    per_node = choice.cluster.devices_per_node
    first, second = nodes_of(choice.accelerators_per_replica, choice.standby, choice.replicas, per_node)
    return Second(offer=supply.second, share=second / (first + second), weights_gb=weights_gb)


def _around(context: Context, work: ServingWork, supply: Supply, choice: ServingChoice) -> float:
    """What is paid beside the instances, which does not follow their price: the stack, stored weights and what is sent to
    users [USD]. Which number of replicas of a batch is cheapest, and who is of two whose instances cost the same, depends on it."""
    assert supply.offer is not None
    offer, assume, months = with_own_storage(supply.offer, context.assume), context.assume, months_of(context, choice)
    sites = 2.0 if choice.standby.apart else 1.0
    stack = stack_usd_month(assume, _mean_nodes(supply, choice), interactive=_interactive(context), sites=sites)
    stored = sites * stored_gb(context) * offer.storage_usd_per_gb_month
    return (stack + stored) * months + _sent_gb(context, work, choice) * offer.egress_usd_per_gb


def _paid_months(offer: Offer, months: float) -> float:
    """Months that are paid of so many: whole terms of a commitment."""
    return math.ceil(months / offer.term_months) * offer.term_months if offer.term_months else months


def may_hold(context: Context, supply: Supply, choice: ServingChoice) -> bool:
    """Owned hardware has an end; hardware is bought for a horizon, and only servers that the service fills by half; a second site
    needs a second region."""
    if choice.standby.apart and supply.second is None:
        return False
    if supply.slots and choice.accelerators > supply.slots:
        return False
    if not there_in_time(context, supply, choice):
        return False
    if supply.kind != "on_prem" or supply.system is None:
        return True
    whole = math.ceil(choice.accelerators / supply.system.devices) * supply.system.devices
    days = months_of(context, choice) * DAYS_PER_MONTH
    return may_buy(context.spec) and choice.accelerators >= whole / 2 and not done_before(context, supply, days)


def there_in_time(context: Context, supply: Supply, choice: ServingChoice) -> bool:
    """Whether hardware that comes later leaves a batch its time, and a service is not to begin before what is owned comes."""
    if _batch(context):
        return due_hours(context, supply, choice) <= context.spec.due_days * 24.0 * (1 + 1e-9)
    return supply.owned is None or wait_days(context, supply) == 0.0


def due_hours(context: Context, supply: Supply, choice: ServingChoice) -> float:
    """The shortest deadline of a batch [h] that is kept there with the confidence that a recommendation needs."""
    return wait_days(context, supply) * 24.0 + choice.sure_hours


def months_of(context: Context, choice: ServingChoice) -> float:
    """Months that are costed: the horizon, else the assumed year; for a batch its own length."""
    if _batch(context):
        return choice.hours / HOURS_PER_MONTH
    return context.spec.horizon_months or context.assume["service.months"]


def _batch(context: Context) -> bool:
    return bool(context.spec.serving and context.spec.serving.batch)


def spans_of(context: Context, choice: ServingChoice) -> float:
    """How often the hours of the choice are costed: once for a batch, each day of a service."""
    return 1.0 if _batch(context) else months_of(context, choice) * DAYS_PER_MONTH


def _nodes_by_hour(choice: ServingChoice) -> Sequence[float]:
    """Whole instances in each hour of the load curve, or one value for a flat load."""
    if not choice.replicas_by_hour:
        return (float(choice.nodes),)
    peak = choice.replicas + choice.spare_replicas
    return tuple(float(math.ceil(choice.nodes * held / peak)) for held in choice.replicas_by_hour)


def _mean_nodes(supply: Supply, choice: ServingChoice) -> float:
    if supply.offer is not None and supply.offer.term_months:
        return float(choice.nodes)
    hours = _nodes_by_hour(choice)
    return sum(hours) / len(hours)


def _model(context: Context, supply: Supply, choice: ServingChoice, *, egress_gb_month: float) -> CostModel:
    """The cost model; months that nobody asked for are told as the assumption that they are."""
    model = budgeted(_costed(context, supply, choice, egress_gb_month), context.spec.constraints.budget_basis)
    if context.spec.horizon_months:
        return model
    known = SERVICE_ASSUMPTIONS["service.months"]
    inputs = (replace(one, source=known.id) if one.name == "months" else one for one in model.inputs)
    return replace(model, inputs=tuple(inputs))


def _costed(context: Context, supply: Supply, choice: ServingChoice, egress_gb_month: float) -> CostModel:
    months = months_of(context, choice)
    if supply.offer is None:
        hours = choice.accelerator_hours * spans_of(context, choice)
        around = around_of(context, choice)
        return own_model(context, supply, choice.accelerators, hours, around=around, cash=False)
    return rented_serving(
        offer=supply.offer,
        nodes_by_hour=_nodes_by_hour(choice),
        nodes_peak=choice.nodes,
        months=months,
        egress_gb_month=egress_gb_month,
        storage_gb=stored_gb(context),
        start=context.start,
        assume=context.assume,
        interactive=_interactive(context),
        fallback_usd_per_hour=supply.fallback_usd_per_hour,
        taxes=context.taxes,
        drawing=drawing_of(context, supply.offer),
        system=supply.system,
        second=second_of(supply, choice, stored_gb(context) / _VERSIONS),
        cash=False,
    )


def stored_gb(context: Context) -> float:
    """Weights in two versions [GB]."""
    return context.arch.parameters * 2.0 / 1e9 * _VERSIONS


def _interactive(context: Context) -> bool:
    return not _batch(context)


def around_of(context: Context, choice: ServingChoice) -> Around:
    """What stands around the service on own hardware."""
    return Around(
        stored_gb=stored_gb(context),
        months=months_of(context, choice),
        interactive=_interactive(context),
        joined=choice.accelerators_per_replica > choice.cluster.devices_per_node,
    )


def uncertain_size(model: CostModel, log_sigma: float) -> CostModel:
    """The model with the band of what follows from throughput: how long a batch takes."""
    spread, sized = math.exp(P90 * log_sigma), {BATCH_HOURS, "accelerator_hours"}
    inputs = tuple(
        replace(item, low=item.value / spread, high=item.value * spread) if item.name in sized else item
        for item in model.inputs
    )
    return replace(model, inputs=inputs)


def priced_model(context: Context, work: ServingWork, pair: ServingFinalist, log_sigma: float) -> CostModel:
    """The exact cost with its bands. How long a batch takes is uncertain; what a service needs was decided, as surely as
    was asked, and is paid for. CostError when it has none."""
    model = service_model(context, work, pair)
    return uncertain_size(model, log_sigma) if is_batch(work) else model


def held_with(context: Context, work: ServingWork) -> float:
    """How surely a budget must hold by itself: of a service beside load and promise, which are kept as surely as the work
    says; of a batch both limits are drawn together."""
    asked = context.assume["select.confidence"]
    return asked if is_batch(work) else asked / work.sure


def budgeted_with(context: Context, work: ServingWork) -> float:
    """How surely a budget that is offered holds: of a batch so that it holds together with a deadline that is kept as surely
    as the work says."""
    return work.sure if is_batch(work) else held_with(context, work)


def _sent(work: ServingWork) -> str:
    """The assumption on the bytes of one unit of what is answered."""
    if work.arch.modality == "diffusion":
        return "service.bytes_per_picture"
    found = {"token": "service.bytes_per_token", "text": "service.bytes_per_vector"}
    return found.get(counts_of(work.arch), "service.bytes_per_answer")


def service_model(context: Context, work: ServingWork, pair: ServingFinalist) -> CostModel:
    """The exact cost of the service, without cash flow and without the band of its size. CostError when it has none."""
    sent = _sent_gb(context, work, pair.choice)
    return _model(context, pair.supply, pair.choice, egress_gb_month=sent / months_of(context, pair.choice))


def _sent_gb(context: Context, work: ServingWork, choice: ServingChoice) -> float:
    """What is sent to users in all that is costed [GB]."""
    return answered(work) * spans_of(context, choice) * context.assume[_sent(work)] / 1e9


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
    model = priced_model(context, work, pair, detail.log_sigma)
    model = with_cash(model, context.start) if whole else model
    outcome = draw(model, assume=context.assume, seed=SEED)
    total = band_of(outcome.total, total_of(model), model.currency)
    limits = context.spec.constraints
    days = _days(context, supply, choice, detail)
    chance = probability_in_time(context, supply, days)
    odds = _chance(context, work, choice, detail, outcome, chance)
    spans = spans_of(context, choice)
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
            _serving(detail, total, months=0.0 if _batch(context) else months, spans=spans, hosted=hosted),
            standing=standing,
        ),
        energy=energy_of(context, supply, choice.accelerators, _busy_days(hours, choice.accelerators), model),
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
    if _batch(context):
        days, spread, wait = choice.hours / 24.0, math.exp(P90 * detail.log_sigma), wait_days(context, supply)
        low, expected, high = (wait + value for value in (days / spread, days, days * spread))
        return Estimate(low=low, expected=expected, high=high, unit="day", because=detail.because)
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
