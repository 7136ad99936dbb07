"""Which source may hold which choice, and how surely a budget must hold beside load and promise."""

from __future__ import annotations

import math

from engine.context import Context
from engine.kinds.service import ServingChoice, ServingWork
from engine.kinds.service.costs import DAYS_PER_MONTH, ends, months_of
from engine.kinds.service.work import is_batch
from engine.money.schedule import done_before, wait_days
from engine.supply import Supply, may_buy


def may_hold(context: Context, supply: Supply, choice: ServingChoice) -> bool:
    """Owned hardware has an end; hardware is bought for a horizon, and only servers that the service fills by half; a second site
    needs a second region."""
    if choice.standby.apart and supply.second is None:
        return False
    if supply.slots and choice.accelerators > supply.slots:
        return False
    if not there_in_time(context, supply, choice):
        return False
    if supply.kind != "on_prem" or supply.system is None:
        return True
    whole = math.ceil(choice.accelerators / supply.system.devices) * supply.system.devices
    days = months_of(context, choice) * DAYS_PER_MONTH
    return may_buy(context.spec) and choice.accelerators >= whole / 2 and not done_before(context, supply, days)


def there_in_time(context: Context, supply: Supply, choice: ServingChoice) -> bool:
    """Whether hardware that comes later leaves a batch its time, and a service is not to begin before what is owned comes."""
    if ends(context):
        return due_hours(context, supply, choice) <= context.spec.due_days * 24.0 * (1 + 1e-9)
    return supply.owned is None or wait_days(context, supply) == 0.0


def due_hours(context: Context, supply: Supply, choice: ServingChoice) -> float:
    """The shortest deadline of a batch [h] that is kept there with the confidence that a recommendation needs."""
    return wait_days(context, supply) * 24.0 + choice.sure_hours


def held_with(context: Context, work: ServingWork) -> float:
    """How surely a budget must hold by itself: of a service beside load and promise, which are kept as surely as the work
    says; of a batch both limits are drawn together."""
    asked = context.assume["select.confidence"]
    return asked if is_batch(work) else asked / work.sure


def budgeted_with(context: Context, work: ServingWork) -> float:
    """How surely a budget that is offered holds: of a batch so that it holds together with a deadline that is kept as surely
    as the work says."""
    return work.sure if is_batch(work) else held_with(context, work)
