"""Every (source, layout) pair of a training run, priced approximately and all at once, so that it can be ranked.

The finalists are costed exactly afterwards; here goodput is the first-order form 1 − √(2δ/M) − R/M and a cost is
instances × price × hours.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from engine.answer import CostModel
from engine.choice.patience import longest_run
from engine.choice.select import Floats, Ints, Pairs
from engine.context import Context
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.kinds.training.best import FRAMEWORKS, Candidates, TrainingSearch, TrainingWork
from engine.kinds.training.work import precisions
from engine.money.arrays import over_arrays
from engine.money.buying import bought_model
from engine.money.cost import cash_needed, owned, total_of
from engine.money.drawing import drawing_of, relief
from engine.money.drift import log_sigma_of
from engine.money.rented import block_hours
from engine.money.schedule import done_before, programme_factor, wait_days
from engine.money.signed import budgeted
from engine.money.spot import fallback_share
from engine.odds.bands import band, memory_band
from engine.odds.calibrate import NO_CALIBRATION, Calibration
from engine.odds.evidence import least_log_sigma
from engine.odds.normal import upto
from engine.odds.programme import beyond_of_counts
from engine.reliability.checkpoints import checkpoint_bytes, job_failures_per_h, spare_nodes
from engine.reliability.formulas import spot_hazard
from engine.reliability.saving import differential
from engine.supply import WHOLE_DAYS, Supplies, Supply, may_buy

_MOST_NODES = 10_000_000
_EXACT = 1e-9
"""Least standard deviation: what is known exactly keeps a limit or does not."""
_ROOM = 0.75
"""Share of the deadline that computing may take, so that failures and a slower step still fit."""
_KEPT = 0.9
"""Share of time that failures and saving are taken to leave before they are worked out."""


def price_pairs(
    context: Context,
    work: TrainingWork,
    supplies: Supplies,
    search: TrainingSearch,
    *,
    calibration: Calibration = NO_CALIBRATION,
) -> Pairs:
    """All pairs that a source can hold, with days and cost. Everything that follows from a size alone is worked out once
    for each size, and all pairs go through each formula together: there are thousands, and somebody is typing."""
    sources = supplies.supplies
    # Hardware is bought only for a stated horizon, never for one run.
    usable = [i for i, s in enumerate(sources) if s.kind != "on_prem" or may_buy(context.spec)]
    beyond, wide = _beyond(context, work, supplies, search, calibration)
    taken_s = search.rows.run_time_s * beyond
    sigmas = _sigmas(context, work, supplies, calibration)
    fits = _fits(context, supplies, search)
    found = [_held(context, supplies, search, index, taken_s, (float(sigmas[index]), wide), fits) for index in usable]
    supply = np.repeat(np.array(usable, dtype=np.int64), [len(rows) for rows in found])
    row = np.concatenate([np.zeros(0, dtype=np.int64), *found])
    count = search.rows.count[row].astype(float)
    nodes = np.ceil(count / _each(supplies, lambda s: supplies.clusters[s.cluster].devices_per_node)[supply])
    monthly = _each(supplies, lambda s: s.offer.interruption_per_month if s.offer else 0.0)
    kept = quick_goodput(work, monthly, supply, count=count, nodes=nodes, assume=context.assume)
    wall = context.assume["select.startup_h"] + taken_s[row] / 3600.0 / kept
    programme = wall * programme_factor(context)
    late = [done_before(context, sources[at], days) for at, days in zip(supply, programme / 24.0, strict=True)]
    if any(late):
        left = ~np.array(late, dtype=bool)
        supply, row, count, nodes, kept, programme = (x[left] for x in (supply, row, count, nodes, kept, programme))
    wait = _each(supplies, lambda s: wait_days(context, s))[supply]
    usd, cash = _usd(context, supplies, supply, count=count, nodes=nodes, programme_hours=programme)
    log_sigma, none = np.hypot(sigmas[supply], wide[row]), np.zeros(len(row))
    pairs = Pairs(
        supply=supply,
        row=row,
        days=wait + programme / 24.0,
        run_days=programme / 24.0 / programme_factor(context),
        days_sure=none,
        wait=wait,
        log_sigma=log_sigma,
        fits=fits[row],
        usd=usd,
        usd_sigma=_usd_sigma(context, supplies, supply, log_sigma, programme),
        cash=cash,
        kg=_kg(context, supplies, supply, count=count, programme_hours=programme),
        kept=kept,
        days_kept=none,
        usd_kept=none,
        kg_kept=none,
    )
    return as_sure(context, pairs)


def as_sure(context: Context, pairs: Pairs) -> Pairs:
    """Those pairs with the days within which they finish as surely as the context asks: time has to make up for what may
    not fit into memory. And with what days, cost and emissions are then."""
    levels, index = np.unique(
        np.minimum(context.assume["select.confidence"] / np.maximum(pairs.fits, 1e-9), 1.0), return_inverse=True
    )
    sure = np.exp(np.array([upto(float(level)) for level in levels], dtype=float)[index] * pairs.log_sigma)
    days_sure = pairs.wait + (pairs.days - pairs.wait) * sure
    return kept_at(replace(pairs, days_sure=days_sure), upto(context.assume["select.confidence"]))


def kept_at(pairs: Pairs, deviations: float) -> Pairs:
    """Those pairs with days, cost and emissions of so many standard deviations above what is expected."""
    longer = np.exp(deviations * pairs.log_sigma)
    return replace(
        pairs,
        days_kept=pairs.wait + (pairs.days - pairs.wait) * longer,
        usd_kept=pairs.usd * np.exp(deviations * pairs.usd_sigma),
        kg_kept=pairs.kg * longer,
    )


def _usd_sigma(
    context: Context, supplies: Supplies, supply: Ints, log_sigma: Floats, programme_hours: Floats
) -> Floats:
    """Spread of the log of each cost: of its price, and of its time where that is what is paid for. Whole terms are paid however
    long a step takes, unless other work carries what is left of them: as many of them, or days of a block, as what is asked needs."""

    def price(source: Supply) -> float:
        return log_sigma_of(source.offer, context.assume, start=context.start) if source.offer else 0.0

    def timed(source: Supply) -> float:
        return float(source.offer is None or not source.offer.term_months or context.spec.horizon_months > 0)

    of_price = _each(supplies, price)[supply]
    sigma: Floats = np.hypot(of_price, log_sigma * _each(supplies, timed)[supply])
    level = upto(context.assume["select.confidence"])
    if level <= 0:
        return sigma
    # Price and time deviate together, each by its part of the spread; the time then moves what is paid for by whole steps.
    both = np.maximum(np.hypot(of_price, log_sigma), _EXACT)
    paid, longer = (
        _hours_paid(context, supplies, supply, programme_hours * np.exp(level * more))
        for more in (0.0, log_sigma**2 / both)
    )
    whole = np.array([paid_whole(context, source) for source in supplies.supplies], dtype=bool)[supply]
    return np.where(whole, of_price**2 / both + np.log(longer / paid) / level, sigma)


def _fits(context: Context, supplies: Supplies, search: TrainingSearch) -> Floats:
    """Probability that each layout fits into memory; those of one cluster and framework share its band."""
    rows = search.rows
    room = np.array([cluster.device.memory_bytes for cluster in supplies.clusters], dtype=float)[rows.cluster]
    sigmas = np.array([memory_band(framework, context.assume).log_sigma for framework in FRAMEWORKS])[rows.framework]
    far = np.log(room / rows.memory_bytes) / np.maximum(sigmas, _EXACT) / math.sqrt(2.0)
    return np.array([0.5 * math.erfc(-one) for one in far.tolist()], dtype=float)


def _each(supplies: Supplies, value: Callable[[Supply], float]) -> Floats:
    """That number of every source."""
    return np.array([value(supply) for supply in supplies.supplies], dtype=float)


def _beyond(
    context: Context, work: TrainingWork, supplies: Supplies, search: TrainingSearch, calibration: Calibration
) -> tuple[Floats, Floats]:
    """Hours of each layout over those of its steps, failures and saving, and the spread of that upwards."""
    rows = search.rows
    known = np.array([calibration.knows(cluster.device) for cluster in supplies.clusters], dtype=float)[rows.cluster]
    return beyond_of_counts(work.arch, work.method, rows.count.astype(float), context.assume, measured=known)


def _held(
    context: Context,
    supplies: Supplies,
    search: TrainingSearch,
    index: int,
    taken_s: Floats,
    spread: tuple[float, Floats],
    fits: Floats,
) -> Ints:
    """The layouts that this source can hold; `taken_s`: the seconds that each takes without failures, `spread`: of a step on
    this source, and of what lies beyond the steps of each layout; `fits`: how surely each fits into memory."""
    supply, rows = supplies.supplies[index], search.rows
    first, last = np.searchsorted(rows.cluster, (supply.cluster, supply.cluster + 1))
    found: Ints = np.arange(first, last)
    if supply.slots:
        found = found[rows.count[found] <= supply.slots]
    if supply.kind == "on_prem":
        found = _whole_servers(rows, found, supplies.clusters[supply.cluster].devices_per_node)
        log_sigma = np.hypot(spread[0], spread[1][found])
        found = _smallest_in_time(
            context, found, rows.count[found], taken_s[found], log_sigma, fits[found], wait=wait_days(context, supply)
        )
    return found


def _whole_servers(rows: Candidates, found: Ints, per_node: int) -> Ints:
    """Those of them that use all of their servers; of a rack of 72 that is laid out as 64, the rest is paid and idle."""
    whole: Ints = found[rows.count[found] % per_node == 0]
    if not len(whole) and len(found):
        within = found[rows.count[found] <= per_node]
        whole = within[rows.count[within] == rows.count[within].max(initial=0)]
    return whole


def _smallest_in_time(
    context: Context, found: Ints, count: Ints, taken_s: Floats, log_sigma: Floats, fits: Floats, *, wait: float
) -> Ints:
    """Of layouts on hardware that would be bought, no more than the work needs: the fewest whole servers that keep the deadline and
    fit into memory as surely as is asked, and take no longer than a run may. All arrays are of the layouts found."""
    limit = context.spec.constraints.deadline_days
    left_s = (limit - wait) * 86400.0 if limit else math.inf
    needed_s = taken_s * _deadline_over(context, log_sigma)
    in_time = (needed_s <= left_s) & (taken_s <= longest_run(context) * _ROOM * 86400.0)
    if not in_time.any():
        quickest: Ints = found[np.argsort(needed_s, kind="stable")[:1]]
        return quickest
    if (able := in_time & (fits >= context.assume["select.fits"])).any():
        in_time = able
    least: Ints = found[in_time & (count == count[in_time].min())]
    return least


def least_deadline(context: Context, pairs: Pairs, *, supply: int, row: int, run_time_s: float) -> float:
    """The deadline [day] for which servers are bought that compute so long for one run [s]; for a shorter one, more are."""
    there = np.flatnonzero((pairs.supply == supply) & (pairs.row == row))
    return run_time_s / 86400.0 * float(_deadline_over(context, pairs.log_sigma[there])[0])


def _deadline_over(context: Context, log_sigma: Floats) -> Floats:
    """What a deadline must leave for all runs and experiments, in multiples of the hours of one run without failures: room for
    those, and for a time that is longer than expected, as surely as is asked."""
    sure = min(context.assume["select.confidence"] / context.assume["select.fits"], 1.0)
    room = np.maximum(1.0 / _ROOM, np.exp(upto(sure) * log_sigma) / _KEPT)
    over: Floats = programme_factor(context) * room
    return over


def trained_parameters(work: TrainingWork) -> float:
    """Parameters whose state is saved: all of them, or the adapters.

    A row of an embedding table is kept in FP32 with one scalar, less than what the optimizer keeps of dense weights: it
    counts as so many dense parameters as take its bytes.
    """
    arch = work.arch
    if arch.tables is None:
        return max(work.trained_share * arch.parameters, 1.0)
    rows = 4.0 * arch.tables.parameters + 4.0 * arch.tables.rows
    return arch.generic_parameters + rows / checkpoint_bytes(1.0, optimizer=work.optimizer)


def _sigmas(context: Context, work: TrainingWork, supplies: Supplies, calibration: Calibration) -> Floats:
    """A middling spread of step times on each source, after what was measured of its generation; the exact one of a layout is used
    for the finalists."""

    def sigma(device: Device) -> float:
        precision = next(iter(precisions(work, device)), "bf16")
        width = band(work.arch, device, 64, "megatron", precision, context.assume, tuning=work.stack.tuning).log_sigma
        return calibration.log_sigma(device, max(width, least_log_sigma(work.arch, device, precision)))

    devices = {supply.device.slug: supply.device for supply in supplies.supplies}
    known = {slug: sigma(device) for slug, device in devices.items()}
    return _each(supplies, lambda supply: known[supply.device.slug])


def quick_goodput(
    work: TrainingWork, monthly: Floats, supply: Ints, *, count: Floats, nodes: Floats, assume: Assumptions
) -> Floats:
    """First-order share of time that is progress; never below 2 %. `monthly`: interruptions of each source's instances."""
    sizes, index = np.unique(count, return_inverse=True)
    own = np.array([job_failures_per_h(float(size), assume) for size in sizes], dtype=float)[index]
    burst = assume["reliability.spot_burst"]
    taken = np.array([spot_hazard(float(share), instances=1, burst=burst) for share in monthly], dtype=float)
    hazard = own + taken[supply] * nodes
    size = checkpoint_bytes(trained_parameters(work), optimizer=work.optimizer) * differential(assume)[0]
    write_s = size / np.minimum(
        nodes * assume["reliability.storage_write_per_node"], assume["reliability.storage_write_cap"]
    )
    copy_s = size / (count * assume["reliability.device_to_host"])
    blocked = copy_s if assume["reliability.asynchronous"] >= 0.5 else write_s
    mtbf_s = 3600.0 / hazard
    if assume["reliability.two_level"] >= 0.5:
        near = np.where(nodes > 1, assume["reliability.near_share"], 0.0)
        quick = np.sqrt(2.0 * copy_s * near / mtbf_s) + near * assume["reliability.near_restart_s"] / mtbf_s
        mtbf_s = mtbf_s / (1.0 - near)
    else:
        quick = np.zeros_like(mtbf_s)
    restart_s = assume["reliability.restart_s"] + 2.0 * write_s
    lost = quick + np.sqrt(2.0 * blocked / mtbf_s) + restart_s / mtbf_s
    share: Floats = np.maximum(1.0 - lost, 0.02)
    return share


