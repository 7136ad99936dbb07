"""A frozen plan of US dollars as a team reads it in its own currency."""

from __future__ import annotations

from dataclasses import replace

from engine.inputs.currency import Currency
from engine.money.converted import recommendation_in
from planner.frozen.snapshot import Plan


def plan_in(plan: Plan, currency: Currency) -> Plan:
    """That plan with each line of its cost models at that rate.

    The plan's hash stays: the currency is how it is shown, not what it says.
    """
    shown = recommendation_in(plan.recommendation, currency, plan.start)
    return replace(plan, spec=replace(plan.spec, currency=currency.code), recommendation=shown)
