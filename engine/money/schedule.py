"""When work ends: a run, its repetitions and experiments after it, and the wait for hardware that is not there yet."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date, timedelta

from engine.answer import Estimate
from engine.context import Context
from engine.inputs.hardware import System
from engine.money.cash import CALENDAR_DAYS
from engine.money.site import lead_name
from engine.odds.chances import chance_within, within_surely
from engine.supply import Supply

DAYS_PER_YEAR = 365.0


def programme_factor(context: Context) -> float:
    """Runs and experiments, one after the other, in multiples of the final run."""
    training = context.spec.training
    return 1.0 if training is None else training.runs + training.experiment_overhead


def wait_days(context: Context, supply: Supply) -> float:
    """Days from the start until that hardware is available.

    What is bought is ordered on the day of the request; while it is on its way the same accelerator is rented, and
    where none can be, the work waits.
    """
    if supply.waits:
        return max(lead_days(context, supply.system) - (context.start - context.as_of).days, 0.0)
    ready = supply.owned.available_from if supply.owned else None
    return float(max((ready - context.start).days, 0)) if ready else 0.0


def ahead_days(context: Context) -> float:
    """Days from the order of servers, on the day of the request, to the start of the work."""
    return float(max((context.start - context.as_of).days, 0))


def done_before(context: Context, supply: Supply, busy_days: float) -> bool:
    """Whether work that is rented until servers are delivered is done by then, so that nothing is left to buy them for."""
    bridged = supply.kind == "on_prem" and not supply.waits and bool(context.spec.horizon_months)
    return bridged and busy_days <= lead_days(context, supply.system) - ahead_days(context)


def lead_days(context: Context, system: System | None) -> float:
    """Days from the order of servers to the first job on them."""
    return context.assume[f"onprem.{lead_name(system)}"] * DAYS_PER_YEAR / 12.0


def until_done(context: Context, supply: Supply, run: Estimate) -> Estimate:
    """Days from the start to the end of the programme, given the wall days of one run."""
    factor, wait = programme_factor(context), wait_days(context, supply)
    low, expected, high = (wait + factor * value for value in (run.low, run.expected, run.high))
    return replace(run, low=low, expected=expected, high=high)


def probability_in_time(context: Context, supply: Supply, days: Estimate) -> float | None:
    """Probability to finish within the deadline; None without one. The wait is certain, the rest is log-normal."""
    deadline, wait = context.spec.due_days, wait_days(context, supply)
    if not deadline:
        return None
    if deadline <= wait:
        return 0.0
    return chance_within(deadline - wait, days.expected - wait, days.high - wait)


def kept_deadline(context: Context, supply: Supply, days: Estimate, sure: float) -> float:
    """The shortest deadline [day] that is kept with that probability; infinite for a certainty."""
    wait = wait_days(context, supply)
    return wait + within_surely(days.expected - wait, days.high - wait, sure)


def finish_date(start: date, days: float) -> date | None:
    """The day on which work of that many days ends; None beyond the calendar."""
    return start + timedelta(days=math.ceil(days)) if days < CALENDAR_DAYS else None