def _usd(
    context: Context, supplies: Supplies, supply: Ints, *, count: Floats, nodes: Floats, programme_hours: Floats
) -> tuple[Floats, Floats]:
    """Approximate cost of the programme from each source, and what a budget must hold for it."""
    usd, cash = _rented(context, supplies, supply, nodes=nodes, programme_hours=programme_hours)
    usd, cash = _drawn(context, supplies, supply, usd=usd, cash=cash, programme_hours=programme_hours)
    own = np.array([source.offer is None for source in supplies.supplies], dtype=bool)[supply]
    for place in np.flatnonzero(own):
        source = supplies.supplies[supply[place]]
        model = _own(context, source, float(count[place]), float(programme_hours[place]))
        usd[place] = total_of(model)
        cash[place] = cash_needed(budgeted(model, context.spec.constraints.budget_basis))
    return usd, cash


def _drawn(
    context: Context, supplies: Supplies, supply: Ints, *, usd: Floats, cash: Floats, programme_hours: Floats
) -> tuple[Floats, Floats]:
    """The same less what each source draws of a spend commitment, which would be paid unused without this work."""
    carried = context.spec.constraints.budget_basis == "allocated"
    taxed = 1.0 + context.taxes.owed_on_services
    for index, source in enumerate(supplies.supplies):
        drawing = drawing_of(context, source.offer)
        here = np.flatnonzero(supply == index)
        if drawing is None or not len(here):
            continue
        term = source.offer.term_months * HOURS_PER_MONTH if source.offer else 0
        hours = np.ceil(programme_hours[here] / term) * term if term else programme_hours[here]
        mine, billed = usd[here], np.maximum(cash[here], usd[here])
        drawn, more = relief(drawing, billed=billed / taxed, instances=billed / taxed, hours=hours)
        more = more * taxed
        share = mine / np.maximum(billed, 1e-9)
        usd[here] = mine + (more - drawn) * share
        cash[here] = mine + more * share if carried else billed + more - drawn
    return usd, cash


