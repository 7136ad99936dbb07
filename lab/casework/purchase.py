"""The engine's model of bought servers, with every coefficient from the inputs of a case."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from engine.answer import CostModel
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import System
from engine.inputs.origin import SET_IN_PLAN
from engine.money import formulas as mm
from engine.money.cost import COST_ASSUMPTIONS, amount_of, bought
from lab.casework.quantities import Answer, Inputs

SERVER_USD = 270_000.0
"""A server of eight H100, lowest dated listing (Epoch hardware prices, 2023-05)."""
SERVER_DEVICES = 8
SERVER_KW = 10.2


def reference_onprem(given: Inputs) -> Answer:
    """The engine's model of bought servers over their whole life, with every coefficient from the inputs."""
    model = reference(given)
    names = {
        "capex_usd": "capex",
        "annualised_capex_usd": "capital_year",
        "energy_usd_per_y": "energy_year",
        "hosting_usd_per_y": "hosting_year",
        "maintenance_usd_per_y": "maintenance_year",
        "staff_usd_per_y": "staff_year",
        "software_usd_per_y": "software_year",
        "total_usd_per_y": "cost_year",
        "usd_per_gpu_h_available": "usd_per_available_hour",
        "usd_per_gpu_h_used": "usd_per_used_hour",
        "servers_usd": "server_cost",
        "network_usd": "network",
        "storage_usd": "storage_system",
        "spares_usd": "spares",
        "install_usd": "installation",
        "equivalent_annual_cost_usd": "capital_year",
        "eac_usd": "capital_year",
        "opex_usd_per_y": "operation_year",
        "transit_usd_per_y": "transit_year",
        "kwh_per_y": "kwh_year",
    }
    numbers = {name: amount_of(model, line) for name, line in names.items()}
    worth = sum(year.present_value for year in model.years)
    return Answer(numbers=numbers | {"present_value_usd": worth, "npv_usd": worth} | _against_rent(given, model))


def _against_rent(given: Inputs, model: CostModel) -> dict[str, float]:
    """Use and price at which owning costs as much as renting, where a rented hour is given: all cost taken as fixed."""
    devices, yearly = next(item.value for item in model.inputs if item.name == "devices"), amount_of(model, "cost_year")
    found = {"breakeven_cloud_usd_per_gpu_h": amount_of(model, "usd_per_used_hour")}
    rent = given.maybe("cloud_usd_per_gpu_h", "cloud_usd_per_chip_h")
    if rent:
        share = mm.break_even_utilisation(yearly, devices=devices, rented_per_device_hour=rent)
        found |= {"u_star_all_fixed": share, "breakeven_utilisation": share}
    return found


_OVERRIDES: Mapping[str, tuple[str, ...]] = {
    "onprem.network_share": ("network_fraction", "f_net"),
    "onprem.storage_share": ("storage_fraction", "f_sto"),
    "onprem.spares_share": ("spares_fraction", "f_spare"),
    "onprem.life_years": ("life_years", "years"),
    "onprem.residual_share": ("residual_fraction", "residual"),
    "onprem.wacc": ("wacc", "rate", "discount_rate", "cost_of_capital"),
    "onprem.busy_load": ("avg_load_fraction", "load", "load_fraction"),
    "onprem.idle_load": ("avg_load_fraction", "load", "load_fraction"),
    "onprem.pue": ("pue",),
    "onprem.usd_per_kwh": ("usd_per_kwh", "electricity_usd_per_kwh"),
    "onprem.maintenance_share": ("maintenance_fraction_of_server_per_y", "maintenance_fraction"),
    "onprem.usd_per_fte": ("staff_usd_per_y", "staff_usd_per_year"),
    "onprem.software_per_device_year": ("software_usd_per_gpu_y", "software_usd_per_gpu_per_y"),
    "onprem.transit_usd_year": ("transit_usd_per_y", "transit_usd_per_year"),
    "onprem.hosting_usd_per_kw_month": ("hosting_usd_per_kw_month", "colo_usd_per_kw_month"),
    "onprem.freight_share": ("freight_fraction", "shipping_fraction"),
}
_UNNAMED = ("onprem.transit_usd_year", "onprem.freight_share", "onprem.disposal_per_rack_unit")


def reference(given: Inputs) -> CostModel:
    """The engine's purchase model; a stated yearly staff cost is one post of that cost."""
    values = {key: given.maybe(*names) for key, names in _OVERRIDES.items()}
    changed = {key: value for key, value in values.items() if value is not None}
    for post in _UNNAMED:  # a post that a worked case does not name is not in its sum
        changed.setdefault(post, 0.0)
    installed = given.maybe("install_per_server_usd", "install_usd_per_server")
    if installed is not None:
        changed["onprem.install_per_rack_unit"] = installed / System.rack_units
    if "onprem.usd_per_fte" in changed:
        changed |= {"onprem.least_fte": 1.0, "onprem.nodes_per_fte": 1e9, "onprem.few_nodes_per_fte": 1e-9}
    if "onprem.hosting_usd_per_kw_month" in changed:
        changed["onprem.hosted"] = 1.0
    assume = Assumptions(COST_ASSUMPTIONS).override(changed, source=SET_IN_PLAN)
    servers = int(given.number("servers", "nodes", default=1.0))
    devices = int(given.number("gpus", "devices", default=float(servers * SERVER_DEVICES)))
    utilisation = given.number("utilisation", default=0.6)
    price = given.number("server_price_usd", default=SERVER_USD)
    years = assume["onprem.life_years"]
    system = System(
        slug="case",
        name="server",
        device="",
        devices=max(1, devices // servers),
        nic_bandwidth=0.0,
        max_power_w=given.number("server_kw", default=SERVER_KW) * 1000.0,
        price_low_usd=price,
        price_high_usd=price,
        price_date="",
    )
    return bought(
        system=system,
        nodes=servers,
        devices=devices,
        hours_needed=devices * mm.HOURS_PER_YEAR * years * utilisation,
        horizon_months=years * 12.0,
        utilisation=utilisation,
        start=date(2000, 1, 1),
        assume=assume,
    )
