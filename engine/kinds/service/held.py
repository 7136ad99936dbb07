"""Which source may hold which choice, and how surely a budget must hold beside load and promise."""

from __future__ import annotations

import math

from engine.context import Context
from engine.kinds.service import ServingChoice, ServingWork
from engine.kinds.service.costs import DAYS_PER_MONTH, ends, months_of
from engine.kinds.service.work import is_batch
from engine.money.schedule import done_before, wait_days, wait_of
from engine.odds.normal import upto
from engine.supply import Supply, may_buy

SLACK = 1.1
"""Rough costs may exceed the budget by this much before the exact ones decide."""


def may_hold(context: Context, supply: Supply, choice: ServingChoice) -> bool:
    """Owned hardware has an end; hardware is bought for a horizon, and its servers are paid whole, however little of them the service
    fills; a second site needs a second region."""
    if choice.standby.apart and supply.second is None:
        return False
    if supply.slots and choice.accelerators > supply.slots:
        return False
    if not there_in_time(context, supply, choice):
        return False
    if supply.kind != "on_prem" or supply.system is None:
        return True
    days = months_of(context, choice) * DAYS_PER_MONTH
    return may_buy(context.spec) and not done_before(context, supply, days)


def there_in_time(context: Context, supply: Supply, choice: ServingChoice) -> bool:
    """Whether hardware that comes later leaves a batch its time, and a service is not to begin before it comes: one that waits for what is
    owned is none, one that waits for what is bought is looked at where nothing else serves (`Context.late`)."""
    if ends(context):
        return due_hours(context, supply, choice) <= context.spec.due_days * 24.0 * (1 + 1e-9)
    return (context.late and supply.owned is None) or wait_days(context, supply) == 0.0


def waiting(context: Context) -> tuple[Supply, ...]:
    """Sources on which a service would begin later than it is asked to, since nothing like them can be rented until they come."""
    if ends(context):
        return ()
    return tuple(one for one in context.supplies.supplies if one.owned is None and wait_days(context, one) > 0.0)


def due_hours(context: Context, supply: Supply, choice: ServingChoice) -> float:
    """The shortest deadline of a batch [h] that is kept there with the confidence that a recommendation needs."""
    days, sure = choice.hours / 24.0, context.assume["select.confidence"]
    wait = wait_of(context, supply)
    if wait.certain:
        return wait.days * 24.0 + choice.sure_hours
    return (
        wait.days * 24.0
        + choice.hours
        + 24.0 * math.hypot(choice.sure_hours / 24.0 - days, wait.at(upto(sure)) - wait.days)
    )


def held_with(context: Context, work: ServingWork) -> float:
    """How surely a budget must hold by itself: of a service beside load and promise, which are kept as surely as the work
    says; of a batch both limits are drawn together."""
    asked = context.assume["select.confidence"]
    return asked if is_batch(work) else asked / work.sure


def budgeted_with(context: Context, work: ServingWork) -> float:
    """How surely a budget that is offered holds: of a batch so that it holds together with a deadline that is kept as surely
    as the work says."""
    return work.sure if is_batch(work) else held_with(context, work)