def _rented(
    context: Context, supplies: Supplies, supply: Ints, *, nodes: Floats, programme_hours: Floats
) -> tuple[Floats, Floats]:
    """Whole instances; a commitment is paid for its term, less what other work carries of it within the horizon, and a block of
    capacity in whole days. And what a budget must hold for them: whole terms."""
    spot = _each(supplies, lambda s: float(bool(s.offer and s.offer.option == "spot")))[supply] > 0
    price = _each(supplies, lambda s: s.offer.usd_per_hour if s.offer else 0.0)[supply]
    months = _each(supplies, lambda s: float(s.offer.term_months) if s.offer else 0.0)[supply]
    premium = 1.0 + context.assume["cost.managed_premium"]
    paid_for = nodes * premium + _spares(context, supplies, supply, nodes)
    term = months * HOURS_PER_MONTH
    paid = np.ceil(np.round(programme_hours / np.maximum(term, 1.0), 9)) * term
    demand = np.minimum(context.spec.horizon_months * HOURS_PER_MONTH, paid)
    others = np.maximum(demand - programme_hours, 0.0) * context.use()[0].expected
    committed = paid * programme_hours / (programme_hours + others)
    held = paid_for * price * np.where(months > 0, committed, _hours_paid(context, supplies, supply, programme_hours))
    each = price * premium + _fallback(context, supplies, supply, nodes)
    taxed = 1.0 + context.taxes.owed_on_services
    usd: Floats = np.where(spot, nodes * programme_hours * each, held) * taxed
    if context.spec.constraints.budget_basis == "allocated":
        return usd, usd.copy()
    rest: Floats = (
        taxed * (nodes + _spares(context, supplies, supply, nodes)) * price * np.maximum(paid - committed, 0.0)
    )
    return usd, usd + np.where(months > 0, rest, 0.0)


