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
from engine.inputs.hardware import System
from engine.inputs.spec import NO_TAX, Taxes
from engine.money.cash import completed
from engine.money.delivery import Delivery, bridge_lines, phase_lines, years_held
from engine.money.formulas import HOURS_PER_YEAR
from engine.money.lines import Schedule, assumed, check_positive, dollars, given, quantity, sum_of_leaves
from engine.money.own_around import NOTHING, Around, length_of, service_lines, stored_inputs
from engine.money.purchase import BROUGHT_AT_END, capital_lines, order_name, purchase_inputs
from engine.money.rented import Work, certain, work_of
from engine.money.signed import purchase_needs
from engine.money.site import on_desks, site_input, staff_formula, staff_names
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


_OPERATED = (
    ("energy", "Energy"),
    ("hosting", "Rented space"),
    ("maintenance", "Support and repair"),
    ("staff", "Staff"),
    ("software", "Licences"),
    ("transit", "Internet connection"),
)


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
    use_source: str = "request",
    taxes: Taxes = NO_TAX,
    cash: bool = True,
) -> CostModel:
    """What one piece of work carries of servers bought for it.

    `hours_needed` are its accelerator-hours within the horizon. With a horizon, other work uses the hardware too, at
    `utilisation` in all, and the value left at its end is credited. Without one (0) this work pays the whole purchase
    and nothing is credited. Servers are written off from their acceptance, and their removal is paid at the end.
    `spare_servers` are the least that the share for spares must pay. `delivery` says that the servers are ordered first
    (without it they stand there at the start), `busy` how many accelerators the work uses if not all.
    `work` splits `hours_needed` into computing and failures; `around` is what is kept and, for a service, the stack; it
    pays for its months even where the hours are fewer.
    CostError on numbers that make no cost.
    """
    use = certain(utilisation)
    check_positive(nodes=nodes, devices=devices, hours_needed=hours_needed, utilisation=use.expected)
    time, time_lines = work_of(hours_needed, work)
    run_years = around.months / 12.0 or hours_needed / devices / HOURS_PER_YEAR
    shared = bool(horizon_months or around.months)
    desks = on_desks(system, nodes, joined=around.joined)
    inputs = [
        *purchase_inputs(system, nodes, devices, assume, taxes, desks=desks),
        *_holding_inputs(run_years, horizon_months, delivery, assume),
        *time,
        given(
            "utilisation",
            "Share of hours in which the hardware is used",
            use.expected if shared else 1.0,
            "share",
            use_source,
            low=use.low if shared else None,
            high=use.high if shared else None,
        ),
        *(site_input(name, assume, desks=desks) for name in (*_OPERATION, *staff_names(desks=desks))),
        *([site_input("acceptance_months", assume, desks=desks)] if delivery else []),
        *tax_inputs(taxes, buys=True),
    ]
    capital = capital_lines(taxes)
    if around.stored_gb:
        inputs += [*stored_inputs(around), assumed("storage_usd_per_tb", "onprem.storage_usd_per_tb", assume)]
        capital = [replace(line, expression=_STORAGE) if line.name == "storage_system" else line for line in capital]
    lines = [
        *length_of(inputs, around),
        *time_lines,
        *phase_lines(inputs, delivery, assume, busy=busy or devices, devices=devices, months=around.months),
        *capital,
        *_yearly_lines(staff_formula(desks=desks), taxes),
        *_own_lines(taxes),
        *service_lines(inputs, around, assume, servers="servers"),
        *bridge_lines(inputs, delivery),
    ]
    lines += service_taxes(taxes, lines)
    if spare_servers:
        inputs.append(given("spare_servers", "Spare servers", spare_servers, "", "engine: Poisson, 99 % sure"))
        lines = [replace(line, expression=_SPARES) if line.name == "spares" else line for line in lines]
    lines.append(sum_of_leaves("total", "Total that this work carries", lines))
    lines.append(purchase_needs(lines))
    return completed(inputs, lines, start=start, cash=cash)


def _holding_inputs(
    run_years: float, horizon_months: float, delivery: Delivery | None, assume: Assumptions
) -> list[CostInput]:
    """How long the hardware is held, and what it is then worth: constant decay to the residual of its whole life."""
    life = assume["onprem.life_years"]
    horizon = max(horizon_months / 12.0, run_years)
    held = min(years_held(horizon, delivery, assume), life)
    decay = assume.get("onprem.residual_share")
    left = [value ** (held / life) if horizon_months else 0.0 for value in (decay.low, decay.value, decay.high)]
    source = decay.source if horizon_months else "No resale is credited without a horizon of demand"
    return [
        given("horizon_years", "Years of demand", horizon, "year", "request"),
        given("holding_years", "Years one purchase is held", held, "year", "request"),
        given(
            "residual_share",
            "Value left at the end, as a share of the purchase",
            left[1],
            "share",
            source,
            low=left[0],
            high=left[2],
        ),
        assumed("wacc", "onprem.wacc", assume),
    ]


