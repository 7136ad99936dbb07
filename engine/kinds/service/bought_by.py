"""Which promise takes the hardware of a service: its load alone, how sure it must be, speed, replicas that stand by, whole machines."""

from __future__ import annotations

import math
from collections.abc import Iterator

from engine.answer import Option
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Sum, finding
from engine.kinds.service import ServingWork
from engine.kinds.service.costs import ServingFinalist
from engine.kinds.service.load import carried
from engine.kinds.service.work import demand, is_batch

BOUGHT_BY = "reason.bought_by"


def bought_by(context: Context, work: ServingWork, pair: ServingFinalist, best: Option) -> Iterator[Finding]:
    """Of the accelerators that are paid for, how many the peak takes, and how many each promise adds on the same replicas; nothing of a
    batch, and where all are the peak's. Without a promise other replicas might be chosen, so that it may cost less than its part."""
    choice = pair.choice
    if is_batch(work) or choice.carries_per_replica <= 0:
        return
    devices, peak = choice.accelerators_per_replica, demand(work)
    load = min(max(math.ceil(peak / choice.carries_per_replica), 1), choice.replicas)
    over = carried(choice.cluster.device, work, context.assume)
    sure = min(max(math.ceil(peak * over / choice.carries_per_replica), load), choice.replicas)
    whole = choice.nodes * choice.cluster.devices_per_node if pair.supply.kind != "owned" else 0
    held = max(whole, choice.accelerators)
    promised = context.spec.serving is not None and context.spec.serving.promised
    speed = "speed" if promised else "speed.unpromised"
    added = {
        "sure": (sure - load) * devices,
        speed: (choice.replicas - sure) * devices,
        "standby": choice.spare_replicas * devices,
        "machines": held - choice.accelerators,
    }
    values = {"sure": {"chance": Quantity(context.assume["select.confidence"], "chance")}}
    parts = tuple(
        finding(f"bought.{name}", count=count, **values.get(name, {})) for name, count in added.items() if count
    )
    if not parts:
        return
    more = sum(added.values())
    # Replicas that follow a load are not all held at all hours: then no sum is any promise's.
    if choice.replicas_by_hour:
        yield finding(f"{BOUGHT_BY}.peak", held=held, load=load * devices, parts=parts)
    else:
        cost = Sum(best.cost.total.expected * more / held)
        yield finding(BOUGHT_BY, held=held, load=load * devices, more=more, cost=cost, parts=parts)
