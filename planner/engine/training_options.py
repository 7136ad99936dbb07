"""One finalist of a training run, wholly described: layout, time, memory, checkpoints, money, energy."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from planner.engine.buying import comparison_of, own_model
from planner.engine.carbon import energy
from planner.engine.cautions import memory_warning, offer_warnings
from planner.engine.context import SEED, Context
from planner.engine.cost import banded, draw, probability, rented_training
from planner.engine.expressions import cents
from planner.engine.hardware import Cluster
from planner.engine.money_bands import probability_of_both
from planner.engine.own_around import Around
from planner.engine.reliability import checkpoint_plan, spare_nodes
from planner.engine.rented import DataStore, Work
from planner.engine.result import Checkpoint, Cost, CostModel, DataPath, Energy, Estimate, Money, Option
from planner.engine.schedule import finish_date, probability_in_time, programme_factor, until_done
from planner.engine.supply import Supplies, Supply, instances
from planner.engine.training import Calibration, TrainingDetail, TrainingSearch, TrainingWork, describe
from planner.engine.training_data import data_path_of, data_store, dataset_of
from planner.engine.training_pairs import trained_parameters

_P90 = 1.2815515655446004


@dataclass(frozen=True, kw_only=True)
class Finalist:
    """A (source, layout) pair before it becomes an option."""

    supply: Supply
    cluster: Cluster
    row: int
    count: int


def finalist(supplies: Supplies, search: TrainingSearch, supply: int, row: int) -> Finalist:
    """The pair of those indices."""
    source = supplies.supplies[supply]
    return Finalist(
        supply=source, cluster=supplies.clusters[source.cluster], row=row, count=int(search.rows.count[row])
    )


def build_option(
    context: Context, work: TrainingWork, search: TrainingSearch, pair: Finalist, calibration: Calibration
) -> Option:
    """The option, with bands, probabilities and reasons. CannotProgress when failures eat the run."""
    detail = describe(work, pair.cluster, search.rows, pair.row, context.assume, calibration=calibration)
    nodes = instances(pair.supply, pair.count)
    run_hours = detail.steps * detail.step_time_s.expected / 3600.0
    saving = _checkpoints(context, work, pair, detail, run_hours)
    run = _days(context, detail, saving)
    path, store = _data(context, work, pair, detail)
    model = _model(context, work, pair, nodes, days=run, saving=saving, store=store)
    saving = replace(saving, lost_usd=_lost_usd(model, saving, pair.count))
    outcome = draw(model, log_sigma_time=detail.log_sigma, assume=context.assume, seed=SEED)
    total = banded(model, log_sigma_time=detail.log_sigma, assume=context.assume, seed=SEED)
    limits = context.spec.constraints
    days = until_done(context, pair.supply, run)
    busy = scaled(run, programme_factor(context))
    hours = replace(scaled(busy, 24.0 * pair.count), unit="h")
    chance = probability_in_time(context, pair.supply, days)
    return Option(
        id=option_id(pair.supply, pair.count, detail.precision),
        kind=pair.supply.kind,
        accelerator=pair.supply.device.slug,
        accelerator_name=pair.supply.device.name,
        count=pair.count,
        nodes=nodes,
        offer=pair.supply.offer,
        on_prem=pair.supply.system.slug if pair.supply.system else "",
        parallelism=detail.layout,
        precision=detail.precision,
        recompute=detail.recompute,
        micro_batch=detail.micro_batch,
        gradient_accumulation=detail.gradient_accumulation,
        global_batch=detail.global_batch,
        framework=detail.framework,
        step_time_s=detail.step_time_s,
        steps=detail.steps,
        tokens_per_s=detail.tokens_per_s,
        mfu=detail.mfu,
        days=days,
        finish=finish_date(context.start, days.expected),
        accelerator_hours=hours,
        memory=detail.memory,
        time=detail.time,
        cost=_cost(context, pair, model, total, hours, detail.log_sigma),
        checkpoint=saving,
        serving=None,
        energy=energy_of(context, pair.supply, pair.count, busy),
        meets_deadline=chance is None or chance >= context.assume["select.confidence"],
        meets_budget=not limits.budget_usd or cash_needed(model, total) <= limits.budget_usd,
        probability_in_time=chance,
        probability_in_budget=probability(outcome.cash, limits.budget_usd),
        probability_of_both=probability_of_both(outcome, chance, limits.budget_usd),
        binding=binding_of(detail),
        reasons=(),
        warnings=_warnings(context, pair, detail, path),
        data_path=path,
    )


def _warnings(context: Context, pair: Finalist, detail: TrainingDetail, path: DataPath) -> tuple[str, ...]:
    """What to mind before relying on the option: starving accelerators first."""
    return (
        *([path.warning] if path.warning else []),
        *detail.warnings,
        *offer_warnings(context, pair.supply, pair.count),
        *memory_warning(detail),
    )


def _lost_usd(model: CostModel, saving: Checkpoint, count: int) -> float:
    """What the hours cost that failures and saving take [USD]; 0 on hardware whose hours have no price of their own."""
    compute = next((line.amount for line in model.lines if line.name == "compute"), 0.0)
    hours = next((line.amount for line in model.lines if line.name == "programme_hours"), 0.0)
    return cents(compute / (count * hours) * saving.lost_accelerator_hours) if hours else 0.0


def cash_needed(model: CostModel, total: Money) -> float:
    """What a budget must hold: the total, or the whole purchase where hardware is bought [USD]."""
    purchase = next((line.amount for line in model.lines if line.name == "capex"), 0.0)
    return max(total.expected, purchase)


def option_id(supply: Supply, count: int, precision: str) -> str:
    """Stable key of an option within a plan."""
    return f"{supply.id}:{count}:{precision}"


def binding_of(detail: TrainingDetail) -> str:
    """What limits the step: its largest part beside the arithmetic, when that is a tenth or more."""
    rest = [part for part in detail.time if part.key != "compute"]
    total = sum(part.value for part in detail.time)
    largest = max(rest, key=lambda part: part.value, default=None)
    return largest.label if largest is not None and largest.value >= 0.1 * total else "arithmetic throughput"


def _checkpoints(
    context: Context, work: TrainingWork, pair: Finalist, detail: TrainingDetail, run_hours: float
) -> Checkpoint:
    training = context.spec.training
    offer = pair.supply.offer
    return checkpoint_plan(
        parameters_saved=trained_parameters(work),
        optimizer=work.optimizer,
        method=work.method,
        devices=pair.count,
        devices_per_node=pair.cluster.devices_per_node,
        nic_bandwidth_total=pair.cluster.nic_bandwidth * pair.count,
        step_time_s=detail.step_time_s.expected,
        run_hours=run_hours,
        spot_probability_per_month=offer.interruption_per_month if offer else 0.0,
        instances=instances(pair.supply, pair.count),
        assume=context.assume,
        provider=offer.provider if offer else "",
        checkpoints_kept=training.checkpoints_kept if training else 3,
    )


def _data(context: Context, work: TrainingWork, pair: Finalist, detail: TrainingDetail) -> tuple[DataPath, DataStore]:
    """How the data reaches the accelerators, and what keeping it costs."""
    training = context.spec.training
    assert training is not None
    dataset = dataset_of(training, work, context.assume, own=pair.supply.offer is None)
    path = data_path_of(
        pair.supply,
        dataset,
        context.assume,
        tokens_per_s=detail.tokens_per_s.expected,
        count=pair.count,
        nodes=instances(pair.supply, pair.count),
    )
    return path, data_store(path, dataset, context.assume)


def _days(context: Context, detail: TrainingDetail, saving: Checkpoint) -> Estimate:
    """Wall days of one run: start-up, and computing time over goodput, the two spreads added in squares."""
    start_up = context.assume["select.startup_h"] / 24.0
    expected = start_up + detail.steps * detail.step_time_s.expected / 86400.0 / saving.goodput.expected
    step, good = detail.step_time_s, saving.goodput
    down = math.hypot(math.log(step.expected / step.low), math.log(good.high / good.expected))
    up = math.hypot(math.log(step.high / step.expected), math.log(good.expected / good.low))
    because = (*detail.because, *good.because)
    return Estimate(
        low=expected * math.exp(-down),
        expected=expected,
        high=expected * math.exp(up),
        unit="day",
        because=tuple(dict.fromkeys(because)),
    )


def scaled(value: Estimate, factor: float) -> Estimate:
    """So many times that estimate."""
    return replace(value, low=value.low * factor, expected=value.expected * factor, high=value.high * factor)


def _model(
    context: Context,
    work: TrainingWork,
    pair: Finalist,
    nodes: int,
    *,
    days: Estimate,
    saving: Checkpoint,
    store: DataStore,
) -> CostModel:
    """The cost model of the way the accelerators are had."""
    training, supply = context.spec.training, pair.supply
    assert training is not None
    programme = training.runs + training.experiment_overhead
    if supply.offer is None:
        scale = 24.0 * pair.count * programme
        hours = replace(days, low=days.low * scale, expected=days.expected * scale, high=days.high * scale, unit="h")
        split = Work(hours=hours, goodput=saving.goodput)
        around = Around(stored_gb=store.gb + saving.storage_gb)
        return own_model(context, supply, pair.count, hours.expected, work=split, around=around)
    fx_rate, fx_date = context.display
    interruptible = supply.offer.option == "spot"
    return rented_training(
        offer=supply.offer,
        nodes=nodes,
        days=days,
        goodput=saving.goodput,
        storage_gb=saving.storage_gb,
        dataset=store,
        fallback_usd_per_hour=supply.fallback_usd_per_hour,
        spares=0 if interruptible else spare_nodes(nodes, supply.offer.devices, context.assume),
        egress_gb=trained_parameters(work) * 2.0 / 1e9,
        runs=training.runs,
        experiment_overhead=training.experiment_overhead,
        start=context.start,
        horizon_months=context.spec.horizon_months,
        utilisation=context.use()[0],
        assume=context.assume,
        currency=context.spec.currency,
        fx_rate=fx_rate,
        fx_date=fx_date,
    )


def _cost(context: Context, pair: Finalist, model: CostModel, total: Money, hours: Estimate, log_sigma: float) -> Cost:
    """Total, final run, the other way of having the hardware beside it, and when the two cost the same."""
    final = total
    if any(line.name == "final_run" for line in model.lines):
        final = banded(model, log_sigma_time=log_sigma, assume=context.assume, seed=SEED, line="final_run")
    programme_hours = hours.expected
    per_hour = total.expected / programme_hours if programme_hours else 0.0
    rented = pair.supply.kind == "cloud"
    around = Around(stored_gb=sum(item.value for item in model.inputs if item.name in ("storage_gb", "dataset_gb")))
    other, even = (
        comparison_of(context, pair.supply, pair.count, programme_hours, model, around=around)
        if rented
        else (None, None)
    )
    return Cost(
        total=total,
        final_run=final,
        cloud=total if rented else None,
        on_prem=other if rented else total,
        break_even=even,
        model=model,
        usd_per_accelerator_hour=per_hour,
    )


def energy_of(context: Context, supply: Supply, count: int, days: Estimate) -> Energy:
    """Energy of those accelerators over that time, with the grid of their region where it is known."""
    grid = context.grid(supply.offer)
    hours = Estimate(low=days.low * 24.0, expected=days.expected * 24.0, high=days.high * 24.0, unit="h")
    return energy(
        device=supply.device,
        devices=count,
        hours=hours,
        g_per_kwh=grid[0] if grid else None,
        place=grid[1] if grid else "",
        assume=context.assume,
        system=supply.system,
    )
