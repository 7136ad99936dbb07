"""Hardware that is bought for a piece of work, with its spares and with what is rented until it is delivered."""

from __future__ import annotations

import math

from engine.answer import BreakEven, CostModel, Estimate, Money
from engine.context import ALONE, OWN_LOAD, SEED, Context
from engine.inputs.hardware import System
from engine.inputs.origin import Origin
from engine.money.cost import banded, bought, break_even, owned, total_of
from engine.money.delivery import Bridge, Delivery
from engine.money.drift import server_by
from engine.money.even_use import for_hours
from engine.money.forgone import sale_of
from engine.money.formulas import HOURS_PER_YEAR
from engine.money.lines import amount_of
from engine.money.own_around import NOTHING, Around
from engine.money.rented import Work
from engine.money.schedule import DAYS_PER_YEAR, ahead_days, lead_days
from engine.money.site import lead_name
from engine.reliability.checkpoints import spare_nodes
from engine.supply import Supply, cheapest_rental, server_for


def own_model(
    context: Context,
    supply: Supply,
    count: int,
    accelerator_hours: float,
    *,
    work: Work | None = None,
    around: Around = NOTHING,
    cash: bool = True,
) -> CostModel:
    """What that work carries of hardware that is owned or bought."""
    if supply.kind == "owned":
        return owned(
            device=supply.device,
            devices=count,
            hours_needed=accelerator_hours,
            start=context.start,
            assume=context.assume,
            system=supply.system,
            holding=supply.holding,
            taxes=context.taxes,
            work=work,
            around=around,
            sale=sale_of(supply.owned, supply.holding, context.assume, as_of=context.as_of, start=context.start),
            cash=cash,
        )
    assert supply.system is not None
    return bought_model(context, supply.system, count, accelerator_hours, work=work, around=around, cash=cash)


def bought_model(
    context: Context,
    system: System,
    count: int,
    accelerator_hours: float,
    *,
    work: Work | None = None,
    around: Around = NOTHING,
    cash: bool = True,
    there: bool = False,
) -> CostModel:
    """What that work carries of servers bought for it; as if they stood `there` already, nothing is rented until they come."""
    nodes = math.ceil(count / system.devices)
    use, source = _use(context, system, nodes, accelerator_hours, around)
    return bought(
        system=server_by(system, context.as_of, context.assume),
        nodes=nodes,
        devices=nodes * system.devices,
        hours_needed=accelerator_hours,
        horizon_months=context.spec.horizon_months,
        utilisation=use,
        use_source=source,
        start=context.start,
        assume=context.assume,
        spare_servers=spare_nodes(nodes, system.devices, context.assume),
        delivery=None if there else delivery_of(context, system),
        busy=count,
        taxes=context.taxes,
        work=work,
        around=around,
        shared=context.shared or source == OWN_LOAD,
        cash=cash,
    )


def _use(
    context: Context, system: System, nodes: int, accelerator_hours: float, around: Around
) -> tuple[Estimate, Origin]:
    """Share of its hours in which the hardware works, and who says so: of work that ends and that nobody else is said to share it with,
    all hours in which that runs."""
    load = load_of_service(system, nodes, accelerator_hours, around)
    if load or context.shared:
        return context.use(load)
    return Estimate(low=1.0, expected=1.0, high=1.0, unit="share"), ALONE


def load_of_service(system: System, nodes: int, accelerator_hours: float, around: Around) -> float:
    """The hours of a service over all hours of the servers that hold its peak; 0 for work that ends."""
    if not around.months or not around.interactive:
        return 0.0
    return min(accelerator_hours / (nodes * system.devices * around.months / 12.0 * HOURS_PER_YEAR), 1.0)


def delivery_of(context: Context, system: System) -> Delivery:
    """How servers of that kind come: rented until then, where there is demand beyond this work and any is for rent."""
    bridge = _bridge_of(context, system.device) if context.spec.horizon_months else None
    return Delivery(bridge=bridge, ahead_months=ahead_days(context) * 12.0 / DAYS_PER_YEAR, lead=lead_name(system))


def _bridge_of(context: Context, device: str) -> Bridge | None:
    """What an hour of that accelerator costs until the servers are accepted; None where none can be rented."""
    offer = cheapest_rental(context.spec, context.market, device)
    if offer is None:
        return None
    return Bridge(
        usd_per_hour=offer.usd_per_hour / offer.devices,
        source=offer.source,
        date=offer.price_date,
    )


def comparison_of(
    context: Context,
    supply: Supply,
    count: int,
    accelerator_hours: float,
    rented: CostModel,
    *,
    around: Around = NOTHING,
) -> tuple[Money | None, BreakEven | None]:
    """The same accelerators bought: what this work would carry, and the break-even; None where no server is listed.

    The rented hour of the break-even is that of the rental without the stack of a service, which owning needs as well.
    """
    system = server_for(context.market, supply.device.slug)
    if system is None or system.price_low_usd <= 0:
        return None, None
    model = bought_model(context, system, count, accelerator_hours, around=around, cash=False)
    late = not amount_of(model, "owned_hours")
    if late:  # all of it would be rented until they come: what it would carry if they stood there
        model = bought_model(context, system, count, accelerator_hours, around=around, cash=False, there=True)
    nodes = math.ceil(count / system.devices)
    use, source = context.use(load_of_service(system, nodes, accelerator_hours, around))
    alike = for_hours(rented)
    bought = banded(model, assume=context.assume, seed=SEED)
    if alike <= 0:  # rented for less than half a coin: no use of own hardware costs less
        return bought, None
    even = break_even(
        cloud_per_accelerator_hour=alike / accelerator_hours,
        system=system,
        nodes=nodes,
        devices=nodes * system.devices,
        utilisation=use.expected,
        judged_on=source,
        assume=context.assume,
        horizon_months=context.spec.horizon_months,
        whole=(total_of(model), total_of(rented)),
        late_days=lead_days(context, system) if late else 0.0,
        taxes=context.taxes,
        joined=around.joined,
    )
    return bought, even
