"""Every (source, layout) pair of a training run, priced approximately and all at once, so that it can be ranked.

The finalists are costed exactly afterwards; here goodput is the first-order form 1 − √(2δ/M) − R/M and a cost is
instances × price × hours.
"""

from __future__ import annotations

import numpy as np

from planner.engine.assumptions import Assumptions
from planner.engine.bands import band
from planner.engine.buying import bought_model
from planner.engine.context import Context
from planner.engine.cost import owned, total_of
from planner.engine.failure_math import spot_hazard
from planner.engine.reliability import checkpoint_bytes, job_failures_per_h, spare_nodes
from planner.engine.rented import fallback_share
from planner.engine.saving import differential
from planner.engine.schedule import programme_factor, wait_days
from planner.engine.select import Floats, Ints, Pairs
from planner.engine.supply import Supplies, Supply, may_buy
from planner.engine.training import TrainingSearch, TrainingWork

HOURS_PER_MONTH = 730.0
_COLUMNS = {"supply": np.int64, "row": np.int64, "days": float, "days_sure": float, "usd": float, "kg": float}
_ROOM = 0.75
"""Share of the deadline that computing may take, so that failures and a slower step still fit."""
_Z80 = 0.8416212335729143
"""z below which 80 % of a normal distribution lies."""


def price_pairs(context: Context, work: TrainingWork, supplies: Supplies, search: TrainingSearch) -> Pairs:
    """All pairs that a source can hold, with days and cost."""
    # Hardware is bought only for a stated horizon, never for one run.
    usable = [i for i, s in enumerate(supplies.supplies) if s.kind != "on_prem" or may_buy(context.spec)]
    parts = [_pairs_of(context, work, supplies, search, index) for index in usable]
    return Pairs(
        **{
            name: np.concatenate([np.zeros(0, dtype=dtype), *(getattr(part, name) for part in parts)])
            for name, dtype in _COLUMNS.items()
        }
    )


def _pairs_of(context: Context, work: TrainingWork, supplies: Supplies, search: TrainingSearch, index: int) -> Pairs:
    supply, rows = supplies.supplies[index], search.rows
    held = rows.cluster == supply.cluster
    if supply.slots:
        held &= rows.count <= supply.slots
    found = np.flatnonzero(held)
    if supply.kind == "on_prem":
        found = _smallest_in_time(context, found, search, supplies.clusters[supply.cluster].devices_per_node)
    count = rows.count[found].astype(float)
    nodes = np.ceil(count / supplies.clusters[supply.cluster].devices_per_node)
    run_hours = rows.run_time_s[found] / 3600.0
    wall = context.assume["select.startup_h"] + run_hours / quick_goodput(work, supply, count, nodes, context.assume)
    programme = wall * programme_factor(context)
    wait = wait_days(context, supply)
    days = programme / 24.0
    sigma = _sigma(context, work, supply)
    return Pairs(
        supply=np.full(len(found), index),
        row=found,
        days=wait + days,
        days_sure=wait + days * np.exp(confidence_z(context.assume) * sigma),
        usd=_usd(context, supply, count, nodes, programme),
        kg=_kg(context, supply, count, programme),
    )


def _smallest_in_time(context: Context, found: Ints, search: TrainingSearch, per_node: int) -> Ints:
    """Of hardware that would be bought, no more than the run needs: the fewest whole servers that keep the deadline."""
    rows, limits = search.rows, context.spec.constraints
    days = (limits.deadline_days or context.assume["select.patience"]) * _ROOM
    whole = found[rows.count[found] % per_node == 0]
    if not len(whole) and len(found):  # a rack of 72 that is laid out as 64: the rest is paid and idle
        within = found[rows.count[found] <= per_node]
        whole = within[rows.count[within] == rows.count[within].max(initial=0)]
    found = whole
    quick = found[rows.run_time_s[found] <= days * 86400.0]
    if not len(quick):
        return found[np.argsort(rows.run_time_s[found])[:1]]
    least: Ints = quick[rows.count[quick] == rows.count[quick].min()]
    return least


def trained_parameters(work: TrainingWork) -> float:
    """Parameters whose state is saved: all of them, or the adapters."""
    return max(work.trained_share * work.arch.parameters, 1.0)


