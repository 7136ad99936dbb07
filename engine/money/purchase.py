"""What is ordered and what becomes of it: servers with what belongs to them, their freight, duty and tax, and their end."""

from __future__ import annotations

from engine.answer import ORDERED, PURCHASE, CostInput, CostLine
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import System
from engine.inputs.spec import Taxes
from engine.money.lines import assumed, check_positive, dollars, given
from engine.money.signed import order_line
from engine.money.site import site_input
from engine.money.taxes import ON_PURCHASES

_SHARES = (
    ("network_share", "network", "Cluster network"),
    ("storage_share", "storage_system", "Storage system"),
    ("spares_share", "spares", "Spare nodes and parts"),
)
BROUGHT_AT_END = "value_left - disposal_cost"
"""What the whole hardware brings when it goes, less what its removal takes."""
_GOODS = "server_cost + network + storage_system + spares"


def purchase_inputs(
    system: System, nodes: int, devices: int, assume: Assumptions, taxes: Taxes, *, desks: bool
) -> list[CostInput]:
    """Price, number and size of the servers, and what comes on top of their price."""
    low, high = system.price_low_usd, system.price_high_usd
    check_positive(price_low_usd=low, price_high_usd=high, max_power_w=system.max_power_w)
    label = f"Price of one {system.name}"
    return [
        given(
            "price_per_server",
            label,
            (low + high) / 2.0,
            "USD",
            system.source,
            low=low,
            high=high,
            date=system.price_date,
        ),
        given("servers", "Servers", nodes, "", "plan"),
        given("devices", "Accelerators", devices, "", "plan"),
        given("server_kw", "Maximum power of one server", system.max_power_w / 1000.0, "kW", system.source),
        *(site_input(name, assume, desks=desks) for name, _, _ in _SHARES),
        given("rack_units", "Rack units of one server", system.rack_units, "U", system.source),
        assumed("install_per_rack_unit", "onprem.install_per_rack_unit", assume),
        assumed("freight_share", "onprem.freight_share", assume),
        *([given("duty_share", "Import duty", taxes.import_duty, "share", "request")] if taxes.import_duty else []),
        assumed("disposal_per_rack_unit", "onprem.disposal_per_rack_unit", assume),
    ]


def capital_lines(taxes: Taxes) -> list[CostLine]:
    """What is bought, what brings it there and takes it away, and what of it is left."""
    parts = [dollars(name, label, f"server_cost * {share}", kind="capex") for share, name, label in _SHARES]
    bought = [
        dollars("server_cost", "Servers", "servers * price_per_server", kind="capex"),
        *parts,
        dollars(
            "installation",
            "Racks, power distribution, installation",
            "servers * rack_units * install_per_rack_unit",
            kind="capex",
        ),
        dollars("freight", "Freight and transport insurance", f"({_GOODS}) * freight_share", kind="capex"),
    ]
    if taxes.import_duty:
        bought.append(dollars("import_duty", "Import duty", f"({_GOODS}) * duty_share", kind="capex"))
    # Whoever buys used hardware pays for neither its freight nor the duty on it.
    lost = "freight + import_duty" if taxes.import_duty else "freight"
    invested, left = order_name(taxes), BROUGHT_AT_END
    return [
        *bought,
        dollars("capex", "Purchase", " + ".join(line.name for line in bought), kind="total"),
        *_order_lines(taxes),
        dollars(
            "value_left", "Value left of the whole purchase", f"(capex - ({lost})) * residual_share", kind="quantity"
        ),
        dollars(
            "disposal_cost",
            "Removal of the whole purchase",
            "servers * rack_units * disposal_per_rack_unit",
            kind="quantity",
        ),
        dollars(
            "capital_year",
            "Capital per year, as an annuity",
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
        dollars("capex_tax", "Tax on the whole purchase", f"capex * {ON_PURCHASES}", kind="capex"),
        order_line(),
    ]


def order_name(taxes: Taxes) -> str:
    """The line that is the whole purchase as it is signed."""
    return ORDERED if taxes.owed_on_purchases else PURCHASE