def _yearly_lines(staff: str, taxes: Taxes) -> list[CostLine]:
    yearly = [f"{name}_year" for name, _ in _OPERATED]
    tax = _operation_tax(yearly) if taxes.owed_on_services else []
    return [
        quantity(
            "mean_load",
            "Mean power, as a share of the maximum",
            "idle_load + (busy_load - idle_load) * utilisation",
            "share",
        ),
        quantity("kwh_year", "Energy per year", f"servers * server_kw * mean_load * pue * {HOURS_PER_YEAR}", "kWh"),
        dollars("energy_year", "Energy per year", "if_(hosted > 0, 0, kwh_year * usd_per_kwh)", kind="quantity"),
        dollars(
            "hosting_year",
            "Rented space per year",
            "if_(hosted > 0, servers * server_kw * hosting_usd_per_kw_month * 12, 0)",
            kind="quantity",
        ),
        dollars("maintenance_year", "Support and repair per year", "server_cost * maintenance_share", kind="quantity"),
        quantity("staff_fte", "Staff", staff, "FTE"),
        dollars("staff_year", "Staff per year", "staff_fte * usd_per_fte", kind="quantity"),
        dollars("software_year", "Licences per year", "devices * software_per_device_year", kind="quantity"),
        dollars("transit_year", "Internet connection per year", "transit_usd_year", kind="quantity"),
        *tax,
        dollars(
            "operation_year",
            "Operation per year",
            " + ".join([*yearly, *(line.name for line in tax)]),
            kind="quantity",
        ),
        dollars("cost_year", "Cost per year", "capital_year + operation_year", kind="quantity"),
        quantity(
            "usd_per_available_hour",
            "Per accelerator-hour available",
            f"cost_year / (devices * {HOURS_PER_YEAR})",
            "USD/h",
        ),
        quantity("usd_per_used_hour", "Per accelerator-hour used", "usd_per_available_hour / utilisation", "USD/h"),
    ]


def _operation_tax(yearly: Sequence[str]) -> list[CostLine]:
    """Tax on what operation takes, people of one's own apart."""
    base = " + ".join(name for name in yearly if name != "staff_year")
    return [dollars(f"{TAX_OPERATION}_year", "Tax on operation per year", f"({base}) * {ON_SERVICES}", kind="quantity")]


def _own_lines(taxes: Taxes) -> list[CostLine]:
    """The leaves: purchase, value left, removal, cost of capital and operation, as far as this work carries them.

    What is paid is the whole purchase, and at its end the whole value left comes back and the whole removal is paid; the cost
    of capital is no payment.
    """
    held = "held_years / holding_years"
    operated = [*_OPERATED, *([(TAX_OPERATION, "Tax on operation")] if taxes.owed_on_services else [])]
    capital = f"(capital_year * holding_years - ({order_name(taxes)} - ({BROUGHT_AT_END}))) * {held} * own_share"
    return [
        quantity(
            "own_share",
            "Share that this work carries",
            f"min(1, owned_hours / (devices * {HOURS_PER_YEAR} * held_years * utilisation))",
            "share",
        ),
        quantity("paid_months", "Months in which the servers are held", "held_years * 12", "month"),
        quantity("kwh", "Energy", "kwh_year * held_years * own_share", "kWh"),
        _carried("purchase", "Purchase", "capex", "upfront"),
        *([_carried(TAX_PURCHASE, "Tax on the purchase", "capex_tax", "upfront")] if taxes.owed_on_purchases else []),
        _carried("residual_value", "Value left at the end", "-value_left", "end"),
        _carried(DISPOSAL, "Removal and data erasure at the end", "disposal_cost", "end"),
        replace(dollars("cost_of_capital", "Cost of capital", capital, schedule="held"), paid=UNPAID),
        *(dollars(name, label, f"{name}_year * held_years * own_share", schedule="held") for name, label in operated),
    ]


def _carried(name: str, label: str, whole: str, schedule: Schedule) -> CostLine:
    """This work's share of something that is paid whole, again for each purchase of a long demand."""
    share = dollars(name, label, f"{whole} * held_years / holding_years * own_share", kind="capex", schedule=schedule)
    return replace(share, paid=f"{whole} * max(1, held_years / holding_years)")