def paid_whole(context: Context, source: Supply) -> bool:
    """Is that source paid in whole steps however long the work takes: blocks of capacity, and terms that no other work carries?"""
    offer = source.offer
    return offer is not None and (
        offer.option == WHOLE_DAYS or bool(offer.term_months and not context.spec.horizon_months)
    )


def _hours_paid(context: Context, supplies: Supplies, supply: Ints, hours: Floats) -> Floats:
    """The hours that are paid for: those of the block or of the terms that hold them, where it is paid in whole steps."""
    paid = hours.copy()
    for index, source in enumerate(supplies.supplies):
        if source.offer is None or not paid_whole(context, source):
            continue
        here, term = supply == index, source.offer.term_months * HOURS_PER_MONTH
        if source.offer.option == WHOLE_DAYS:
            paid[here] = over_arrays(block_hours(source.offer))({"programme_hours": hours[here]})
        else:
            paid[here] = np.ceil(np.round(hours[here] / term, 9)) * term
    return paid


def _fallback(context: Context, supplies: Supplies, supply: Ints, nodes: Floats) -> Floats:
    """What an hour of a spot instance costs more for the share that is paid on demand [USD]."""
    dearer = [s.fallback_usd_per_hour - s.offer.usd_per_hour if s.offer else 0.0 for s in supplies.supplies]
    more = np.maximum(np.array(dearer, dtype=float), 0.0)[supply]
    per_node = _each(supplies, lambda s: float(s.offer.devices) if s.offer else 0.0)[supply]
    sizes, index = np.unique(np.where(more > 0, nodes * per_node, 0.0), return_inverse=True)
    shares = [fallback_share(float(size), context.assume) if size else 0.0 for size in sizes]
    extra: Floats = more * np.array(shares, dtype=float)[index]
    return extra