def _sigma(context: Context, work: TrainingWork, supply: Supply) -> float:
    """A middling spread of step times on that device; the exact one of a layout is used for the finalists."""
    precision = "bf16" if "bf16" in supply.device.dense_flops else "fp16"
    return band(work.arch, supply.device, 64, "megatron", precision, context.assume).log_sigma


def confidence_z(assume: Assumptions) -> float:
    """z of the wanted confidence, on the scale where 80 % is exact (a logistic approximation elsewhere)."""
    share = min(max(assume["select.confidence"], 0.01), 0.99)
    return float(_Z80 * np.log(share / (1.0 - share)) / np.log(4.0))


def quick_goodput(work: TrainingWork, supply: Supply, count: Floats, nodes: Floats, assume: Assumptions) -> Floats:
    """First-order share of time that is progress; never below 2 %."""
    monthly = supply.offer.interruption_per_month if supply.offer else 0.0
    sizes, index = np.unique(count, return_inverse=True)
    own = np.array([job_failures_per_h(float(size), assume) for size in sizes], dtype=float)[index]
    hazard = own + spot_hazard(monthly, instances=1, burst=assume["reliability.spot_burst"]) * nodes
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


def _usd(context: Context, supply: Supply, count: Floats, nodes: Floats, programme_hours: Floats) -> Floats:
    """Approximate cost of the programme from that source."""
    if supply.offer is not None:
        return _rented(context, supply, nodes, programme_hours)
    return np.array([_own(context, supply, *item) for item in zip(count, nodes, programme_hours, strict=True)])


def _rented(context: Context, supply: Supply, nodes: Floats, programme_hours: Floats) -> Floats:
    """Whole instances; a commitment is paid for its term, less what other work carries of it within the horizon."""
    offer = supply.offer
    assert offer is not None
    if offer.option == "spot":
        return _spot(context, supply, nodes, programme_hours)
    spares = spares_of(nodes, offer.devices, context.assume)
    nodes = nodes * (1.0 + context.assume["cost.managed_premium"]) + spares
    if not offer.term_months:
        return nodes * offer.usd_per_hour * programme_hours
    term = offer.term_months * HOURS_PER_MONTH
    shared = context.spec.horizon_months * HOURS_PER_MONTH * context.use()[0].expected
    paid = np.maximum(programme_hours, term * np.minimum(1.0, programme_hours / max(shared, 1e-9)))
    return nodes * offer.usd_per_hour * (paid if shared else np.maximum(programme_hours, term))


def _spot(context: Context, supply: Supply, nodes: Floats, programme_hours: Floats) -> Floats:
    """Spot instances, with the share of their hours that is paid on demand."""
    assert supply.offer is not None
    price = supply.offer.usd_per_hour
    sizes, index = np.unique(nodes, return_inverse=True)
    more = max(supply.fallback_usd_per_hour - price, 0.0) if supply.fallback_usd_per_hour else 0.0
    shares = [fallback_share(size * supply.offer.devices, context.assume) for size in sizes]
    each = price * (1.0 + context.assume["cost.managed_premium"]) + more * np.array(shares, dtype=float)[index]
    cost: Floats = nodes * programme_hours * each
    return cost


def spares_of(nodes: Floats, per_node: int, assume: Assumptions) -> Floats:
    """Spare instances for each of those sizes."""
    sizes, index = np.unique(nodes, return_inverse=True)
    found: Floats = np.array([spare_nodes(int(size), per_node, assume) for size in sizes], dtype=float)[index]
    return found


def _own(context: Context, supply: Supply, count: float, nodes: float, programme_hours: float) -> float:
    """Exact, since these are few: what the work carries of owned or bought hardware."""
    if supply.kind == "owned":
        model = owned(
            device=supply.device,
            devices=int(count),
            hours_needed=count * programme_hours,
            start=context.start,
            assume=context.assume,
            system=supply.system,
            holding=supply.holding,
        )
        return total_of(model)
    assert supply.system is not None
    return total_of(bought_model(context, supply.system, int(nodes) * supply.system.devices, count * programme_hours))


def _kg(context: Context, supply: Supply, count: Floats, programme_hours: Floats) -> Floats:
    """Emissions by device power and grid; an unknown grid counts as the world's dirtiest known one."""
    known = context.grid(supply.offer)
    worst = max(context.market.carbon_g_per_kwh.values(), default=0.0)
    grams = known[0] if known else worst
    return count * programme_hours * supply.device.tdp_w / 1000.0 * grams / 1000.0
