"""One finalist of a training run with its exact days and money: all that the choice among finalists needs.

Bands of the money, memory, and the way of having the hardware that was not taken are worked out afterwards, for the
finalists that are shown (`training_options`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from engine.answer import CostModel, DataPath, Energy, Estimate, scaled
from engine.choice.patience import too_long
from engine.context import Context
from engine.inputs.hardware import Cluster
from engine.kinds.training.best import Pace, TrainingSearch, TrainingWork
from engine.kinds.training.data import data_path_of, data_store, dataset_of
from engine.kinds.training.pairs import trained_parameters
from engine.kinds.training.reasons import SIXTEEN_BIT
from engine.money.buying import own_model
from engine.money.cost import cash_needed, rented_training
from engine.money.energy import energy_of
from engine.money.own_around import Around
from engine.money.rented import DataStore, Work
from engine.money.schedule import probability_in_time, programme_factor, until_done
from engine.money.signed import budgeted
from engine.reliability.checkpoints import Saving, saving_of, spare_nodes
from engine.supply import Supplies, Supply, instances


@dataclass(frozen=True, kw_only=True)
class Finalist:
    """A (source, layout) pair before it becomes an option."""

    supply: Supply
    cluster: Cluster
    row: int
    count: int


@dataclass(frozen=True, kw_only=True)
class Costed:
    """A finalist with its exact days and money."""

    pair: Finalist
    id: str
    precision: str
    nodes: int
    saving: Saving
    path: DataPath
    model: CostModel
    """Without cash flow: it is drawn up for what is shown."""
    days: Estimate
    """From the start to the end of the programme."""
    run_days: float
    """Expected days of one run."""
    busy: Estimate
    """Days of all runs."""
    usd: float
    cash_needed: float
    """What a budget must hold [USD]."""
    kg: float
    """Expected emissions [kg CO₂e]; infinite where the grid is not known."""
    energy: Energy
    probability_in_time: float | None
    meets_deadline: bool
    meets_budget: bool


def finalist(supplies: Supplies, search: TrainingSearch, supply: int, row: int) -> Finalist:
    """The pair of those indices."""
    source = supplies.supplies[supply]
    return Finalist(
        supply=source, cluster=supplies.clusters[source.cluster], row=row, count=int(search.rows.count[row])
    )


def costed(context: Context, work: TrainingWork, pair: Finalist, pace: Pace) -> Costed:
    """That finalist with its days and money. CannotProgress when failures eat the run."""
    nodes = instances(pair.supply, pair.count)
    saving = _saving(context, work, pair, pace)
    run = _days(context, pace, saving)
    path, store = _data(context, work, pair, pace)
    model = _model(context, work, pair, nodes, days=run, saving=saving, store=store)
    model = budgeted(model, context.spec.constraints.budget_basis)
    days, busy = until_done(context, pair.supply, run), scaled(run, programme_factor(context))
    chance = probability_in_time(context, pair.supply, days)
    usd = next(line.amount for line in model.lines if line.name == model.total)
    needed, budget = cash_needed(model), context.spec.constraints.budget_usd
    used = energy_of(context, pair.supply, pair.count, busy, model)
    return Costed(
        pair=pair,
        id=option_id(pair.supply, pair.count, pace.precision),
        precision=pace.precision,
        nodes=nodes,
        saving=saving,
        path=path,
        model=model,
        days=days,
        run_days=run.expected,
        busy=busy,
        usd=usd,
        cash_needed=needed,
        kg=used.kg_co2e.expected if used.kg_co2e else math.inf,
        energy=used,
        probability_in_time=chance,
        meets_deadline=chance is None or chance >= context.assume["select.confidence"],
        meets_budget=not budget or needed <= budget,
    )


def acceptable(one: Costed, context: Context, *, default: bool | None = None) -> bool:
    """Within deadline (with the wanted confidence) and budget, not too long, in a precision that needs no decision."""
    spec = context.spec
    auto = spec.training is not None and spec.training.precision == "auto" if default is None else default
    if auto and one.precision not in SIXTEEN_BIT:
        return False
    return one.meets_deadline and one.meets_budget and too_long(context, one.run_days) is None


def option_id(supply: Supply, count: int, precision: str) -> str:
    """Stable key of an option within a plan."""
    return f"{supply.id}:{count}:{precision}"


def _saving(context: Context, work: TrainingWork, pair: Finalist, pace: Pace) -> Saving:
    training = context.spec.training
    offer = pair.supply.offer
    return saving_of(
        parameters_saved=trained_parameters(work),
        optimizer=work.optimizer,
        devices=pair.count,
        devices_per_node=pair.cluster.devices_per_node,
        nic_bandwidth_total=pair.cluster.nic_bandwidth * pair.count,
        step_time_s=pace.step_time_s.expected,
        run_hours=pace.steps * pace.step_time_s.expected / 3600.0,
        spot_probability_per_month=offer.interruption_per_month if offer else 0.0,
        instances=instances(pair.supply, pair.count),
        assume=context.assume,
        checkpoints_kept=training.checkpoints_kept if training else 3,
    )


def _data(context: Context, work: TrainingWork, pair: Finalist, pace: Pace) -> tuple[DataPath, DataStore]:
    """How the data reaches the accelerators, and what keeping it costs."""
    training = context.spec.training
    assert training is not None
    dataset = dataset_of(training, work, context.assume, own=pair.supply.offer is None)
    path = data_path_of(
        pair.supply,
        dataset,
        context.assume,
        tokens_per_s=pace.tokens_per_s.expected,
        count=pair.count,
        nodes=instances(pair.supply, pair.count),
    )
    return path, data_store(path, dataset, context.assume)


def _days(context: Context, pace: Pace, saving: Saving) -> Estimate:
    """Wall days of one run: start-up, and computing time over goodput, the two spreads added in squares."""
    start_up = context.assume["select.startup_h"] / 24.0
    expected = start_up + pace.steps * pace.step_time_s.expected / 86400.0 / saving.goodput.expected
    step, good = pace.step_time_s, saving.goodput
    down = math.hypot(math.log(step.expected / step.low), math.log(good.high / good.expected))
    up = math.hypot(math.log(step.high / step.expected), math.log(good.expected / good.low))
    because = (*pace.because, *good.because)
    return Estimate(
        low=expected * math.exp(-down),
        expected=expected,
        high=expected * math.exp(up),
        unit="day",
        because=tuple(dict.fromkeys(because)),
    )


def _model(
    context: Context,
    work: TrainingWork,
    pair: Finalist,
    nodes: int,
    *,
    days: Estimate,
    saving: Saving,
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
        return own_model(context, supply, pair.count, hours.expected, work=split, around=around, cash=False)
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
        cash=False,
    )
