"""One finalist of a training run with its exact days and money: all that the choice among finalists needs.

Bands of the money, memory, and the way of having the hardware that was not taken are worked out afterwards, for the
finalists that are shown (`training_options`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from engine.answer import SAVED, Chance, CostModel, DataPath, Energy, Estimate, scaled
from engine.choice.obtaining import booked_ahead
from engine.choice.patience import too_long
from engine.choice.porting import porting_usd
from engine.choice.sure import asked_of, enough, is_sure
from engine.context import SEED, Context
from engine.inputs.hardware import Cluster
from engine.kinds.training.added import added_of
from engine.kinds.training.best import TrainingSearch, TrainingWork
from engine.kinds.training.data import data_path_of, data_store, dataset_of
from engine.kinds.training.pace import Pace
from engine.kinds.training.pairs import trained_parameters
from engine.kinds.training.reasons import SIXTEEN_BIT
from engine.money.added import Added, over_of
from engine.money.buying import own_model
from engine.money.cash import booked
from engine.money.cost import cash_needed, draw, probability, rented_training, signed_of
from engine.money.decision import decision_of
from engine.money.drawing import drawing_of
from engine.money.draws import Draws, kept_with, probability_of_both, time_needed
from engine.money.energy import energy_of
from engine.money.own_around import Around
from engine.money.rented import DataStore, Work
from engine.money.schedule import kept_deadline, probability_in_time, programme_factor, until_done
from engine.money.signed import authorised_of, budgeted
from engine.money.spot import with_share
from engine.odds.chances import within_surely
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
    over: float
    """Hours of a run over those of its steps, failures and saving."""
    busy: Estimate
    """Days of all runs."""
    usd: float
    drawn_usd: float
    """What a spend commitment pays of it besides [USD]."""
    cash_needed: float
    """What a budget must hold [USD]."""
    energy: Energy
    chance: Chance
    probability_of_both: float | None
    """Of being in time and within the budget in the same draw; None unless both limits are set."""
    drawn: Callable[[], Draws]
    """Time and money in each draw, drawn once."""
    sure_usd: Callable[[float], float]
    """What is not exceeded with that probability of what the cash that it causes is worth on the day of the request [USD]."""


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
    added = added_of(work.arch, work.method, pair.count, context.assume, measured=pace.measured)
    run = _days(context, pace, saving, added)
    path, store = _data(context, work, pair, pace)
    model = _model(context, work, pair, nodes, days=run, saving=saving, store=store, added=added)
    model = budgeted(model, context.spec.constraints.budget_basis)
    days, busy = until_done(context, pair.supply, run), scaled(run, programme_factor(context))
    usd = next(line.amount for line in model.lines if line.name == model.total)
    used = energy_of(context, pair.supply, pair.count, busy, model)

    @cache
    def drawn() -> Draws:
        return draw(
            model, log_sigma_time=pace.log_sigma, assume=context.assume, seed=SEED, decision=decision_of(context)
        )

    @cache
    def sure_usd(sure: float) -> float:
        return kept_with(drawn().ranked, sure)

    chance, both = _chance(context, pair, pace, busy, drawn)
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
        over=over_of(added).expected,
        busy=busy,
        usd=usd,
        drawn_usd=-next((line.amount for line in model.lines if line.name == SAVED), 0.0),
        cash_needed=cash_needed(model),
        energy=used,
        chance=chance,
        probability_of_both=both,
        drawn=drawn,
        sure_usd=sure_usd,
    )


def _chance(
    context: Context, pair: Finalist, pace: Pace, busy: Estimate, drawn: Callable[[], Draws]
) -> tuple[Chance, float | None]:
    """How likely it keeps its limits, and both time and money. Whether a peak of memory was underestimated has nothing to
    do with how long a step takes."""
    budget = context.spec.constraints.budget_usd
    in_time = probability_in_time(context, pair.supply, busy)
    within = probability(drawn().cash, budget) if budget else None
    both = probability_of_both(drawn(), in_time, budget) if budget else None
    stated = next((value for value in (both, in_time, within) if value is not None), 1.0)
    return Chance(all=stated * pace.fits, deadline=in_time, budget=within, memory=pace.fits), both


def meets_deadline(one: Costed, context: Context) -> bool:
    """Is it in time, as surely as is asked?"""
    return enough(one.chance.deadline, asked_of(context.assume).all)


def meets_budget(one: Costed, context: Context) -> bool:
    """Does the budget hold what it is expected to need? How surely is in its chance, and what is recommended is sure."""
    budget = context.spec.constraints.budget_usd
    return not budget or one.cash_needed <= budget


def sure_days(one: Costed, context: Context) -> float:
    """The shortest deadline [day] that it keeps as surely as is asked of all limits; infinite where another limit is not
    kept so surely by itself."""
    budget = context.spec.constraints.budget_usd
    stated = asked_of(context.assume).all / one.chance.memory if one.chance.memory else math.inf
    if stated > 1.0:
        return math.inf
    needed = time_needed(one.drawn(), stated, budget) if budget else stated
    return math.inf if needed is None else kept_deadline(context, one.pair.supply, one.busy, min(needed, 1.0))


def sure_cash(one: Costed, context: Context) -> float:
    """The smallest budget [USD] that it keeps as surely as is asked of all limits; infinite likewise."""
    outcome, in_time = one.drawn(), one.chance.deadline
    stated = asked_of(context.assume).all / one.chance.memory if one.chance.memory else math.inf
    if stated > (1.0 if in_time is None else in_time):
        return math.inf
    cash = outcome.cash
    if in_time is not None and outcome.fastest_first is not None:  # of the draws that are in time
        cash = cash[outcome.fastest_first[: round(in_time * len(cash))]]
    return kept_with(cash, stated / (1.0 if in_time is None else in_time))


def score_of(one: Costed, context: Context) -> float:
    """What is minimised, exactly, as surely as is asked; `select.score` has it approximately."""
    sure, objective = asked_of(context.assume).all, context.spec.objective
    if objective == "carbon":
        used = one.energy.kg_co2e
        return within_surely(used.expected, used.high, sure) if used else math.inf
    usd = one.sure_usd(sure) + porting_usd(context, one.pair.supply) if objective != "time" else 1.0
    days = kept_deadline(context, one.pair.supply, one.busy, sure) if objective != "cost" else 1.0
    return usd * days


def needs(one: Costed, context: Context) -> tuple[float, float]:
    """A deadline [day] and a budget [USD] that it keeps together as surely as is asked: of each, half of what may go wrong
    where both are stated, the other of no account where only one is."""
    limits, fits = context.spec.constraints, one.chance.memory or 1.0
    stated = min(asked_of(context.assume).all / fits, 1.0)
    if limits.deadline_days and limits.budget_usd:
        stated = (1.0 + stated) / 2.0
    return kept_deadline(context, one.pair.supply, one.busy, stated), kept_with(one.drawn().cash, stated)


def authorised(one: Costed, sure: float) -> float:
    """What is asked to be authorised for it [USD]: what suffices so surely, and all that is signed."""
    signed = signed_of(one.model)
    if signed.what == "none":
        return max(kept_with(one.drawn().total, sure), one.usd)
    return max(authorised_of(one.model), signed.total, kept_with(one.drawn().authorised, sure))


def acceptable(one: Costed, context: Context, *, default: bool | None = None) -> bool:
    """Within its limits as surely as is asked, not too long, in a precision that needs no decision."""
    spec = context.spec
    auto = spec.training is not None and spec.training.precision == "auto" if default is None else default
    if auto and one.precision not in SIXTEEN_BIT:
        return False
    return is_sure(one.chance, asked_of(context.assume)) and too_long(context, one.run_days) is None


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
        framework=pace.framework,
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


def _days(context: Context, pace: Pace, saving: Saving, added: Sequence[Added]) -> Estimate:
    """Wall days of one run: start-up, computing time over goodput, and what comes on top of that; the spreads are added in
    squares."""
    step, good, over = pace.step_time_s, saving.goodput, over_of(added)
    computing = pace.steps * step.expected / 86400.0 / good.expected
    expected = context.assume["select.startup_h"] / 24.0 + computing * over.expected
    down = math.hypot(
        math.log(step.expected / step.low), math.log(good.high / good.expected), math.log(over.expected / over.low)
    )
    up = math.hypot(
        math.log(step.high / step.expected), math.log(good.expected / good.low), math.log(over.high / over.expected)
    )
    because = (*pace.because, *good.because, *over.because)
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
    added: tuple[Added, ...],
) -> CostModel:
    """The cost model of the way the accelerators are had."""
    training, supply = context.spec.training, pair.supply
    assert training is not None
    programme = training.runs + training.experiment_overhead
    if supply.offer is None:
        scale = 24.0 * pair.count * programme
        hours = replace(days, low=days.low * scale, expected=days.expected * scale, high=days.high * scale, unit="h")
        split = Work(hours=hours, goodput=saving.goodput, added=added)
        around = Around(stored_gb=store.gb + saving.storage_gb)
        return own_model(context, supply, pair.count, hours.expected, work=split, around=around, cash=False)
    interruptible = supply.offer.option == "spot"
    model = rented_training(
        offer=supply.offer,
        nodes=nodes,
        days=days,
        goodput=saving.goodput,
        added=added,
        storage_gb=saving.storage_gb,
        dataset=store,
        fallback_usd_per_hour=supply.fallback_usd_per_hour,
        fallback=supply.fallback,
        spares=0 if interruptible else spare_nodes(nodes, supply.offer.devices, context.assume),
        egress_gb=trained_parameters(work) * 2.0 / 1e9,
        runs=training.runs,
        experiment_overhead=training.experiment_overhead,
        start=context.start,
        horizon_months=context.spec.horizon_months,
        utilisation=context.others[0],
        use_source=context.others[1],
        assume=with_share(supply.missing, nodes, context.assume),
        taxes=context.taxes,
        drawing=drawing_of(context, supply.offer),
        system=supply.system,
        cash=False,
    )
    return booked(model, booked_ahead(context, supply.offer))
