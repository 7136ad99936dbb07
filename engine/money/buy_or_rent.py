"""When owning beats renting: by utilisation, hours, months and the price of a rented hour."""

from __future__ import annotations

import math
from datetime import date

from engine.answer import BreakEven
from engine.context import OWN_LOAD
from engine.inputs.assumptions import Assumptions
from engine.inputs.currency import DOLLARS, Currency
from engine.inputs.hardware import System
from engine.money.formulas import HOURS_PER_YEAR
from engine.money.lines import amount_of, check_positive, evaluate
from engine.money.onprem import bought
from engine.money.own_around import Around


def break_even(
    *,
    cloud_per_accelerator_hour: float,
    system: System,
    nodes: int,
    devices: int,
    utilisation: float,
    assume: Assumptions,
    judged_on: str = "",
    throughput_ratio: float = 1.0,
    horizon_months: float = 0.0,
    whole: tuple[float, float] | None = None,
    currency: Currency = DOLLARS,
    joined: bool = True,
) -> BreakEven:
    """When owning those servers for the horizon, or without one for their whole life, beats renting at that price.

    `whole` is what the work costs on bought and on rented hardware [USD]: the verdict, where there is a horizon.

    `judged_on` says where the utilisation comes from, for the sentence; `joined` whether the servers work together.

    `throughput_ratio` is the work of an owned accelerator-hour over that of a rented one. u* = (annuity + fixed
    operation) / (hours × (price − variable operation)); H* = purchase / (price − operation per hour used), None when the hardware
    does not live that long. Amounts are US dollars, the sentence is in `currency`.
    """
    check_positive(cloud_per_accelerator_hour=cloud_per_accelerator_hour, throughput_ratio=throughput_ratio)
    life = min(horizon_months / 12.0 or math.inf, assume["onprem.life_years"])
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
        around=Around(joined=joined),
        cash=False,
    )
    price = cloud_per_accelerator_hour * throughput_ratio
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
        cloud_per_accelerator_hour=switch,
        sentence=_break_even_sentence(
            needed,
            utilisation,
            price=currency.price(cloud_per_accelerator_hour),
            switch=currency.price(switch),
            span=f"{horizon_months:g} months" if horizon_months else f"{life:g} years",
            service=judged_on == OWN_LOAD,
        )
        + (_verdict(*whole, currency) if whole and horizon_months else "")
        + ("" if horizon_months else _undemanded(whole, currency, service=judged_on == OWN_LOAD)),
        expected_utilisation=utilisation,
        rented_per_accelerator_hour=cloud_per_accelerator_hour,
        owning_pays=whole[0] < whole[1] if whole and horizon_months else None,
    )


def _break_even_sentence(
    needed: float, utilisation: float, *, price: str, switch: str, span: str, service: bool
) -> str:
    """From which use on owning costs less, and which use is expected; which of the two this work takes is said elsewhere."""
    if needed > 1:
        return (
            f"Over {span} renting at {price} per accelerator-hour costs less than owning at any utilisation: owning costs "
            f"{switch} at {utilisation:.0%} use."
        )
    expected = (
        f"This service alone uses {utilisation:.0%} of the hours of the servers that its peak needs"
        if service
        else f"{utilisation:.0%} is expected"
    )
    return (
        f"Over {span} owning costs less than renting at {price} per accelerator-hour when the servers are used more than "
        f"{needed:.0%} of the time. {expected}: owning then costs {switch}."
    )


def _undemanded(whole: tuple[float, float] | None, currency: Currency, *, service: bool) -> str:
    """Why nothing is bought where no horizon is stated; for work that ends with the two amounts of it."""
    if service:
        return " No horizon of demand is stated, over which bought servers would be judged."
    alone = (
        f": bought for it alone, servers would cost {currency.whole(whole[0])}, and renting costs {currency.whole(whole[1])}"
        if whole
        else ""
    )
    return f" This request states no demand beyond this work{alone}."


def _verdict(bought_usd: float, rented_usd: float, currency: Currency) -> str:
    """What the whole work costs either way: the same two amounts that the table of the plan shows."""
    own, rent = (currency.whole(usd) for usd in (bought_usd, rented_usd))
    better = "owning" if bought_usd < rented_usd else "renting"
    return f" All in all this work costs {own} on servers bought for it and {rent} rented: {better} costs less."
