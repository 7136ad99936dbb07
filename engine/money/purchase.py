"""What is ordered and what becomes of it: servers with what belongs to them, their freight, duty and tax, and their end."""

from __future__ import annotations

from engine.answer import ORDERED, PURCHASE, CostInput, CostLine
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import Ref, finding
from engine.inputs.hardware import System
from engine.inputs.origin import PLAN, REQUEST
from engine.inputs.spec import Taxes
from engine.money.lines import assumed, check_positive, dollars, given
from engine.money.signed import order_line
from engine.money.site import site_input
from engine.money.taxes import ON_PURCHASES

_SHARES = ("network_share", "storage_share", "spares_share")
"""What belongs to servers is bought as a share of their price."""
BROUGHT_AT_END = "value_left - disposal_cost"
"""What the whole hardware brings when it goes, less what its removal takes."""
_GOODS = "server_cost + network + storage_system + spares"


def purchase_inputs(
    system: System, nodes: int, devices: int, assume: Assumptions, taxes: Taxes, *, desks: bool
) -> list[CostInput]:
    """Price, number and size of the servers, and what comes on top of their price."""
    low, high = system.price_low_usd, system.price_high_usd
    check_positive(price_low_usd=low, price_high_usd=high, max_power_w=system.max_power_w)
    return [
        given(
            "price_per_server",
            (low + high) / 2.0,
            "USD",
            system.source,
            low=low,
            high=high,
            date=system.price_date,
            told=finding("cost.price_per_server", system=Ref("system", system.slug, system.name)),
        ),
        given("servers", nodes, "", PLAN),
        given("devices", devices, "", PLAN),
        given("server_kw", system.max_power_w / 1000.0, "kW", system.source),
        *(site_input(name, assume, desks=desks, servers=nodes) for name in _SHARES),
        given("rack_units", system.rack_units, "U", system.source),
        assumed("onprem.install_per_rack_unit", assume),
        assumed("onprem.freight_share", assume),
        *([given("duty_share", taxes.import_duty, "share", REQUEST)] if taxes.import_duty else []),
        assumed("onprem.disposal_per_rack_unit", assume),
    ]


def capital_lines(taxes: Taxes) -> list[CostLine]:
    """What is bought, what brings it there and takes it away, and what of it is left."""
    bought = [
        dollars("server_cost", "servers * price_per_server", kind="capex"),
        dollars("network", "server_cost * network_share", kind="capex"),
        dollars("storage_system", "server_cost * storage_share", kind="capex"),
        dollars("spares", "server_cost * spares_share", kind="capex", told=finding("cost.spares.bought")),
        dollars(
            "installation",
            "servers * rack_units * install_per_rack_unit",
            kind="capex",
        ),
        dollars("freight", f"({_GOODS}) * freight_share", kind="capex"),
    ]
    if taxes.import_duty:
        bought.append(dollars("import_duty", f"({_GOODS}) * duty_share", kind="capex"))
    # Whoever buys used hardware pays for neither its freight nor the duty on it.
    lost = "freight + import_duty" if taxes.import_duty else "freight"
    invested, left = order_name(taxes), BROUGHT_AT_END
    return [
        *bought,
        dollars("capex", " + ".join(line.name for line in bought), kind="total"),
        *_order_lines(taxes),
        dollars("value_left", f"(capex - ({lost})) * value_share", kind="quantity"),
        dollars(
            "disposal_cost",
            "servers * rack_units * disposal_per_rack_unit",
            kind="quantity",
        ),
        dollars(
            "capital_year",
            f"if_(wacc * holding_years > 0.000001, ({invested} - ({left}) / (1 + wacc) ** holding_years)"
            " * wacc / (1 - 1 / (1 + wacc) ** holding_years),"
            f" ({invested} - ({left})) / holding_years)",
            kind="quantity",
        ),
    ]


def _order_lines(taxes: Taxes) -> list[CostLine]:
    """The tax on the whole purchase, and the order with it."""
    if not taxes.owed_on_purchases:
        return []
    return [
        dollars("capex_tax", f"capex * {ON_PURCHASES}", kind="capex"),
        order_line(),
    ]


def order_name(taxes: Taxes) -> str:
    """The line that is the whole purchase as it is signed."""
    return ORDERED if taxes.owed_on_purchases else PURCHASE
