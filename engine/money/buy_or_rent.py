"""When owning beats renting: by utilisation, hours, months and the price of a rented hour."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date

from engine.answer import BreakEven
from engine.context import OWN_LOAD
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import Finding, Quantity, Sum, finding
from engine.inputs.hardware import System
from engine.inputs.origin import Origin
from engine.inputs.spec import NO_TAX, Taxes
from engine.money.formulas import HOURS_PER_YEAR
from engine.money.lines import amount_of, check_positive, evaluate
from engine.money.onprem import bought
from engine.money.own_around import Around
from engine.money.signed import order_of


def break_even(
    *,
    cloud_per_accelerator_hour: float,
    system: System,
    nodes: int,
    devices: int,
    utilisation: float,
    assume: Assumptions,
    judged_on: Origin = "",
    throughput_ratio: float = 1.0,
    horizon_months: float = 0.0,
    whole: tuple[float, float] | None = None,
    joined: bool = True,
    taxes: Taxes = NO_TAX,
    late_days: float = 0.0,
) -> BreakEven:
    """When owning those servers for the horizon, or without one for their whole life, beats renting at that price.

    `whole` is what the work costs on bought and on rented hardware [USD]: the verdict, where there is a horizon. `late_days`: when
    servers come that come after the work is done, so that it is rented whatever it would cost on them.

    `judged_on` says where the utilisation comes from; `joined` whether the servers work together. Tax that does not come back
    is in the price of the rented hour, and `taxes` say what of it is owed on owning.

    `throughput_ratio` is the work of an owned accelerator-hour over that of a rented one. u* = (annuity + fixed
    operation) / (hours × (price − variable operation)); H* = purchase / (price − operation per hour used), None when the hardware
    does not live that long. Amounts are US dollars.
    """
    check_positive(cloud_per_accelerator_hour=cloud_per_accelerator_hour, throughput_ratio=throughput_ratio)
    life = min(horizon_months / 12.0 or math.inf, assume["onprem.life_years"])
    model = bought(
        system=system,
        nodes=nodes,
        devices=devices,
        hours_needed=devices * HOURS_PER_YEAR * life * utilisation,
        horizon_months=life * 12,
        utilisation=utilisation,
        start=date(2000, 1, 1),
        assume=assume,
        around=Around(joined=joined),
        taxes=taxes,
        cash=False,
    )
    price = cloud_per_accelerator_hour * throughput_ratio
    # Operation is linear in utilisation (energy alone depends on it), so two points give its fixed and variable part.
    idle, busy = (evaluate(model, {"utilisation": share})["operation_year"] for share in (1e-9, 1.0))
    available, saved_per_hour = devices * HOURS_PER_YEAR, price - (busy - idle) / (devices * HOURS_PER_YEAR)
    needed = (
        (amount_of(model, "capital_year") + idle) / (available * saved_per_hour) if saved_per_hour > 0 else math.inf
    )
    saved_per_used_hour = price - amount_of(model, "operation_year") / (available * utilisation)
    order = amount_of(model, order_of({line.name for line in model.lines}))
    used_hours = order / devices / saved_per_used_hour if saved_per_used_hour > 0 else math.inf
    months = used_hours / utilisation / (HOURS_PER_YEAR / 12)
    earned_back = months <= life * 12
    switch, service = amount_of(model, "usd_per_used_hour") / throughput_ratio, judged_on == OWN_LOAD
    return BreakEven(
        utilisation=needed if needed <= 1 else None,
        hours=used_hours if earned_back else None,
        months=months if earned_back else None,
        cloud_per_accelerator_hour=switch,
        told=(
            *_needed_use(
                needed,
                utilisation,
                price=cloud_per_accelerator_hour,
                switch=switch,
                span=_span(horizon_months, life),
                service=service,
            ),
            *_verdict(whole, horizon_months=horizon_months, service=service, late_days=late_days),
        ),
        expected_utilisation=utilisation,
        rented_per_accelerator_hour=cloud_per_accelerator_hour,
        owning_pays=whole[0] < whole[1] and not late_days if whole and horizon_months else None,
    )


def _span(horizon_months: float, life: float) -> Finding:
    """The time that is judged: the horizon as it was given, else the life of the hardware."""
    return finding("months", months=horizon_months) if horizon_months else finding("years", years=life)


def _needed_use(
    needed: float, utilisation: float, *, price: float, switch: float, span: Finding, service: bool
) -> Iterator[Finding]:
    """From which use on owning costs less, and which use is expected; which of the two this work takes is said elsewhere."""
    use, rent, own = Quantity(utilisation, "share"), Sum(price), Sum(switch)
    if needed > 1:
        yield finding("break_even.never", span=span, price=rent, switch=own, use=use)
        return
    yield finding("break_even.from", span=span, price=rent, needed=Quantity(needed, "share"))
    yield finding("break_even.expected.service" if service else "break_even.expected", use=use, switch=own)


def _verdict(
    whole: tuple[float, float] | None, *, horizon_months: float, service: bool, late_days: float
) -> Iterator[Finding]:
    """What the whole work costs either way: the same two amounts that the table of the plan shows; without a horizon why
    nothing is bought."""
    amounts: dict[str, Sum] = {"own": Sum(whole[0]), "rent": Sum(whole[1])} if whole else {}
    if not horizon_months and service:
        yield finding("break_even.no_horizon.service")
    elif not horizon_months:
        yield finding("break_even.no_horizon.amounts" if whole else "break_even.no_horizon", **amounts)
    elif whole and late_days:
        yield finding("break_even.late", time=Quantity(late_days, "day"), **amounts)
    elif whole:
        yield finding("break_even.owning" if whole[0] < whole[1] else "break_even.renting", **amounts)
