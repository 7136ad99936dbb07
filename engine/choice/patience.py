"""How long one run may last, and all runs of a programme together: two named assumptions, judged here and nowhere else.

Without them the cheapest plan would be one slow accelerator for decades. They hold beside a deadline, not instead of
one, so that a deadline never makes a plan cheaper.
"""

from __future__ import annotations

import math
from dataclasses import replace

from engine.answer import TooLong
from engine.context import Context
from engine.inputs.finding import Finding, Ref, finding
from engine.money.schedule import DAYS_PER_YEAR, programme_factor

RUN = "select.patience"
PROGRAMME = "select.programme"
LONGEST_WAY_OUT = 5 * 365.0
"""Days beyond which no more time is offered to anybody: hardware does not live that long."""


def longest_run(context: Context) -> float:
    """Days that one run may last at most, so that neither it nor all runs together take too long."""
    return min(context.assume[RUN], longest_programme(context) / programme_factor(context))


def longest_programme(context: Context) -> float:
    """Days that several runs and experiments may take together; no less than the demand that the request states.

    A single run is bounded by itself alone.
    """
    if programme_factor(context) <= 1.0:
        return math.inf
    return max(context.assume[PROGRAMME], context.spec.horizon_months * DAYS_PER_YEAR / 12.0)


def too_long(context: Context, run_days: float) -> TooLong | None:
    """Which of the two a run of so many days breaks, and by how much; None where it keeps both."""
    if run_days > context.assume[RUN]:
        return TooLong(assumption=RUN, days=run_days, most=context.assume[RUN])
    every, most = run_days * programme_factor(context), longest_programme(context)
    return TooLong(assumption=PROGRAMME, days=every, most=most) if every > most else None


def too_long_told(found: TooLong) -> Finding:
    """That as the end of a sentence."""
    return finding(
        "miss.run" if found.assumption == RUN else "miss.programme",
        days=round(found.days),
        most=round(found.most),
        assumption=Ref("assumption", found.assumption),
    )


def needed_for(context: Context, run_days: float) -> dict[str, float]:
    """The assumptions that such a run breaks, with the whole days that each would have to be."""
    every, found = run_days * programme_factor(context), {}
    if run_days > context.assume[RUN]:
        found[RUN] = float(math.ceil(run_days))
    if every > longest_programme(context):
        found[PROGRAMME] = float(math.ceil(every))
    return found


def most_patient(context: Context) -> Context:
    """The same request with both as long as a way out may propose."""
    return replace(
        context,
        assume=context.assume.override({key: max(context.assume[key], LONGEST_WAY_OUT) for key in (RUN, PROGRAMME)}),
    )


def without_patience(context: Context) -> Context:
    """The same request with neither limit, to see what they cost."""
    return replace(context, assume=context.assume.override({RUN: math.inf, PROGRAMME: math.inf}))
