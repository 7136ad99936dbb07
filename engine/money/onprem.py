"""What bought and owned hardware costs, and when buying beats renting.

Capital is an annuity at the cost of capital over the holding time; the total is what one piece of work carries of it,
by the hours it uses. The same formulas as the reference model of the cost guide, as named expressions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from engine.answer import UNPAID, CostInput, CostLine, CostModel, Estimate
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import finding
from engine.inputs.hardware import System
from engine.inputs.origin import POISSON, REQUEST, Origin, origin
from engine.inputs.spec import NO_TAX, Taxes
from engine.money.cash import completed
from engine.money.delivery import Delivery, bridge_lines, phase_lines
from engine.money.formulas import HOURS_PER_YEAR
from engine.money.lines import Schedule, assumed, check_positive, dollars, given, quantity, sum_of_leaves
from engine.money.own_around import NOTHING, Around, hours_of, length_of, service_lines, stored_inputs
from engine.money.purchase import BROUGHT_AT_END, capital_lines, order_name, purchase_inputs
from engine.money.rented import Work, certain
from engine.money.signed import purchase_needs
from engine.money.site import connected, on_desks, site_input, staff_formula, staff_names
from engine.money.taxes import (
    DISPOSAL,
    ON_SERVICES,
    TAX_OPERATION,
    TAX_PURCHASE,
    service_taxes,
    tax_inputs,
)

_SPARES = "max(server_cost * spares_share, spare_servers * price_per_server)"
_STORAGE = "max(server_cost * storage_share, stored_gb / 1000 * storage_usd_per_tb)"
"""Storage that holds what is kept: the usual share of the servers, or more where that is not enough."""
_OPERATION = (
    "busy_load",
    "idle_load",
    "pue",
    "usd_per_kwh",
    "hosted",
    "hosting_usd_per_kw_month",
    "maintenance_share",
    "usd_per_fte",
    "software_per_device_year",
    "transit_usd_year",
)


_OPERATED = ("energy", "hosting", "maintenance", "staff", "software", "transit")


def bought(
    *,
    system: System,
    nodes: int,
    devices: int,
    hours_needed: float,
    horizon_months: float,
    utilisation: Estimate | float,
    start: date,
    assume: Assumptions,
    spare_servers: int = 0,
    delivery: Delivery | None = None,
    busy: int = 0,
    work: Work | None = None,
    around: Around = NOTHING,
    use_source: Origin = REQUEST,
    taxes: Taxes = NO_TAX,
    shared: bool = True,
    cash: bool = True,
) -> CostModel:
    """What one piece of work carries of servers bought for it.

    `hours_needed` are its accelerator-hours within the horizon. With a horizon the value left at its end is credited; other work uses what
    is `shared`, at `utilisation` in all, and carries its part. Else, and without a horizon (0), this work pays the whole purchase. Servers
    are written off from acceptance, and their removal is paid at the end. `spare_servers`: the least that the share for spares must pay.
    `delivery` says that the servers are ordered first (without it they stand there at the start), `busy` how many accelerators the work
    uses if not all. `work` splits `hours_needed` into computing and failures; `around` is what is kept and, for a service, the stack,
    paid for all of its months. CostError on numbers that make no cost.
    """
    use = certain(utilisation)
    check_positive(nodes=nodes, devices=devices, hours_needed=hours_needed, utilisation=use.expected)
    time, time_lines = hours_of(hours_needed, work, around)
    run_years = around.months / 12.0 or hours_needed / devices / HOURS_PER_YEAR
    demand, demand_lines = _demand(run_years, horizon_months, around)
    shared = shared and bool(horizon_months or around.months)
    desks = on_desks(system, nodes, joined=around.joined)
    inputs = [
        *purchase_inputs(system, nodes, devices, assume, taxes, desks=desks),
        *demand,
        *_holding_inputs(horizon_months, assume),
        *time,
        _use_input(use, use_source, shared=shared),
        *(site_input(name, assume, desks=desks) for name in (*_OPERATION, *staff_names(desks=desks))),
        *([site_input("acceptance_months", assume, desks=desks)] if delivery else []),
        *tax_inputs(taxes, buys=True),
    ]
    capital = capital_lines(taxes)
    if around.stored_gb:
        inputs += [*stored_inputs(around), assumed("onprem.storage_usd_per_tb", assume)]
        capital = [replace(line, expression=_STORAGE) if line.name == "storage_system" else line for line in capital]
    lines = [
        *length_of(inputs, around),
        *time_lines,
        *demand_lines,
        *phase_lines(inputs, delivery, assume, busy=busy or devices, devices=devices, months=around.months),
        *_holding_lines(),
        *capital,
        *_yearly_lines(staff_formula(desks=desks), taxes),
        *_own_lines(
            taxes, transit=connected(assume), shared=shared, goes_on=bool(around.months) and around.interactive
        ),
        *service_lines(inputs, around, assume, servers="servers"),
        *bridge_lines(inputs, delivery),
    ]
    lines += service_taxes(taxes, lines)
    if spare_servers:
        inputs.append(given("spare_servers", spare_servers, "", POISSON))
        lines = [replace(line, expression=_SPARES) if line.name == "spares" else line for line in lines]
    lines.append(sum_of_leaves("total", lines, told=finding("cost.total.carried")))
    lines.append(purchase_needs(lines))
    return completed(inputs, lines, start=start, cash=cash)


def _use_input(use: Estimate, source: Origin, *, shared: bool) -> CostInput:
    """Share of its hours in which the hardware works; of what nobody shares all of those of the work."""
    if not shared:
        return given("utilisation", 1.0, "share", source)
    return given("utilisation", use.expected, "share", source, low=use.low, high=use.high)


def _demand(run_years: float, horizon_months: float, around: Around) -> tuple[list[CostInput], list[CostLine]]:
    """The years of demand: the months of a service, the horizon or work that is longer, or this work alone."""
    if around.months and around.interactive:
        return [], [_years_of_demand("months / 12")]
    if not horizon_months:
        return [given("horizon_years", run_years, "year", REQUEST)], []
    run = "months / 12" if around.months else f"accelerator_hours / devices / {HOURS_PER_YEAR}"
    months = given("horizon_months", horizon_months, "month", REQUEST)
    return [months], [_years_of_demand(f"max(horizon_months / 12, {run})")]


def _years_of_demand(expression: str) -> CostLine:
    return quantity("horizon_years", expression, "year")


def _holding_inputs(horizon_months: float, assume: Assumptions) -> list[CostInput]:
    """How long the hardware lives, and what is left of its value then; nothing is sold where nobody says how long it is needed."""
    life, left = assume.get("onprem.life_years"), assume.get("onprem.residual_share")
    source = left.source if horizon_months else origin("no_resale")
    share = given("residual_share", 0.0, "share", source)
    if horizon_months:
        share = given("residual_share", left.value, "share", source, low=left.low, high=left.high)
    return [
        given("life_years", life.value, life.unit, life.source),
        share,
        assumed("onprem.wacc", assume),
    ]


def _holding_lines() -> list[CostLine]:
    """How long one purchase is held, and what it is then worth: constant decay to what is left after its whole life."""
    return [
        quantity("holding_years", "min(held_years, life_years)", "year"),
        quantity("value_share", "residual_share ** (holding_years / life_years)", "share"),
    ]


def _yearly_lines(staff: str, taxes: Taxes) -> list[CostLine]:
    yearly = [f"{name}_year" for name in _OPERATED]
    tax = _operation_tax(yearly) if taxes.owed_on_services else []
    return [
        quantity(
            "mean_load",
            "idle_load + (busy_load - idle_load) * utilisation",
            "share",
        ),
        quantity("kwh_year", f"servers * server_kw * mean_load * pue * {HOURS_PER_YEAR}", "kWh"),
        dollars("energy_year", "if_(hosted > 0, 0, kwh_year * usd_per_kwh)", kind="quantity"),
        dollars(
            "hosting_year",
            "if_(hosted > 0, servers * server_kw * hosting_usd_per_kw_month * 12, 0)",
            kind="quantity",
        ),
        dollars("maintenance_year", "server_cost * maintenance_share", kind="quantity"),
        quantity("staff_fte", staff, "FTE"),
        dollars("staff_year", "staff_fte * usd_per_fte", kind="quantity"),
        dollars("software_year", "devices * software_per_device_year", kind="quantity"),
        dollars("transit_year", "transit_usd_year", kind="quantity"),
        *tax,
        dollars(
            "operation_year",
            " + ".join([*yearly, *(line.name for line in tax)]),
            kind="quantity",
        ),
        dollars("cost_year", "capital_year + operation_year", kind="quantity"),
        quantity(
            "usd_per_available_hour",
            f"cost_year / (devices * {HOURS_PER_YEAR})",
            "USD/h",
        ),
        quantity("usd_per_used_hour", "usd_per_available_hour / utilisation", "USD/h"),
    ]


def _operation_tax(yearly: Sequence[str]) -> list[CostLine]:
    """Tax on what operation takes, people of one's own apart."""
    base = " + ".join(name for name in yearly if name != "staff_year")
    return [dollars(f"{TAX_OPERATION}_year", f"({base}) * {ON_SERVICES}", kind="quantity")]