def _spares(context: Context, supplies: Supplies, supply: Ints, nodes: Floats) -> Floats:
    """Spare instances of each pair; spot capacity has none."""
    per_node = np.array([s.offer.devices if s.offer and s.offer.option != "spot" else 0 for s in supplies.supplies])
    codes, index = np.unique(per_node[supply] * _MOST_NODES + nodes.astype(np.int64), return_inverse=True)
    sizes = [divmod(int(code), _MOST_NODES) for code in codes]
    known = [spare_nodes(size, per, context.assume) if per else 0 for per, size in sizes]
    found: Floats = np.array(known, dtype=float)[index]
    return found


def _own(context: Context, supply: Supply, count: float, programme_hours: float) -> CostModel:
    """Exact, since these are few: what the work carries of owned or bought hardware."""
    if supply.kind == "owned":
        return owned(
            device=supply.device,
            devices=int(count),
            hours_needed=count * programme_hours,
            start=context.start,
            assume=context.assume,
            system=supply.system,
            holding=supply.holding,
            taxes=context.taxes,
            cash=False,
        )
    assert supply.system is not None
    return bought_model(context, supply.system, int(count), count * programme_hours, cash=False)


def _kg(context: Context, supplies: Supplies, supply: Ints, *, count: Floats, programme_hours: Floats) -> Floats:
    """Emissions by device power and grid; an unknown grid counts as the world's dirtiest known one."""
    worst = max(context.market.carbon_g_per_kwh.values(), default=0.0)

    def grams(source: Supply) -> float:
        known = context.grid(source.offer, source.holding.country if source.holding else "")
        return known[0] if known else worst

    watts = _each(supplies, lambda source: source.device.tdp_w)[supply]
    kg: Floats = count * programme_hours * watts / 1000.0 * _each(supplies, grams)[supply] / 1000.0
    return kg
