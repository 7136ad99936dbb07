"""Every (source, layout) pair of a training run, priced approximately and all at once, so that it can be ranked.

The finalists are costed exactly afterwards; here a cost is instances × price × hours.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from engine.choice.porting import porting_usd
from engine.choice.select import Bools, Floats, Ints, Pairs
from engine.choice.sold import longest_hours, sizes_sold
from engine.context import Context
from engine.inputs.hardware import Access
from engine.kinds.training.added import over_of_counts
from engine.kinds.training.best import FRAMEWORKS, Candidates, TrainingSearch, TrainingWork
from engine.kinds.training.goodputs import goodputs
from engine.kinds.training.pace import log_sigmas, own_times
from engine.kinds.training.rough import Billing, each
from engine.kinds.training.stored import with_data
from engine.kinds.training.unsold import Unsold
from engine.money.carbon import power_share, power_sigma
from engine.money.schedule import mostly_before, programme_factor, wait_days, wait_of
from engine.odds.bands import memory_band
from engine.odds.calibrate import NO_CALIBRATION, Calibration
from engine.odds.normal import upto
from engine.odds.waits import late_sigma
from engine.reliability.checkpoints import checkpoint_bytes
from engine.supply import Supplies, Supply, may_buy

_EXACT = 1e-9
"""Least standard deviation: what is known exactly keeps a limit or does not."""


def price_pairs(
    context: Context,
    work: TrainingWork,
    supplies: Supplies,
    search: TrainingSearch,
    *,
    calibration: Calibration = NO_CALIBRATION,
    unsold: Unsold | None = None,
) -> Pairs:
    """All pairs that a source can hold, with days and cost. Everything that follows from a size alone is worked out once
    for each size, and all pairs go through each formula together: there are thousands, and somebody is typing. What nobody sells in that
    size or for that long is noted in `unsold`."""
    unsold = unsold or Unsold()
    sources = supplies.supplies
    # Hardware is bought only for a stated horizon, never for one run.
    usable = [i for i, s in enumerate(sources) if s.kind != "on_prem" or may_buy(context.spec)]
    over, wide = _over(context, work, supplies, search, calibration)
    taken_s = own_times(supplies.clusters, search.rows, calibration, search.rows.run_time_s) * over
    sigmas = np.hypot(log_sigmas(work, supplies.clusters, search.rows, context.assume, calibration), wide)
    held = [_held(context, supplies, search, index) for index in usable]
    found = [_sold(context, supplies, search, *one, unsold) for one in zip(usable, held, strict=True)]
    supply = np.repeat(np.array(usable, dtype=np.int64), [len(rows) for rows in found])
    row = np.concatenate([np.zeros(0, dtype=np.int64), *found])
    saved = trained_parameters(work)
    kept = goodputs(context, work, supplies, search.rows, supply, row, parameters=saved)
    count = search.rows.count[row].astype(float)
    nodes = np.ceil(count / each(supplies, lambda s: supplies.clusters[s.cluster].devices_per_node)[supply])
    wall = context.assume["select.startup_h"] + taken_s[row] / 3600.0 / kept
    programme = wall * programme_factor(context)
    left = _possible(context, supplies, supply, programme, sigmas[row], unsold)
    supply, row = supply[left], row[left]
    count, nodes, kept, programme = count[left], nodes[left], kept[left], programme[left]
    wait = each(supplies, lambda s: wait_days(context, s))[supply]
    log_sigma, none = sigmas[row], np.zeros(len(row))
    billing = Billing(context=context, supplies=supplies, supply=supply, nodes=nodes)
    usd, cash, worth = billing.usd_of(count=count, programme_hours=programme)
    pairs = Pairs(
        supply=supply,
        row=row,
        days=wait + programme / 24.0,
        run_days=programme / 24.0 / programme_factor(context),
        days_sure=none,
        wait=wait,
        wait_sigma=each(supplies, lambda s: late_sigma(wait_of(context, s)))[supply],
        log_sigma=log_sigma,
        fits=_fits(context, supplies, search)[row],
        usd=usd,
        usd_sigma=billing.usd_sigmas(log_sigma=log_sigma, programme_hours=programme),
        worth=worth,
        least=billing.least_usd(programme_hours=programme * kept, log_sigma=log_sigma, worth=worth * kept),
        cash=cash,
        kg=_kg(context, supplies, supply, count=count, programme_hours=programme),
        kg_sigma=np.hypot(log_sigma, each(supplies, lambda s: power_sigma(s.system, context.assume))[supply]),
        kept=kept,
        days_kept=none,
        usd_kept=none,
        worth_kept=none,
        porting=each(supplies, lambda s: porting_usd(context, s))[supply],
        kg_kept=none,
    )
    return as_sure(context, with_data(context, work, supplies, pairs))


def as_sure(context: Context, pairs: Pairs) -> Pairs:
    """Those pairs with the days within which they finish as surely as the context asks: time has to make up for what may
    not fit into memory. And with what days, cost and emissions are then."""
    levels, index = np.unique(
        np.minimum(context.assume["select.confidence"] / np.maximum(pairs.fits, 1e-9), 1.0), return_inverse=True
    )
    deviations = np.array([upto(float(level)) for level in levels], dtype=float)[index]
    days_sure = _ended(pairs, deviations)
    return kept_at(replace(pairs, days_sure=days_sure), upto(context.assume["select.confidence"]))


def _ended(pairs: Pairs, deviations: Floats | float) -> Floats:
    """Days until the end, so many standard deviations above what is expected: those of the wait and of the work in squares."""
    late, uncertain = np.zeros(len(pairs)), pairs.wait_sigma > 0.0  # to be certain takes infinitely many
    np.multiply(pairs.wait_sigma, deviations, out=late, where=uncertain)
    slow = (pairs.days - pairs.wait) * np.expm1(deviations * pairs.log_sigma)
    found: Floats = pairs.days + np.copysign(np.hypot(late, slow), slow)
    return found


def kept_at(pairs: Pairs, deviations: float) -> Pairs:
    """Those pairs with days, cost and emissions of so many standard deviations above what is expected."""
    return replace(
        pairs,
        days_kept=_ended(pairs, deviations),
        usd_kept=pairs.usd * np.exp(deviations * pairs.usd_sigma),
        worth_kept=pairs.worth * np.exp(deviations * pairs.usd_sigma),
        kg_kept=pairs.kg * np.exp(deviations * pairs.kg_sigma),
    )


def _fits(context: Context, supplies: Supplies, search: TrainingSearch) -> Floats:
    """Probability that each layout fits into memory; those of one cluster and framework share its band."""
    rows = search.rows
    room = np.array([cluster.device.memory_bytes for cluster in supplies.clusters], dtype=float)[rows.cluster]
    sigmas = np.array([memory_band(framework, context.assume).log_sigma for framework in FRAMEWORKS])[rows.framework]
    far = np.log(room / rows.memory_bytes) / np.maximum(sigmas, _EXACT) / math.sqrt(2.0)
    return np.array([0.5 * math.erfc(-one) for one in far.tolist()], dtype=float)


def _over(
    context: Context, work: TrainingWork, supplies: Supplies, search: TrainingSearch, calibration: Calibration
) -> tuple[Floats, Floats]:
    """Hours of each layout over those of its steps, failures and saving, and the spread of that upwards."""
    rows = search.rows
    known = np.array([calibration.knows(cluster.device) for cluster in supplies.clusters], dtype=float)[rows.cluster]
    return over_of_counts(work.arch, work.method, rows.count.astype(float), context.assume, measured=known)


def _held(
    context: Context,
    supplies: Supplies,
    search: TrainingSearch,
    index: int,
) -> Ints:
    """The layouts that this source can hold, of hardware that would be bought every number of whole servers: how many are bought is decided
    by what all of them cost and which are in time, so that a later deadline only adds to them and makes no plan dearer."""
    supply, rows = supplies.supplies[index], search.rows
    first, last = np.searchsorted(rows.cluster, (supply.cluster, supply.cluster + 1))
    found: Ints = np.arange(first, last)
    if supply.slots:
        found = found[rows.count[found] <= supply.slots]
    if supply.kind == "on_prem":
        per_node = supplies.clusters[supply.cluster].devices_per_node
        if supply.system is not None and supply.system.on_a_desk:
            found = found[rows.count[found] <= per_node * context.assume["onprem.joined_desks"]]
        found = _whole_servers(rows, found, per_node)
    return found


def _sold(
    context: Context, supplies: Supplies, search: TrainingSearch, index: int, found: Ints, unsold: Unsold
) -> Ints:
    """Those layouts whose size its provider sells."""
    offer = supplies.supplies[index].offer
    if offer is None:
        return found
    access = context.market.access_of(offer)
    sold = sizes_sold(access, accelerators=search.rows.count[found], per_instance=offer.devices)
    unsold.add("unsold_size", offer, access, int((~sold).sum()))
    kept: Ints = found[sold]
    return kept


def _possible(
    context: Context, supplies: Supplies, supply: Ints, programme_hours: Floats, log_sigma: Floats, unsold: Unsold
) -> Bools:
    """Which pairs are not mostly over before their hardware is there, and end within the longest order that their provider sells, as
    surely as is asked."""
    days = zip(supply.tolist(), (programme_hours / 24.0).tolist(), strict=True)
    short: Bools = np.array([not mostly_before(context, supplies.supplies[at], each) for at, each in days], dtype=bool)
    hours = programme_hours * np.exp(upto(context.assume["select.confidence"]) * log_sigma)
    for index, source in enumerate(supplies.supplies):
        access = context.market.access_of(source.offer) if source.offer else Access()
        if source.offer is None or not access.most_days:
            continue
        here = np.flatnonzero(supply == index)
        sold = hours[here] <= longest_hours(access)
        short[here] &= sold
        unsold.add("too_long", source.offer, access, int((~sold).sum()))
    return short


def _whole_servers(rows: Candidates, found: Ints, per_node: int) -> Ints:
    """Those of them that use all of their servers; of a rack of 72 that is laid out as 64, the rest is paid and idle."""
    whole: Ints = found[rows.count[found] % per_node == 0]
    if not len(whole) and len(found):
        within = found[rows.count[found] <= per_node]
        whole = within[rows.count[within] == rows.count[within].max(initial=0)]
    return whole


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


def _kg(context: Context, supplies: Supplies, supply: Ints, *, count: Floats, programme_hours: Floats) -> Floats:
    """Emissions by the power of rented servers and the grid; an unknown grid counts as the world's dirtiest known one."""
    worst = max(context.market.carbon_g_per_kwh.values(), default=0.0)

    def kg_per_hour(source: Supply) -> float:
        known = context.grid(source.offer, source.holding.country if source.holding else "")
        share = power_share(source.device, source.system, context.assume, kind="cloud")
        return source.device.tdp_w * share / 1e3 * (known[0] if known else worst) / 1e3

    kg: Floats = count * programme_hours * each(supplies, kg_per_hour)[supply]
    return kg
