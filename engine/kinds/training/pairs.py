"""Every (source, layout) pair of a training run, priced approximately and all at once, so that it can be ranked.

The finalists are costed exactly afterwards; here goodput is the first-order form 1 − √(2δ/M) − R/M and a cost is
instances × price × hours.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from engine.choice.patience import longest_run
from engine.choice.select import Floats, Ints, Pairs
from engine.context import Context
from engine.inputs.assumptions import Assumptions
from engine.kinds.training.best import FRAMEWORKS, Candidates, TrainingSearch, TrainingWork
from engine.kinds.training.pace import log_sigmas, own_times
from engine.kinds.training.rough import Billing, each
from engine.money.carbon import power_share, power_sigma
from engine.money.schedule import done_before, programme_factor, wait_days
from engine.odds.bands import memory_band
from engine.odds.calibrate import NO_CALIBRATION, Calibration
from engine.odds.normal import upto
from engine.odds.programme import beyond_of_counts
from engine.reliability.checkpoints import checkpoint_bytes, job_failures_per_h
from engine.reliability.formulas import spot_hazard
from engine.reliability.saving import differential
from engine.supply import Supplies, Supply, may_buy

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
    taken_s = own_times(supplies.clusters, search.rows, calibration, search.rows.run_time_s) * beyond
    sigmas = np.hypot(log_sigmas(work, supplies.clusters, search.rows, context.assume, calibration), wide)
    fits = _fits(context, supplies, search)
    found = [_held(context, supplies, search, index, taken_s, sigmas, fits) for index in usable]
    supply = np.repeat(np.array(usable, dtype=np.int64), [len(rows) for rows in found])
    row = np.concatenate([np.zeros(0, dtype=np.int64), *found])
    count = search.rows.count[row].astype(float)
    nodes = np.ceil(count / each(supplies, lambda s: supplies.clusters[s.cluster].devices_per_node)[supply])
    monthly = each(supplies, lambda s: s.offer.interruption_per_month if s.offer else 0.0)
    kept = quick_goodput(work, monthly, supply, count=count, nodes=nodes, assume=context.assume)
    wall = context.assume["select.startup_h"] + taken_s[row] / 3600.0 / kept
    programme = wall * programme_factor(context)
    late = [done_before(context, sources[at], days) for at, days in zip(supply, programme / 24.0, strict=True)]
    if any(late):
        left = ~np.array(late, dtype=bool)
        supply, row, count, nodes, kept, programme = (x[left] for x in (supply, row, count, nodes, kept, programme))
    wait = each(supplies, lambda s: wait_days(context, s))[supply]
    log_sigma, none = sigmas[row], np.zeros(len(row))
    billing = Billing(context=context, supplies=supplies, supply=supply, nodes=nodes)
    usd, cash = billing.usd_of(count=count, programme_hours=programme)
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
        usd_sigma=billing.usd_sigmas(log_sigma=log_sigma, programme_hours=programme),
        least=billing.least_usd(programme_hours=programme * kept, log_sigma=log_sigma, usd=usd * kept),
        cash=cash,
        kg=_kg(context, supplies, supply, count=count, programme_hours=programme),
        kg_sigma=np.hypot(log_sigma, each(supplies, lambda s: power_sigma(s.system, context.assume))[supply]),
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
        kg_kept=pairs.kg * np.exp(deviations * pairs.kg_sigma),
    )


def _fits(context: Context, supplies: Supplies, search: TrainingSearch) -> Floats:
    """Probability that each layout fits into memory; those of one cluster and framework share its band."""
    rows = search.rows
    room = np.array([cluster.device.memory_bytes for cluster in supplies.clusters], dtype=float)[rows.cluster]
    sigmas = np.array([memory_band(framework, context.assume).log_sigma for framework in FRAMEWORKS])[rows.framework]
    far = np.log(room / rows.memory_bytes) / np.maximum(sigmas, _EXACT) / math.sqrt(2.0)
    return np.array([0.5 * math.erfc(-one) for one in far.tolist()], dtype=float)


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
    log_sigma: Floats,
    fits: Floats,
) -> Ints:
    """The layouts that this source can hold; `taken_s`: the seconds that each takes without failures, `log_sigma`: the
    spread of the log of that; `fits`: how surely each fits into memory."""
    supply, rows = supplies.supplies[index], search.rows
    first, last = np.searchsorted(rows.cluster, (supply.cluster, supply.cluster + 1))
    found: Ints = np.arange(first, last)
    if supply.slots:
        found = found[rows.count[found] <= supply.slots]
    if supply.kind == "on_prem":
        found = _whole_servers(rows, found, supplies.clusters[supply.cluster].devices_per_node)
        found = _smallest_in_time(
            context,
            found,
            rows.count[found],
            taken_s[found],
            log_sigma[found],
            fits[found],
            wait=wait_days(context, supply),
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


def _kg(context: Context, supplies: Supplies, supply: Ints, *, count: Floats, programme_hours: Floats) -> Floats:
    """Emissions by the power of rented servers and the grid; an unknown grid counts as the world's dirtiest known one."""
    worst = max(context.market.carbon_g_per_kwh.values(), default=0.0)

    def kg_per_hour(source: Supply) -> float:
        known = context.grid(source.offer, source.holding.country if source.holding else "")
        share = power_share(source.device, source.system, context.assume, kind="cloud")
        return source.device.tdp_w * share / 1e3 * (known[0] if known else worst) / 1e3

    kg: Floats = count * programme_hours * each(supplies, kg_per_hour)[supply]
    return kg