def _own_lines(taxes: Taxes, *, transit: bool, shared: bool, goes_on: bool) -> list[CostLine]:
    """The leaves: purchase, value left, removal, cost of capital and operation, as far as this work carries them.

    What is paid is the whole purchase, and at its end the whole value left comes back and the whole removal is paid; the cost
    of capital is no payment. Running the hardware is paid while the work runs on it, with its part of the idle hours where others use
    it as well (`shared`); a service, which goes on (`goes_on`), runs for as long as it is held.
    """
    held = "held_years / holding_years"
    paid = [name for name in _OPERATED if transit or name != "transit"]
    operated = [*paid, *([TAX_OPERATION] if taxes.owed_on_services else [])]
    capital = f"(capital_year * holding_years - ({order_name(taxes)} - ({BROUGHT_AT_END}))) * {held} * own_share"
    return [
        quantity("used_years", f"min(held_years, owned_hours / (devices * {HOURS_PER_YEAR} * utilisation))", "year"),
        quantity("own_share", "used_years / held_years" if shared else "1", "share"),
        quantity("paid_months", "held_years * 12", "month", told=finding("cost.paid_months.held")),
        quantity("kwh", "kwh_year * used_years", "kWh"),
        _carried("purchase", "capex", "upfront"),
        *([_carried(TAX_PURCHASE, "capex_tax", "upfront")] if taxes.owed_on_purchases else []),
        _carried("residual_value", "-value_left", "end"),
        _carried(DISPOSAL, "disposal_cost", "end"),
        replace(dollars("cost_of_capital", capital, schedule="held"), paid=UNPAID),
        *(dollars(name, f"{name}_year * used_years", schedule="held" if goes_on else "used") for name in operated),
    ]


def _carried(name: str, whole: str, schedule: Schedule) -> CostLine:
    """This work's share of something that is paid whole, again for each purchase of a long demand."""
    share = dollars(name, f"{whole} * held_years / holding_years * own_share", kind="capex", schedule=schedule)
    return replace(share, paid=f"{whole} * max(1, held_years / holding_years)")
