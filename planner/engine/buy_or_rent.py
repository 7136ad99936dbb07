"""When owning beats renting: by utilisation, hours, months and the price of a rented hour."""

from __future__ import annotations

import math
from datetime import date

from planner.engine.assumptions import Assumptions
from planner.engine.cash import Display
from planner.engine.context import OWN_LOAD
from planner.engine.cost_lines import amount_of, check_positive, evaluate
from planner.engine.hardware import System
from planner.engine.onprem import HOURS_PER_YEAR, bought
from planner.engine.result import BreakEven

_DOLLARS = Display()


def break_even(
    *,
    cloud_usd_per_accelerator_hour: float,
    system: System,
    nodes: int,
    devices: int,
    utilisation: float,
    assume: Assumptions,
    judged_on: str = "",
    throughput_ratio: float = 1.0,
    display: Display = _DOLLARS,
) -> BreakEven:
    """When owning those servers for their whole life beats renting at that price.

    `judged_on` says where the utilisation comes from, for the sentence.

    `throughput_ratio` is the work of an owned accelerator-hour over that of a rented one. u* = (annuity + fixed
    operation) / (hours × (price − variable operation)); H* = purchase / (price − operation per hour used), None when the hardware
    does not live that long. Amounts are US dollars, the sentence is in the currency of `display`.
    """
    check_positive(cloud_usd_per_accelerator_hour=cloud_usd_per_accelerator_hour, throughput_ratio=throughput_ratio)
    life = assume["onprem.life_years"]
    hours = devices * HOURS_PER_YEAR * life * utilisation
    model = bought(
        system=system,
        nodes=nodes,
        devices=devices,
        hours_needed=hours,
        horizon_months=life * 12,
        utilisation=utilisation,
        start=date(2000, 1, 1),
        assume=assume,
        cash=False,
    )
    price = cloud_usd_per_accelerator_hour * throughput_ratio
    # Operation is linear in utilisation (energy alone depends on it), so two points give its fixed and variable part.
    idle, busy = (evaluate(model, {"utilisation": share})["operation_year"] for share in (1e-9, 1.0))
    available = devices * HOURS_PER_YEAR
    saved_per_hour = price - (busy - idle) / available
    needed = (
        (amount_of(model, "capital_year") + idle) / (available * saved_per_hour) if saved_per_hour > 0 else math.inf
    )
    saved_per_used_hour = price - amount_of(model, "operation_year") / (available * utilisation)
    used_hours = amount_of(model, "capex") / devices / saved_per_used_hour if saved_per_used_hour > 0 else math.inf
    months = used_hours / utilisation / (HOURS_PER_YEAR / 12)
    earned_back = months <= life * 12
    switch = amount_of(model, "usd_per_used_hour") / throughput_ratio
    return BreakEven(
        utilisation=needed if needed <= 1 else None,
        hours=used_hours if earned_back else None,
        months=months if earned_back else None,
        cloud_usd_per_accelerator_hour=switch,
        sentence=_break_even_sentence(
            needed,
            utilisation,
            price=_amount(cloud_usd_per_accelerator_hour, display),
            switch=_amount(switch, display),
            months=months,
            life=life,
            service=judged_on == OWN_LOAD,
        ),
        expected_utilisation=utilisation,
        rented_usd_per_accelerator_hour=cloud_usd_per_accelerator_hour,
    )


def _amount(usd: float, display: Display) -> str:
    return f"{usd * display.fx_rate:,.2f} {display.currency}"


def _break_even_sentence(
    needed: float, utilisation: float, *, price: str, switch: str, months: float, life: float, service: bool
) -> str:
    owning = f"owning costs {switch} per accelerator-hour at {utilisation:.0%} use"
    if needed > 1:
        return f"Renting at {price} per accelerator-hour is cheaper at any utilisation: {owning}."
    verdict = "so owning pays" if utilisation >= needed else "so renting is cheaper"
    payback = f" The purchase is earned back after {months:,.0f} months of such use." if months <= life * 12 else ""
    expected = (
        f"this service alone uses {utilisation:.0%} of the hours of the whole servers that its peak needs"
        if service
        else f"{utilisation:.0%} is expected"
    )
    return (
        f"Owning beats renting at {price} per accelerator-hour when the hardware is used more than "
        f"{needed:.0%} of the time over {life:g} years; {expected}, {verdict}: {owning}.{payback}"
    )
