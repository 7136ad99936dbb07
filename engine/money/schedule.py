"""When work ends: a run, its repetitions and experiments after it, and the wait for hardware that is not there yet."""

from __future__ import annotations

import math
from datetime import date, timedelta

from engine.answer import Estimate, scaled
from engine.context import Context
from engine.inputs.hardware import System
from engine.money.cash import CALENDAR_DAYS
from engine.money.site import lead_name
from engine.odds.waits import NO_WAIT, Wait, chance_in_time, ended, ended_surely, sure_wait
from engine.supply import Supply

DAYS_PER_YEAR = 365.0


def programme_factor(context: Context) -> float:
    """Runs and experiments, one after the other, in multiples of the final run."""
    training = context.spec.training
    return 1.0 if training is None else training.runs + training.experiment_overhead


def wait_of(context: Context, supply: Supply) -> Wait:
    """How long work waits from its start until that hardware is available.

    What is bought is ordered on the day of the request; while it is on its way the same accelerator is rented, and
    where none can be, the work waits.
    """
    if supply.waits:
        name = f"onprem.{lead_name(supply.system)}"
        known, month = context.assume.get(name), DAYS_PER_YEAR / 12.0
        low, high = min(known.low, known.value), max(known.high, known.value)
        return Wait(
            low=low * month,
            expected=known.value * month,
            high=high * month,
            ahead=ahead_days(context),
            because=(name,),
        )
    ready = supply.owned.available_from if supply.owned else None
    return sure_wait(float(max((ready - context.start).days, 0))) if ready else NO_WAIT


def wait_days(context: Context, supply: Supply) -> float:
    """Days of that wait that are expected."""
    return wait_of(context, supply).days


def ahead_days(context: Context) -> float:
    """Days from the order of servers, on the day of the request, to the start of the work."""
    return float(max((context.start - context.as_of).days, 0))


_RENTED = 0.75
"""Share of a run that may be rented until servers come that are bought for it."""


def done_before(context: Context, supply: Supply, busy_days: float) -> bool:
    """Whether work that is rented until servers are delivered is done by then, so that nothing is left to buy them for."""
    bridged = supply.kind == "on_prem" and not supply.waits and bool(context.spec.horizon_months)
    return bridged and busy_days <= lead_days(context, supply.system) - ahead_days(context)


def mostly_before(context: Context, supply: Supply, busy_days: float) -> bool:
    """Whether three quarters of such work are done when servers are delivered: then it is rented, and nothing is bought for the rest."""
    return done_before(context, supply, busy_days * _RENTED)


def lead_days(context: Context, system: System | None) -> float:
    """Days from the order of servers to the first job on them."""
    return context.assume[f"onprem.{lead_name(system)}"] * DAYS_PER_YEAR / 12.0


def until_done(context: Context, supply: Supply, run: Estimate) -> Estimate:
    """Days from the start to the end of the programme, given the wall days of one run."""
    return ended(wait_of(context, supply), scaled(run, programme_factor(context)))


def probability_in_time(context: Context, supply: Supply, busy: Estimate) -> float | None:
    """Probability that work of so many days ends within the deadline; None without one."""
    deadline = context.spec.due_days
    return chance_in_time(wait_of(context, supply), busy, deadline) if deadline else None


def kept_deadline(context: Context, supply: Supply, busy: Estimate, sure: float) -> float:
    """The shortest deadline [day] that work of so many days keeps with that probability; infinite for a certainty."""
    return ended_surely(wait_of(context, supply), busy, sure)


def finish_date(start: date, days: float) -> date | None:
    """The day on which work of that many days ends; None beyond the calendar."""
    return start + timedelta(days=math.ceil(days)) if days < CALENDAR_DAYS else None
