"""One finalist of a training run, wholly described: layout, time, memory, checkpoints, money, energy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.answer import Checkpoint, Cost, CostModel, Estimate, Money, Option, scaled
from engine.choice.cautions import memory_warning, offer_warnings, porting_warning
from engine.choice.patience import too_long
from engine.choice.sure import asked_of, is_sure
from engine.choice.terms_noted import terms_noted
from engine.context import SEED, Context
from engine.inputs.architecture import counts_of
from engine.inputs.finding import Finding, Quantity, finding
from engine.kinds.training.best import TrainingDetail
from engine.kinds.training.costed import Costed, meets_budget, meets_deadline
from engine.kinds.training.oversized import oversized
from engine.kinds.training.work import TrainingWork
from engine.money.buying import comparison_of
from engine.money.caused import caused
from engine.money.cost import banded, cash_needed, signed_of, with_cash
from engine.money.decision import decision_of
from engine.money.draws import band_of, kept_with, probability
from engine.money.expressions import cents
from engine.money.own_around import Around
from engine.money.schedule import DAYS_PER_YEAR, finish_date
from engine.odds.evidence import ADAPTERS, training_evidence
from engine.reliability.checkpoints import checkpoint_plan

_INSTANCES = ("compute", "fallback", "spares", "managed")
"""Lines of the model that are paid for hours of instances."""


def build_option(
    context: Context, work: TrainingWork, one: Costed, detail: TrainingDetail, *, whole: bool = True
) -> Option:
    """The option, with bands, probabilities and warnings. Unless `whole`, without the comparison with hardware that is
    bought and without cash flow, which a live panel does not show."""
    pair = one.pair
    model = with_cash(one.model, context.start) if whole else one.model
    total = band_of(one.drawn().total, one.usd, model.currency)
    hours = replace(scaled(one.busy, 24.0 * pair.count), unit="h")
    return Option(
        id=one.id,
        kind=pair.supply.kind,
        accelerator=pair.supply.device.slug,
        accelerator_name=pair.supply.device.name,
        count=pair.count,
        nodes=one.nodes,
        offer=pair.supply.offer,
        on_prem=pair.supply.system.slug if pair.supply.system and not pair.supply.offer else "",
        system_name=pair.supply.system.name if pair.supply.system and not pair.supply.offer else "",
        parallelism=detail.layout,
        precision=detail.precision,
        recompute=detail.recompute,
        micro_batch=detail.micro_batch,
        gradient_accumulation=detail.gradient_accumulation,
        global_batch=detail.global_batch,
        framework=detail.framework,
        step_time_s=detail.step_time_s,
        steps=detail.steps,
        tokens_per_s=_pace(context, detail),
        mfu=detail.mfu,
        days=one.days,
        finish=finish_date(context.start, one.days.expected),
        accelerator_hours=hours,
        memory=detail.memory,
        time=detail.time,
        cost=_cost(context, one, model, total, hours, detail.log_sigma, whole=whole),
        checkpoint=_checkpoint(context, one),
        serving=None,
        energy=one.energy,
        meets_deadline=meets_deadline(one, context),
        meets_budget=meets_budget(one, context),
        chance=one.chance,
        sure=is_sure(one.chance, asked_of(context.assume)),
        too_long=too_long(context, one.run_days),
        probability_in_time=one.chance.deadline,
        probability_in_budget=one.chance.budget,
        probability_of_both=one.probability_of_both,
        binding=binding_of(detail),
        reasons=(),
        warnings=_warnings(context, work, one, detail),
        porting=porting_warning(context, pair.supply),
        data_path=one.path,
        evidence=training_evidence(context.arch, pair.supply.device, detail.precision, _method(context)),
    )


def _pace(context: Context, detail: TrainingDetail) -> Estimate:
    """What the run works through in a second: tokens of a language model, else what its model takes, one at a time."""
    counts, step = counts_of(context.arch), detail.step_time_s
    if counts == "token":
        return detail.tokens_per_s
    batch = detail.global_batch
    return replace(
        detail.tokens_per_s,
        low=batch / step.high,
        expected=batch / step.expected,
        high=batch / step.low,
        unit=f"{counts}/s",
    )


def _method(context: Context) -> str:
    training = context.spec.training
    return training.method if training else ""


def _checkpoint(context: Context, one: Costed) -> Checkpoint:
    """How to save, and what the hours cost that failures and saving take [USD]; 0 on hardware whose hours have no price."""
    training, offer = context.spec.training, one.pair.supply.offer
    plan = checkpoint_plan(
        one.saving,
        method=training.method if training else "",
        provider=offer.provider if offer else "",
        assume=context.assume,
    )
    amounts = {line.name: line.amount for line in one.model.lines}
    instances = sum(amounts.get(name, 0.0) for name in _INSTANCES)
    hours = one.pair.count * amounts.get("programme_hours", 0.0)
    return replace(plan, lost_cost=cents(instances / hours * plan.lost_accelerator_hours) if hours else 0.0)


def _warnings(context: Context, work: TrainingWork, one: Costed, detail: TrainingDetail) -> tuple[Finding, ...]:
    """What to mind before relying on the option: starving accelerators first."""
    return (
        *one.path.warning,
        *_four_bits(context, detail),
        *detail.warnings,
        *oversized(work, context.assume, usd=one.usd),
        *_beyond_horizon(context, one.days.expected),
        *terms_noted(context, one.pair.supply, one.model),
        *offer_warnings(context, one.pair.supply, one.pair.count),
        *memory_warning(detail.memory),
    )


def _beyond_horizon(context: Context, days: float) -> Iterator[Finding]:
    """That the work ends later than the demand that was stated for the hardware."""
    horizon = context.spec.horizon_months
    if horizon and days > horizon * DAYS_PER_YEAR / 12.0:
        yield finding("warning.beyond_horizon", time=Quantity(days, "day"), months=horizon)


def _four_bits(context: Context, detail: TrainingDetail) -> Iterator[Finding]:
    """What to mind of weights trained in four bits: few have done it, and a run that diverges late is lost."""
    if detail.precision == "nvfp4" and _method(context) not in ADAPTERS:
        yield finding("warning.four_bits")


def binding_of(detail: TrainingDetail) -> str:
    """What takes most of a step: the key of that part."""
    return max(detail.time, key=lambda part: part.value).key


def _cost(
    context: Context,
    one: Costed,
    model: CostModel,
    total: Money,
    hours: Estimate,
    log_sigma: float,
    *,
    whole: bool,
) -> Cost:
    """Total, final run, the other way of having the hardware beside it, and when the two cost the same."""
    pair, final = one.pair, total
    if any(line.name == "final_run" for line in model.lines):
        final = banded(model, log_sigma_time=log_sigma, assume=context.assume, seed=SEED, line="final_run")
    programme_hours = hours.expected
    per_hour = total.expected / programme_hours if programme_hours else 0.0
    rented = pair.supply.kind == "cloud"
    around = Around(stored_gb=sum(item.value for item in model.inputs if item.name in ("storage_gb", "dataset_gb")))
    other, even = (
        comparison_of(context, pair.supply, pair.count, programme_hours, model, around=around)
        if rented and whole
        else (None, None)
    )
    return Cost(
        total=total,
        final_run=final,
        cloud=total if rented else None,
        on_prem=other if rented else total,
        break_even=even,
        model=model,
        price_per_accelerator_hour=per_hour,
        signed=signed_of(model),
        cash_needed=cash_needed(model),
        expected_holds=probability(one.drawn().total, total.expected),
        at_confidence=kept_with(one.drawn().total, context.assume["select.confidence"]),
        npv=caused(model, decision_of(context)),
        npv_at_confidence=one.sure_usd(context.assume["select.confidence"]),
    )
